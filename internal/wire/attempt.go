package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/adconform/adconform/internal/wording"
)

// A sender makes one attempt: it sends the request and reads the answer to its
// end. With an error it returns the part of the response that had arrived, or nil.
type sender func(context.Context, *attempt, *message) (*Response, error)

// An attempt records what one attempt finds out about its connection. net/http
// calls back from several goroutines, hence the atomics.
type attempt struct {
	stage  atomic.Int32
	wrote  atomic.Int64 // when the request was written, in nanoseconds, or 0
	conns  int          // connections that net/http took for it, one after another
	reused bool         // the last one was used before
	http2  bool         // the last one speaks HTTP/2
}

func (a *attempt) at() stage { return stage(a.stage.Load()) }

// reached records a stage. A dial goes on even if another connection becomes available first.
func (a *attempt) reached(s stage) {
	if s >= sending || a.at() < sending {
		a.stage.Store(int32(s))
	}
}

// noteWritten records that the request was written.
func (a *attempt) noteWritten() {
	a.wrote.Store(time.Now().UnixNano())
}

// isStale reports whether a failure may be due to a connection that was used before,
// and not to the request. A server may end such a connection at any time (RFC 9112 §9.5): when
// it is idle, or after an earlier answer whose rest may still arrive.
func (a *attempt) isStale(ex *Exchange) bool {
	switch at := a.at(); {
	case !a.reused:
		return false
	case at == readingHead:
		return ex.Failed(Malformed)
	case at < readingHead:
		return ex.Failed(Closed, Reset)
	}
	return false
}

// run makes attempts until one has an answer or a failure to keep.
func (c *Client) run(ctx context.Context, m *message, send sender) {
	ex := m.ex
	if ex.Err != nil { // the request cannot be sent
		return
	}
	defer func() {
		if m.hasTurn {
			m.gate.turn.Release(1)
		}
	}()
	pause := time.Duration(0)
	for again := true; again; m.admitted = false {
		if err := m.admit(ctx, pause); err != nil {
			ex.Err = c.redactError(notSent(err))
			return
		}
		m.losses = c.gate.lossCount()
		pause = 0
		m.attachKey()
		a := c.attempt(ctx, m, send)
		switch {
		case ex.Resent == 0 && a.isStale(ex):
			ex.Resent++
			c.unkept.Store(true)
			send = c.sendAlone
		case ex.isAnswered(http.StatusTooManyRequests):
			pause, again = m.forRate()
		case ex.foundAway():
			pause, again = m.forReturn(ctx)
		default:
			again = m.forKey(ctx)
		}
	}
}

// admit waits until the bound on the rate allows a request.
func (c *Client) admit(ctx context.Context) error {
	now := time.Now()
	return sleep(ctx, c.pace.ReserveN(now, 1).DelayFrom(now))
}

// admitAll admits requests that wait for one another, so that none of them waits for its turn, too.
func (c *Client) admitAll(ctx context.Context, messages ...*message) {
	for _, m := range messages {
		m.admitted = c.admit(ctx) == nil
	}
}

// Pause waits until d has passed, or until the context ends, and then returns why it did.
func (c *Client) Pause(ctx context.Context, d time.Duration) error {
	return sleep(ctx, d)
}

// sleep waits until d has passed, or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// attempt makes one attempt and records it.
func (c *Client) attempt(ctx context.Context, m *message, send sender) *attempt {
	a := new(attempt)
	ex := m.ex
	timeout := max(c.opt.Timeout, ex.Request.Patience)
	timed, cancel := finishing(ctx, timeout)
	defer cancel()
	ex.Attempts++
	ex.Raw = false
	ex.Start = time.Now()
	response, err := send(timed, a, m)
	ex.Duration = time.Since(ex.Start)
	ex.Response = response
	ex.Err = nil
	if at := a.wrote.Load(); at > 0 {
		ex.Written = time.Unix(0, at)
	}
	if a.conns > 1 { // net/http sent it again by itself
		c.unkept.Store(true)
		ex.Attempts += a.conns - 1
		ex.Resent += a.conns - 1
	}
	switch {
	case err == nil:
		if c.proxy != nil && ex.isAnswered(http.StatusProxyAuthRequired) {
			ex.Err = &TransportError{Proxy, "the proxy of the environment wants user:password@ in its URL"}
		}
	case ctx.Err() != nil && timed.Err() != nil:
		ex.Err = &TransportError{Canceled, "interrupted while it was under way"}
	default:
		ex.Err = classify(err, a.at(), timeout)
		if c.proxy != nil && ex.Failed(DNS, Refused, Unreachable) {
			ex.Err = &TransportError{Proxy, ex.Err.Detail}
		}
		if a.reused {
			ex.Err = transportErrorf(ex.Err.Kind, "%s (on a connection used before)", ex.Err.Detail)
		}
		ex.Err = c.redactError(ex.Err)
	}
	return a
}

