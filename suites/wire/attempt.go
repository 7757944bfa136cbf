package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// sender makes one attempt: it sends the request and reads the answer to its
// end. With an error, the response is what had arrived by then, or nil.
type sender func(context.Context, *attempt, *message) (*Response, error)

// attempt is what one attempt finds out about its connection. net/http calls
// back from several goroutines, hence the atomics.
type attempt struct {
	dialing atomic.Int32 // stage before a connection is there
	stage   atomic.Int32 // stage from then on
	conns   int          // connections that net/http took for it
	reused  bool
	http2   bool
	group   *group // set when it has to wait for others
	arrived sync.Once
}

func (a *attempt) reached(s stage) { a.stage.Store(int32(s)) }

func (a *attempt) at() stage {
	if s := stage(a.stage.Load()); s >= sending {
		return s
	}
	return stage(a.dialing.Load())
}

// group holds requests that are released at the same instant.
type group struct {
	waiting sync.WaitGroup // for those that have no connection yet
	slots   int64          // taken ahead for all, given back together
	pending atomic.Int64   // see leave
}

// gather lets so many requests that can be put on the wire be sent as a group; nil, and Err
// of each exchange set, where they may not be.
func (c *Client) gather(ctx context.Context, exchanges []*Exchange, sendable int) *group {
	g := &group{slots: min(int64(sendable), int64(c.opt.Concurrency))}
	g.waiting.Add(sendable)
	g.pending.Store(int64(sendable))
	_, err := c.admit(ctx, g.slots, sendable)
	if err == nil {
		return g
	}
	for _, ex := range exchanges {
		if ex.Err == nil {
			ex.Err = c.shown(notSent(err))
		}
	}
	return nil
}

// arrive blocks until every request of the group has its connection or failed.
func (a *attempt) arrive(wait bool) {
	if a.group == nil {
		return
	}
	a.arrived.Do(a.group.waiting.Done)
	if wait {
		a.group.waiting.Wait()
	}
}

// run makes attempts until one has an answer or a failure to keep.
func (c *Client) run(ctx context.Context, ex *Exchange, m *message, send sender, together *group) *Exchange {
	if m == nil {
		return ex
	}
	queue := &queuer{patience: c.patience}
	defer queue.leave()
	resent := false
	for {
		if together == nil {
			var err error
			if c.patience.limited.Load() {
				err = queue.take(ctx)
			}
			if err == nil {
				var held time.Duration
				held, err = c.admit(ctx, 1, 1)
				ex.Waited += held
			}
			if err != nil {
				ex.Err = c.shown(notSent(err))
				return ex
			}
		}
		a := c.attempt(ctx, ex, m, send, together)
		together = nil
		switch {
		case !resent && a.reused && a.saysNothing(ex.Err):
			resent = true
			ex.Resent++
			c.unkept.Store(true)
			send = c.via(c.fresh)
		case ex.asksToWait():
			if again, err := queue.wait(ctx, c, ex); err != nil {
				ex.Err = c.shown(err)
				return ex
			} else if !again {
				return ex
			}
		case ex.away():
			if !queue.outlast(ctx, c, ex) {
				return ex
			}
		default:
			if ex.Response != nil { // the target takes requests again
				c.patience.limited.Store(false)
				c.patience.lost.Store(nil)
				c.outage.answers(c.opt.Now())
			}
			return ex
		}
	}
}

// admit waits for the bounds on concurrency and rate, and until the target has
// requests left. held is how long that last wait was.
func (c *Client) admit(ctx context.Context, slots int64, requests int) (held time.Duration, err error) {
	if err := c.slots.Acquire(ctx, slots); err != nil {
		return 0, err
	}
	for range requests {
		now := c.opt.Now()
		var own time.Duration
		if c.limiter != nil {
			own = c.limiter.ReserveN(now, 1).DelayFrom(now)
		}
		delay := max(own, c.bucket.reserve(now))
		if delay <= 0 {
			continue
		}
		held += delay - max(own, 0)
		if err := c.opt.Sleep(ctx, delay); err != nil {
			c.slots.Release(slots)
			return held, err
		}
	}
	return held, nil
}

