package wire

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Recorded is an exchange that somebody else sent and somebody else recorded.
type Recorded struct {
	Method         string
	Target         string // path and query as in the request line, the base path included
	RequestHeader  http.Header
	RequestBody    []byte
	HasRequestBody bool
	Response       *Response
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
		Request: Request{Method: r.Method, Path: path, Header: http.Header{}, Body: r.RequestBody, HasBody: r.HasRequestBody},
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
	c.keys.add(ex.Request.Credential.Name, ex.Request.Credential.Value, passing)
	c.learnCredentials(r.RequestHeader, r.Response.Header, r.Target)
	ex.URL = path
	if u, err := c.origin.url(path); err == nil {
		ex.URL = address(u)
	}
	ex.URL = c.Redact(ex.URL)
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

// minToken is the length from which a text in a header whose name sounds like that
// of a key is taken for one.
const minToken = 12

// learnCredentials takes for a secret whatever a request may carry to show who
// sends it, and what an answer may hand out for that.
func (c *Client) learnCredentials(request, answer http.Header, target string) {
	learn := func(name, value string) {
		value = strings.TrimSpace(value)
		c.keys.add(name, value, passing)
		c.keys.add(name, strings.Trim(value, `"`), passing)
	}
	field := func(name, v string) {
		switch name {
		case "Authorization", "Proxy-Authorization":
			_, token, _ := strings.Cut(v, " ")
			user, _ := base64.StdEncoding.DecodeString(token)
			_, password, _ := strings.Cut(string(user), ":")
			learn(name, v)
			learn(name, token)
			learn(name, password)
		case "Cookie", "Set-Cookie": // whatever is in it: not every value is one by the RFC
			if name == "Set-Cookie" {
				v, _, _ = strings.Cut(v, ";")
			}
			learn("cookie", v)
			for pair := range strings.SplitSeq(v, ";") {
				_, value, _ := strings.Cut(pair, "=")
				learn("cookie", value)
			}
		default:
			if len(v) >= minToken && mayBeKeyHeader(name) &&
				!strings.HasPrefix(name, "Access-Control-") && !strings.HasSuffix(name, "-Authenticate") {
				learn("header", v)
			}
		}
	}
	for _, h := range []http.Header{request, answer} {
		for name, values := range h {
			for _, v := range values {
				field(name, v)
			}
		}
	}
	_, query, _ := strings.Cut(target, "?")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); MayBeKey(name) {
			plain, _ := url.QueryUnescape(value)
			learn("query", value)
			learn("query", plain)
		}
	}
}
