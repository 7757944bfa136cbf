package wire

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Recorded is an exchange that somebody else sent and somebody else recorded.
type Recorded struct {
	Method         string
	Target         string // path and query as in the request line, the base path included
	RequestHeader  http.Header
	HeaderCut      bool // lines may be missing in RequestHeader, that with the key among them
	RequestBody    []byte
	HasRequestBody bool
	RequestCut     bool      // RequestBody is only the beginning: the answer came before the rest was read
	Response       *Response // nil: none came
	Err            error     // why there is no complete response
	Start          time.Time
	Duration       time.Duration
}

// UnknownKey is the name of the credential of a request of which it is not known
// whether it carried a key.
const UnknownKey = "unknown"

// Record takes over an exchange that others sent, as if the client had sent it
// for a case. Every key in it becomes a secret; path is the request's path from
// the base URL on.
func (c *Client) Record(caseID, path string, r Recorded) *Exchange {
	ex := &Exchange{
		Seq: int(c.seq.Add(1)), Case: caseID, Response: r.Response, Start: r.Start, Duration: r.Duration, Attempts: 1, client: c,
		Request: Request{Method: r.Method, Path: path, Header: http.Header{}, Body: r.RequestBody, HasBody: r.HasRequestBody, Cut: r.RequestCut},
	}
	var answer http.Header
	if r.Response != nil {
		answer = r.Response.Header
	}
	if r.HeaderCut {
		ex.Request.Credential.Name = UnknownKey
	}
	for name, values := range r.RequestHeader {
		switch http.CanonicalHeaderKey(name) {
		case http.CanonicalHeaderKey(c.opt.KeyHeader):
			if len(values) > 0 {
				ex.Request.Credential = Credential{Name: "recorded", Value: values[0], Send: true}
			}
		case "Authorization", "Proxy-Authorization", "Cookie",
			"Accept", "Content-Type", "Accept-Language", "Content-Encoding", "Origin":
			ex.Request.Header[http.CanonicalHeaderKey(name)] = values
		default:
			if mayBeKeyHeader(name) && strings.Join(values, "") != "" && !ex.Request.Credential.Send {
				ex.Request.Credential.Name = UnknownKey
			}
		}
	}
	c.keys.Pass(ex.Request.Credential.Name, ex.Request.Credential.Value)
	c.learnCredentials(r.RequestHeader, answer, r.Target)
	if u, err := c.origin.url(path); err == nil {
		ex.URL = c.Redact(address(u))
	} else {
		ex.URL = c.Redact(path)
	}
	if r.Err != nil {
		ex.Err = c.shown(&TransportError{Kind: Closed, Detail: r.Err.Error()})
	}
	return ex
}

// mayBeKeyHeader says whether a header of this name may show who sends, beside
// those of HTTP.
func mayBeKeyHeader(name string) bool {
	name = strings.ToLower(name)
	return MayBeKey(name) && name != "idempotency-key" && name != "sec-websocket-key" ||
		containsAny(name, "cert", "identity", "remote-user", "forwarded-user")
}

// MayBeKey says whether a query parameter of this name may carry a key.
func MayBeKey(parameter string) bool {
	return containsAny(strings.ToLower(parameter), "key", "token", "auth", "secret", "session", "signature", "passw", "jwt", "credential")
}

func containsAny(name string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}
