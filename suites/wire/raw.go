package wire

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"
)

// sendRaw is the sender that reads the connection byte by byte.
func (c *Client) sendRaw(ctx context.Context, a *attempt, m *message) (*Response, error) {
	if m.ends { // a target may wait for the rest
		bounded, cancel := context.WithTimeout(ctx, min(c.opt.Timeout, oddPatience))
		defer cancel()
		ctx = bounded
	}
	r, err := c.openRaw(ctx, a)
	if err != nil {
		return nil, err
	}
	defer r.conn.Close()
	writeErr := m.write(ctx, r.conn)
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
	return &rawReader{client: c, attempt: a, conn: conn, in: bufio.NewReader(conn), headLeft: c.opt.MaxHeader}, nil
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

// response reads the final response to its end, as its framing tells it.
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
	framing := r.framing(response, method)
	var err error
	switch framing.kind {
	case noBody:
	case chunkedBody:
		response.Body, err = r.client.readBody(ctx, httputil.NewChunkedReader(r.in), -1)
		if err == nil {
			err = r.trailer()
		}
		if isEOF(err) {
			r.note(MissingFinalChunk, "RFC 9112 §7.1", "the connection ended before the chunk of size 0 and the empty line after it")
			err = transportErrorf(Truncated, "the connection ended in the middle of a chunked body")
		}
	case sizedBody:
		response.Body, err = r.client.readBody(ctx, io.LimitReader(r.in, framing.size), framing.size)
		if got := int64(len(response.Body)); err == nil && got < framing.size || isEOF(err) {
			err = transportErrorf(Truncated, "the connection ended after %d of the %d bytes that Content-Length announces", got, framing.size)
		}
	case bodyUntilClose:
		response.Body, err = r.client.readBody(ctx, r.in, -1)
		if isEOF(err) { // TLS without close_notify
			err = nil
		}
	}
	response.Truncated = isTooLarge(err)
	response.Anomalies = r.anomalies
	return response, err
}

// surplus waits a moment for bytes after the end of the message. A target that
// closes the connection, as it was asked to, is not waited for.
func (r *rawReader) surplus(ctx context.Context, response *Response) {
	const enough, enoughReads = keptOfTooLarge, 20 // of what drips, too
	var extra []byte
	for reads := 0; reads < enoughReads && len(extra) < enough && ctx.Err() == nil; reads++ {
		r.conn.SetReadDeadline(time.Now().Add(r.client.opt.SurplusGrace))
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
		r.note(BodyOn204, "RFC 9110 §15.3.5", "%d bytes follow the head of a 204, which ends with its head", len(extra))
	default:
		r.note(SurplusBytes, "RFC 9112 §6.3", "%d bytes follow the end of the message", len(extra))
	}
	response.Anomalies = r.anomalies
}

func isEOF(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
