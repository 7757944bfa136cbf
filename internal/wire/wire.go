// Package wire sends the request of a test case to the target and records the
// answer as an [Exchange]. It judges nothing: it keeps what the oracle needs
// to judge, separates transport failures from content, waits for rate limits, and
// keeps keys out of everything that may be shown.
//
// [Client.Do] uses net/http or, for a raw request, a connection of its own, which also
// shows what net/http hides (a body on 204, bytes beyond Content-Length).
package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/finding"
)

// CaseHeader names the case on every request, so that a vendor can find it in
// the logs of the target.
const CaseHeader = "X-Adconform-Case"

// A Request is a request that a case sends. Accept: application/json, and with a body
// Content-Type: application/json, are added unless Header has an entry of that
// name; an entry without values leaves the header out.
type Request struct {
	Method string
	Path   string      // below the base URL: "/campaigns/25?x=1", percent-encoded
	Header http.Header // extra headers
	Body   []byte      // nil for none, and then no Content-Type
	// Raw sends it over a connection of its own (HTTP/1.1, Connection: close) that is read
	// byte by byte, so that Response.Anomalies is filled. Exchange.Raw is false if that is
	// impossible: behind a proxy of the environment, whose bytes would be read instead, and on
	// a target that speaks only HTTP/2.
	Raw bool
	// PATCH, POST and PUT carry Content-Length: 0 without a body (RFC 9110 §8.6).
	Credential Credential
	Patience   time.Duration // the least time-out for it, if it is longer than that of the client
	Operation  string        // the operation that it is an ordinary request of; "" for a request of another form
	// MayBeForbidden says that the user may have no permission, so that a 403 does not show that the key has stopped.
	MayBeForbidden bool
	Odd            *Odd           // how to write it if no HTTP client would write it so; otherwise nil
	Parts          []finding.Sent // what findings may name
}

// An Exchange is one request of a case and its outcome: either Err is nil and
// Response is complete, or Err states what went wrong, and Response is nil or the
// part that had arrived by then. That part is for the report: only its
// Anomalies may be judged.
type Exchange struct {
	Seq         int // from 1, unique in the client, in the order in which requests were made
	Case        string
	Request     Request
	URL         string // redacted
	Response    *Response
	Err         *TransportError
	Start       time.Time     // of the last attempt
	Written     time.Time     // when the last attempt had written the request; zero if it did not
	Duration    time.Duration // of the last attempt, until the whole response was read
	Attempts    int           // requests sent: 1, plus one for each answer after which the client waited, plus Resent
	RateLimited int           // 429 answers after which the client waited
	Unavailable int           // answers 502 to 504, and connections without an answer, after which the client waited
	Beside      int           // ordinary requests sent to see whether the target answers them
	// RefusedBeside counts ordinary requests that were refused with the same key, before it was accepted again.
	RefusedBeside int
	Unsure        bool          // an attempt before the last one may have been carried out
	Away          bool          // the target was away for longer than the client waits
	Waited        time.Duration // for the target's rate limit, and while the target was away, over all attempts
	Resent        int           // requests sent again because the connection had ended
	Raw           bool          // sent over a connection of its own, so Anomalies are known
	Around        bool          // another request was answered between its two halves, see [Around]
	Stop          *KeyStop      // why Err is of the kind KeyStopped

	client *Client
}

// Failed reports whether an exchange failed in one of these ways.
func (ex *Exchange) Failed(kinds ...Kind) bool {
	return ex.Err != nil && slices.Contains(kinds, ex.Err.Kind)
}

// isAnswered reports whether a whole answer came, with one of these statuses.
func (ex *Exchange) isAnswered(statuses ...int) bool {
	return ex.Err == nil && slices.Contains(statuses, ex.Response.Status)
}

// A Response is an answer as it came, not redacted, see [Exchange.Shown].
type Response struct {
	Proto     string // "HTTP/1.1", "HTTP/2.0"
	Status    int
	Header    http.Header
	Body      []byte // chunking undone, never decompressed
	Anomalies []Anomaly
}

// An Anomaly is a breach of HTTP's message format that only a raw connection shows. Content of a
// 204 is not an anomaly, nor is a header that announces it: Response has both.
type Anomaly struct {
	Source   string // "RFC 9112 §6.2"
	Sentence string // what was seen, without content of the response
	Of204    bool   // it is a header that announces content of a 204
}

// Shown is an exchange as it may be shown to anyone: with keys replaced by the
// names of their shell variables, and bodies shortened.
type Shown struct {
	RequestHeader http.Header // with the key header and the fields that describe the client
	RequestBody   Part
	Header        http.Header // of the response, and its body
	Answer        Part
}

// A Part is the beginning of a body.
type Part struct {
	Bytes []byte
	Size  int  // bytes of the whole body as it came, before keys were replaced
	Cut   bool // there was more
}

// Shown returns a copy that may be shown, with at most limit bytes of each body.
func (ex *Exchange) Shown(limit int) Shown {
	c := ex.client
	shown := Shown{RequestBody: c.keys.part(ex.Request.Body, limit, false)}
	shown.RequestHeader = c.keys.header(c.header(ex.Case, ex.Request))
	key := ex.Request.Credential
	if name, values := c.keyHeader(key); name != "" {
		if !key.Public { // the suite did not make it up
			key.Value = "$" + Variable(key.Name)
			_, values = c.keyHeader(key)
		}
		shown.RequestHeader[name] = []string{c.Redact(values[0])}
	}
	for _, h := range c.opt.Headers {
		if h.Secret {
			shown.RequestHeader[http.CanonicalHeaderKey(h.Name)] = []string{hidden(h)}
		}
	}
	if ex.Response != nil {
		shown.Header = c.keys.header(ex.Response.Header)
		shown.Answer = c.keys.part(ex.Response.Body, limit, ex.isPartial())
	}
	return shown
}

// Decodable reports whether Decode knows a value of Content-Encoding, none included.
func Decodable(coding string) bool {
	coding = strings.ToLower(strings.TrimSpace(coding))
	return slices.Contains([]string{"", "identity", "gzip", "x-gzip", "deflate"}, coding)
}

// Decode undoes a content coding (RFC 9110, 8.4.1), which some servers and gateways apply although
// each request asks for none, and returns at most limit bytes. It returns a body whose coding is
// not Decodable as it is.
func Decode(coding string, body []byte, limit int) (_ []byte, err error) {
	var r io.Reader
	switch coding = strings.ToLower(strings.TrimSpace(coding)); {
	case len(body) == 0:
		return body, nil
	case coding == "gzip", coding == "x-gzip":
		r, err = gzip.NewReader(bytes.NewReader(body))
	case coding == "deflate":
		r, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return body, nil
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, int64(limit)))
}
