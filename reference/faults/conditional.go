package faults

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
)

// tagging is a server that puts a tag and a date on its lists and answers 304
// where a request names them. Every part may be wrong; nil is right.
type tagging struct {
	tag      func(x *exchange, a *answer) string // that of the list
	modified func(changed time.Time) time.Time   // its date; changed is when a creative was deleted last
	asked    func(asked, shown http.Header)      // changes what the request asks for
	first    condition                           // when 304 comes before the user is looked at
	answer   func(a *answer, tag string) *answer // the 304
}

func noTag(*exchange, *answer) string { return "" }

func bodyTag(_ *exchange, a *answer) string {
	return fmt.Sprintf(`"%x"`, sha256.Sum256(a.body))[:20] + `"`
}

// lists is a server with this tagging; without modified there is no date.
func (g tagging) lists(x *exchange) *answer {
	a := x.forward()
	if of(creativeDelete)(x) && a.ok() { // nothing else changes lists
		x.keep("changed", time.Now())
	}
	shown := a
	if of(mediaFileList)(x) && g.first != nil && g.first(x) && a.status != http.StatusNotFound {
		shown = x.apart(x.op, x.ids, nil)
	}
	if !of(mediaFileList)(x) || !shown.ok() {
		return a
	}
	tagged, tag := httptest.NewRecorder(), bodyTag(x, shown)
	if g.tag != nil {
		tag = g.tag(x, shown)
	}
	if tag != "" {
		a.header.Set("ETag", tag)
	}
	var modified time.Time
	if g.modified != nil {
		changed, had := recall[time.Time](x, "changed")
		if !had {
			changed = x.started.Add(-time.Hour)
		}
		modified = g.modified(changed)
		a.header.Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	}
	asked := &http.Request{Method: http.MethodGet, Header: http.Header{
		ifNoneMatch: x.header[ifNoneMatch], ifModifiedSince: x.header[ifModifiedSince],
	}}
	if g.asked != nil {
		g.asked(asked.Header, a.header)
	}
	maps.Copy(tagged.Header(), a.header)
	http.ServeContent(tagged, asked, "list.json", modified, bytes.NewReader(shown.body))
	switch {
	case tagged.Code != http.StatusNotModified:
		return a
	case g.answer != nil:
		return g.answer(a, tag)
	}
	return notModified(a)
}

const (
	ifNoneMatch     = "If-None-Match"
	ifModifiedSince = "If-Modified-Since"
)

func notModified(a *answer) *answer {
	b := &answer{status: http.StatusNotModified, header: a.header.Clone()}
	b.header["Content-Type"] = nil
	return b
}

// announced is a 304 that announces the length of the list, and comes with the list if so wanted.
func announced(content bool) func(a *answer, tag string) *answer {
	return func(a *answer, tag string) *answer {
		const head = "HTTP/1.1 304 Not Modified\r\nETag: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
		b := notModified(a)
		b.raw = fmt.Appendf(nil, head, tag, len(a.body))
		if content {
			b.raw = append(b.raw, a.body...)
		}
		return b
	}
}

func whenChanged(changed time.Time) time.Time { return changed }

