package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/adconform/adconform/fixtures"
)

// DefaultTimeout is what a zero time-out in [Options] stands for.
const DefaultTimeout = 10 * time.Second

// Options state where the target is and which bounds apply. Only BaseURL is required, and Key if requests have keys.
type Options struct {
	// BaseURL is http(s)://host[:port][/base].
	BaseURL string
	Key     fixtures.KeyForm          // how a request carries its key
	Secrets []Credential              // keys of the target file; the first is that of the user whose objects are tested
	Renew   map[string]fixtures.Renew // how to get the next key of a user; nil for keys that last
	Headers []fixtures.Header         // that every request has
	TLS     *tls.Config               // nil for the system's certificate authorities

	Timeout time.Duration // of one attempt, from connecting to the last byte of the body
	Rate    float64       // requests a second; 0 for no limit

	UserAgent string // "adconform/1.2.3"
	ReadOnly  bool   // send only requests whose method changes nothing, see Safe

	Dial func(ctx context.Context, network, address string) (net.Conn, error) // replaces the network in tests
}

// A Client sends requests to one target within the bounds of its Options. It is
// safe for concurrent use.
type Client struct {
	opt    Options  // with the defaults filled in
	base   *url.URL // where every request goes, and the only place to which a key is sent
	keys   *Keys
	gates  map[string]*keyGate // by user
	proxy  *url.URL            // nil for none
	pooled *http.Transport     // keeps connections, see viaPool
	seq    atomic.Int64
	pace   *rate.Limiter       // Options.Rate
	large  *semaphore.Weighted // held by one reader at a time, see readBody
	gate   *gate

	ordinary     func() []Request // see Beside; nil if none are known
	neverInvites atomic.Bool      // it sends no 100 Continue, see write
	oneByOne     atomic.Bool      // it answered no other request while it had half of one, see around
	// The target ends connections without an answer, so each request gets a connection of its
	// own: then a lost answer is certainly lost.
	unkept atomic.Bool
}

// New returns a client. It sends nothing.
func New(options Options) (*Client, error) {
	options.Timeout = cmp.Or(options.Timeout, DefaultTimeout)
	options.UserAgent = cmp.Or(options.UserAgent, "adconform")
	if options.Dial == nil {
		options.Dial = (&net.Dialer{Timeout: options.Timeout}).DialContext
	}
	base, err := parseBase(options.BaseURL)
	if err != nil {
		return nil, err
	}
	c := &Client{
		opt: options, base: base, keys: new(Keys), gates: newGates(options),
		pace:  rate.NewLimiter(rate.Inf, 1),
		large: semaphore.NewWeighted(1),
		gate:  newGate(options.Timeout),
	}
	c.keys.prepare()
	for _, s := range options.Secrets {
		c.addKey(s, true)
	}
	for _, h := range options.Headers {
		if h.Secret {
			c.keys.add(h.Name, h.Value, "", true)
			c.keys.addWords(h.Name, h.Value, minToken, true)
		}
	}
	// HTTPS_PROXY, or HTTP_PROXY, and NO_PROXY select a proxy; loopback addresses get none.
	if c.proxy, err = httpproxy.FromEnvironment().ProxyFunc()(base); err != nil {
		return nil, err
	}
	if c.proxy != nil && c.proxy.User != nil {
		password, _ := c.proxy.User.Password()
		c.keys.add("proxy-password", password, "", true)
		c.keys.add("proxy", c.proxy.User.String(), "", true)
	}
	if options.Rate > 0 {
		// The burst is a tenth of a second's worth, so that timers that fire late
		// do not lower the rate.
		c.pace = rate.NewLimiter(rate.Limit(options.Rate), max(1, int(options.Rate/10)))
	}
	c.pooled = c.newTransport()
	return c, nil
}

// parseBase returns the URL below which requests go.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Hostname() == "", !slices.Contains([]string{"http", "https"}, u.Scheme),
		*u != url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}:
		// the error does not quote it, as it may hold a password
		return nil, errors.New("the base URL cannot be used: give scheme, host and base path alone, " +
			"as in https://staging.example.com/v2")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// origin returns the scheme and the host of the target: http://host:port.
