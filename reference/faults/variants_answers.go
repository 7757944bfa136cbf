package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// listVariants show pages and items as the contract leaves free; some are worth a notice, none a
// violation.
func listVariants() []Variant {
	items := func(id, sentence, open string, edit func(item object, name string), names ...string) Variant {
		return variant("list/"+id, sentence, open, on(mediaFileList, rewrites(func(a *answer) {
			for _, name := range names {
				at("data.*."+name, edit)(a)
			}
		})))
	}
	statusOnly := func(item object, name string) {
		if scan, ok := item[name].(object); ok {
			item[name] = object{"processingStatus": scan["processingStatus"]}
		}
	}
	refused := variant("list/parameters-refused", "A list that is asked for with a query is answered 422", "page-parameter page-beyond",
		on(mediaFileList, inPlaceOf(200, not(asks("")), func(*exchange, *answer) *answer { return refusal(422, "query") })))
	refused.Thin = true
	// echoed shows the page that was asked for as large as it was, as servers do whose integers have no bound.
	echoed := func(x *exchange) *answer {
		return x.send(x.with(asking("page=1000"))).paged(func(p *page) { p.numbers["page"] = json.Number(strings.TrimPrefix(x.query, "page=")) })
	}
	beyond := func(x *exchange) bool {
		return askedPage(x) == 0 && len(x.query) > 20 && strings.Trim(x.query, "page=0123456789") == ""
	}
	return []Variant{
		items("parent-null", "The parentId of a media file is null", "media-file-parent", set(nil), "parentId"),
		items("parent-other", "The parentId of a media file is another creative's", "media-file-parent", set(7), "parentId"),
		items("scan-status-only", "A scan is an object with a status and nothing else", "scan-fields", statusOnly, "latestScanStatus"),
		items("scan-other-words", "The status of a scan is a word of the vendor's", "scan-fields", set("on hold"),
			"latestScanStatus.processingStatus"),
		items("source-types", "sourceType is a word of the vendor's", "source-types", set("x-vendor/asset"), "sourceType"),
		items("nulls", "Whatever may be null in a creative is", "", set(nil), "parentId", "previewAnimationURL", "width", "height",
			"nbVariations", "latestScanStatus"),
		refused,
		variant("decoding/page-echoed", "A page beyond every integer is shown as it was asked for, and is empty", "page-beyond",
			on(mediaFileList, when(beyond, echoed))),
		variant("decoding/last-page-counts", "Of two pages the last counts", "", when(asks("page=1&page=2"),
			func(x *exchange) *answer { return x.send(x.with(asking("page=2"))) })),
		variant("wire/links", "Lists have links and items have tags", "", lists(func(p *page) {
			p.numbers["perPage"], p.numbers["links"] = 100, object{"next": nil}
			p.each(func(item object) { item["tags"] = []any{} })
		})),
	}
}

// dateVariants write dates as numbers, or in two forms.
func dateVariants() []Variant {
	number := func(id, sentence string, is condition, write func(t time.Time) string) Variant {
		rewrite := func(data object) {
			rewriteDates(data, func(t time.Time) any { return json.Number(write(t)) }, "createdAt", "updatedAt")
		}
		return variant("answer/date-"+id, "Dates are numbers of "+sentence, "date-format", when(all(inContract, is), rewrites(func(a *answer) {
			a.shown(rewrite).paged(func(p *page) { p.each(rewrite) })
		})))
	}
	seconds := func(t time.Time) string { return itoa(t.Unix()) }
	millis := func(t time.Time) string { return itoa(t.UnixMilli()) }
	reads := variant("path/read-in-own-form", "A read shows dates as days and ids of others as texts", "read-campaign",
		when(not(inContract), shows(func(_ *exchange, data object) {
			rewriteDates(data, func(t time.Time) any { return t.Format(time.DateOnly) }, "createdAt")
			for _, name := range []string{"adspecId", "userId"} {
				if data[name] != nil {
					data[name] = fmt.Sprint(data[name])
				}
			}
		})))
	reads.Choices = readAll
	return []Variant{
		number("seconds", "seconds", always, seconds),
		number("seconds-fraction", "seconds with a fraction", always, func(t time.Time) string { return seconds(t) + ".250" }),
		number("milliseconds", "milliseconds", always, millis),
		number("seconds-in-campaigns", "seconds where campaigns are updated", of(campaignUpdate), seconds),
		number("milliseconds-in-lists", "milliseconds in lists", of(mediaFileList), millis),
		variant("answer/dates-of-two-forms", "createdAt is a day, updatedAt a moment", "date-format", createdOnDay),
		variant("answer/dates-of-a-coarse-clock", "The clock moves once a second, and dates are written to the millisecond", "date-format",
			writesDates(func(t time.Time) any { return t.UTC().Format("2006-01-02T15:04:05") + ".000Z" }, "createdAt", "updatedAt")),
		reads,
	}
}

