package wire

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// UnknownKey is the name of the credential of a request that may or may not have carried a key.
const UnknownKey = "unknown"

// judged lists the headers of a request that matter for its answer.
var judged = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Origin",
	"Accept", "Accept-Language", "Content-Type", "Content-Encoding",
}

// Adopt makes an exchange that another program recorded one of a case, as if the client had sent it: path is
// the request's path below the base URL. It need not have an answer. Every key in the exchange becomes a secret.
func (c *Client) Adopt(ex *Exchange, caseID, path string) {
	c.keys.forget()
	ex.Seq = int(c.seq.Add(1))
	ex.Case = caseID
	ex.Attempts = 1
	ex.client = c
	r := &ex.Request
	mayLackKey := false
	all := http.Header{}
	maps.Copy(all, r.Header)
	r.Header = http.Header{}
	r.Path = c.adoptQuery(r, path, all)
	for name, values := range all {
		if len(values) == 0 {
			continue
		}
		name = http.CanonicalHeaderKey(name)
		key, isKey := keyIn(c.opt.Key, values[0])
		isOwn := isKey && c.opt.Key.InHeader(name)
		if isOwn {
			c.adoptKey(r, key)
		} else if slices.Contains(judged, name) {
			r.Header[name] = values
		}
		if c.keys.learn(name, values) && !isOwn { // its value may have been removed
			mayLackKey = true
		}
	}
	if mayLackKey && r.Credential.Value == "" {
		r.Credential.Name = UnknownKey
	}
	if ex.Response != nil {
		for name, values := range ex.Response.Header {
			c.keys.learn(name, values)
		}
	}
	ex.URL = c.Redact(c.origin() + c.target(r.Path, r.Credential))
}

// Replay makes an exchange of an earlier run the answer to a request, as if the client had just sent it.
func (c *Client) Replay(ex *Exchange, caseID string, r Request) {
	ex.Case = caseID
	ex.Request = r
	ex.client = c
	c.keepSecret(r.Credential)
	ex.URL = c.Redact(c.origin() + c.target(r.Path, r.Credential))
	if ex.Err == nil {
		c.noteKeys(ex)
	}
	if ex.Stop != nil {
		ex.Stop = c.gates[ex.Stop.User].stopAgain(ex)
	}
}

// stopAgain returns why an exchange of an earlier run found that the key of the gate had stopped.
func (g *keyGate) stopAgain(ex *Exchange) *KeyStop {
	defer g.lock()()
	if status := ex.Stop.Status; g.stop == nil {
		g.stop = &KeyStop{User: g.user, Status: status, gate: g, accepted: g.by[status].times, at: ex.End()}
	}
	return g.stop
}

// adoptKey makes a key the one of a recorded request.
func (c *Client) adoptKey(r *Request, key string) {
	r.Credential = Credential{Name: "recorded", Value: key, Send: true}
	c.addKey(r.Credential, false)
}

// adoptQuery returns the path of a recorded request without the key that its query may carry. Other parameters
// of the query are added to those that may hold a key.
func (c *Client) adoptQuery(r *Request, path string, all http.Header) string {
	path, query, asks := strings.Cut(path, "?")
	var others []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		plain, _ := url.QueryUnescape(value)
		if asks && name == c.opt.Key.Query {
			c.adoptKey(r, plain)
			continue
		}
		others = append(others, part)
		all[queryOf+name] = []string{value, plain}
	}
	if !asks || len(others) == 0 {
		return path
	}
	return path + "?" + strings.Join(others, "&")
}

// keyIn returns the key in the value of a recorded header, and whether it has the form of one.
func keyIn(form fixtures.KeyForm, value string) (key string, ok bool) {
	if form.IsCookie() {
		for cookie := range strings.SplitSeq(value, ";") {
			if key, ok = strings.CutPrefix(strings.TrimSpace(cookie), form.Before); ok {
				return key, true
			}
		}
		return "", false
	}
	n := len(form.Before)
	if len(value) < n || !strings.EqualFold(value[:n], form.Before) {
		return "", false
	}
	return strings.CutSuffix(value[n:], form.After)
}

// WithoutKeys returns a query without the parameters that may identify the sender.
func WithoutKeys(query string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		return isKeyName(queryOf + name)
	}), "&")
}

var (
	nameOfKey = regexp.MustCompile(
		`(?i)key|token|auth|secret|session|signature|passw|jwt|credential|cert` +
			`|^(set-)?cookie$|identity|remote-user|forwarded-user`)
	notOfKey = regexp.MustCompile(`(?i)^(idempotency-key|sec-websocket-key|access-control-.*|.*-authenticate)$`)
)

// queryOf precedes the name of a parameter of the query.
const queryOf = "Query "

// minToken is the least length of a word in a key header that counts as a key.
const minToken = 8

// isKeyName reports whether a header or parameter of this name may identify the sender of a request.
func isKeyName(name string) bool { return nameOfKey.MatchString(name) && !notOfKey.MatchString(name) }

// learn reports whether a header or parameter of this name may identify the sender of a request. If so, it adds
// the values as keys, each word of them, and the password of HTTP's Basic.
func (k *Keys) learn(name string, values []string) bool {
	if !isKeyName(name) {
		return false
	}
	for _, v := range values {
		if name == "Set-Cookie" {
			v, _, _ = strings.Cut(v, ";")
		}
		least := minToken
		if strings.HasPrefix(name, queryOf) { // in which words such as true are rare
			least = 0
		}
		k.addWords(name, v, least, false)
		if len(v) >= least {
			k.add(name, v, "", false)
		}
	}
	return true
}
