package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// wireVariants answer the same in ways that HTTP and JSON leave free.
func wireVariants() []Variant {
	return slices.Concat(bodyVariants(), headerVariants(), rateVariants(), timeVariants())
}

// bodyVariants write the same JSON otherwise.
func bodyVariants() []Variant {
	rewritten := func(id, sentence string, rewrite func(doc any, body []byte) []byte) Variant {
		return answering("wire/"+id, sentence, func(a *answer) *answer {
			if doc := decode(a.body); doc != nil {
				a.body = rewrite(doc, a.body)
			}
			return a
		})
	}
	return []Variant{
		rewritten("pretty", "JSON is indented", func(_ any, b []byte) []byte {
			var buf bytes.Buffer
			_ = json.Indent(&buf, b, "", "\t")
			return append(append([]byte("\r\n "), buf.Bytes()...), "\n\n"...)
		}),
		rewritten("reordered", "The members of objects are in another order", func(doc any, _ []byte) []byte { return encode(doc) }),
		rewritten("reversed", "The members of objects are in reverse order", func(doc any, _ []byte) []byte { return reversed(doc) }),
		rewritten("escaped", "Whatever may be escaped in JSON strings is", func(doc any, _ []byte) []byte { return escaped(doc) }),
		rewritten("html-safe", "<, > and & are escaped in JSON strings", func(doc any, _ []byte) []byte {
			b, _ := json.Marshal(doc)
			return b
		}),
		answering("wire/chunked", "Bodies come in small chunks", func(a *answer) *answer {
			if len(a.body) == 0 {
				return a
			}
			b := *a
			var buf bytes.Buffer
			fmt.Fprintf(&buf, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n", a.status, http.StatusText(a.status))
			for chunk := range slices.Chunk(a.body, 100) {
				fmt.Fprintf(&buf, "%x;x=1\r\n%s\r\n", len(chunk), chunk)
			}
			buf.WriteString("0\r\n\r\n")
			b.raw = buf.Bytes()
			return &b
		}),
		answering("wire/http-1.0", "Answers are of HTTP/1.0 and end with the connection", func(a *answer) *answer {
			b := *a
			head := fmt.Sprintf("HTTP/1.0 %d %s\r\n", a.status, http.StatusText(a.status))
			if len(a.body) > 0 {
				head += "Content-Type: application/json\r\n"
			}
			b.raw = append([]byte(head+"\r\n"), a.body...)
			return &b
		}),
		answering("wire/extra-in-errors", "Errors have members that nobody knows", func(a *answer) *answer {
			return a.edit(func(doc map[string]any) {
				section, ok := doc["error"].(map[string]any)
				if !ok {
					return
				}
				doc["traceId"], section["documentation"] = "00-4bf92f35-01", "https://docs.example.com/errors"
				visit(section, []string{"issues", "*", "message"}, func(p map[string]any, _ string) { p["severity"] = 3 })
			})
		}),
		answering("wire/links", "Lists have links and items have tags", func(a *answer) *answer {
			return a.page(func(p map[string]any, items []any) []any {
				p["perPage"], p["links"] = 100, map[string]any{"next": nil}
				for i := range items {
					items[i].(map[string]any)["tags"] = []any{}
				}
				return items
			})
		}),
	}
}

// reversed encodes a decoded value with the members of objects from z to a.
func reversed(v any) []byte {
	var parts [][]byte
	switch v := v.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		slices.Reverse(names)
		for _, name := range names {
			parts = append(parts, append(append(encode(name), ':'), reversed(v[name])...))
		}
		return slices.Concat([]byte{'{'}, bytes.Join(parts, []byte{','}), []byte{'}'})
	case []any:
		for _, item := range v {
			parts = append(parts, reversed(item))
		}
		return slices.Concat([]byte{'['}, bytes.Join(parts, []byte{','}), []byte{']'})
	}
	return encode(v)
}

