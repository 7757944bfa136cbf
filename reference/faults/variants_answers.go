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

// itemVariants show items as the contract leaves free; some are worth a notice, none a
// violation.
func itemVariants() []Variant {
	item := func(id, sentence, open string, change func(item object)) Variant {
		return variant("list/"+id, sentence, open, lists(func(p *page) { p.each(func(_ int, item object) { change(item) }) }))
	}
	set := func(value any, names ...string) func(object) {
		return func(item object) {
			for _, name := range names {
				item[name] = value
			}
		}
	}
	return []Variant{
		item("parent-null", "The parentId of a media file is null", "media-file-parent", set(nil, "parentId")),
		item("parent-other", "The parentId of a media file is another creative's", "media-file-parent", set(7, "parentId")),
		item("scan-status-only", "A scan is an object with a status and nothing else", "scan-fields", func(item object) {
			if scan, ok := item["latestScanStatus"].(object); ok {
				item["latestScanStatus"] = object{"processingStatus": scan["processingStatus"]}
			}
		}),
		item("scan-other-words", "The status of a scan is a word of the vendor's", "scan-fields", func(item object) {
			if scan, ok := item["latestScanStatus"].(object); ok {
				scan["processingStatus"] = "on hold"
			}
		}),
		item("source-types", "sourceType is a word of the vendor's", "source-types", set("x-vendor/asset", "sourceType")),
		item("nulls", "Whatever may be null in a creative is", "",
			set(nil, "parentId", "previewAnimationURL", "width", "height", "nbVariations", "nbMediaFiles", "latestScanStatus")),
	}
}

// pageVariants show what is asked for of a page, or of an empty list, in their own way.
func pageVariants() []Variant {
	emptyPages := func(id string, pages int) Variant {
		return variant("list/"+id, "An empty list has as many pages as its id says", "", lists(func(p *page) {
			if p.number("totalCount") == 0 {
				p.numbers["totalPages"] = pages
			}
		}))
	}
	// echoed shows the page that was asked for as large as it was, as servers do whose integers have no bound.
	echoed := func(x *exchange) *answer {
		return x.send(x.with(asking("page=1000"))).paged(func(p *page) {
			p.numbers["page"], p.numbers["count"], p.items = json.Number(strings.TrimPrefix(x.query, "page=")), 0, []any{}
		})
	}
	beyond := func(x *exchange) bool {
		return x.query == "page=9223372036854775808" || x.query == "page=100000000000000000000"
	}
	refused := variant("list/parameters-refused", "A list that is asked for with a query is answered 422", "page-parameter page-beyond",
		on(mediaFileList, inPlaceOf(200, not(asks("")), func(*exchange, *answer) *answer { return refusal(422, "query") })))
	refused.Thin = true
	return []Variant{
		emptyPages("empty-0-pages", 0), emptyPages("empty-1-page", 1),
		variant("decoding/page-echoed", "A page beyond every integer is shown as it was asked for, and is empty", "page-beyond",
			on(mediaFileList, when(beyond, echoed))),
		refused,
		variant("list/beyond-0", "A page beyond the last is empty, and its number is 0", "page-beyond",
			when(asks("page=1000"), lists(func(p *page) { p.numbers["page"] = 0 }))),
		variant("list/beyond-last-renumbered", "A page beyond the last is the last, under the number that was asked for", "page-beyond",
			lists(func(p *page) {
				if last := max(1, p.number("totalPages")); askedPage(p.exchange) > last {
					p.items = p.listed(p.with(asking("page=" + itoa(last))))
					p.numbers["count"] = len(p.items)
				}
			})),
		variant("decoding/last-page-counts", "Of two pages the last counts", "", when(asks("page=1&page=2"),
			func(x *exchange) *answer { return x.send(x.with(asking("page=2"))) })),
	}
}

