package wire

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// minToken is the length from which a text in a header whose name sounds like that
// of a key is taken for one.
const minToken = 12

func (c *Client) learnCookie(pair string) {
	_, value, _ := strings.Cut(pair, "=")
	value = strings.TrimSpace(value)
	c.keys.Pass("cookie", value)
	c.keys.Pass("cookie", strings.Trim(value, `"`))
}

// learnCredentials takes for a secret whatever a request may carry to show who
// sends it, and what an answer may hand out for that.
func (c *Client) learnCredentials(request, answer http.Header, target string) {
	for _, name := range []string{"Authorization", "Proxy-Authorization"} {
		for _, v := range request.Values(name) {
			c.keys.Pass(name, v)
			_, token, _ := strings.Cut(v, " ")
			c.keys.Pass(name, token)
			if user, err := base64.StdEncoding.DecodeString(token); err == nil {
				_, password, _ := strings.Cut(string(user), ":")
				c.keys.Pass(name, password)
			}
		}
	}
	for _, v := range request.Values("Cookie") {
		c.keys.Pass("cookie", v)
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
				if len(v) >= minToken && mayBeKeyHeader(name) &&
					!strings.HasPrefix(name, "Access-Control-") && !strings.HasSuffix(name, "-Authenticate") {
					c.keys.Pass("header", v)
				}
			}
		}
	}
	_, query, _ := strings.Cut(target, "?")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); MayBeKey(name) {
			c.keys.Pass("query", value)
			if plain, err := url.QueryUnescape(value); err == nil {
				c.keys.Pass("query", plain)
			}
		}
	}
}