// answerVariants say the same in other words, or write and frame it otherwise.
func answerVariants() []Variant {
	answered := func(id, sentence string, change func(a *answer)) Variant {
		return variant(id, sentence, "", rewrites(change))
	}
	rewritten := func(id, sentence string, write func(doc any) []byte) Variant {
		return answered("wire/"+id, sentence, func(a *answer) {
			if doc := decode(a.body); doc != nil {
				a.body = write(doc)
			}
		})
	}
	return []Variant{
		variant("answer/no-content-type", "Answers have no Content-Type", "", noContentType),
		variant("answer/integers-with-fraction", "Integers are written as 12.0", "", withFractions),
		variant("wire/204-length-0", "A 204 has Content-Length: 0", "", noContentLength),
		answered("wire/upper-case-hostnames", "Hostnames are shown in capitals with a final dot",
			at("data.hostname", func(data object, name string) { // of one that comes back with it, too
				data[name] = strings.ToUpper(strings.TrimSuffix(data[name].(string), ".")) + "."
			})),
		answered("wire/extra-in-errors", "Errors have members that nobody knows", func(a *answer) {
			at("error", func(doc object, _ string) { doc["traceId"] = "00-4bf92f35-01" })(a)
			at("error.issues", func(section object, _ string) { section["documentation"] = "https://docs.example.com/errors" })(a)
			at("error.issues.*.message", func(issue object, _ string) { issue["severity"] = 3 })(a)
		}),
		answered("answer/location", "A success is 201 with a Location", func(a *answer) {
			if a.status == http.StatusOK {
				a.status = http.StatusCreated
				a.header.Set("Location", "/v2/somewhere")
			}
		}),
		answered("wire/pretty", "JSON is indented", func(a *answer) {
			var buf bytes.Buffer
			if json.Indent(&buf, a.body, "", "\t") == nil && buf.Len() > 0 {
				a.body = []byte("\r\n " + buf.String() + "\n\n")
			}
		}),
		rewritten("reordered", "The members of objects are in another order", encode),
		rewritten("escaped", "Whatever may be escaped in JSON strings is", escaped),
		rewritten("html-safe", "<, > and & are escaped in JSON strings", func(doc any) []byte {
			b, _ := json.Marshal(doc)
			return b
		}),
		answered("wire/chunked", "Bodies come in small chunks", func(a *answer) {
			if len(a.body) > 0 {
				var chunks []byte
				for chunk := range slices.Chunk(a.body, 100) {
					chunks = fmt.Appendf(chunks, "%x;x=1\r\n%s\r\n", len(chunk), chunk)
				}
				a.body = append(chunks, "0\r\n\r\n"...)
				framed("Transfer-Encoding: chunked\r\n\r\n%[1]s")(a)
			}
		}),
		answered("wire/http-1.0", "Answers are of HTTP/1.0 and end with the connection", func(a *answer) {
			framed("\r\n%[1]s")(a)
			a.raw = bytes.Replace(a.raw, []byte("HTTP/1.1"), []byte("HTTP/1.0"), 1)
		}),
	}
}

// escaped encodes a decoded value with / and all but ASCII escaped in strings.
func escaped(v any) []byte {
	var b []byte
	for _, r := range string(encode(v)) {
		switch {
		case r == '/':
			b = append(b, `\/`...)
		case r > 0x7E:
			for _, unit := range utf16.Encode([]rune{r}) {
				b = fmt.Appendf(b, `\u%04X`, unit)
			}
		default:
			b = append(b, byte(r))
		}
	}
	return b
}

// headerVariants have other headers than the reference.
func headerVariants() []Variant {
	header := func(id, sentence string, headers http.Header) Variant {
		return variant("wire/"+id, sentence, "", rewrites(func(a *answer) { maps.Copy(a.header, headers) }))
	}
	return []Variant{
		header("connection-close", "Each answer closes its connection", http.Header{"Connection": {"close"}}),
		header("many-headers", "Answers have headers of their own", http.Header{
			"X-Request-Id": {"7f3c"}, "X-Ratelimit-Ipremaining": {"14"}, "Strict-Transport-Security": {"max-age=31536000"},
			"Vary": {"Accept-Encoding, X-API-Key"}, "Set-Cookie": {"a=1; Path=/", "b=2; HttpOnly"},
			"Deprecation": {"@1735689600"}, "Link": {`<https://docs.example.com>; rel="help"`},
		}),
		header("etag", "Answers have an entity tag and a date", http.Header{
			"Etag": {`W/"1"`}, "Last-Modified": {"Mon, 01 Jan 2024 00:00:00 GMT"},
		}),
		header("no-date", "Answers have no Date", http.Header{"Date": nil}),
		header("date-unreadable", "The Date of an answer is no date", http.Header{"Date": {"just now"}}),
		header("204-content-type", "A 204 has a Content-Type", http.Header{"Content-Type": {"application/json"}}),
	}
}

// timingVariants take their time, or refuse a request now and then and say when to come again.
func timingVariants() []Variant {
	limited := func(id, sentence string, every int64, after int, body object) Variant {
		return variant("wire/"+id, sentence, "rate-limit", when(nth(every), func(*exchange) *answer {
			a := refusal(429).replaced(429, body)
			a.header.Set("Retry-After", itoa(after))
			a.header.Set("X-RateLimit-IPRemaining", "0")
			return a
		}))
	}
	slow := func(id, sentence string, milliseconds func(n int64) int64) Variant {
		return variant("wire/"+id, sentence, "", func(x *exchange) *answer {
			time.Sleep(time.Duration(milliseconds(x.count())) * time.Millisecond)
			return x.forward()
		})
	}
	return []Variant{
		limited("429-now-and-then", "Every 25th request is answered 429 and may come again at once", 25, 0, errorBody(429)),
		limited("429-often", "Every third request is answered 429 and may come again at once", 3, 0, object{"message": "slow down"}),
		limited("429-one-second", "Every 200th request is answered 429 and may come again after a second", 200, 1, errorBody(429)),
		slow("slow", "Each answer takes 3 ms", func(int64) int64 { return 3 }),
		slow("slow-start", "The first answers take half a second", func(n int64) int64 { return max(0, min(1, 3-n)) * 500 }),
		slow("uneven", "Some answers take longer than others", func(n int64) int64 { return n % 5 }),
	}
}
