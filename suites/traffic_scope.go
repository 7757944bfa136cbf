package suites

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/adconform/adconform/suites/wire"
)

// asking are request headers that change what a right answer is, in ways that
// the contract says nothing of.
var asking = []string{
	"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
	"Prefer", "Upgrade", "X-Http-Method-Override", "X-Http-Method", "X-Method-Override",
}

// OutOfScope says why the contract does not say what is right in an exchange of
// one of the operations; "" where it does.
func OutOfScope(r wire.Recorded) string {
	for _, name := range asking {
		if len(r.RequestHeader.Values(name)) > 0 {
			return "the request asks for something else by the header " + name
		}
	}
	if !takesJSON(r.RequestHeader.Values("Accept")) {
		return "the request does not accept JSON"
	}
	if r.Response == nil || r.Err != nil {
		return ""
	}
	switch h := r.Response.Header; {
	case !wire.Decodable(strings.Join(h.Values("Content-Encoding"), ",")):
		return "the content coding of the answer cannot be read"
	case r.Response.Status == http.StatusTooManyRequests, r.Response.Status == http.StatusServiceUnavailable && h.Get("Retry-After") != "":
		return "the target asked to come later (429, or 503 with Retry-After)"
	case r.Response.Status == http.StatusRequestTimeout:
		return "the request came too slowly for the target (408)"
	}
	return ""
}

// takesJSON says whether the values of Accept, if there are any, admit JSON.
func takesJSON(accept []string) bool {
	for word := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, parameters, err := mime.ParseMediaType(word)
		if q, bad := strconv.ParseFloat(parameters["q"], 64); bad == nil && q == 0 {
			continue
		}
		if err == nil && (kind == "*/*" || kind == "application/*" || kind == "application/json" || strings.HasSuffix(kind, "+json")) {
			return true
		}
	}
	return strings.TrimSpace(strings.Join(accept, "")) == ""
}
