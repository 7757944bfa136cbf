package traffic

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// transport is an http.RoundTripper that lets an observer see what passes.
type transport struct {
	observer *Observer
	next     http.RoundTripper
	target   func(*http.Request) string // as in the request line
	rest     bool                       // read answers to their end that a client leaves before
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	x := t.observer.begin(r.Method, t.target(r))
	if x == nil {
		return t.next.RoundTrip(r)
	}
	passed := false
	defer func() {
		if !passed { // a panic of what is next
			x.end(aborted, nil)
		}
	}()
	hasBody := r.Body != nil && r.Body != http.NoBody
	x.asked(r.Header, r.ContentLength, hasBody)
	var way onItsWay
	sent := r.WithContext(httptrace.WithClientTrace(r.Context(), way.trace()))
	if hasBody {
		sent.Body = &body{ReadCloser: r.Body, x: x, of: &x.request}
		if again := r.GetBody; again != nil {
			sent.GetBody = func() (io.ReadCloser, error) {
				b, err := again()
				x.again()
				return &body{ReadCloser: b, x: x, of: &x.request}, err
			}
		}
	}
	answer, err := t.next.RoundTrip(sent)
	passed = true
	if err != nil {
		why := gaveUp(r.Context(), err)
		if why == "" {
			why = way.reason(err)
		}
		x.end(why, err)
		return answer, err
	}
	t.watch(x, r, answer)
	return answer, nil
}

// onItsWay is how far a request came.
type onItsWay struct {
	kept     atomic.Bool // it went on a connection that an earlier request had used
	cut      atomic.Bool // it could not be written to its end
	answered atomic.Bool // the first byte of an answer came
}

func (o *onItsWay) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              func(i httptrace.GotConnInfo) { o.kept.Store(i.Reused) },
		WroteRequest:         func(i httptrace.WroteRequestInfo) { o.cut.Store(i.Err != nil) },
		GotFirstResponseByte: func() { o.answered.Store(true) },
		Got100Continue:       func() { o.answered.Store(false) }, // that byte was of no answer
	}
}

// reason says why an answer that did not come is not the target's failure, as far as
// anybody can tell: a run would send the request again on a fresh connection.
func (o *onItsWay) reason(err error) string {
	switch {
	case unreached(err):
		return unreachable
	case o.answered.Load():
		return ""
	case o.kept.Load():
		return keptOpen
	case o.cut.Load():
		return halfSent
	}
	return ""
}

// Certified says whether a client shows a certificate, which tells who it is
// without a key.
func Certified(c *tls.Config) bool {
	return c != nil && (len(c.Certificates) > 0 || c.GetClientCertificate != nil)
}

// watch sees a response to its end.
func (t *transport) watch(x *exchange, r *http.Request, res *http.Response) {
	if res.StatusCode == http.StatusSwitchingProtocols {
		x.end(switched, nil)
		return
	}
	hasBody := res.Body != nil && res.Body != http.NoBody && res.ContentLength != 0
	x.answered(res.Proto, res.StatusCode, res.Header, res.ContentLength, hasBody)
	if !hasBody {
		x.end("", nil)
		return
	}
	res.Body = &answer{rest: t.rest, body: body{ReadCloser: res.Body, x: x, of: &x.response, ended: func(err error) {
		if err == nil {
			x.end("", nil)
		} else {
			x.end(gaveUp(r.Context(), err), err)
		}
	}}}
}

// unreached says whether no connection could be made, so that the target knows of
// no request: it may not be running just now.
func unreached(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") ||
		errors.As(err, new(*net.DNSError)) || strings.Contains(err.Error(), "tls: ")
}

// gaveUp tells a client that gave up from a target that failed.
func gaveUp(ctx context.Context, err error) string {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return aborted
	}
	return ""
}
