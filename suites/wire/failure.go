package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/adconform/adconform/internal/wording"
)

// A Kind names what went wrong in transport.
type Kind string

// The kinds of [TransportError]. The target causes all but Canceled and BadRequest.
const (
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
	Truncated   Kind = "truncated"    // the connection ended in the middle of the response
	Malformed   Kind = "malformed"    // the response is not HTTP
	TooLarge    Kind = "too-large"    // head beyond maxHeader, body beyond maxBody
	RateLimited Kind = "rate-limited" // still 429 when the bound on waiting was reached
	Unavailable Kind = "unavailable"  // the same for 502 to 504, to ordinary requests, too
)

// A TransportError states why an exchange has no complete response. Detail is
// one redacted line.
type TransportError struct {
	Kind   Kind
	Detail string
}

func (e *TransportError) Error() string { return string(e.Kind) + ": " + e.Detail }

func transportErrorf(kind Kind, format string, args ...any) *TransportError {
	return &TransportError{kind, fmt.Sprintf(format, args...)}
}

// A stage is how far an attempt has come; its text completes "waiting for".
type stage int32

const (
	connecting stage = iota
	resolving
	handshaking
	sending
	awaiting
	readingHead
	readingBody
)

func (s stage) String() string {
	return [...]string{
		"the connection", "the address of the host", "the TLS handshake", "the request to be accepted",
		"the response", "the rest of the response head", "the rest of the response body",
	}[s]
}

// classify turns an error of net/http or of a raw connection into one with a
// kind. For errors that net/http distinguishes only by their text, it uses the text.
func classify(err error, at stage, timeout time.Duration) *TransportError {
	var known *TransportError
	if errors.As(err, &known) {
		return known
	}
	text := err.Error()
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	var op *net.OpError
	var late net.Error
	dialing := errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
	switch {
	case errors.As(err, &late) && late.Timeout():
		return transportErrorf(Timeout, "gave up after %s, waiting for %s", timeout, at)
	case errors.As(err, new(*net.DNSError)):
		return transportErrorf(DNS, "%s", text)
	case dialing && errors.Is(err, syscall.ECONNREFUSED):
		return transportErrorf(Refused, "nothing listens there: %s", text)
	case dialing:
		return transportErrorf(Unreachable, "%s", text)
	case has("malformed "):
		return transportErrorf(Malformed, "%s", text)
	case at == handshaking, has("tls: ", "x509: "):
		return transportErrorf(TLS, "%s", text)
	case has("headers exceeded"):
		return transportErrorf(TooLarge, "the response head is larger than allowed")
	case has("server closed idle connection"), errors.Is(err, io.EOF) && at <= awaiting:
		return transportErrorf(Closed, "the connection ended before a response")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return transportErrorf(Reset, "the connection was reset, waiting for %s", at)
	case has("PROTOCOL_ERROR", "FRAME_SIZE_ERROR", "COMPRESSION_ERROR"):
		return transportErrorf(Malformed, "%s", text)
	case has("stream error", "GOAWAY", "client connection lost"):
		return transportErrorf(Reset, "%s", text)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return transportErrorf(Truncated, "the connection ended, waiting for %s", at)
	case at < awaiting:
		return transportErrorf(Unreachable, "%s", text)
	}
	return transportErrorf(Malformed, "%s", text)
}

const maxDetail = 300 // characters; a hostile target may have written most of it

// shown makes an error fit for reports: it redacts the text and then cuts it (never
// the other way round, or half a key would stay), on one line.
func (c *Client) shown(e *TransportError) *TransportError {
	return &TransportError{e.Kind, wording.ClipPrintable(c.Redact(e.Detail), maxDetail)}
}
