package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Odd describes a request that HTTP clients cannot write, or refuse to. It goes over a raw
// connection (HTTP/1.1); behind a proxy of the environment, and to a target that speaks only
// HTTP/2, it is not sent.
type Odd struct {
	// Edits are old and new texts in turn: each replaces the first occurrence in the message; {origin} is http://host.
	Edits []string
	Cut   int  // bytes to leave out at the end of the message
	Ends  bool // close the connection for writing, so that nothing follows
}

// oddPatience is how long to wait for the answer to an incomplete request.
const oddPatience = 2 * time.Second

var errOnlyRaw = transportErrorf(BadRequest,
	"not sent: it needs a raw connection, which this target or proxy does not allow")

// bytes returns a message as it is written on a raw connection.
func (m *message) bytes(edits ...string) []byte {
	var all bytes.Buffer
	odd := cmp.Or(m.Odd, new(Odd))
	r := m.request()
	r.Close = true
	_ = r.Write(&all) // into memory
	text := all.String()
	for pair := range slices.Chunk(append(edits, odd.Edits...), 2) {
		by := strings.ReplaceAll(pair[1], "{origin}", m.origin())
		text = strings.Replace(text, pair[0], by, 1)
	}
	return []byte(text[:max(0, len(text)-odd.Cut)])
}

// raw makes an attempt on a connection of its own, which it reads byte by byte. Behind a proxy, and if the target
// speaks only HTTP/2, it sends through net/http.
func (c *Client) raw(ctx context.Context, a *attempt, m *message) (*Response, error) {
	if c.proxy != nil {
		return c.sendViaPool(ctx, a, m)
	}
	if m.Odd != nil && m.Odd.Ends { // a target may wait for the rest
		bounded, cancel := context.WithTimeout(ctx, min(c.opt.Timeout, oddPatience))
		defer cancel()
		ctx = bounded
	}
	conn, err := c.dialRaw(ctx, a)
	switch {
	case err != nil && strings.Contains(err.Error(), "tls: no application protocol"): // RFC 7301 §3.2
		if m.Odd != nil {
			return nil, errOnlyRaw
		}
		return c.sendViaPool(ctx, a, m)
	case err != nil:
		return nil, err
	}
	defer conn.Close()
	context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	m.ex.Raw = true
	a.reached(sending)
	r := &rawConn{Conn: conn, client: c, attempt: a}
	r.bound = io.LimitedReader{R: conn, N: maxHeader}
	r.in = bufio.NewReader(&r.bound)
	errWrite := r.write(ctx, m)
	response, err := r.response(ctx, m.Method)
	switch {
	case err == nil:
		r.surplus(ctx)
	case response == nil && errWrite != nil && ctx.Err() == nil:
		err = errWrite // nothing came back, so writing was the first thing that failed
	}
	return response, err
}

// write writes a message. It calls m.between before the message, or in its middle. With 100 Continue (RFC 9110, 10.1.1)
// a target says that it has read the head of a request. Not all send it, so write waits for it no longer than a
// tenth of the time-out, and never again once it did not come.
func (r *rawConn) write(ctx context.Context, m *message) error {
	c := r.client
	all := m.bytes()
	body := len(m.Body)
	half := 0
	if m.halve {
		half = len(all) - len("\r\n")
		if body > 0 {
			all = m.bytes("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n")
			half = len(all) - body + body/2
		}
		head := min(half, len(all)-body)
		if _, err := r.Write(all[:head]); err != nil {
			return err
		}
		if body > 0 && !c.neverInvites.Load() && !r.arrives(ctx, c.opt.Timeout/10) {
			c.neverInvites.Store(true)
		}
		_, _ = r.Write(all[head:half]) // a failure shows when the answer is read
	}
	if m.between != nil {
		m.between(ctx)
	}
	if m.halve {
		r.arrives(ctx, time.Millisecond) // some servers answer the first half, and reset the connection at the second
	}
	_, err := r.Write(all[half:])
	r.attempt.noteWritten()
	conn, mayEnd := r.Conn.(interface{ CloseWrite() error })
	if mayEnd && m.Odd != nil && m.Odd.Ends {
		_ = conn.CloseWrite() // a failure shows when the answer is read
	}
	return err
}

