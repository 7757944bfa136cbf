package wire

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Recorded is an exchange that another program recorded.
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

// UnknownKey is the name of the credential of a request that may or may not have carried a key.
const UnknownKey = "unknown"

// judged lists the headers of a request that matter for its answer.
var judged = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Accept", "Content-Type", "Accept-Language", "Content-Encoding", "Origin",
}

// Record returns a recorded exchange as if the client had sent it for a case. Every key in it
// becomes a secret; path is the request's path below the base URL.
func (c *Client) Record(caseID, path string, r Recorded) *Exchange {
	c.keys.forget()
	ex := &Exchange{
		Seq: int(c.seq.Add(1)), Case: caseID, Response: r.Response, Start: r.Start, Duration: r.Duration, Attempts: 1, client: c,
		Request: Request{Method: r.Method, Path: path, Header: http.Header{}, Body: r.RequestBody, HasBody: r.HasRequestBody},
	}
	if values := r.RequestHeader.Values(c.opt.KeyHeader); len(values) > 0 {
		ex.Request.Credential = Credential{Name: "recorded", Value: values[0], Send: true}
		c.keys.add("recorded", values[0], "", false)
	}
	for name, values := range r.RequestHeader {
		switch name = http.CanonicalHeaderKey(name); {
		case slices.Contains(judged, name):
			ex.Request.Header[name] = values
		case mayBeKeyHeader(name) && strings.Join(values, "") != "" && !ex.Request.Credential.Send:
			ex.Request.Credential.Name = UnknownKey
		}
	}
	c.keys.learn(r.RequestHeader)
	c.keys.learn(r.Response.Header)
	_, query, _ := strings.Cut(r.Target, "?")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); MayBeKey(name) {
			plain, _ := url.QueryUnescape(value)
			c.keys.add("query", value, "", false)
			c.keys.add("query", plain, "", false)
		}
	}
	ex.URL = c.Redact(c.origin.address(path))
	return ex
}

// mayBeKeyHeader reports whether a header of this name, other than those of HTTP, may identify
// the sender.
func mayBeKeyHeader(name string) bool {
	name = strings.ToLower(name)
	return MayBeKey(name) && name != "idempotency-key" && name != "sec-websocket-key" ||
		containsAny(name, "cert", "identity", "remote-user", "forwarded-user")
}

// MayBeKey reports whether a query parameter of this name may carry a key.
func MayBeKey(parameter string) bool {
	return containsAny(strings.ToLower(parameter), "key", "token", "auth", "secret", "session", "signature", "passw", "jwt", "credential")
}

func containsAny(name string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// minToken is the least length of a word in a key header that counts as a key.
const minToken = 8

// learn adds the values of headers that may identify a sender, in a request or in an answer, as
// keys: the whole value, each word of it, and the password of HTTP's Basic.
func (k *Keys) learn(h http.Header) {
	for name, values := range h {
		switch name {
		case "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie":
		default:
			if !mayBeKeyHeader(name) || strings.HasPrefix(name, "Access-Control-") || strings.HasSuffix(name, "-Authenticate") {
				continue
			}
		}
		for _, v := range values {
			if name == "Set-Cookie" {
				v, _, _ = strings.Cut(v, ";")
			}
			user, _ := base64.StdEncoding.DecodeString(v[strings.LastIndex(v, " ")+1:])
			_, password, _ := strings.Cut(string(user), ":")
			k.add(name, password, "", false)
			for _, word := range append(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(` ;,=:"{}`, r) }), v) {
				if len(word) >= minToken {
					k.add(name, word, "", false)
				}
			}
		}
	}
}
