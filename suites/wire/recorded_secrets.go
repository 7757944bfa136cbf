package wire

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// maxRecorded bounds the recorded keys that are known at a time: traffic has no
// end, and some clients have a token for each request. What is shown of an
// exchange is made with the keys of the last ones.
const maxRecorded = 100

// learnRecorded takes a key of somebody else's for a secret.
func (c *Client) learnRecorded(name, value string) {
	if len(value) < minSecret {
		return
	}
	c.recordedMu.Lock()
	defer c.recordedMu.Unlock()
	if slices.Contains(c.recorded, value) || c.secrets.knows(value) {
		return
	}
	if c.recorded = append(c.recorded, value); len(c.recorded) > maxRecorded {
		c.secrets.forget(c.recorded[0])
		c.recorded = c.recorded[1:]
	}
	c.secrets.add(value, secret{variable(name), false})
}

// minToken is the length from which a text in a header whose name sounds like that
// of a key is taken for one.
const minToken = 12

func (c *Client) learnCookie(pair string) {
	_, value, _ := strings.Cut(pair, "=")
	value = strings.TrimSpace(value)
	c.learnRecorded("cookie", value)
	c.learnRecorded("cookie", strings.Trim(value, `"`))
}

// learnCredentials takes for a secret whatever a request may carry to show who
// sends it, and what an answer may hand out for that.
func (c *Client) learnCredentials(request, answer http.Header, target string) {
	for _, name := range []string{"Authorization", "Proxy-Authorization"} {
		for _, v := range request.Values(name) {
			c.learnRecorded(name, v)
			_, token, _ := strings.Cut(v, " ")
			c.learnRecorded(name, token)
			if user, err := base64.StdEncoding.DecodeString(token); err == nil {
				_, password, _ := strings.Cut(string(user), ":")
				c.learnRecorded(name, password)
			}
		}
	}
	for _, v := range request.Values("Cookie") {
		c.learnRecorded("cookie", v)
		for pair := range strings.SplitSeq(v, ";") { // whatever is in it: not every value is one by the RFC
			c.learnCookie(pair)
		}
	}
	for _, v := range answer.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(v, ";")
		c.learnCookie(pair)
	}
	for _, h := range []http.Header{request, answer} {
		for name, values := range h {
			for _, v := range values {
				if len(v) >= minToken && MayBeKeyHeader(name) && !strings.HasPrefix(name, "Access-Control-") && !strings.HasSuffix(name, "-Authenticate") {
					c.learnRecorded("header", v)
				}
			}
		}
	}
	_, query, _ := strings.Cut(target, "?")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); MayBeKey(name) {
			c.learnRecorded("query", value)
			if plain, err := url.QueryUnescape(value); err == nil {
				c.learnRecorded("query", plain)
			}
		}
	}
}