// finishTime is how long a request that is under way when the run is interrupted
// may take to end. If it were cut off, it might still be carried out after its
// object was put back.
const finishTime = time.Second

// finishing bounds a request by its time-out and, once ctx has ended, by finishTime.
func finishing(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(finishTime, cancel) })
	return timed, func() { stop(); cancel() }
}

func notSent(err error) *TransportError { return transportErrorf(Canceled, "not sent: %v", err) }

// A target may serve one connection until it ends, and only then the next. An idle connection, which may be one that
// net/http opened and never needed, therefore ends well before a request that waits for its end times out.
const (
	maxIdle   = 10 * time.Second
	idleTimes = 4 // a time-out is at least this many times as long
)

// newTransport makes a pool of connections to the target and nowhere else. As it is used
// without http.Client, redirects cannot be followed. If a connection that was used before
// has ended, net/http by itself sends a request that only reads again.
func (c *Client) newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyURL(c.proxy),
		DialContext:            c.opt.Dial,
		TLSClientConfig:        c.tlsConfig(),
		TLSHandshakeTimeout:    c.opt.Timeout,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        min(maxIdle, c.opt.Timeout/idleTimes),
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
}

func (c *Client) tlsConfig(protocols ...string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.opt.TLS != nil {
		config = c.opt.TLS.Clone()
	}
	config.NextProtos = protocols // if there are none, net/http offers both versions
	return config
}

// sendViaPool sends through net/http, on a pooled connection if possible.
func (c *Client) sendViaPool(ctx context.Context, a *attempt, m *message) (*Response, error) {
	if m.Method == http.MethodDelete || c.unkept.Load() {
		return c.sendAlone(ctx, a, m)
	}
	return c.sendVia(c.pooled)(ctx, a, m)
}

// errRestart stops net/http from sending a request again on HTTP/2. If a server resets the stream of a request
// without a body, net/http would send that request for as long as its context lasts (golang.org/issue/42777).
var errRestart = errors.New("net/http begins to send the request again")

// sendVia sends through a transport of net/http. If net/http is about to send the request again on HTTP/2, sendVia
// sends it once more, on a connection of its own, whose error says why the server reset the stream.
func (c *Client) sendVia(t *http.Transport) sender {
	return func(ctx context.Context, a *attempt, m *message) (*Response, error) {
		bounded, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		answer, err := t.RoundTrip(m.request().WithContext(httptrace.WithClientTrace(bounded, a.trace(cancel))))
		switch {
		case errors.Is(context.Cause(bounded), errRestart):
			return c.sendAlone(ctx, a, m)
		case err != nil:
			return nil, err
		}
		return c.read(ctx, a, answer)
	}
}

// sendAlone sends on a connection of its own, on which net/http sends nothing again.
func (c *Client) sendAlone(ctx context.Context, a *attempt, m *message) (*Response, error) {
	traced := httptrace.WithClientTrace(ctx, a.trace(nil))
	conn, err := c.pooled.NewClientConn(traced, c.base.Scheme, c.address())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	a.reused = false
	a.reached(sending)
	request := m.request().WithContext(traced)
	request.Close = true
	answer, err := conn.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	return c.read(ctx, a, answer)
}

// read reads an answer of net/http to its end.
func (c *Client) read(ctx context.Context, a *attempt, answer *http.Response) (response *Response, err error) {
	defer answer.Body.Close()
	a.reached(readingBody)
	response = &Response{Proto: answer.Proto, Status: answer.StatusCode, Header: answer.Header}
	if answer.StatusCode != http.StatusSwitchingProtocols { // what follows a 101 is not HTTP
		response.Body, err = c.readBody(ctx, answer.Body, answer.ContentLength)
	}
	return response, err
}

