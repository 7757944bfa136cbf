package wire

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Odd says how a request is written that HTTP clients cannot write, or refuse to. It goes
// over a raw connection (HTTP/1.1); behind a proxy of the environment, and to a target that
// speaks HTTP/2 only, it is not sent.
type Odd struct {
	// Line is the request line, in which {method}, {target} and {origin} stand for those of
	// the request and for http://host; "": {method} {target} HTTP/1.1.
	Line    string
	Fields  []string // lines of the header after the others, as they are: "Host: a b"
	Without []string // names of header lines that are left out, in canonical form: Host
	// Framed says that the body is written as it is: only Fields give its length.
	Framed bool
	Cut    int  // bytes of the message that are left out at its end
	Ends   bool // nothing follows: the connection is closed for writing
}

// oddPatience is how long to wait for the answer to an incomplete request.
const oddPatience = 2 * time.Second

var errOnlyRaw = transportErrorf(BadRequest, "not sent: no raw connection shows what HTTP clients do not write")

// bytes returns a message as it is written on a raw connection, with more lines of the header.
func (m *message) bytes(origin origin, fields ...string) []byte {
	o := m.Odd
	if o == nil {
		o = new(Odd)
	}
	line := strings.NewReplacer("{method}", m.Method, "{target}", m.target, "{origin}", origin.scheme+"://"+origin.host).
		Replace(cmp.Or(o.Line, "{method} {target} HTTP/1.1"))
	header := maps.Clone(m.header)
	header["Connection"] = []string{"close"}
	if !o.Framed && (m.HasBody || sendsLength(m.Method)) {
		header["Content-Length"] = []string{fmt.Sprint(len(m.Body))}
	}
	for _, name := range o.Without {
		delete(header, name)
	}
	lines := []string{line}
	if !slices.Contains(o.Without, "Host") { // before all others (RFC 9110 §7.2)
		lines = append(lines, "Host: "+origin.host)
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, v := range header[name] {
			lines = append(lines, name+": "+v)
		}
	}
	lines = slices.Concat(lines, fields, o.Fields, []string{"", string(m.Body)})
	all := strings.Join(lines, "\r\n")
	return []byte(all[:max(0, len(all)-o.Cut)])
}

// raw returns a sender that makes an attempt on a connection of its own, which it reads byte
// by byte. Behind a proxy, and where the target speaks HTTP/2 only, net/http sends it.
func (c *Client) raw(write func(context.Context, *rawConn, *message) error) sender {
	return func(ctx context.Context, a *attempt, m *message) (*Response, error) {
		if !c.seesRaw() {
			return c.viaPool(ctx, a, m)
		}
		if m.Odd != nil && m.Odd.Ends { // a target may wait for the rest
			bounded, cancel := context.WithTimeout(ctx, min(c.opt.Timeout, oddPatience))
			defer cancel()
			ctx = bounded
		}
		conn, err := c.dialRaw(ctx, a)
		switch {
		case err != nil && strings.Contains(err.Error(), "tls: no application protocol"): // RFC 7301 §3.2
			c.onlyHTTP2.Store(true)
			if m.url == nil {
				return nil, errOnlyRaw
			}
			return c.viaPool(ctx, a, m)
		case err != nil:
			return nil, err
		}
		defer conn.Close()
		context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
		a.raw = true
		a.reached(sending)
		r := &rawConn{Conn: conn, client: c, attempt: a, bound: io.LimitedReader{R: conn, N: maxHeader}}
		r.in = bufio.NewReader(&r.bound)
		errWrite := write(ctx, r, m)
		a.reached(awaiting)
		response, err := r.response(ctx, m.Method)
		switch {
		case err == nil:
			r.surplus(ctx)
		case response == nil && errWrite != nil && ctx.Err() == nil:
			err = errWrite // nothing came back, so this is the first thing that failed
		}
		return response, err
	}
}

// writeWhole writes a request.
func writeWhole(_ context.Context, r *rawConn, m *message) error {
	_, err := r.Write(m.bytes(r.client.origin))
	if half, ok := r.Conn.(interface{ CloseWrite() error }); ok && m.Odd != nil && m.Odd.Ends {
		_ = half.CloseWrite() // a failure shows where the answer is read
	}
	return err
}

