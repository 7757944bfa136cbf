package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Client sends requests to one target within the bounds of its Options. It is
// safe for concurrent use.
type Client struct {
	opt      Options // with the defaults filled in
	origin   origin
	keys     *Keys
	proxy    *url.URL // nil: none
	dialer   net.Dialer
	pooled   *http.Transport // keeps connections
	fresh    *http.Transport // a connection for each request
	seq      atomic.Int64
	slots    *semaphore.Weighted
	limiter  *rate.Limiter
	patience *patience
	bucket   *bucket
	outage   outage
	flights  flights
	large    chan *bytes.Buffer // see readBody

	// The target's TLS refuses HTTP/1.1, which a raw connection speaks.
	onlyHTTP2 atomic.Bool
	// See Around: what the target does while a head, or a body, is there by half, and
	// whether it invites bodies.
	halfHead, halfBody    serving
	invites, neverInvites atomic.Bool
	// The target ends connections without a word: each request gets one of its own, so
	// that an answer that is lost is lost for certain.
	unkept atomic.Bool
}

// New returns a client. It sends nothing.
func New(options Options) (*Client, error) {
	options = options.withDefaults()
	origin, err := parseOrigin(options.BaseURL)
	if err != nil {
		return nil, err
	}
	c := &Client{
		opt:      options,
		origin:   origin,
		keys:     newKeys(),
		dialer:   net.Dialer{Timeout: options.Timeout},
		slots:    semaphore.NewWeighted(int64(options.Concurrency)),
		patience: &patience{turn: semaphore.NewWeighted(1)},
		bucket:   newBucket(options),
		large:    make(chan *bytes.Buffer, 1),
	}
	c.large <- new(bytes.Buffer)
	for _, s := range options.Secrets {
		c.keys.add(s.Name, s.Value, given)
	}
	via, err := environmentProxy(origin)
	if err != nil {
		return nil, err
	}
	c.useProxy(via)
	if options.Rate > 0 {
		// A tenth of a second's worth at once, so that timers that fire late
		// do not lower the rate.
		c.limiter = rate.NewLimiter(rate.Limit(options.Rate), max(1, int(options.Rate/10)))
	}
	c.pooled, c.fresh = c.newTransport(), c.newTransport()
	c.fresh.DisableKeepAlives = true
	return c, nil
}

// Close ends idle connections. The client stays usable.
func (c *Client) Close() {
	c.pooled.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}

// Do sends a request and reads the whole answer. It never follows a redirect
// and never decompresses. DELETE goes on a fresh connection, anything else on a
// pooled one, and where that turns out to have ended once more on a fresh one. 429 and
// outages are waited out within a bound and the request sent again.
func (c *Client) Do(ctx context.Context, caseID string, r Request) *Exchange {
	ex, m := c.begin(caseID, r)
	if !r.Raw || c.proxy != nil || c.onlyHTTP2.Load() {
		return c.run(ctx, ex, m, c.transportFor(r.Method), nil)
	}
	ex.Raw = true
	return c.run(ctx, ex, m, func(ctx context.Context, a *attempt, m *message) (*Response, error) {
		response, err := c.sendRaw(ctx, a, m)
		if !refusesHTTP1(err) {
			return response, err
		}
		c.onlyHTTP2.Store(true) // nothing was sent yet
		if ex.Raw = false; m.url == nil {
			return nil, errOnlyRaw
		}
		return c.transportFor(r.Method)(ctx, a, m)
	}, nil)
}

// Way is how several requests are sent.
type Way int

// The ways. Request.Raw counts in none of them.
const (
	InOrder  Way = iota // one after the other on one connection
	Together            // at the same instant
	Around              // the first in two halves, and the second, whole, between them
)

// DoAll sends several requests.
func (c *Client) DoAll(ctx context.Context, caseID string, way Way, requests ...Request) []*Exchange {
	switch way {
	case Together:
		return c.together(ctx, caseID, requests)
	case Around:
		return c.around(ctx, caseID, requests)
	}
	return c.inOrder(ctx, caseID, requests)
}

// together lets each request wait with its connection at hand until all others have
// theirs. A 429 is then waited out one by one. Together they take no more of
// Options.Concurrency than there is.
func (c *Client) together(ctx context.Context, caseID string, requests []Request) []*Exchange {
	exchanges := make([]*Exchange, len(requests))
	messages := make([]*message, len(requests))
	sendable := 0
	for i, r := range requests {
		if exchanges[i], messages[i] = c.begin(caseID, r); messages[i] != nil {
			sendable++
		}
	}
	group := c.gather(ctx, exchanges, sendable)
	if group == nil {
		return exchanges
	}
	var done sync.WaitGroup
	for i, r := range requests {
		done.Go(func() { c.run(ctx, exchanges[i], messages[i], c.transportFor(r.Method), group) })
	}
	done.Wait()
	return exchanges
}