// request returns the message for net/http.
func (m *message) request() *http.Request {
	r := &http.Request{
		Method: m.Method, URL: m.url, Host: m.url.Host, Header: m.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if len(m.Body) > 0 { // no GetBody, so that net/http sends it only once
		r.Body = io.NopCloser(bytes.NewReader(m.Body))
		r.ContentLength = int64(len(m.Body))
	}
	return r
}

// trace records the progress of an attempt. It calls restart when net/http is about to send the request again on
// HTTP/2.
func (a *attempt) trace(restart context.CancelCauseFunc) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeStart: func() { a.reached(handshaking) },
		GotConn: func(info httptrace.GotConnInfo) {
			if a.conns++; a.http2 {
				restart(errRestart)
			}
			secured, isTLS := info.Conn.(*tls.Conn)
			a.http2 = isTLS && secured.ConnectionState().NegotiatedProtocol == "h2"
			a.reused = info.Reused
			a.reached(sending)
		},
		WroteHeaders:         func() { a.stage.CompareAndSwap(int32(sending), int32(awaiting)) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { a.noteWritten() },
		GotFirstResponseByte: func() { a.reached(readingHead) },
	}
}

const (
	maxHeader      = 256 << 10 // bytes, of all response heads of a request, 1xx included
	maxBody        = 16 << 20
	largeBody      = 1 << 20
	keptOfTooLarge = 64 << 10 // enough for a report
)

// readBody reads at most maxBody bytes; declared is the Content-Length or -1.
// It reads bodies larger than a MiB one at a time, so that a target that sends without end on
// every connection does not make memory grow with the concurrency.
func (c *Client) readBody(ctx context.Context, r io.Reader, declared int64) ([]byte, error) {
	if declared > maxBody {
		return nil, transportErrorf(TooLarge,
			"Content-Length announces a body of %d bytes, more than the %d that are read", declared, maxBody)
	}
	body, err := io.ReadAll(io.LimitReader(r, largeBody))
	if err == nil && len(body) == largeBody {
		if err := c.large.Acquire(ctx, 1); err != nil {
			return body, err
		}
		defer c.large.Release(1)
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(r, maxBody+1-largeBody))
		body = append(body, rest...)
	}
	if len(body) > maxBody {
		err := transportErrorf(TooLarge, "the response body is larger than %d bytes", maxBody)
		return bytes.Clone(body[:keptOfTooLarge]), err
	}
	return body, err
}

// A Kind names what went wrong in transport.
type Kind string

// The kinds of [TransportError]. The target causes all but Unsent, Canceled and BadRequest.
const (
	Unsent      Kind = "nothing was sent"
	Canceled    Kind = "canceled"     // the context ended: interrupted, or out of time
	BadRequest  Kind = "bad-request"  // the request cannot be put on the wire
	DNS         Kind = "dns"          // the host name has no address
	Refused     Kind = "refused"      // nothing listens there
	Unreachable Kind = "unreachable"  // no connection for another reason
	Proxy       Kind = "proxy"        // the proxy of the environment failed
	TLS         Kind = "tls"          // no common version, a certificate that is not trusted, no TLS at all
	Timeout     Kind = "timeout"      // nothing, or not everything, within Options.Timeout
	Closed      Kind = "closed"       // the connection ended before the first byte of a response
	Reset       Kind = "reset"        // the connection or the HTTP/2 stream was reset
	Rejected    Kind = "rejected"     // the stream was reset as that of a malformed request (RFC 9113 §8.1.1)
	Truncated   Kind = "truncated"    // the connection ended in the middle of the response
	Malformed   Kind = "malformed"    // the response is not HTTP
	TooLarge    Kind = "too-large"    // head beyond maxHeader, body beyond maxBody
	RateLimited Kind = "rate-limited" // still 429 when the bound on waiting was reached
	Unavailable Kind = "unavailable"  // the same for 502 to 504, to ordinary requests, too
	KeyStopped  Kind = "key-stopped"  // refused because of a key that no longer works, see KeyStop
)

// A TransportError states why an exchange has no complete response. Detail is
// one redacted line.
type TransportError struct {
	Kind   Kind
	Detail string
}

func (e *TransportError) Error() string {
	return string(e.Kind) + ": " + e.Detail
}

// isPartial reports whether the response, if there is one, did not arrive whole.
func (ex *Exchange) isPartial() bool {
	return ex.Err != nil && !ex.Failed(RateLimited, KeyStopped)
}

func transportErrorf(kind Kind, format string, args ...any) *TransportError {
	return &TransportError{kind, fmt.Sprintf(format, args...)}
}

// A stage is how far an attempt has come; its text completes "waiting for".
type stage int32

const (
	connecting stage = iota
	handshaking
	sending
	awaiting
	readingHead
	readingBody
)

func (s stage) String() string {
	return [...]string{
		"the connection", "the TLS handshake", "the request to be accepted",
		"the response", "the rest of the response head", "the rest of the response body",
	}[s]
}

// A symptom is what an error of net/http, or of a raw connection, says.
type symptom struct {
	is     func(error) bool
	until  stage // the last one at which it is one
	kind   Kind
	detail string // {error} is the text of the error, {stage} what the client waited for
}

