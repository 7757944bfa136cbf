package wire

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// sendRaw makes an attempt on a connection that it reads byte by byte.
func (c *Client) sendRaw(ctx context.Context, a *attempt, m *message) (*Response, error) {
	if m.odd != nil && m.odd.Ends { // a target may wait for the rest
		bounded, cancel := context.WithTimeout(ctx, min(c.opt.Timeout, oddPatience))
		defer cancel()
		ctx = bounded
	}
	r, err := c.openRaw(ctx, a)
	if err != nil {
		return nil, err
	}
	defer r.conn.Close()
	_, writeErr := r.conn.Write(m.bytes())
	if half, ok := r.conn.(interface{ CloseWrite() error }); ok && m.odd != nil && m.odd.Ends {
		_ = half.CloseWrite() // a failure shows where the answer is read
	}
	a.reached(awaiting)
	response, err := r.answer(ctx, m.method)
	if response == nil && writeErr != nil && ctx.Err() == nil {
		err = writeErr // nothing came back, so this is the first thing that failed
	}
	return response, err
}

// openRaw connects. Reading and writing end with ctx.
func (c *Client) openRaw(ctx context.Context, a *attempt) (*rawReader, error) {
	conn, err := c.dialRaw(ctx, a)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	a.reached(sending)
	return &rawReader{client: c, attempt: a, conn: conn, in: bufio.NewReader(conn), headLeft: maxHeader}, nil
}

// answer reads the final response, and what follows it.
func (r *rawReader) answer(ctx context.Context, method string) (*Response, error) {
	response, err := r.response(ctx, method)
	if err == nil {
		r.surplus(ctx, response)
	}
	return response, err
}