func (c *Client) origin() string {
	return c.base.Scheme + "://" + c.base.Host
}

// Close ends idle connections. The client stays usable.
func (c *Client) Close() {
	c.pooled.CloseIdleConnections()
}

// Redact replaces keys by variable names, see [Keys.Text].
func (c *Client) Redact(text string) string { return c.keys.Text(text) }

// Do sends a request and reads the whole answer. It never follows a redirect
// and never decompresses. DELETE uses a fresh connection, anything else a pooled one and, if
// that had ended, a fresh one for a second try. After 429 and outages Do waits, within a bound,
// and sends the request again.
func (c *Client) Do(ctx context.Context, caseID string, r Request) *Exchange {
	m := c.begin(caseID, r)
	send := c.sendViaPool
	if r.Raw {
		send = c.raw
	}
	c.run(ctx, m, send)
	return m.ex
}

// A Way is a way of sending several requests.
type Way int

// The ways. None of them heeds Request.Raw.
const (
	InOrder  Way = iota // one after the other on one connection
	Together            // at the same instant, each on a connection of its own
	Around              // the second in two halves, and the first, whole, between them
)

// DoAll sends several requests.
func (c *Client) DoAll(ctx context.Context, caseID string, way Way, requests ...Request) []*Exchange {
	var messages []*message
	var exchanges []*Exchange
	for _, r := range requests {
		m := c.begin(caseID, r)
		messages = append(messages, m)
		exchanges = append(exchanges, m.ex)
	}
	switch way {
	case Together:
		c.sendTogether(ctx, messages)
	case Around:
		c.sendAround(ctx, messages[1], messages[0])
	case InOrder:
		c.sendInOrder(ctx, messages)
	}
	return exchanges
}

// sendTogether opens a raw connection for each request, and sends when all are connected. The
// requests that are answered 429 then wait and are sent again one by one.
func (c *Client) sendTogether(ctx context.Context, messages []*message) {
	c.admitAll(ctx, messages...)
	var ready, done sync.WaitGroup
	ready.Add(len(messages))
	for _, m := range messages {
		arrive := sync.OnceFunc(ready.Done)
		m.between = func(context.Context) {
			arrive()
			ready.Wait()
		}
		send := func(ctx context.Context, a *attempt, m *message) (*Response, error) {
			defer arrive() // without a connection, too: before its next attempt it may wait for a turn that another has
			return c.raw(ctx, a, m)
		}
		done.Go(func() {
			defer arrive()
			c.run(ctx, m, send)
		})
	}
	done.Wait()
}

// sendInOrder uses one connection for all messages, even for DELETE. If the target closed it,
// sendInOrder sends the request again on another. It sends nothing after a request that timed out,
// or after the context has ended.
func (c *Client) sendInOrder(ctx context.Context, messages []*message) {
	own := c.newTransport()
	defer own.CloseIdleConnections()
	hangs := false
	for _, m := range messages {
		if hangs {
			m.ex.Err = transportErrorf(Canceled, "not sent: the request before was not answered in time")
			continue
		}
		c.run(ctx, m, c.sendVia(own))
		hangs = m.ex.Failed(Timeout)
	}
}

// maxPause is how long the second half of a request waits for the answer to another request.
// A target that serves one connection at a time gives that answer only after both halves.
const maxPause = 2 * time.Second

// sendAround sends a request in two halves, on a connection of its own, and another between them;
// Exchange.Around of the halved one reports whether the other was answered before the second half
// was sent. Behind a proxy, with HTTP/2, and on a target that serves one connection after another,
// it sends the other request after the whole one.
func (c *Client) sendAround(ctx context.Context, halved, between *message) {
	c.admitAll(ctx, halved, between)
	answered := make(chan struct{})
	hasMet := false
	isLate := false
	send := sync.OnceFunc(func() {
		go func() {
			defer close(answered)
			c.run(ctx, between, c.sendAlone) // on a connection opened after the other
		}()
	})
	if halved.halve = !c.oneByOne.Load(); halved.halve {
		halved.between = func(ctx context.Context) {
			send()
			select {
			case <-answered:
				hasMet = between.ex.Err == nil
			case <-time.After(min(maxPause, c.opt.Timeout/2)):
				isLate = true
			case <-ctx.Done():
			}
		}
	}
	c.run(ctx, halved, c.raw)
	send() // in case no half was sent
	<-answered
	halved.ex.Around = hasMet
	isBusy := between.ex.RateLimited+between.ex.Unavailable > 0 // this time
	if isLate && !isBusy {
		c.oneByOne.Store(true)
	}
}