// inOrder uses a connection that nothing else uses, for DELETE too. Exchange.Reused is
// false where the target did not keep it, and what it did not answer for that was sent
// again on another. Nothing is sent after a request that timed out, or after the context
// has ended.
func (c *Client) inOrder(ctx context.Context, caseID string, requests []Request) []*Exchange {
	own := c.newTransport()
	defer own.CloseIdleConnections()
	exchanges := make([]*Exchange, len(requests))
	hangs := false
	for i, r := range requests {
		ex, m := c.begin(caseID, r)
		if exchanges[i] = ex; hangs {
			ex.Err = transportErrorf(Canceled, "not sent: the request before was not answered in time")
			continue
		}
		c.run(ctx, ex, m, c.via(own), nil)
		hangs = ex.Err != nil && ex.Err.Kind == Timeout
	}
	return exchanges
}

func (c *Client) transportFor(method string) sender {
	if method == http.MethodDelete || c.unkept.Load() {
		return c.via(c.fresh)
	}
	return c.via(c.pooled)
}

// message is a request made ready once and sent as often as needed.
type message struct {
	method  string
	url     *url.URL // nil: no HTTP client would write it so
	origin  origin
	target  string // in the request line
	header  http.Header
	body    []byte
	hasBody bool
	odd     *Odd
}

// begin opens the record of an exchange. The message is nil, and Err set, when
// the request cannot be put on the wire.
func (c *Client) begin(caseID string, r Request) (*Exchange, *message) {
	ex := &Exchange{Seq: int(c.seq.Add(1)), Case: caseID, Request: r, client: c}
	if r.Credential.Send && !r.Credential.Public {
		c.keys.add(r.Credential.Name, r.Credential.Value, derived)
	}
	if c.opt.ReadOnly && !Safe(r.Method) {
		ex.URL = c.Redact(r.Path)
		ex.Err = c.shown(transportErrorf(BadRequest, "not sent: the run only reads, and %s could change something", r.Method))
		return ex, nil
	}
	if r.Odd != nil {
		ex.URL = c.Redact(c.origin.scheme + "://" + c.origin.host + c.origin.base + r.Path)
		if c.proxy != nil || c.onlyHTTP2.Load() {
			ex.Err = errOnlyRaw
			return ex, nil
		}
		return ex, c.odd(caseID, r)
	}
	u, err := c.origin.url(r.Path)
	if err != nil {
		ex.URL = c.Redact(r.Path)
		ex.Err = c.shown(transportErrorf(BadRequest, "%v", err))
		return ex, nil
	}
	ex.URL = c.Redact(address(u))
	if c.proxy != nil && u.Opaque != "" && u.Scheme == "http" {
		u.Opaque = "//" + u.Host + u.Opaque // a proxy wants the whole address
	}
	header := c.keyed(caseID, r)
	if err := checkHeader(r.Method, header); err != nil {
		ex.Err = c.shown(transportErrorf(BadRequest, "%v", err))
		return ex, nil
	}
	m := &message{method: r.Method, url: u, origin: c.origin, target: u.RequestURI(), header: header, hasBody: r.HasBody}
	if r.HasBody {
		m.body = r.Body
	}
	return ex, m
}

// header is what is sent, without the key.
func (c *Client) header(caseID string, r Request) http.Header {
	header := ownHeader(r)
	header[CaseHeader] = []string{caseID}
	if _, given := header["User-Agent"]; !given {
		header["User-Agent"] = []string{c.opt.UserAgent}
	}
	if _, given := header["Accept-Encoding"]; !given { // what is judged is the body as it is
		header["Accept-Encoding"] = []string{"identity"}
	}
	return header
}

// keyed is what is sent.
func (c *Client) keyed(caseID string, r Request) http.Header {
	header := c.header(caseID, r)
	if r.Credential.Send {
		header[c.opt.KeyHeader] = r.Credential.lines() // spelled as configured
	}
	return header
}

// Safe says whether a method changes nothing (RFC 9110 §9.2.1).
func Safe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// ownHeader is the header of a request without what the client says of itself.
func ownHeader(r Request) http.Header {
	header := http.Header{"Accept": {"application/json"}}
	if r.HasBody {
		header["Content-Type"] = []string{"application/json"}
	}
	for name, values := range r.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return header
}

// http is built anew for each attempt, without GetBody: net/http must not be
// able to send a body twice.
func (m *message) http(ctx context.Context) *http.Request {
	r := &http.Request{
		Method: m.method, URL: m.url, Host: m.url.Host, Header: m.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if len(m.body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	}
	return r.WithContext(ctx)
}

// checkHeader finds what net/http would refuse or silently change.
func checkHeader(method string, header http.Header) error {
	if !httpguts.ValidHeaderFieldName(method) {
		return fmt.Errorf("method %q is not a token", method)
	}
	for name, values := range header {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("header name %q is not a token", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return fmt.Errorf("the value of header %s has a control character", name)
			}
		}
	}
	return nil
}
