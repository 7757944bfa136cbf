// Package recording reads traffic that browsers, proxies and API clients have
// recorded, and has it judged: HTTP Archives, Postman collections with saved
// examples, and Newman's reports. What a recorder changes or leaves out is never
// held against the target.
package recording

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
)

// Recording is one recorded file. It keeps the exchanges that belong to an operation.
type Recording struct {
	Name     string
	Others   int // exchanges that belong to no operation
	creator  string
	entries  []*entry
	kept     int // bytes of the entries
	contract *spec.Contract
}

// entry is what is known of an exchange before it is judged.
type entry struct {
	base   string // with scheme and host: https://api.example/v2
	method string
	target string // of the request line
	when   span
	other  bool // it belongs to no operation, but may have changed what they show
	keyed  bool // it carries the key header
	cookie bool // or something else that may be a key
	*exchange
}

// span is when an exchange was under way, in nanoseconds. Not known means that
// it is unknown what came before it and what after.
type span struct {
	known      bool
	start, end int64
}

// exchange is what a recorder kept of one.
type exchange struct {
	wire.Recorded
	missing Reason // why it cannot be judged; "" if it can
}

// Reason says why a recorded exchange of an operation is not judged.
type Reason string

// The reasons. None of them is about the target.
const (
	NoResponse    Reason = "no response recorded"
	NoBody        Reason = "body not recorded"
	CutBody       Reason = "body cut by the recorder"
	NoRequestBody Reason = "request body not recorded"
	FromCache     Reason = "answered by a cache or the browser itself"
	OutOfScope    Reason = "of a kind that the contract does not describe"
)

// add takes an exchange into the recording, and gives its place if it belongs to an
// operation. One that does not is kept as other if it may have changed what an
// operation shows.
func (r *Recording) add(method, address string, header http.Header, when span) *entry {
	origin, target, ok := split(address)
	if !ok {
		r.Others++
		return nil
	}
	e := &entry{method: strings.ToUpper(method), target: target, when: when}
	path, _, _ := strings.Cut(target, "?")
	prefix, ok := below(r.contract, e.method, path)
	if !ok {
		r.Others++
		if !wire.Safe(e.method) && e.method != http.MethodConnect {
			e.other, e.base, e.target = true, origin, ""
			r.entries = append(r.entries, e)
		}
		return nil
	}
	e.base = origin + prefix
	e.keyed = header.Get(wire.DefaultKeyHeader) != ""
	e.cookie = header.Get("Cookie") != "" || header.Get("Authorization") != ""
	r.entries = append(r.entries, e)
	return e
}

// split takes a URL apart into its origin, in one spelling and without user name,
// and what stands in the request line, as it was recorded.
func split(address string) (origin, target string, ok bool) {
	scheme, rest, _ := strings.Cut(address, "://")
	at := strings.IndexAny(rest, "/?#")
	if at < 0 {
		at = len(rest)
	}
	u, err := url.Parse(scheme + "://" + rest[:at]) // what follows may be no valid encoding
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", "", false
	}
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	if at == len(rest) {
		return u.Scheme + "://" + host, "/", true
	}
	target, _, _ = strings.Cut(rest[at:], "#")
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return u.Scheme + "://" + host, target, true
}

// below finds what stands before the path of an operation: the base path.
func below(c *spec.Contract, method, path string) (prefix string, ok bool) {
	segments := strings.Split(path, "/")
	for _, op := range c.Operations {
		start := len(segments) - strings.Count(op.Path, "/")
		if op.Method != method || start < 1 {
			continue
		}
		if _, ok := op.Match("/" + strings.Join(segments[start:], "/")); ok {
			return strings.Join(segments[:start], "/"), true
		}
	}
	return "", false
}