// dateVariants write the dates of representations otherwise, or as numbers and those of items too.
func dateVariants() []Variant {
	east, west, half := time.FixedZone("", 14*60*60), time.FixedZone("", -12*60*60), time.FixedZone("", -210*60)
	written := func(id, sentence string, zone *time.Location, layout string) Variant {
		return variant("answer/"+id, sentence, "date-format",
			writesDates(func(t time.Time) any { return t.In(zone).Format(layout) }, "createdAt", "updatedAt"))
	}
	number := func(id, sentence string, is condition, write func(t time.Time) string) Variant {
		rewrite := func(data object) {
			rewriteDates(data, func(t time.Time) any { return json.Number(write(t)) }, "createdAt", "updatedAt")
		}
		return variant("answer/date-"+id, "Dates are numbers of "+sentence, "date-format", inContract(when(is, rewrites(func(a *answer) {
			a.shown(rewrite).paged(func(p *page) { p.each(func(_ int, item object) { rewrite(item) }) })
		}))))
	}
	seconds := func(t time.Time) string { return itoa(t.Unix()) }
	millis := func(t time.Time) string { return itoa(t.UnixMilli()) }
	return []Variant{
		written("dates-local-east", "Dates are those of an island far east, without a zone", east, "2006-01-02T15:04:05"),
		written("dates-local-west", "Dates are those of an island far west, without a zone", west, time.DateTime),
		written("days-local-east", "Dates are days, those of an island far east", east, time.DateOnly),
		written("days-local-west", "Dates are days, those of an island far west", west, time.DateOnly),
		written("dates-to-the-minute", "Dates are cut to the minute", time.UTC, "2006-01-02T15:04:00Z"),
		written("dates-with-offset-west", "Dates have the offset -03:30", half, time.RFC3339),
		written("dates-with-offset-basic", "Dates have an offset without a colon", east, "2006-01-02T15:04:05.000-0700"),
		written("dates-with-microseconds", "Dates have six digits behind the second", time.UTC, "2006-01-02T15:04:05.000000Z07:00"),
		variant("answer/dates-of-a-coarse-clock", "The clock moves once a second, and dates are written to the millisecond", "date-format",
			writesDates(func(t time.Time) any { return t.UTC().Format("2006-01-02T15:04:05") + ".000Z" }, "createdAt", "updatedAt")),
		number("seconds", "seconds", always, seconds),
		number("seconds-fraction", "seconds with a fraction", always, func(t time.Time) string { return seconds(t) + ".250" }),
		number("milliseconds", "milliseconds", always, millis),
		number("seconds-in-campaigns", "seconds where campaigns are updated", of(campaignUpdate), seconds),
		number("milliseconds-in-lists", "milliseconds in lists", of(mediaFileList), millis),
		variant("answer/dates-of-two-forms", "createdAt is a day, updatedAt a moment", "date-format", createdOnDay),
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
	capitals := shows(func(_ *exchange, data object) {
		if s, ok := data["hostname"].(string); ok {
			data["hostname"] = strings.ToUpper(strings.TrimSuffix(s, ".")) + "." // of one that comes back with it, too
		}
	})
	extra := func(a *answer) {
		a.edit(func(doc object) {
			if section, ok := doc["error"].(object); ok {
				doc["traceId"], section["documentation"] = "00-4bf92f35-01", "https://docs.example.com/errors"
				visit(section, []string{"issues", "*", "message"}, func(issue object, _ string) { issue["severity"] = 3 })
			}
		})
	}
	return []Variant{
		variant("answer/no-content-type", "Answers have no Content-Type", "", noContentType),
		variant("answer/integers-with-fraction", "Integers are written as 12.0", "", withFractions),
		variant("wire/204-length-0", "A 204 has Content-Length: 0", "", noContentLength),
		variant("wire/upper-case-hostnames", "Hostnames are shown in capitals with a final dot", "", capitals),
		answered("wire/extra-in-errors", "Errors have members that nobody knows", extra),
		answered("answer/location", "A success is 201 with a Location", func(a *answer) {
			if a.status == http.StatusOK {
				a.status = http.StatusCreated
				a.header.Set("Location", "/v2/somewhere")
			}
		}),
		variant("wire/links", "Lists have links and items have tags", "", lists(func(p *page) {
			p.numbers["perPage"], p.numbers["links"] = 100, object{"next": nil}
			p.each(func(_ int, item object) { item["tags"] = []any{} })
		})),
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
		answered("wire/chunked", "Bodies come in small chunks", func(a *answer) { a.raw = chunked(a) }),
		answered("wire/http-1.0", "Answers are of HTTP/1.0 and end with the connection", func(a *answer) {
			head := fmt.Sprintf("HTTP/1.0 %d %s\r\n", a.status, http.StatusText(a.status))
			if len(a.body) > 0 {
				head += "Content-Type: application/json\r\n"
			}
			a.raw = append([]byte(head+"\r\n"), a.body...)
		}),
	}
}

// chunked is an answer in chunks of 100 bytes; nil for one without a body.
func chunked(a *answer) []byte {
	if len(a.body) == 0 {
		return nil
	}
	const head = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
	raw := fmt.Appendf(nil, head, a.status, http.StatusText(a.status))
	for chunk := range slices.Chunk(a.body, 100) {
		raw = fmt.Appendf(raw, "%x;x=1\r\n%s\r\n", len(chunk), chunk)
	}
	return append(raw, "0\r\n\r\n"...)
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
		variant("wire/204-content-type", "A 204 has a Content-Type", "", rewrites(func(a *answer) {
			if a.status == http.StatusNoContent {
				a.header.Set("Content-Type", "application/json")
			}
		})),
	}
}

// rateVariants refuse a request now and then and say when to come again.
func rateVariants() []Variant {
	limited := func(id, sentence string, every int64, after int, body object) Variant {
		return variant("wire/"+id, sentence, "rate-limit", when(nth(every), func(*exchange) *answer {
			a := refusal(http.StatusTooManyRequests).replaced(http.StatusTooManyRequests, body)
			a.header.Set("Retry-After", itoa(after))
			a.header.Set("X-RateLimit-IPRemaining", "0")
			return a
		}))
	}
	return []Variant{
		limited("429-now-and-then", "Every 25th request is answered 429 and may come again at once", 25, 0, errorBody(429)),
		limited("429-often", "Every third request is answered 429 and may come again at once", 3, 0, object{"message": "slow down"}),
		limited("429-one-second", "Every 200th request is answered 429 and may come again after a second", 200, 1, errorBody(429)),
	}
}
