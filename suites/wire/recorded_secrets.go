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
	}
	for _, cookie := range (&http.Request{Header: http.Header{"Cookie": request.Values("Cookie")}}).Cookies() {
		c.learnRecorded("cookie", cookie.Value)
	}
	for _, cookie := range (&http.Response{Header: http.Header{"Set-Cookie": answer.Values("Set-Cookie")}}).Cookies() {
		c.learnRecorded("cookie", cookie.Value)
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
