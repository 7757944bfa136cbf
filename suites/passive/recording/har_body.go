package recording

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/suites/har"
	"github.com/adconform/adconform/suites/wire"
)

// response puts together what was recorded of a response: the recorder has undone
// its coding.
func response(status int, proto string, h http.Header, content *har.Body, transferred har.Number) (*wire.Response, Reason) {
	body, whole := bytesOf(content)
	// mitmproxy gives the size on the wire, which is larger where packing saved nothing.
	size := content.Size.Value + min(content.Compression.Value, 0)
	if coding := h.Get("Content-Encoding"); whole && content.Encoding == "base64" && coding != "" && !utf8.Valid(body) {
		body, whole = decoded(coding, body)
		size = 0
	}
	length, lengthErr := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	switch {
	case content.Text == nil && status == http.StatusNoContent && content.Size.Value <= 0:
	case content.Text == nil && content.Size.Value == 0 && lengthErr == nil && length == 0:
	case content.Text == nil && content.Size.Value == 0 && lengthErr != nil && transferred.Known && transferred.Value == 0:
	case content.Text == nil:
		return nil, NoBody
	case !whole || float64(len(body)) < size || strings.HasPrefix(content.Comment, "only the beginning"):
		return nil, CutBody
	}
	if len(h) == 0 && len(body) > 0 { // it was left out: every answer has some
		h.Set("Content-Type", "application/json")
	}
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Set-Cookie", "Set-Cookie2"} {
		if name == "Content-Encoding" && h.Get(name) != "" {
			h.Del("Content-Length")
		}
		h.Del(name)
	}
	return &wire.Response{Proto: proto, Status: status, Header: h, Body: body}, ""
}

// decoded is a body whose coding the recorder has left. JSON is text, so what is
// none afterwards was not kept as it came.
func decoded(coding string, body []byte) (plain []byte, whole bool) {
	plain, err := wire.Decode(coding, body, maxEntry)
	return plain, err == nil && len(plain) < maxEntry && utf8.Valid(plain)
}

// bytesOf are those of a body, and whether they are the ones that were sent: what
// is no text stands as U+FFFD where the recorder did not encode it.
func bytesOf(b *har.Body) (body []byte, whole bool) {
	if b.Text == nil {
		return nil, false
	}
	if b.Encoding == "base64" || b.TextEncoding == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(*b.Text)
		return decoded, err == nil
	}
	return []byte(*b.Text), b.Encoding == "" && !strings.Contains(*b.Text, "\uFFFD") && !strings.HasPrefix(b.Comment, "only the beginning")
}