func (c *Client) dialRaw(ctx context.Context, a *attempt) (net.Conn, error) {
	conn, err := c.opt.Dial(ctx, "tcp", c.address())
	if err != nil || c.base.Scheme != "https" {
		return conn, err
	}
	a.reached(handshaking)
	config := c.tlsConfig("http/1.1")
	config.ServerName = cmp.Or(config.ServerName, c.base.Hostname())
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// address returns the host and the port of the target.
func (c *Client) address() string {
	port := map[string]string{"http": "80", "https": "443"}[c.base.Scheme]
	return net.JoinHostPort(c.base.Hostname(), cmp.Or(c.base.Port(), port))
}

// A rawConn reads one response from a connection.
type rawConn struct {
	net.Conn
	client  *Client
	attempt *attempt
	bound   io.LimitedReader // of the bytes of heads
	in      *bufio.Reader
	got     *Response // the response being read
}

// response reads the final response with net/http, and notes what net/http repairs.
func (r *rawConn) response(ctx context.Context, method string) (*Response, error) {
	var head []byte
	var message *http.Response
	for isInterim(message) {
		r.attempt.reached(awaiting)
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		r.attempt.reached(readingHead)
		head = r.head()
		if r.bound.N <= 0 {
			return nil, transportErrorf(TooLarge, "the response head is larger than %d bytes", maxHeader)
		}
		r.in = bufio.NewReader(io.MultiReader(bytes.NewReader(head), r.in))
		var err error
		request := &http.Request{Method: method}
		message, err = http.ReadResponse(r.in, request) //nolint:bodyclose // closing would read it to its end
		if err != nil {
			return nil, err
		}
	}
	r.attempt.reached(readingBody)
	r.bound.N = math.MaxInt64
	r.got = &Response{Proto: message.Proto, Status: message.StatusCode}
	r.judgeHead(head)
	body, err := r.client.readBody(ctx, message.Body, message.ContentLength)
	r.got.Body = body
	// By text, as the error for a trailer that is cut off has no name.
	if err == nil || !strings.Contains(err.Error(), "EOF") {
		return r.got, err
	}
	switch {
	case message.TransferEncoding != nil:
		r.noteAnomaly("RFC 9112 §7.1", "the connection ended before the chunk of size 0 and the empty line after it")
		return r.got, transportErrorf(Truncated, "the connection ended in the middle of a chunked body")
	case message.ContentLength >= 0:
		return r.got, transportErrorf(Truncated,
			"the connection ended after %d of the %d bytes that Content-Length announces",
			len(body), message.ContentLength)
	}
	return r.got, nil // TLS without close_notify
}

// isInterim reports whether another response has to follow one that was read, or none was.
func isInterim(message *http.Response) bool {
	if message == nil {
		return true
	}
	return message.StatusCode < http.StatusOK && message.StatusCode != http.StatusSwitchingProtocols
}

// head returns the part that has arrived of a status line and the header section after it, as it came.
func (r *rawConn) head() (head []byte) {
	for !bytes.HasSuffix(head, []byte("\n\r\n")) && !bytes.HasSuffix(head, []byte("\n\n")) {
		line, err := r.in.ReadBytes('\n')
		if head = append(head, line...); err != nil {
			break
		}
	}
	return head
}

// wellFormed matches a response head without folded lines, in which each name is a token.
var wellFormed = regexp.MustCompile("^.*\n([!#$%&'*+.^_`|~0-9A-Za-z-]+:.*\n)*\r?\n$")

// judgeHead keeps the header as it came, and notes how it breaks HTTP (RFC 9112 §5, §6). A breach for which net/http
// refuses the response needs no note.
func (r *rawConn) judgeHead(head []byte) {
	lines := textproto.NewReader(bufio.NewReader(bytes.NewReader(head)))
	_, _ = lines.ReadLine()
	header, _ := lines.ReadMIMEHeader()
	r.got.Header = http.Header(header)
	size := header.Values("Content-Length")
	coding := header.Get("Transfer-Encoding")
	switch {
	case coding != "" && r.got.Status == http.StatusNoContent:
		r.got.Anomalies = append(r.got.Anomalies, Anomaly{"RFC 9112 §6.1", "a 204 has Transfer-Encoding", true})
	case coding != "" && len(size) > 0:
		r.noteAnomaly("RFC 9112 §6.2", "the response has both Content-Length and Transfer-Encoding")
	case len(size) > 1:
		r.noteAnomaly("RFC 9112 §6.3", "Content-Length comes more than once")
	}
	if !wellFormed.Match(head) {
		r.noteAnomaly("RFC 9112 §5", "a header line is malformed")
	}
}

// surplusGrace is how long a raw connection is read after the end of the message.
const surplusGrace = 50 * time.Millisecond

// surplus waits a moment for bytes after the end of the message. There is no wait
// if the target closes the connection, as it was asked to.
func (r *rawConn) surplus(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	r.SetReadDeadline(time.Now().Add(surplusGrace))
	extra, _ := io.ReadAll(io.LimitReader(r.in, keptOfTooLarge))
	switch {
	case len(extra) == 0, r.got.Status == http.StatusSwitchingProtocols:
	case r.got.Status == http.StatusNoContent:
		r.got.Body = extra
	default:
		r.noteAnomaly("RFC 9112 §6.3", "%d bytes follow the end of the message", len(extra))
	}
}

// noteAnomaly records an anomaly of the response being read.
func (r *rawConn) noteAnomaly(source, sentence string, args ...any) {
	r.got.Anomalies = append(r.got.Anomalies, Anomaly{Source: source, Sentence: fmt.Sprintf(sentence, args...)})
}

// arrives waits for the beginning of an answer, and reports whether it came.
func (r *rawConn) arrives(ctx context.Context, within time.Duration) bool {
	r.SetReadDeadline(time.Now().Add(within))
	_, err := r.in.Peek(1)
	r.SetReadDeadline(time.Time{})
	if ctx.Err() != nil {
		r.SetReadDeadline(time.Unix(1, 0))
	}
	return err == nil
}