// symptoms are tried in order. For errors that net/http distinguishes only by their text, they use the text.
var symptoms = []symptom{
	{says("malformed "), readingBody, Malformed, "{error}"},
	{says("tls: ", "x509: "), readingBody, TLS, "{error}"},
	{says("headers exceeded"), readingBody, TooLarge, "the response head is larger than allowed"},
	{
		says("server closed idle connection", "cannot rewind body after connection loss"), readingBody,
		Closed, "the connection ended before a response",
	},
	{wraps(io.EOF), awaiting, Closed, "the connection ended before a response"},
	{
		wraps(syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed), readingBody,
		Reset, "the connection was reset, waiting for {stage}",
	},
	{says("PROTOCOL_ERROR", "FRAME_SIZE_ERROR", "COMPRESSION_ERROR"), readingBody, Malformed, "{error}"},
	{says("stream error", "GOAWAY", "client connection lost"), readingBody, Reset, "{error}"},
	{wraps(io.EOF, io.ErrUnexpectedEOF), readingBody, Truncated, "the connection ended, waiting for {stage}"},
	{says(""), sending, Unreachable, "{error}"},
	{says(""), readingBody, Malformed, "{error}"},
}

// says returns a condition that is met if the text of an error contains one of some words.
func says(words ...string) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(err.Error(), w) })
	}
}

// wraps returns a condition that is met if an error is one of some others.
func wraps(others ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(others, func(other error) bool { return errors.Is(err, other) })
	}
}

// classify turns an error of net/http or of a raw connection into one with a kind.
func classify(err error, at stage, timeout time.Duration) *TransportError {
	var known *TransportError
	var late net.Error
	var op *net.OpError
	reset := streamReset.FindStringSubmatch(err.Error())
	switch {
	case errors.As(err, &known):
		return known
	case reset != nil:
		return resetStream(reset[1], at)
	case errors.As(err, &late) && late.Timeout():
		return transportErrorf(Timeout, "gave up after %s, waiting for %s", timeout, at)
	case errors.As(err, new(*net.DNSError)):
		return transportErrorf(DNS, "%s", err)
	case errors.As(err, &op) && slices.Contains([]string{"dial", "proxyconnect"}, op.Op):
		return classifyDial(op, err)
	case at == handshaking:
		return &TransportError{TLS, withoutTLS(err)}
	}
	i := slices.IndexFunc(symptoms, func(s symptom) bool { return at <= s.until && s.is(err) })
	words := strings.NewReplacer("{error}", withoutTLS(err), "{stage}", at.String())
	return &TransportError{symptoms[i].kind, words.Replace(symptoms[i].detail)}
}

// withoutTLS returns the text of an error without what its kind says.
func withoutTLS(err error) string { return strings.ReplaceAll(err.Error(), "tls: ", "") }

// classifyDial returns the error for a connection that could not be opened.
func classifyDial(op *net.OpError, err error) *TransportError {
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return transportErrorf(Unreachable, "%s", err)
	}
	for errors.As(op.Err, &op) { // the innermost has the address, which may be that of a proxy
	}
	return transportErrorf(Refused, "nothing listens at %s", op.Addr)
}

// streamReset matches an error of net/http that quotes RST_STREAM of the server, and the code in it.
var streamReset = regexp.MustCompile(`stream error: stream ID \d+; (\w+); received from peer`)

// resetStream returns the error for a stream of HTTP/2 that the server reset with a code (RFC 9113, 7).
func resetStream(code string, at stage) *TransportError {
	if code == "PROTOCOL_ERROR" && at <= awaiting {
		return transportErrorf(Rejected,
			"the server reset the HTTP/2 stream with PROTOCOL_ERROR, as for a malformed request")
	}
	return transportErrorf(Reset, "the server reset the HTTP/2 stream with %s, waiting for %s", code, at)
}

const maxDetail = 300 // characters; a hostile target may have written most of it

// redactError makes an error fit for reports: it redacts the text and then cuts it (never
// the other way round, or half a key would stay), on one line.
func (c *Client) redactError(e *TransportError) *TransportError {
	detail := c.Redact(libraryNames.Replace(e.Detail))
	return &TransportError{e.Kind, wording.ClipPrintable(detail, maxDetail)}
}

// libraryNames removes the names of the parts of Go's library that find errors.
var libraryNames = strings.NewReplacer(
	"net/http: HTTP/1.x transport connection broken: ", "", "net/http: ", "", "http: ", "")