// attempt makes one attempt, records it, and gives back what admit took.
func (c *Client) attempt(ctx context.Context, ex *Exchange, m *message, send sender, together *group) *attempt {
	a := &attempt{group: together}
	if together == nil {
		defer c.slots.Release(1)
	} else {
		defer together.leave(c)
	}
	timed, cancel := finishing(ctx, c.opt.Timeout)
	defer cancel()
	ex.Attempts++
	ex.Start = c.opt.Now()
	c.flights.begin(ex)
	response, err := send(timed, a, m)
	c.flights.end(ex, err != nil || response.Status >= http.StatusInternalServerError)
	a.arrive(false) // it may have failed before it had a connection
	ex.Duration = c.opt.Now().Sub(ex.Start)
	ex.Response, ex.Err, ex.Reused = response, nil, a.reused
	if response != nil {
		c.bucket.saw(response.Header, c.opt.Now())
	}
	if a.conns > 1 {
		ex.Resent++ // the connection was gone before the target took the request: net/http sent it on another
	}
	switch {
	case err == nil:
	case ctx.Err() != nil && timed.Err() != nil:
		ex.Err = &TransportError{Canceled, "interrupted while it was under way"}
	default:
		failure := classify(err, a.at(), c.opt.Timeout)
		if a.reused {
			failure.Detail += " (on a connection used before)"
		}
		ex.Err = c.shown(failure)
	}
	return a
}

// flights are the requests that are under way.
type flights struct {
	mu    sync.Mutex
	under map[*Exchange]string
}

func (f *flights) begin(ex *Exchange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.under == nil {
		f.under = map[*Exchange]string{}
	}
	ex.Among = nil
	name := ex.Request.Method + " " + ex.Request.Path
	for other, its := range f.under {
		ex.Among = append(ex.Among, its)
		other.Among = append(other.Among, name)
	}
	f.under[ex] = name
}

// end forgets what was under way beside a request, unless it failed.
func (f *flights) end(ex *Exchange, failed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.under, ex)
	if !failed {
		ex.Among = nil
	}
}

// finishTime is how long a request that is under way when the run is interrupted
// may take to end. One that is cut off may be carried out all the same, after what
// it changed was put back.
const finishTime = time.Second

// finishing bounds a request by its time-out, and once ctx has ended by finishTime.
func finishing(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(finishTime, cancel)
		context.AfterFunc(timed, func() { late.Stop() })
	})
	return timed, func() { stop(); cancel() }
}

// saysNothing reports whether a failure on a connection that was used before tells
// nothing of the request. A server may end such a connection at any time (RFC 9112
// §9.5): when it is idle, or after what went before on it, of which something may be
// left over, too.
func (a *attempt) saysNothing(err *TransportError) bool {
	switch {
	case err == nil:
		return false
	case err.Kind == Closed, err.Kind == Reset:
		return a.at() <= awaiting
	case err.Kind == Malformed:
		return a.at() == readingHead
	}
	return false
}

// leave gives back the group's slots when its last request is through.
func (g *group) leave(c *Client) {
	if g.pending.Add(-1) == 0 {
		c.slots.Release(g.slots)
	}
}

func notSent(err error) *TransportError {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return transportErrorf(Canceled, "not sent: the time for the run is over")
	case errors.Is(err, context.Canceled):
		return transportErrorf(Canceled, "not sent: interrupted")
	}
	return transportErrorf(Canceled, "not sent: %v", err)
}

// errSilentResend stops net/http from sending a request a second time without a
// word, which it does when a reused connection ends before a response.
var errSilentResend = errors.New("net/http was about to send the request again")

type attemptKey struct{}

