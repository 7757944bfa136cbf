package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// The values that zero fields of [Options] stand for.
const (
	DefaultKeyHeader = "X-API-Key"
	DefaultTimeout   = 10 * time.Second
)

// maxHeader bounds all response heads of a request, 1xx included.
const maxHeader = 256 << 10 // bytes

// Options state where the target is and which bounds apply. Only BaseURL is required.
type Options struct {
	// BaseURL is http(s)://host[:port][/base].
	BaseURL   string
	KeyHeader string
	Secrets   []Secret    // keys of the target file
	TLS       *tls.Config // nil for the system's certificate authorities

	Timeout time.Duration // of one attempt, from connecting to the last byte of the body
	Rate    float64       // requests a second; 0 for no limit

	UserAgent string // "adconform/1.2.3"
	ReadOnly  bool   // send only requests whose method changes nothing, see Safe

	// Now and Sleep replace the clock in tests. Sleep returns early, with the
	// context's error, when the context ends.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// A Secret is a key that must not be shown. A shell variable with its name is shown
// instead: $ADCONFORM_OWNER_KEY for "owner".
type Secret struct{ Name, Value string }

// String returns only the name, so that no format verb prints the key.
func (s Secret) String() string { return s.Name }

func (o Options) withDefaults() Options {
	o.KeyHeader = cmp.Or(o.KeyHeader, DefaultKeyHeader)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.UserAgent = cmp.Or(o.UserAgent, "adconform")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
			return ctx.Err()
		}
	}
	return o
}

// An origin is where every request goes, and the only place to which a key is sent.
type origin struct {
	scheme string // "http" or "https"
	host   string // for the URL and the Host header
	name   string // the host alone, without the brackets of an IPv6 address
	port   string
	base   string // path before that of the request, without a trailing slash
}

func parseOrigin(baseURL string) (origin, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" { // the error does not quote it, as it may hold a password
		return origin{}, errors.New("the base URL cannot be used: give scheme, host and base path alone, as in https://staging.example.com/v2")
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return origin{u.Scheme, u.Host, u.Hostname(), port, strings.TrimRight(u.EscapedPath(), "/")}, nil
}

// address returns the whole URL of a path below the base path.
func (o origin) address(path string) string { return o.scheme + "://" + o.host + o.base + path }

// url returns the URL of a request's path, which goes on the wire as it is. It cannot leave the origin.
func (o origin) url(path string) (*url.URL, error) {
	odd := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }
	if !strings.HasPrefix(path, "/") || strings.ContainsFunc(path, odd) {
		return nil, fmt.Errorf("path %q: it must begin with /, be percent-encoded, and have no fragment", path)
	}
	return &url.URL{Scheme: o.scheme, Host: o.host, Opaque: o.base + path}, nil
}

// environmentProxy returns the proxy that HTTPS_PROXY, or HTTP_PROXY, and NO_PROXY
// select for the target, or nil. Loopback addresses get no proxy.
func environmentProxy(o origin) (*url.URL, error) {
	return httpproxy.FromEnvironment().ProxyFunc()(&url.URL{Scheme: o.scheme, Host: o.host})
}
