package faults

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
)

// tagging is a server that puts a tag and a date on its lists and answers 304
// where a request names them. Every part may be wrong; nil is right.
type tagging struct {
	tag      func(x *exchange, a *answer) string
	modified func(x *exchange, changed time.Time) time.Time
	same     func(asked, tag string) bool // asked is the whole of If-None-Match
	since    func(asked, modified time.Time) bool
	first    bool // 304 comes before the user is looked at
	answer   func(a *answer, tag string) *answer
}

// lists is a server with this tagging. The tag is that of the body unless it says
// otherwise, "" for none; without modified there is no date.
func (g tagging) lists(x *exchange) *answer {
	if x.op == nil || !x.op.Lists() && !x.op.Deletes() {
		return x.forward()
	}
	if x.op.Deletes() { // nothing else changes lists
		a := x.forward()
		if a.ok() {
			x.keep("changed", time.Now())
		}
		return a
	}
	changed, had := recall[time.Time](x, "changed")
	if !had {
		changed = x.started.Add(-time.Hour)
	}
	return g.list(x, changed)
}

func (g tagging) list(x *exchange, changed time.Time) *answer {
	a := x.forward()
	shown := a
	if g.first && a.status != http.StatusNotFound {
		shown = x.peek(x.asHolder())
	}
	if !shown.ok() {
		return a
	}
	tag := bodyTag(x, shown)
	if g.tag != nil {
		tag = g.tag(x, shown)
	}
	var modified time.Time
	if tag != "" {
		a.header.Set("ETag", tag)
	}
	if g.modified != nil {
		modified = g.modified(x, changed).Truncate(time.Second).UTC()
		a.header.Set("Last-Modified", modified.Format(http.TimeFormat))
	}
	if !g.unchanged(x, tag, modified) {
		return a
	}
	if g.answer != nil {
		return g.answer(a, tag)
	}
	return notModified(a)
}

// unchanged says whether the request knows the list as it is (RFC 9110, 13.2.2).
func (g tagging) unchanged(x *exchange, tag string, modified time.Time) bool {
	if asked := x.header.Get("If-None-Match"); asked != "" {
		same := sameTag
		if g.same != nil {
			same = g.same
		}
		return tag != "" && same(asked, tag)
	}
	asked, err := http.ParseTime(x.header.Get("If-Modified-Since"))
	if err != nil || modified.IsZero() {
		return false
	}
	if g.since != nil {
		return g.since(asked, modified)
	}
	return !modified.After(asked)
}

func notModified(a *answer) *answer {
	b := &answer{status: http.StatusNotModified, header: a.header.Clone()}
	b.header["Content-Type"] = nil
	return b
}

func bodyTag(_ *exchange, a *answer) string {
	return fmt.Sprintf(`"%x"`, sha256.Sum256(a.body))[:20] + `"`
}

func weakTag(x *exchange, a *answer) string { return "W/" + bodyTag(x, a) }

func noTag(*exchange, *answer) string { return "" }

// sameTag is the weak comparison with a list of tags or * (RFC 9110, 13.1.2).
func sameTag(asked, tag string) bool {
	return strings.TrimSpace(asked) == "*" || slices.ContainsFunc(strings.Split(asked, ","), func(one string) bool {
		return strings.TrimPrefix(strings.TrimSpace(one), "W/") == strings.TrimPrefix(tag, "W/")
	})
}

func whenChanged(_ *exchange, changed time.Time) time.Time { return changed }

func fixedDate(*exchange, time.Time) time.Time { return time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC) }

// staleTags are lists whose tag or date does not follow them.
func staleTags(*spec.Contract) []row {
	tagged := func(name, clauses, sentence string, g tagging) row {
		return fault(name, clauses, mediaFileList+": "+sentence, g.lists)
	}
	tag := func(name, sentence string, of func(x *exchange, a *answer) string) row {
		return tagged(name, "HTTP-4 DELETE-5", sentence, tagging{tag: of})
	}
	same := func(name, sentence string, is func(asked, tag string) bool) row {
		return tagged(name, "HTTP-4", sentence, tagging{same: is})
	}
	date := func(name, sentence string, modified func(*exchange, time.Time) time.Time, since func(asked, modified time.Time) bool) row {
		return tagged(name, "HTTP-4", sentence, tagging{tag: noTag, modified: modified, since: since})
	}
	return []row{
		tag("tag-of-the-path", "the entity tag is made of the path alone", func(x *exchange, _ *answer) string {
			return `"` + strings.ReplaceAll(x.path, "/", ".") + `"`
		}),
		tag("weak-tag-of-the-path", "the weak entity tag is made of the id alone", func(x *exchange, _ *answer) string {
			return `W/"` + x.lastID() + `-7f3"`
		}),
		tag("tag-of-the-pages", "the entity tag is made of the number of pages", func(_ *exchange, a *answer) string {
			pages := 0
			a.paged(func(p *page) { pages = p.number("totalPages") })
			return fmt.Sprintf(`"pages-%d"`, pages)
		}),
		tagged("tag-of-the-first-answer", "HTTP-4", "the entity tag is that of the first answer", tagging{tag: firstTag}),
		same("any-tag", "304 for every entity tag", func(string, string) bool { return true }),
		same("tag-of-the-length", "304 for every entity tag of the right length", func(asked, tag string) bool { return len(asked) == len(tag) }),
		same("start-of-the-tag", "304 for an entity tag that starts like the right one", func(asked, tag string) bool {
			return strings.HasPrefix(asked, tag[:4])
		}),
		same("all-but-the-tag", "304 for every entity tag but the right one", func(asked, tag string) bool { return asked != tag }),
		date("any-date", "304 for every If-Modified-Since", whenChanged, func(time.Time, time.Time) bool { return true }),
		date("dates-swapped", "304 where the list has changed since, 200 where it has not", whenChanged, time.Time.Before),
		date("date-stands", "Last-Modified stays where it was", fixedDate, nil),
		tagged("both-stand", "HTTP-4", "neither the tag nor the date follows the list", tagging{
			tag: func(x *exchange, _ *answer) string { return `"v` + x.lastID() + `"` }, modified: fixedDate,
		}),
		tagged("date-beside-a-right-tag", "HTTP-4", "the tag follows the list, and the date does not", tagging{modified: fixedDate}),
		tagged("304-with-content", "HTTP-2", "a 304 comes with the list", tagging{answer: func(a *answer, tag string) *answer {
			return bare304(a, tag, a.body)
		}}),
	}
}