// escaped encodes a decoded value with / and all but ASCII escaped in strings.
func escaped(v any) []byte {
	var b bytes.Buffer
	for _, r := range string(encode(v)) {
		switch {
		case r == '/':
			b.WriteString(`\/`)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		case r > 0x7E:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// headerVariants have other headers than the reference.
func headerVariants() []Variant {
	header := func(id, sentence string, set func(h http.Header)) Variant {
		return answering("wire/"+id, sentence, func(a *answer) *answer { set(a.header); return a })
	}
	withType := answering("wire/204-content-type", "A 204 has a Content-Type", func(a *answer) *answer {
		if a.status == http.StatusNoContent {
			a.header.Set("Content-Type", "application/json")
		}
		return a
	})
	zero := answering("wire/204-length-0", "A 204 has Content-Length: 0", func(a *answer) *answer {
		if a.status == http.StatusNoContent {
			a.raw = []byte("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}
		return a
	})
	return []Variant{
		withType, zero,
		header("connection-close", "Each answer closes its connection", func(h http.Header) { h.Set("Connection", "close") }),
		header("many-headers", "Answers have headers of their own", func(h http.Header) {
			h.Set("X-Request-Id", "7f3c")
			h.Set("X-RateLimit-IPRemaining", "14")
			h.Set("Strict-Transport-Security", "max-age=31536000")
			h.Set("Vary", "Accept-Encoding, X-API-Key")
			h["Set-Cookie"] = []string{"a=1; Path=/", "b=2; HttpOnly"}
			h.Set("Deprecation", "@1735689600")
			h.Set("Link", `<https://docs.example.com>; rel="help"`)
		}),
		header("etag", "Answers have an entity tag and a date", func(h http.Header) {
			h.Set("ETag", `W/"1"`)
			h.Set("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
		}),
		header("no-date", "Answers have no Date", func(h http.Header) { h["Date"] = nil }),
		header("media-type-parameters", "The media type has parameters", func(h http.Header) {
			if h.Get("Content-Type") != "" {
				h.Set("Content-Type", `application/json; profile="https://example.com/v2"; charset=UTF-8`)
			}
		}),
	}
}

// rateVariants refuse a request now and then and say when to come again.
func rateVariants() []Variant {
	limited := func(id, sentence string, every int64, after string, body any) Variant {
		v := harmless("wire/"+id, sentence, func() behaviour {
			var seen counter
			return func(x *exchange) *answer {
				if seen.next()%every != 0 {
					return x.forward()
				}
				a := &answer{header: http.Header{}}
				a = a.replaced(http.StatusTooManyRequests, body)
				a.header.Set("Retry-After", after)
				a.header.Set("X-RateLimit-IPRemaining", "0")
				return a
			}
		})
		v.Open = []string{"rate-limit"}
		return v
	}
	return []Variant{
		limited("429-now-and-then", "Every 25th request is answered 429 and may come again at once", 25, "0", errorBody(http.StatusTooManyRequests)),
		limited("429-often", "Every third request is answered 429 and may come again at once", 3, "0", map[string]any{"message": "slow down"}),
		limited("429-one-second", "Every 200th request is answered 429 and may come again after a second", 200, "1", errorBody(http.StatusTooManyRequests)),
	}
}

// timeVariants take their time.
func timeVariants() []Variant {
	slow := func(id, sentence string, wait func(n int64) time.Duration) Variant {
		return harmless("wire/"+id, sentence, func() behaviour {
			var seen counter
			return func(x *exchange) *answer {
				select {
				case <-time.After(wait(seen.next())):
				case <-x.ctx.Done():
				}
				return x.forward()
			}
		})
	}
	return []Variant{
		slow("slow", "Each answer takes 3 ms", func(int64) time.Duration { return 3 * time.Millisecond }),
		slow("slow-start", "The first answers take half a second", func(n int64) time.Duration {
			if n < 3 {
				return 500 * time.Millisecond
			}
			return 0
		}),
		slow("uneven", "Some answers take longer than others", func(n int64) time.Duration { return time.Duration(n%5) * time.Millisecond }),
		{
			ID: "wire/upper-case-hostnames", Sentence: "Hostnames are shown in capitals with a final dot.", Wrap: each(func(x *exchange) *answer {
				return x.forward().shown(func(data map[string]any) {
					if s, ok := data["hostname"].(string); ok {
						data["hostname"] = strings.ToUpper(strings.TrimSuffix(s, ".")) + "." // of one that comes back with it, too
					}
				})
			}),
		},
	}
}