// newTransport makes a pool of connections to the target and nowhere else. As
// it is used without http.Client, redirects cannot be followed.
func (c *Client) newTransport() *http.Transport {
	return &http.Transport{
		// net/http asks for the proxy before each try, so a second question
		// after the request was written is a resend. HTTP/2 only does that
		// when the target said that it had not taken the request.
		Proxy: func(r *http.Request) (*url.URL, error) {
			if a, ok := r.Context().Value(attemptKey{}).(*attempt); ok && a.at() >= awaiting && !a.http2 {
				return nil, errSilentResend
			}
			return c.proxy, nil
		},
		OnProxyConnectResponse: checkTunnel,
		DialContext:            c.dial,
		TLSClientConfig:        c.tlsConfig(),
		TLSHandshakeTimeout:    c.opt.Timeout,
		ResponseHeaderTimeout:  c.opt.Timeout,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    c.opt.Concurrency,
		IdleConnTimeout:        maxIdle,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
}

// maxIdle is how long a connection is kept without use.
const maxIdle = 10 * time.Second

func (c *Client) tlsConfig(protocols ...string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.opt.TLS != nil {
		config = c.opt.TLS.Clone()
	}
	config.NextProtos = protocols // none: net/http offers both versions
	return config
}

func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.origin.socket != "" {
		network, address = "unix", c.origin.socket
	}
	return c.dialer.DialContext(ctx, network, address)
}

// via sends through a transport of net/http.
func (c *Client) via(t *http.Transport) sender {
	return func(ctx context.Context, a *attempt, m *message) (*Response, error) {
		ctx = httptrace.WithClientTrace(context.WithValue(ctx, attemptKey{}, a), a.trace())
		answer, err := t.RoundTrip(m.http(ctx))
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		a.reached(readingBody)
		if answer.StatusCode == http.StatusProxyAuthRequired && c.proxy != nil {
			return nil, proxyAnswered("the request", answer.StatusCode)
		}
		response := &Response{Proto: answer.Proto, Status: answer.StatusCode, Header: answer.Header}
		if answer.StatusCode == http.StatusSwitchingProtocols {
			return response, nil // what follows is not HTTP
		}
		response.Body, err = c.readBody(ctx, answer.Body, answer.ContentLength)
		return response, err
	}
}

func (a *attempt) trace() *httptrace.ClientTrace {
	dialing := func(s stage) { a.dialing.Store(int32(s)) }
	return &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { dialing(resolving) },
		DNSDone:           func(httptrace.DNSDoneInfo) { dialing(connecting) },
		TLSHandshakeStart: func() { dialing(handshaking) },
		GotConn: func(info httptrace.GotConnInfo) {
			a.conns++
			a.reused = info.Reused
			if secured, ok := info.Conn.(*tls.Conn); ok {
				a.http2 = secured.ConnectionState().NegotiatedProtocol == "h2"
			}
			a.arrive(true)
			a.reached(sending)
		},
		WroteHeaders:         func() { a.stage.CompareAndSwap(int32(sending), int32(awaiting)) },
		GotFirstResponseByte: func() { a.reached(readingHead) },
	}
}

const (
	largeBody      = 1 << 20  // bytes
	keptOfTooLarge = 64 << 10 // bytes; enough for a report
)

// readBody reads at most MaxBody bytes; declared is the Content-Length or -1.
// What is larger than a MiB goes through the one buffer that the client has for
// that: targets that send without end on every connection must not make memory
// grow with the concurrency.
func (c *Client) readBody(ctx context.Context, r io.Reader, declared int64) ([]byte, error) {
	limit := c.opt.MaxBody
	if declared > limit {
		return nil, transportErrorf(TooLarge, "Content-Length announces a body of %d bytes; at most %d are read", declared, limit)
	}
	first := min(largeBody, limit+1)
	body := new(bytes.Buffer)
	if declared > 0 {
		body.Grow(int(min(declared, first)) + bytes.MinRead)
	}
	_, err := body.ReadFrom(io.LimitReader(r, first))
	if err != nil || int64(body.Len()) < first {
		return body.Bytes(), err
	}
	if first <= limit {
		select {
		case large := <-c.large:
			defer func() { c.large <- large }()
			large.Reset()
			large.Write(body.Bytes())
			_, err = large.ReadFrom(io.LimitReader(r, limit+1-first))
			body = large
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if int64(body.Len()) > limit {
		kept := min(limit, keptOfTooLarge)
		return bytes.Clone(body.Bytes()[:kept]), transportErrorf(TooLarge, "the response body is larger than %d bytes", limit)
	}
	return bytes.Clone(body.Bytes()), err
}
