package wire

import (
	"encoding/base64"
	"maps"
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
	all, r, unknown := http.Header{}, &ex.Request, false
	maps.Copy(all, r.Header)
	r.Path, r.Header = path, http.Header{}
	_, query, _ := strings.Cut(path, "?")
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		plain, _ := url.QueryUnescape(value)
		all[queryOf+name] = []string{value, plain}
	}
	for name, values := range all {
		if len(values) == 0 {
			continue
		}
		name = http.CanonicalHeaderKey(name)
		if slices.Contains(judged, name) {
			r.Header[name] = values
		}
		own := strings.EqualFold(name, c.opt.KeyHeader)
		if own {
			r.Credential = Credential{Name: "recorded", Value: values[0], Send: true}
			c.keys.add("recorded", values[0], "", false)
		}
		unknown = c.keys.learn(name, values) && !own || unknown // its value may have been removed
	}
	if unknown && r.Credential.Value == "" {
		r.Credential.Name = UnknownKey
	}
	for name, values := range ex.Response.Header {
		c.keys.learn(name, values)
	}
	ex.URL = c.Redact(c.origin() + c.target(path))
}

var (
	nameOfKey = regexp.MustCompile(
		`(?i)key|token|auth|secret|session|signature|passw|jwt|credential|cert|^(set-)?cookie$|identity|remote-user|forwarded-user`)
	notOfKey = regexp.MustCompile(`(?i)^(idempotency-key|sec-websocket-key|access-control-.*|.*-authenticate)$`)
)

// queryOf precedes the name of a parameter of the query.
const queryOf = "Query "

// minToken is the least length of a word in a key header that counts as a key.
const minToken = 8

// learn reports whether a header or parameter of this name may identify the sender of a request. If so, it adds
// the values as keys, each word of them, and the password of HTTP's Basic.
func (k *Keys) learn(name string, values []string) bool {
	if !nameOfKey.MatchString(name) || notOfKey.MatchString(name) {
		return false
	}
	for _, v := range values {
		if name == "Set-Cookie" {
			v, _, _ = strings.Cut(v, ";")
		}
		user, _ := base64.StdEncoding.DecodeString(v[strings.LastIndex(v, " ")+1:])
		_, password, _ := strings.Cut(string(user), ":")
		k.add(name, password, "", false)
		ofQuery := strings.HasPrefix(name, queryOf) // in which words such as true are rare
		for _, word := range append(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(` ;,=:"{}`, r) }), v) {
			if ofQuery || len(word) >= minToken {
				k.add(name, word, "", false)
			}
		}
	}
	return true
}
