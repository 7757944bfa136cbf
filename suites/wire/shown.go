package wire

import (
	"net/http"
	"strings"
)

// Redact puts variable names in the place of keys, in whatever form they come: see
// [redact.Keys.Text].
func (c *Client) Redact(text string) string { return c.keys.Text(text) }

// Shown is an exchange as it may be shown to anyone: keys replaced by the names
// of their shell variables, bodies no longer than asked for.
type Shown struct {
	RequestHeader http.Header // with the key header and what the client says of itself
	RequestBody   Part
	Response      *Response // nil where none came; Body is Answer.Bytes
	Answer        Part      // body of the response
}

// Part is the beginning of a body.
type Part struct {
	Bytes []byte
	Size  int  // bytes of the whole body, as it came, keys not replaced
	Cut   bool // there was more
}

// Shown gives a copy that may be shown, with at most limit bytes of each body.
func (ex *Exchange) Shown(limit int) Shown {
	c := ex.client
	shown := Shown{RequestHeader: c.shownHeader(c.header(ex.Case, ex.Request)), RequestBody: c.part(ex.Request.Body, limit, true)}
	if key := ex.Request.Credential; key.Send {
		shown.RequestHeader[c.opt.KeyHeader] = []string{c.showKey(key)}
	}
	if ex.Response == nil {
		return shown
	}
	shown.Answer = c.part(ex.Response.Body, limit, ex.Err == nil || ex.Err.Kind == RateLimited)
	response := *ex.Response
	response.Header, response.Body = c.shownHeader(response.Header), shown.Answer.Bytes
	shown.Response = &response
	return shown
}

func (c *Client) shownHeader(h http.Header) http.Header {
	shown := http.Header{}
	for name, values := range h {
		for _, v := range values {
			name, v := c.redactField(name, v)
			shown[name] = append(shown[name], v)
		}
	}
	return shown
}

// redactField also finds a key that the colon of the header field splits.
func (c *Client) redactField(name, value string) (shownName, shownValue string) {
	name, value = c.Redact(name), c.Redact(value)
	for _, colon := range []string{":", ": "} {
		line := name + colon + value
		if shown := c.Redact(line); shown != line {
			name, value, _ = strings.Cut(shown, ":")
			return name, value
		}
	}
	return name, value
}

// showKey is a made-up key as it is, any other as its variable.
func (c *Client) showKey(k Credential) string {
	if k.Public {
		return c.Redact(k.Value)
	}
	return "$" + Variable(k.Name)
}

// part redacts no more than is shown. Where a body was cut, here or on its way,
// its end is left out if it might be half a key.
func (c *Client) part(body []byte, limit int, whole bool) Part {
	cut := !whole || len(body) > limit
	text := c.keys.Body(string(body[:min(len(body), limit)]), cut)
	return Part{[]byte(text[:min(len(text), limit)]), len(body), cut}
}
