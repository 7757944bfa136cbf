package wire

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/adconform/adconform/suites/report"
)

// An object is an object of JSON.
type object = map[string]any

// maxShownBody limits the bytes of a body that reports show.
const maxShownBody = 16 << 10

// Entry returns the parts of an exchange that a report may show.
func (ex *Exchange) Entry() report.Exchange {
	shown := ex.Shown(maxShownBody)
	milliseconds := float64(ex.Duration.Microseconds()) / 1e3
	answer := cmp.Or(ex.Response, &Response{Proto: "unknown"}) // none came
	message := func(header http.Header, size int, more object) object {
		m := object{
			"httpVersion": answer.Proto, "cookies": []object{},
			"headers": pairs(header), "headersSize": -1, "bodySize": size,
		}
		maps.Copy(m, more)
		return m
	}
	request := message(shown.RequestHeader, shown.RequestBody.Size, object{
		"method": ex.Request.Method, "url": ex.URL, "queryString": []object{},
	})
	response := message(shown.Header, shown.Answer.Size, object{
		"status": answer.Status, "statusText": http.StatusText(answer.Status),
		"redirectURL": unicodeOnly(shown.Header.Get("Location")),
		"content":     harBody(shown.Answer, shown.Header, "encoding"),
	})
	if u, err := url.Parse(ex.URL); err == nil {
		request["queryString"] = pairs(u.Query())
	} else { // the format allows no other
		request["url"] = strings.ReplaceAll(ex.URL, "%", "%25")
		request["comment"] = "sent as " + ex.URL
	}
	if ex.Request.Body != nil {
		request["postData"] = harBody(shown.RequestBody, shown.RequestHeader, "_encoding") // the format has none here
	}
	entry := report.Exchange{
		"_seq": ex.Seq, "_case": ex.Case, "request": request, "response": response,
		"startedDateTime": ex.Start.UTC().Truncate(time.Microsecond), // of the last attempt
		"time":            milliseconds, "cache": object{},
		"timings":     object{"send": 0, "wait": milliseconds, "receive": 0}, // only the total is measured
		"_credential": ex.Request.Credential.Name, "_attempts": ex.Attempts, "_rateLimited": ex.RateLimited,
	}
	if isOdd(ex) {
		entry["_odd"] = true
	}
	if ex.Err != nil { // there is no complete response
		entry["_error"] = ex.Err.Error()
	}
	return entry
}

// isOdd reports whether an entry does not say how the request was sent: its body may be in chunks, or come in halves,
// and what is odd about a key is not shown.
func isOdd(ex *Exchange) bool {
	isForeign := func(r rune) bool { return r > unicode.MaxASCII }
	return ex.Request.Odd != nil || ex.Around || strings.ContainsFunc(ex.Request.Credential.Value, isForeign)
}

// pairs returns the lines of a header, or the parameters of a query.
func pairs(values map[string][]string) []object {
	list := []object{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, v := range values[name] {
			list = append(list, object{"name": unicodeOnly(name), "value": unicodeOnly(v)})
		}
	}
	return list
}

// unicodeOnly replaces bytes that are not UTF-8, which JSON cannot contain.
func unicodeOnly(text string) string { return string([]rune(text)) }

// harBody returns the content of a message, or its beginning; in base64 if it is not UTF-8, which
// the member named encoding then tells.
func harBody(p Part, header http.Header, encoding string) object {
	b := object{"mimeType": unicodeOnly(header.Get("Content-Type")), "size": p.Size}
	text := p.Bytes
	if p.Cut {
		b["comment"] = fmt.Sprintf("only the beginning of %d bytes", p.Size)
		for n := 1; n < utf8.UTFMax && n <= len(p.Bytes) && !utf8.Valid(text); n++ { // it may end within a character
			text = p.Bytes[:len(p.Bytes)-n]
		}
	}
	b["text"] = string(text)
	if !utf8.Valid(text) {
		b["text"] = base64.StdEncoding.EncodeToString(text)
		b[encoding] = "base64"
	}
	return b
}