func (c *Client) dialRaw(ctx context.Context, a *attempt) (net.Conn, error) {
	host, port := c.origin.hostPort()
	conn, err := c.dial(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil || c.origin.scheme != "https" {
		return conn, err
	}
	a.dialing.Store(int32(handshaking))
	config := c.tlsConfig("http/1.1")
	config.ServerName = cmp.Or(config.ServerName, host)
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// refusesHTTP1 says that the TLS handshake failed for want of a protocol that
// both know (RFC 7301 §3.2).
func refusesHTTP1(err error) bool {
	return err != nil && strings.Contains(err.Error(), "tls: no application protocol")
}

// rawReader reads one response from a connection.
type rawReader struct {
	client    *Client
	attempt   *attempt
	conn      net.Conn
	in        *bufio.Reader
	headLeft  int64 // bytes that heads and trailers may still take
	anomalies []Anomaly
}

// response reads the final response. Its head is read here, line by line, as net/http
// repairs or refuses what is to be judged; its body by net/http, which gets of the head
// what says where the body ends.
func (r *rawReader) response(ctx context.Context, method string) (*Response, error) {
	if _, err := r.in.Peek(1); err != nil {
		return nil, err
	}
	r.attempt.reached(readingHead)
	response := &Response{Status: http.StatusContinue}
	for response.Status < 200 && response.Status != http.StatusSwitchingProtocols {
		r.anomalies = nil
		var err error
		if response, err = r.head(); err != nil {
			return nil, err
		}
	}
	r.attempt.reached(readingBody)
	framing := r.framing(response)
	head := fmt.Sprintf("HTTP/1.1 %d \r\n%s\r\n\r\n", response.Status, framing)
	r.in = bufio.NewReader(io.MultiReader(strings.NewReader(head), r.in))
	message, err := http.ReadResponse(r.in, &http.Request{Method: method}) //nolint:bodyclose // which would read it to its end
	if err != nil {
		return nil, err
	}
	response.Body, err = r.client.readBody(ctx, message.Body, message.ContentLength)
	switch ended := err != nil && strings.Contains(err.Error(), "EOF"); { // also that in a trailer, which has no name
	case ended && framing == chunked:
		r.noteAnomaly(MissingFinalChunk, "RFC 9112 §7.1", "the connection ended before the chunk of size 0 and the empty line after it")
		err = transportErrorf(Truncated, "the connection ended in the middle of a chunked body")
	case ended && message.ContentLength >= 0:
		err = transportErrorf(Truncated, "the connection ended after %d of the %d bytes that Content-Length announces",
			len(response.Body), message.ContentLength)
	case ended: // TLS without close_notify
		err = nil
	}
	response.Anomalies = r.anomalies
	return response, err
}

// surplusGrace is how long a raw connection is waited for after the end of the message.
const surplusGrace = 50 * time.Millisecond

// surplus waits a moment for bytes after the end of the message. A target that
// closes the connection, as it was asked to, is not waited for.
func (r *rawReader) surplus(ctx context.Context, response *Response) {
	const enough, enoughReads = keptOfTooLarge, 20 // of what drips, too
	var extra []byte
	for reads := 0; reads < enoughReads && len(extra) < enough && ctx.Err() == nil; reads++ {
		r.conn.SetReadDeadline(time.Now().Add(surplusGrace))
		part := make([]byte, 4<<10)
		n, err := r.in.Read(part)
		extra = append(extra, part[:n]...)
		if err != nil {
			break
		}
	}
	switch {
	case len(extra) == 0 || response.Status == http.StatusSwitchingProtocols:
	case response.Status == http.StatusNoContent:
		response.Body = extra
		r.noteAnomaly(BodyOn204, "RFC 9110 §15.3.5", "%d bytes follow the head of a 204, which ends with its head", len(extra))
	default:
		r.noteAnomaly(SurplusBytes, "RFC 9112 §6.3", "%d bytes follow the end of the message", len(extra))
	}
	response.Anomalies = r.anomalies
}

// noteAnomaly records an anomaly of the response being read.
func (r *rawReader) noteAnomaly(kind AnomalyKind, source, sentence string, args ...any) {
	r.anomalies = append(r.anomalies, Anomaly{kind, source, fmt.Sprintf(sentence, args...)})
}

// line reads up to CRLF or, as RFC 9112 §2.2 allows, LF alone.
func (r *rawReader) line() (string, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		if r.headLeft -= int64(len(part)); r.headLeft < 0 {
			return "", transportErrorf(TooLarge, "the response head is larger than %d bytes", maxHeader)
		}
		switch {
		case err == nil:
			return strings.TrimSuffix(string(line[:len(line)-1]), "\r"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// The reason phrase and the space before it are often left out; that is harmless.
var statusLine = regexp.MustCompile(`^(HTTP/1\.[01]) ([1-9][0-9]{2})(?: .*)?$`)

// head reads a status line and the header section (RFC 9112 §4, §5).
func (r *rawReader) head() (*Response, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	parts := statusLine.FindStringSubmatch(line)
	if parts == nil {
		return nil, transportErrorf(Malformed, "the status line is %q", line)
	}
	response := &Response{Proto: parts[1], Header: http.Header{}}
	response.Status, _ = strconv.Atoi(parts[2])
	for number := 1; ; number++ {
		line, err := r.line()
		if err != nil || line == "" {
			return response, err
		}
		r.field(response.Header, line, number)
	}
}

// field reads one header line and keeps what can be read of it.
func (r *rawReader) field(header http.Header, line string, number int) {
	malformed := func(why string) {
		r.noteAnomaly(MalformedHeader, "RFC 9112 §5", "header line %d %s", number, why)
	}
	if line[0] == ' ' || line[0] == '\t' {
		malformed("continues the one before, which is obsolete")
		return
	}
	name, value, found := strings.Cut(line, ":")
	trimmed := strings.TrimRight(name, " \t")
	switch {
	case !found:
		malformed("has no colon")
		return
	case trimmed != name:
		malformed("has white space before the colon")
	case !httpguts.ValidHeaderFieldName(name):
		malformed("has a name that is not a token")
		return
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		malformed("has a control character in its value")
	}
	if httpguts.ValidHeaderFieldName(trimmed) {
		header.Add(trimmed, strings.Trim(value, " \t"))
	}
}

const chunked = "Transfer-Encoding: chunked"

// framing returns the field of the header that tells where the body ends (RFC 9112 §6.3),
// "" for none, and notes what contradicts it.
func (r *rawReader) framing(response *Response) string {
	codings := strings.Split(strings.Join(response.Header.Values("Transfer-Encoding"), ","), ",")
	coding := strings.TrimSpace(codings[len(codings)-1])
	size := r.contentLength(response.Header)
	switch {
	case response.Status == http.StatusNoContent && size == "0":
		r.noteAnomaly(ZeroContentLengthOn204, "RFC 9110 §8.6", "a 204 has Content-Length: 0, which it must not have")
	case response.Status == http.StatusNoContent && size != "":
		r.noteAnomaly(ContentLengthOn204, "RFC 9110 §8.6", "a 204 has Content-Length: %s", size)
	case response.Status != http.StatusNoContent && coding != "" && response.Header.Get("Content-Length") != "":
		r.noteAnomaly(ContentLengthWithEncoding, "RFC 9112 §6.2", "the response has both Content-Length and Transfer-Encoding")
	}
	if response.Status == http.StatusNoContent && coding != "" {
		r.noteAnomaly(TransferEncodingOn204, "RFC 9112 §6.1", "a 204 has Transfer-Encoding")
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
func (r *rawReader) contentLength(header http.Header) (size string) {
	values := header.Values("Content-Length")
	if len(values) == 0 {
		return ""
	}
	values = strings.Split(strings.Join(values, ","), ",")
	differs := false
	for _, v := range values {
		n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 63)
		switch text := fmt.Sprint(n); {
		case err != nil:
			r.noteAnomaly(BadContentLength, "RFC 9110 §8.6", "Content-Length is not a number of bytes")
		case size == "":
			size = text
		default:
			differs = differs || size != text
		}
	}
	switch {
	case differs:
		r.noteAnomaly(ConflictingContentLength, "RFC 9112 §6.3", "Content-Length comes more than once, with different values")
	case len(values) > 1 && size != "":
		r.noteAnomaly(RepeatedContentLength, "RFC 9110 §5.3", "Content-Length comes more than once")
	}
	return size
}
