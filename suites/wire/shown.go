package wire

import "net/http"

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
	shown := Shown{RequestHeader: http.Header{}}
	for name, values := range c.header(ex.Case, ex.Request) {
		for _, v := range values {
			shown.RequestHeader[c.Redact(name)] = append(shown.RequestHeader[c.Redact(name)], c.Redact(v))
		}
	}
	if key := ex.Request.Credential; key.Send {
		shown.RequestHeader[c.opt.KeyHeader] = []string{c.showKey(key)}
	}
	shown.RequestBody = c.part(ex.Request.Body, limit, true)
	if ex.Response == nil {
		return shown
	}
	shown.Answer = c.part(ex.Response.Body, limit, ex.Err == nil || ex.Err.Kind == RateLimited)
	short := *ex
	response := *ex.Response
	response.Body = nil
	short.Response = &response
	shown.Response = c.RedactedResponse(&short)
	shown.Response.Body = shown.Answer.Bytes
	return shown
}

// showKey is a made-up key as it is, any other as its variable.
func (c *Client) showKey(k Credential) string {
	if k.Public {
		return c.Redact(k.Value)
	}
	return "$" + variable(k.Name)
}

// part redacts no more than is shown. Where a body was cut, here or on its way,
// its end is left out if it might be half a key.
func (c *Client) part(body []byte, limit int, whole bool) Part {
	cut := !whole || len(body) > limit
	text := c.secrets.redactCut(string(body[:min(len(body), limit)]), cut)
	return Part{[]byte(text[:min(len(text), limit)]), len(body), cut}
}