// wrongTags are lists whose tag or date does not follow them, 304 to who did not ask, or may not know, and
// servers that fail on what a request asks for.
func wrongTags(*spec.Operation) []row {
	tagged := func(name, clauses, sentence string, g tagging) row {
		return fault(name, clauses, mediaFileList+": "+sentence, g.lists)
	}
	failing := func(name, sentence, header string, is func(asked string) bool) row {
		fails := all(of(mediaFileList), headerIs(header, is))
		return fault("fails-on-"+name, "HTTP-1 HTTP-4", mediaFileList+": "+sentence+" makes the server fail", func(x *exchange) *answer {
			a := tagging{modified: whenChanged}.lists(x)
			if fails(x) {
				return refusal(500)
			}
			return a
		})
	}
	fixedDate := func(time.Time) time.Time { return time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC) }
	pathTag := func(x *exchange, _ *answer) string { return `"` + strings.ReplaceAll(x.path, "/", ".") + `"` }
	firstTag := func(x *exchange, a *answer) string {
		first, _ := recall[string](x, x.path)
		first = cmp.Or(first, bodyTag(x, a))
		x.keep(x.path, first)
		return first
	}
	anyTag := func(asked, _ http.Header) {
		if asked[ifNoneMatch] != nil {
			asked.Set(ifNoneMatch, "*")
		}
	}
	anyDate := func(asked, _ http.Header) {
		if asked[ifModifiedSince] != nil {
			asked.Set(ifModifiedSince, "Fri, 01 Jan 2100 00:00:00 GMT")
		}
	}
	second := func(x *exchange, a *answer) *answer {
		_, before := recall[bool](x, x.path+x.key())
		x.keep(x.path+x.key(), true)
		if before && a.ok() {
			return notModified(a)
		}
		return a
	}
	return []row{
		tagged("tag-of-the-path", "HTTP-4 DELETE-5", "the entity tag is made of the path alone", tagging{tag: pathTag}),
		tagged("tag-of-the-first-answer", "HTTP-4", "the entity tag is that of the first answer", tagging{tag: firstTag}),
		tagged("any-tag", "HTTP-4", "304 for every entity tag", tagging{asked: anyTag}),
		tagged("any-date", "HTTP-4", "304 for every If-Modified-Since", tagging{tag: noTag, modified: whenChanged, asked: anyDate}),
		tagged("date-stands", "HTTP-4", "Last-Modified stays where it was", tagging{tag: noTag, modified: fixedDate}),
		tagged("date-beside-a-right-tag", "HTTP-4", "the tag follows the list, and the date does not", tagging{modified: fixedDate}),
		tagged("304-with-content", "HTTP-2", "a 304 comes with the list", tagging{answer: announced(true)}),
		tagged("304-for-nobody", "AUTH-1", "a request without a key and with the right entity tag gets 304", tagging{first: noKey}),
		tagged("304-for-the-stranger", "AUTH-2", "a stranger's request with the right entity tag gets 304", tagging{first: byStranger}),
		fault("304-unasked", "MEDIA-1 ERR-12 HTTP-4", mediaFileList+": the second answer to the same user is 304, asked or not",
			on(mediaFileList, answers(second))),
		failing("a-tag", "a request with an entity tag", ifNoneMatch, func(string) bool { return true }),
		failing("a-bad-date", "an If-Modified-Since that is no date", ifModifiedSince, func(asked string) bool {
			_, err := http.ParseTime(asked)
			return err != nil
		}),
	}
}

// conditionalVariants tag their lists as HTTP allows.
func conditionalVariants() []Variant {
	tagged := func(id, sentence string, g tagging) Variant {
		return variant("wire/"+id, sentence, "list-validators", g.lists)
	}
	ignored := func(asked, _ http.Header) { clear(asked) }
	exact := func(asked, shown http.Header) {
		if asked.Get(ifModifiedSince) != shown.Get("Last-Modified") {
			clear(asked)
		}
	}
	return []Variant{
		tagged("etag-strong", "Lists have a strong entity tag", tagging{}),
		tagged("etag-weak", "Lists have a weak entity tag", tagging{tag: func(x *exchange, a *answer) string { return "W/" + bodyTag(x, a) }}),
		tagged("etag-without-304", "Lists have an entity tag, and no answer is 304", tagging{asked: ignored}),
		tagged("etag-each-time", "Lists have another entity tag at each read",
			tagging{tag: func(x *exchange, _ *answer) string { return fmt.Sprintf(`"r%04d"`, x.count()) }}),
		tagged("last-modified", "Lists have a date", tagging{tag: noTag, modified: whenChanged}),
		tagged("last-modified-exact", "Lists have a date, and 304 is for exactly that",
			tagging{tag: noTag, modified: whenChanged, asked: exact}),
		tagged("last-modified-now", "Lists have the time of the answer as their date",
			tagging{tag: noTag, modified: func(time.Time) time.Time { return time.Now() }}),
		tagged("etag-and-last-modified", "Lists have an entity tag and a date", tagging{modified: whenChanged}),
		tagged("304-with-length", "A 304 has the length that the list would have", tagging{answer: announced(false)}),
	}
}