func (c *Client) dialRaw(ctx context.Context, a *attempt) (net.Conn, error) {
	host, port := c.origin.hostPort()
	conn, err := c.dial(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil || c.origin.scheme != "https" {
		return conn, err
	}
	a.reached(handshaking)
	config := c.tlsConfig("http/1.1")
	config.ServerName = cmp.Or(config.ServerName, host)
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// rawConn reads one response from a connection.
type rawConn struct {
	net.Conn
	client  *Client
	attempt *attempt
	bound   io.LimitedReader // of the bytes of heads
	in      *bufio.Reader
	got     *Response // what is being read
}

// response reads the final response: its head line by line, as net/http repairs or refuses
// what is to be judged, and its body with net/http, which gets only the field of the head that
// says where the body ends.
func (r *rawConn) response(ctx context.Context, method string) (*Response, error) {
	if _, err := r.in.Peek(1); err != nil {
		return nil, err
	}
	r.attempt.reached(readingHead)
	r.got = &Response{Status: http.StatusContinue}
	for r.got.Status < 200 && r.got.Status != http.StatusSwitchingProtocols {
		if err := r.head(); err != nil {
			return nil, err
		}
	}
	response := r.got
	r.attempt.reached(readingBody)
	r.bound.N = math.MaxInt64
	framing := r.framing()
	head := fmt.Sprintf("HTTP/1.1 %d \r\n%s\r\n\r\n", response.Status, framing)
	r.in = bufio.NewReader(io.MultiReader(strings.NewReader(head), r.in))
	message, err := http.ReadResponse(r.in, &http.Request{Method: method}) //nolint:bodyclose // closing would read it to its end
	if err != nil {
		return nil, err
	}
	response.Body, err = r.client.readBody(ctx, message.Body, message.ContentLength)
	switch ended := err != nil && strings.Contains(err.Error(), "EOF"); { // also that in a trailer, which has no name
	case ended && framing == chunked:
		r.noteAnomaly("RFC 9112 §7.1", "the connection ended before the chunk of size 0 and the empty line after it")
		err = transportErrorf(Truncated, "the connection ended in the middle of a chunked body")
	case ended && message.ContentLength >= 0:
		err = transportErrorf(Truncated, "the connection ended after %d of the %d bytes that Content-Length announces",
			len(response.Body), message.ContentLength)
	case ended: // TLS without close_notify
		err = nil
	}
	return response, err
}

// surplusGrace is how long a raw connection is waited for after the end of the message.
const surplusGrace = 50 * time.Millisecond

// surplus waits a moment for bytes after the end of the message. A target that
// closes the connection, as it was asked to, is not waited for.
func (r *rawConn) surplus(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	r.SetReadDeadline(time.Now().Add(surplusGrace))
	extra, _ := io.ReadAll(io.LimitReader(r.in, keptOfTooLarge))
	switch {
	case len(extra) == 0 || r.got.Status == http.StatusSwitchingProtocols:
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

// line reads up to CRLF or, as RFC 9112 §2.2 allows, LF alone.
func (r *rawConn) line() (string, error) {
	line, err := r.in.ReadString('\n')
	if err != nil && r.bound.N <= 0 {
		err = transportErrorf(TooLarge, "the response head is larger than %d bytes", maxHeader)
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), err
}

// The reason phrase and the space before it are often left out; that is harmless.
var statusLine = regexp.MustCompile(`^(HTTP/1\.[01]) ([1-9][0-9]{2})(?: .*)?$`)

// head reads a status line and the header section (RFC 9112 §4, §5).
func (r *rawConn) head() error {
	line, err := r.line()
	if err != nil {
		return err
	}
	parts := statusLine.FindStringSubmatch(line)
	if parts == nil {
		return transportErrorf(Malformed, "the status line is %q", line)
	}
	r.got = &Response{Proto: parts[1], Header: http.Header{}}
	r.got.Status, _ = strconv.Atoi(parts[2])
	for number := 1; ; number++ {
		line, err := r.line()
		if err != nil || line == "" {
			return err
		}
		r.field(line, number)
	}
}

// field reads one header line and keeps what can be read of it. One that begins with white space
// continues the line before, which is obsolete.
func (r *rawConn) field(line string, number int) {
	name, value, found := strings.Cut(line, ":")
	if !found || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
		r.noteAnomaly("RFC 9112 §5", "header line %d is malformed", number)
	}
	if name = strings.TrimRight(name, " \t"); found && httpguts.ValidHeaderFieldName(name) {
		r.got.Header.Add(name, strings.Trim(value, " \t"))
	}
}

const chunked = "Transfer-Encoding: chunked"

// framing returns the field of the header that determines where the body ends (RFC 9112 §6.3),
// and reports contradictions.
func (r *rawConn) framing() string {
	header := r.got.Header
	codings := strings.Split(strings.Join(header.Values("Transfer-Encoding"), ","), ",")
	coding := strings.TrimSpace(codings[len(codings)-1])
	size := r.contentLength()
	switch {
	case coding != "" && r.got.Status == http.StatusNoContent:
		r.got.Anomalies = append(r.got.Anomalies, Anomaly{"RFC 9112 §6.1", "a 204 has Transfer-Encoding", true})
	case coding != "" && header.Get("Content-Length") != "":
		r.noteAnomaly("RFC 9112 §6.2", "the response has both Content-Length and Transfer-Encoding")
	}
	switch {
	case strings.EqualFold(coding, "chunked"):
		return chunked
	case coding == "" && size != "":
		return "Content-Length: " + size
	}
	return "Connection: close"
}

// contentLength returns the first valid Content-Length (RFC 9110 §8.6), "" for none.
func (r *rawConn) contentLength() (size string) {
	lines := r.got.Header.Values("Content-Length")
	values := strings.Split(strings.Join(lines, ","), ",")
	for _, v := range values {
		n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 63)
		switch {
		case len(lines) == 0:
		case err != nil:
			r.noteAnomaly("RFC 9110 §8.6", "Content-Length is not a number of bytes")
		case size != "":
			r.noteAnomaly("RFC 9112 §6.3", "Content-Length comes more than once")
			return size
		default:
			size = fmt.Sprint(n)
		}
	}
	return size
}
