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
	"syscall"
	"time"
)

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
		MaxResponseHeaderBytes: c.opt.MaxHeader,
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
	for {
		conn, err := c.dialer.DialContext(ctx, network, address)
		if !errors.Is(err, syscall.EADDRNOTAVAIL) {
			return conn, err
		}
		select { // all ports of this machine are in use, or were a minute ago: no doing of the target
		case <-time.After(portWait):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// portWait is how long a port is waited for before it is asked for again.
const portWait = 100 * time.Millisecond

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
			return nil, transportErrorf(Proxy, "it answered 407: "+proxyRemedy, "HTTP_PROXY")
		}
		response := &Response{Proto: answer.Proto, Status: answer.StatusCode, Header: answer.Header}
		if answer.StatusCode == http.StatusSwitchingProtocols {
			return response, nil // what follows is not HTTP
		}
		response.Body, err = c.readBody(ctx, answer.Body, answer.ContentLength)
		response.Truncated = isTooLarge(err)
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

func isTooLarge(err error) bool {
	var known *TransportError
	return errors.As(err, &known) && known.Kind == TooLarge
}
