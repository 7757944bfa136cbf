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
)

// itemVariants show items as the contract leaves free; some are worth a notice, none a
// violation.
func itemVariants() []Variant {
	item := func(id, sentence, open string, change func(item object)) Variant {
		return variant("list/"+id, sentence, open, lists(func(p *page) {
			for _, item := range p.items {
				change(item.(object))
			}
		}))
	}
	scan := func(change func(item, scan object)) func(object) {
		return func(item object) {
			if scan, ok := item["latestScanStatus"].(object); ok {
				change(item, scan)
			}
		}
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
		item("scan-status-only", "A scan is an object with a status and nothing else", "scan-fields", scan(func(item, scan object) {
			item["latestScanStatus"] = object{"processingStatus": scan["processingStatus"]}
		})),
		item("scan-other-words", "The status of a scan is a word of the vendor's", "scan-fields", scan(func(_, scan object) {
			scan["processingStatus"] = "on hold"
		})),
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
	// echoed show the page that was asked for as large as it was, as servers do whose
	// integers have no bound or are doubles.
	echoed := func(id, sentence, beyond63, beyond64 string) Variant {
		shown := map[string]string{"page=9223372036854775808": beyond63, "page=100000000000000000000": beyond64}
		asked := func(x *exchange) bool { return x.op != nil && x.op.Lists() && shown[x.query] != "" }
		return variant("decoding/page-"+id, "A page beyond every integer is shown as "+sentence+", and is empty", "page-beyond",
			when(asked, func(x *exchange) *answer {
				return x.send(x.with(asking("page=1000"))).paged(func(p *page) {
					p.numbers["page"], p.numbers["count"], p.items = json.Number(shown[x.query]), 0, []any{}
				})
			}))
	}
	lastCounts := sends(func(*exchange) func(*request) { return asking("page=2") })
	return []Variant{
		emptyPages("empty-0-pages", 0), emptyPages("empty-1-page", 1),
		echoed("echoed", "it was asked for", "9223372036854775808", "100000000000000000000"),
		echoed("doubles", "a double holds it", "9223372036854776000", "1e20"),
		variant("list/beyond-0", "A page beyond the last is empty, and its number is 0", "page-beyond",
			when(asks("page=1000"), lists(func(p *page) { p.numbers["page"] = 0 }))),
		thin(variant("list/parameters-refused", "A list that is asked for with a query is answered 422", "page-parameter page-beyond",
			answers(func(x *exchange, a *answer) *answer {
				if a.ok() && x.op.Lists() && x.query != "" {
					return refusal(http.StatusUnprocessableEntity, "query")
				}
				return a
			}))),
		variant("list/beyond-last-renumbered", "A page beyond the last is the last, under the number that was asked for", "page-beyond",
			answers(func(x *exchange, a *answer) *answer {
				return a.paged(func(p *page) {
					p.exchange = x
					n := atoi(strings.TrimPrefix(x.query, "page="))
					if last := max(1, p.number("totalPages")); n > last {
						p.items = x.listed(x.with(asking("page=" + itoa(last))))
						p.numbers["count"] = len(p.items)
					}
				})
			})),
		variant("decoding/last-page-counts", "Of two pages the last counts", "", when(asks("page=1&page=2"), lastCounts)),
	}
}

// bothDates writes both dates of representations otherwise.
func bothDates(write func(t time.Time) any) behaviour {
	return writesDates(write, "createdAt", "updatedAt")
}

// everyDate writes both dates otherwise, of items too, where a condition holds.
func everyDate(is condition, write func(t time.Time) any) behaviour {
	rewrite := func(data object) { rewriteDates(data, write, "createdAt", "updatedAt") }
	return when(is, rewrites(func(a *answer) {
		a.shown(rewrite).paged(func(p *page) {
			for _, item := range p.items {
				rewrite(item.(object))
			}
		})
	}))
}

// dateVariants write the dates of representations otherwise.
func dateVariants() []Variant {
	east, west, half := time.FixedZone("", 14*60*60), time.FixedZone("", -12*60*60), time.FixedZone("", -210*60)
	written := func(id, sentence string, zone *time.Location, layout string) Variant {
		return variant("answer/"+id, sentence, "date-format", bothDates(func(t time.Time) any { return t.In(zone).Format(layout) }))
	}
	number := func(id, sentence string, is condition, write func(t time.Time) string) Variant {
		return variant("answer/date-"+id, "Dates are numbers of "+sentence, "date-format",
			everyDate(is, func(t time.Time) any { return json.Number(write(t)) }))
	}
	known := func(x *exchange) bool { return x.op != nil }
	seconds := func(t time.Time) string { return fmt.Sprint(t.Unix()) }
	millis := func(t time.Time) string { return fmt.Sprint(t.UnixMilli()) }
	return []Variant{
		written("dates-local-east", "Dates are those of an island far east, without a zone", east, "2006-01-02T15:04:05"),
		written("dates-local-west", "Dates are those of an island far west, without a zone", west, time.DateTime),
		written("days-local-east", "Dates are days, those of an island far east", east, time.DateOnly),
		written("days-local-west", "Dates are days, those of an island far west", west, time.DateOnly),
		written("dates-to-the-minute", "Dates are cut to the minute", time.UTC, "2006-01-02T15:04:00Z"),
		written("dates-with-offset-west", "Dates have the offset -03:30", half, time.RFC3339),
		written("dates-with-offset-basic", "Dates have an offset without a colon", east, "2006-01-02T15:04:05.000-0700"),
		written("dates-with-microseconds", "Dates have six digits behind the second", time.UTC, "2006-01-02T15:04:05.000000Z07:00"),
		number("seconds", "seconds", known, seconds),
		number("seconds-fraction", "seconds with a fraction", known, func(t time.Time) string { return seconds(t) + ".250" }),
		number("milliseconds", "milliseconds", known, millis),
		number("seconds-in-campaigns", "seconds where campaigns are updated", of(campaignUpdate), seconds),
		number("milliseconds-in-lists", "milliseconds in lists", of(mediaFileList), millis),
		variant("answer/dates-of-a-coarse-clock", "The clock moves once a second, and dates are written to the millisecond", "date-format",
			bothDates(func(t time.Time) any { return t.UTC().Truncate(time.Second).Format("2006-01-02T15:04:05.000Z") })),
		variant("answer/dates-of-two-forms", "createdAt is a day, updatedAt a moment", "date-format", createdOnDay),
	}
}

// clockVariants have another clock, that the answer's Date goes by too, and take their time.
func clockVariants() []Variant {
	skewed := func(id, sentence string, by time.Duration) Variant {
		return variant("wire/"+id, sentence, "", rewrites(func(a *answer) {
			now := time.Now().UTC()
			a.header.Set("Date", now.Add(by).Format(http.TimeFormat))
			a.shown(func(data object) {
				rewriteDates(data, func(t time.Time) any {
					if t.Before(now.Add(-time.Hour)) {
						return data["updatedAt"]
					}
					return t.Add(by).Format(time.RFC3339)
				}, "updatedAt")
			})
		}))
	}
	slow := func(id, sentence string, wait func(n int64) time.Duration) Variant {
		return variant("wire/"+id, sentence, "", func(x *exchange) *answer {
			select {
			case <-time.After(wait(x.count())):
			case <-x.ctx.Done():
			}
			return x.forward()
		})
	}
	return []Variant{
		skewed("clock-slow", "The server's clock is a day slow", -24*time.Hour),
		skewed("clock-fast", "The server's clock is twenty minutes fast", 20*time.Minute),
		slow("slow", "Each answer takes 3 ms", func(int64) time.Duration { return 3 * time.Millisecond }),
		slow("slow-start", "The first answers take half a second", func(n int64) time.Duration {
			if n < 3 {
				return 500 * time.Millisecond
			}
			return 0
		}),
		slow("uneven", "Some answers take longer than others", func(n int64) time.Duration { return time.Duration(n%5) * time.Millisecond }),
		variant("body/empty-object-touches", "An update that changes nothing sets updatedAt", "", shows(func(_ *exchange, data object) {
			data["updatedAt"] = time.Now().UTC().Format(time.RFC3339)
		})),
	}
}

// answerVariants say the same in other words.
func answerVariants() []Variant {
	location := rewrites(func(a *answer) {
		if a.status == http.StatusOK {
			a.status = http.StatusCreated
			a.header.Set("Location", "/v2/somewhere")
		}
	})
	capitals := shows(func(_ *exchange, data object) {
		if s, ok := data["hostname"].(string); ok {
			data["hostname"] = strings.ToUpper(strings.TrimSuffix(s, ".")) + "." // of one that comes back with it, too
		}
	})
	extra := rewrites(func(a *answer) {
		a.edit(func(doc object) {
			if section, ok := doc["error"].(object); ok {
				doc["traceId"], section["documentation"] = "00-4bf92f35-01", "https://docs.example.com/errors"
				visit(section, []string{"issues", "*", "message"}, func(issue object, _ string) { issue["severity"] = 3 })
			}
		})
	})
	links := lists(func(p *page) {
		p.numbers["perPage"], p.numbers["links"] = 100, object{"next": nil}
		for _, item := range p.items {
			item.(object)["tags"] = []any{}
		}
	})
	return []Variant{
		variant("answer/no-content-type", "Answers have no Content-Type", "", noContentType),
		variant("answer/integers-with-fraction", "Integers are written as 12.0", "", withFractions),
		variant("answer/location", "A success is 201 with a Location", "", location),
		variant("wire/upper-case-hostnames", "Hostnames are shown in capitals with a final dot", "", capitals),
		variant("wire/extra-in-errors", "Errors have members that nobody knows", "", extra),
		variant("wire/links", "Lists have links and items have tags", "", links),
		variant("wire/204-length-0", "A 204 has Content-Length: 0", "", noContentLength),
	}
}

// jsonVariants write and frame the same JSON otherwise.
func jsonVariants() []Variant {
	rewritten := func(id, sentence string, write func(doc any) []byte) Variant {
		return variant("wire/"+id, sentence, "", rewrites(func(a *answer) {
			if doc := decode(a.body); doc != nil {
				a.body = write(doc)
			}
		}))
	}
	framed := func(id, sentence string, frame func(a *answer) []byte) Variant {
		return variant("wire/"+id, sentence, "", rewrites(func(a *answer) { a.raw = frame(a) }))
	}
	return []Variant{
		variant("wire/pretty", "JSON is indented", "", rewrites(func(a *answer) {
			var buf bytes.Buffer
			if json.Indent(&buf, a.body, "", "\t") == nil && buf.Len() > 0 {
				a.body = []byte("\r\n " + buf.String() + "\n\n")
			}
		})),
		rewritten("reordered", "The members of objects are in another order", func(doc any) []byte { return encode(doc) }),
		rewritten("reversed", "The members of objects are in reverse order", reversed),
		rewritten("escaped", "Whatever may be escaped in JSON strings is", escaped),
		rewritten("html-safe", "<, > and & are escaped in JSON strings", func(doc any) []byte {
			b, _ := json.Marshal(doc)
			return b
		}),
		framed("chunked", "Bodies come in small chunks", chunked),
		framed("http-1.0", "Answers are of HTTP/1.0 and end with the connection", func(a *answer) []byte {
			head := fmt.Sprintf("HTTP/1.0 %d %s\r\n", a.status, http.StatusText(a.status))
			if len(a.body) > 0 {
				head += "Content-Type: application/json\r\n"
			}
			return append([]byte(head+"\r\n"), a.body...)
		}),
	}
}

// chunked is an answer in chunks of 100 bytes; nil for one without a body.
func chunked(a *answer) []byte {
	if len(a.body) == 0 {
		return nil
	}
	const head = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
	var buf bytes.Buffer
	fmt.Fprintf(&buf, head, a.status, http.StatusText(a.status))
	for chunk := range slices.Chunk(a.body, 100) {
		fmt.Fprintf(&buf, "%x;x=1\r\n%s\r\n", len(chunk), chunk)
	}
	buf.WriteString("0\r\n\r\n")
	return buf.Bytes()
}

// reversed encodes a decoded value with the members of objects from z to a.
func reversed(v any) []byte {
	var parts [][]byte
	switch v := v.(type) {
	case object:
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(v))) {
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
	header := func(id, sentence string, is func(a *answer) bool, headers http.Header) Variant {
		return variant("wire/"+id, sentence, "", rewrites(func(a *answer) {
			if is(a) {
				maps.Copy(a.header, headers)
			}
		}))
	}
	every := func(*answer) bool { return true }
	noContent := func(a *answer) bool { return a.status == http.StatusNoContent }
	typed := func(a *answer) bool { return a.header.Get("Content-Type") != "" }
	return []Variant{
		header("204-content-type", "A 204 has a Content-Type", noContent, http.Header{"Content-Type": {"application/json"}}),
		header("connection-close", "Each answer closes its connection", every, http.Header{"Connection": {"close"}}),
		header("many-headers", "Answers have headers of their own", every, http.Header{
			"X-Request-Id": {"7f3c"}, "X-Ratelimit-Ipremaining": {"14"}, "Strict-Transport-Security": {"max-age=31536000"},
			"Vary": {"Accept-Encoding, X-API-Key"}, "Set-Cookie": {"a=1; Path=/", "b=2; HttpOnly"},
			"Deprecation": {"@1735689600"}, "Link": {`<https://docs.example.com>; rel="help"`},
		}),
		header("etag", "Answers have an entity tag and a date", every, http.Header{
			"Etag": {`W/"1"`}, "Last-Modified": {"Mon, 01 Jan 2024 00:00:00 GMT"},
		}),
		header("no-date", "Answers have no Date", every, http.Header{"Date": nil}),
		header("date-unreadable", "The Date of an answer is no date", every, http.Header{"Date": {"just now"}}),
		header("media-type-parameters", "The media type has parameters", typed, http.Header{
			"Content-Type": {`application/json; profile="https://example.com/v2"; charset=UTF-8`},
		}),
	}
}

// rateVariants refuse a request now and then and say when to come again.
func rateVariants() []Variant {
	limited := func(id, sentence string, every int64, after string, body object) Variant {
		refused := func(*exchange) *answer {
			a := refusal(http.StatusTooManyRequests).replaced(http.StatusTooManyRequests, body)
			a.header.Set("Retry-After", after)
			a.header.Set("X-RateLimit-IPRemaining", "0")
			return a
		}
		return variant("wire/"+id, sentence, "rate-limit", when(nth(every), refused))
	}
	return []Variant{
		limited("429-now-and-then", "Every 25th request is answered 429 and may come again at once", 25, "0", errorBody(429)),
		limited("429-often", "Every third request is answered 429 and may come again at once", 3, "0", object{"message": "slow down"}),
		limited("429-one-second", "Every 200th request is answered 429 and may come again after a second", 200, "1", errorBody(429)),
	}
}