// bare304 is a 304 that announces the length of the list, with or without it.
func bare304(a *answer, tag string, content []byte) *answer {
	b := notModified(a)
	const head = "HTTP/1.1 304 Not Modified\r\nETag: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
	b.raw = fmt.Appendf(nil, head, tag, len(a.body), content)
	return b
}

// firstTag is the tag that a list had when it was first asked for.
func firstTag(x *exchange, a *answer) string {
	if _, had := recall[string](x, x.path); !had {
		x.keep(x.path, bodyTag(x, a))
	}
	tag, _ := recall[string](x, x.path)
	return tag
}

// wrong304s answer 304 to who did not ask, or may not know.
func wrong304s(*spec.Contract) []row {
	early := func(name, clause, sentence string, is condition) row {
		return fault(name, clause, mediaFileList+": "+sentence, func(x *exchange) *answer { return tagging{first: is(x)}.lists(x) })
	}
	return []row{
		fault("304-unasked", "MEDIA-1 ERR-12 HTTP-4", mediaFileList+": the second answer to the same user is 304, asked or not",
			on(mediaFileList, answers(func(x *exchange, a *answer) *answer {
				_, before := recall[bool](x, x.path+x.key())
				x.keep(x.path+x.key(), true)
				if before && a.ok() {
					return notModified(a)
				}
				return a
			}))),
		early("304-for-nobody", "AUTH-1", "a request without a key and with the right entity tag gets 304", noKey),
		early("304-for-the-stranger", "AUTH-2", "a stranger's request with the right entity tag gets 304", byStranger),
	}
}

// conditionalCrashes are servers that fail on what a request asks for.
func conditionalCrashes(*spec.Contract) []row {
	failing := func(name, sentence, header string, is func(asked string) bool) row {
		asks := all(of(mediaFileList), func(x *exchange) bool { return is(x.header.Get(header)) })
		return fault(name, "HTTP-1 HTTP-4", mediaFileList+": "+sentence+" the server fail", func(x *exchange) *answer {
			if asks(x) {
				return refusal(500)
			}
			return tagging{modified: whenChanged}.lists(x)
		})
	}
	given := func(asked string) bool { return asked != "" }
	const tag, date = "If-None-Match", "If-Modified-Since"
	return []row{
		failing("fails-on-a-tag", "a request with an entity tag makes", tag, given),
		failing("fails-on-star", "If-None-Match: * makes", tag, func(asked string) bool { return asked == "*" }),
		failing("fails-on-several", "several entity tags make", tag, has(",")),
		failing("fails-on-many", "many entity tags make", tag, func(asked string) bool { return strings.Count(asked, ",") > 50 }),
		failing("fails-on-unquoted", "an entity tag without quotation marks makes", tag, func(asked string) bool {
			return asked != "" && !strings.Contains(asked, `"`) && asked != "*"
		}),
		failing("fails-on-half-quoted", "an entity tag that does not end makes", tag, func(asked string) bool {
			return strings.Count(asked, `"`)%2 == 1
		}),
		failing("fails-on-a-date", "a request with If-Modified-Since makes", date, given),
		failing("fails-on-a-bad-date", "an If-Modified-Since that is no date makes", date, func(asked string) bool {
			_, err := http.ParseTime(asked)
			return asked != "" && err != nil
		}),
	}
}

// conditionalVariants tag their lists as HTTP allows.
func conditionalVariants() []Variant {
	tagged := func(id, sentence string, g tagging) Variant {
		return variant("wire/"+id, sentence, "list-validators", g.lists)
	}
	never := func(string, string) bool { return false }
	neverSince := func(time.Time, time.Time) bool { return false }
	counted := func(x *exchange, _ *answer) string { return fmt.Sprintf(`"r%04d"`, x.count()) }
	now := func(*exchange, time.Time) time.Time { return time.Now() }
	return []Variant{
		tagged("etag-strong", "Lists have a strong entity tag", tagging{}),
		tagged("etag-weak", "Lists have a weak entity tag", tagging{tag: weakTag}),
		tagged("etag-without-304", "Lists have an entity tag, and no answer is 304", tagging{same: never}),
		tagged("etag-each-time", "Lists have another entity tag at each read", tagging{tag: counted}),
		tagged("last-modified", "Lists have a date", tagging{tag: noTag, modified: whenChanged}),
		tagged("last-modified-exact", "Lists have a date, and 304 is for exactly that",
			tagging{tag: noTag, modified: whenChanged, since: time.Time.Equal}),
		tagged("last-modified-without-304", "Lists have a date, and no answer is 304",
			tagging{tag: noTag, modified: whenChanged, since: neverSince}),
		tagged("last-modified-now", "Lists have the time of the answer as their date", tagging{tag: noTag, modified: now}),
		tagged("etag-and-last-modified", "Lists have an entity tag and a date", tagging{modified: whenChanged}),
		tagged("304-with-length", "A 304 has the length that the list would have", tagging{answer: func(a *answer, tag string) *answer {
			return bare304(a, tag, nil)
		}}),
	}
}