// A message is a request that is prepared once and sent as often as needed.
type message struct {
	*Client
	Request
	ex     *Exchange
	url    *url.URL
	header http.Header

	halve   bool                  // write it in two halves
	between func(context.Context) // called between the halves, or before the message; nil for nothing

	renews bool // another key was asked for, because its key was refused
	waiting
}

// begin opens the record of an exchange. It sets Err if the request cannot be put on the wire.
func (c *Client) begin(caseID string, r Request) *message {
	ex := &Exchange{Seq: int(c.seq.Add(1)), Case: caseID, Request: r, client: c}
	c.keepSecret(r.Credential)
	m := &message{Client: c, Request: r, ex: ex, header: c.header(caseID, r)}
	m.attachKey()
	ex.URL = c.Redact(c.origin() + c.target(r.Path, m.Credential))
	if err := m.check(); err != nil {
		ex.Err = c.redactError(err)
	}
	return m
}

// attachKey adds the key to a message, the newest one of its user.
func (m *message) attachKey() {
	m.Credential = m.newest(m.Credential)
	if name, values := m.keyHeader(m.Credential); name != "" {
		m.header[name] = values // spelled as configured
	}
	m.url = &url.URL{Scheme: m.base.Scheme, Host: m.base.Host}
	m.url.Opaque = m.target(m.Path, m.Credential) // goes on the wire unchanged
	if m.proxy != nil && m.base.Scheme == "http" {
		m.url.Opaque = "//" + m.url.Host + m.url.Opaque // a proxy needs the whole address
	}
}

// pathOnTheWire matches a path that needs no more encoding and has no fragment.
var pathOnTheWire = regexp.MustCompile(`^/[!"$-~]*$`)

// check returns why a request is not sent, or nil.
func (m *message) check() *TransportError {
	switch {
	case m.opt.ReadOnly && !Safe(m.Method):
		return notSent(fmt.Errorf("the run only reads, and %s could change something", m.Method))
	case m.Odd != nil && m.proxy != nil:
		return errOnlyRaw
	case m.Odd != nil:
		return nil
	case !pathOnTheWire.MatchString(m.Path):
		return transportErrorf(BadRequest,
			"path %q: it must begin with /, be percent-encoded, and have no fragment", m.Path)
	}
	for name, values := range m.header {
		isName := httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldName(m.Method)
		if !isName || !httpguts.ValidHeaderFieldValue(strings.Join(values, "")) {
			return transportErrorf(BadRequest, "method %q or header %q is not one of HTTP", m.Method, name)
		}
	}
	return nil
}

// header returns the header to send, without the key.
func (c *Client) header(caseID string, r Request) http.Header {
	header := http.Header{
		"User-Agent":      {c.opt.UserAgent},
		"Accept-Encoding": {"identity"}, // the body is judged as it comes
	}
	maps.Copy(header, ownHeader(r))
	c.everyHeader(header)
	header[CaseHeader] = []string{caseID}
	return header
}

// Safe reports whether a method changes nothing (RFC 9110 §9.2.1).
func Safe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace}, method)
}

// ownHeader returns the header of a request without the fields that describe the client.
func ownHeader(r Request) http.Header {
	header := http.Header{"Accept": {"application/json"}}
	if r.Body != nil {
		header["Content-Type"] = []string{"application/json"}
	}
	for name, values := range r.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return header
}

// String returns the request and its outcome in one line, without any key.
func (ex *Exchange) String() string {
	came := any(ex.Err)
	if ex.Err == nil {
		came = ex.Response.Status
	}
	r := ex.Request
	return fmt.Sprintf("#%d %s: %s %s as %s: %v", ex.Seq, ex.Case, r.Method, ex.URL, r.Credential, came)
}
