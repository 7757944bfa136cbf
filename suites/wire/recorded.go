package wire

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// UnknownKey is the name of the credential of a request that may or may not have carried a key.
const UnknownKey = "unknown"

// judged lists the headers of a request that matter for its answer.
var judged = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Accept", "Content-Type", "Accept-Language", "Content-Encoding", "Origin",
}

// Adopt makes an exchange that another program recorded one of a case, as if the client had sent it: path is
// the request's path below the base URL. Every key in the exchange becomes a secret.
func (c *Client) Adopt(ex *Exchange, caseID, path string) {
	c.keys.forget()
	ex.Seq, ex.Case, ex.Attempts, ex.client = int(c.seq.Add(1)), caseID, 1, c
	all := ex.Request.Header
	ex.Request.Path, ex.Request.Header = path, http.Header{}
	if values := all.Values(c.opt.KeyHeader); len(values) > 0 {
		ex.Request.Credential = Credential{Name: "recorded", Value: values[0], Send: true}
		c.keys.add("recorded", values[0], "", false)
	}
	_, query, _ := strings.Cut(path, "?")
	unknown := nameOfKey.MatchString(query)
	for name, values := range all {
		name = http.CanonicalHeaderKey(name)
		if slices.Contains(judged, name) {
			ex.Request.Header[name] = values
		}
		unknown = unknown || mayBeKeyHeader(name) && !strings.EqualFold(name, c.opt.KeyHeader) // its value may have been removed
	}
	if unknown && ex.Request.Credential.Value == "" {
		ex.Request.Credential.Name = UnknownKey
	}
	c.keys.learn(all)
	c.keys.learn(ex.Response.Header)
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); nameOfKey.MatchString(name) {
			plain, _ := url.QueryUnescape(value)
			c.keys.add("query", value, "", false)
			c.keys.add("query", plain, "", false)
		}
	}
	ex.URL = c.Redact(c.origin() + c.target(path))
}

var (
	nameOfKey    = regexp.MustCompile(`(?i)key|token|auth|secret|session|signature|passw|jwt|credential`)
	nameOfSender = regexp.MustCompile(`(?i)cert|^(set-)?cookie$|identity|remote-user|forwarded-user`)
	notOfKey     = regexp.MustCompile(`(?i)^(idempotency-key|sec-websocket-key|access-control-.*|.*-authenticate)$`)
)

// mayBeKeyHeader reports whether a header of this name may identify the sender.
func mayBeKeyHeader(name string) bool {
	return (nameOfKey.MatchString(name) || nameOfSender.MatchString(name)) && !notOfKey.MatchString(name)
}

// minToken is the least length of a word in a key header that counts as a key.
const minToken = 8

// learn adds the values of headers that may identify a sender, in a request or in an answer, as
// keys: the whole value, each word of it, and the password of HTTP's Basic.
func (k *Keys) learn(h http.Header) {
	for name, values := range h {
		if !mayBeKeyHeader(name) {
			continue
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
