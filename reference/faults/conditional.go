package faults

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
)

// tagging puts a tag and a date on lists and answers 304 where a request names them. Each part may be wrong; nil is
// right.
type tagging struct {
	tag      func(x *exchange, a *answer) string // of the list; "" for none
	modified func(changed time.Time) time.Time   // its date; changed is when a creative was last deleted. nil for no date
	asked    func(asked, shown http.Header)      // changes the conditions of the request
	answer   func(a *answer, tag string) *answer // the 304
}

func noTag(*exchange, *answer) string { return "" }

func bodyTag(_ *exchange, a *answer) string {
	return fmt.Sprintf(`"%x"`, sha256.Sum256(a.body))[:20] + `"`
}

func whenChanged(changed time.Time) time.Time { return changed }

// lists forwards a request and tags the answer if it is a list.
func (g tagging) lists(x *exchange) *answer {
	a := x.forward()
	if of(creativeDelete)(x) && a.ok() { // nothing else changes lists
		x.keep("changed", time.Now())
	}
	if !of(mediaFileList)(x) || !a.ok() {
		return a
	}
	if g.tag == nil {
		g.tag = bodyTag
	}
	tag := g.tag(x, a)
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
	tagged := httptest.NewRecorder()
	maps.Copy(tagged.Header(), a.header)
	http.ServeContent(tagged, asked, "list.json", modified, bytes.NewReader(a.body))
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

// announced is a 304 that announces the length of the list, and may carry the list.
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

// wrongTags answer 304 where it is wrong, or fail on a condition.
func wrongTags(*spec.Operation) []row {
	tagged := func(name, clauses, sentence string, g tagging) row {
		return fault("conditional/"+name, clauses, mediaFileList+": "+sentence, g.lists)
	}
	// instead tags lists rightly, and does something else where a condition holds.
	instead := func(name, clauses, sentence string, is condition, does behaviour) row {
		return fault("conditional/"+name, clauses, mediaFileList+": "+sentence, func(x *exchange) *answer {
			a := tagging{modified: whenChanged}.lists(x)
			if of(mediaFileList)(x) && is(x) {
				return does(x)
			}
			return a
		})
	}
	noContent := func(*exchange) *answer { return notModified(refusal(304)) }
	tag := headerIs(ifNoneMatch, has(`"`))
	badDate := headerIs(ifModifiedSince, func(asked string) bool { _, err := http.ParseTime(asked); return err != nil })
	fixedDate := func(time.Time) time.Time { return time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC) }
	pathTag := func(x *exchange, _ *answer) string { return `"` + strings.ReplaceAll(x.path, "/", ".") + `"` }
	anything := func(asked, _ http.Header) {
		for name, value := range map[string]string{ifNoneMatch: "*", ifModifiedSince: "Fri, 01 Jan 2100 00:00:00 GMT"} {
			if asked[name] != nil {
				asked.Set(name, value)
			}
		}
	}
	return []row{
		tagged("tag-of-the-path", "HTTP-4 DELETE-5", "the entity tag is made of the path alone", tagging{tag: pathTag}),
		tagged("any-tag", "HTTP-4", "304 for every entity tag", tagging{asked: anything}),
		tagged("any-date", "HTTP-4", "304 for every If-Modified-Since", tagging{tag: noTag, modified: whenChanged, asked: anything}),
		tagged("date-stands", "HTTP-4", "Last-Modified stays where it was", tagging{tag: noTag, modified: fixedDate}),
		tagged("date-beside-a-right-tag", "HTTP-4", "the tag follows the list, and the date does not", tagging{modified: fixedDate}),
		tagged("304-with-content", "HTTP-2", "a 304 comes with the list", tagging{answer: announced(true)}),
		instead("304-for-nobody", "AUTH-1", "a request without a key and with an entity tag gets 304", all(noKey, tag), noContent),
		instead("304-for-the-stranger", "AUTH-2", "a stranger's request with an entity tag gets 304", all(byStranger, tag), noContent),
		instead("304-unasked", "MEDIA-1 ERR-12 HTTP-4", "every second request of the owner gets 304, asked or not", all(byOwner, nth(2)), noContent),
		instead("fails-on-a-tag", "HTTP-1 HTTP-4", "a request with an entity tag makes the server fail", tag, refuse(500)),
		instead("fails-on-a-bad-date", "HTTP-1 HTTP-4", "an If-Modified-Since that is no date makes the server fail", badDate, refuse(500)),
	}
}

// conditionalVariants tag their lists as HTTP allows.
func conditionalVariants() []Variant {
	tagged := func(id, sentence string, g tagging) Variant {
		return variant("wire/"+id, sentence, "list-validators", g.lists)
	}
	weak := func(x *exchange, a *answer) string { return "W/" + bodyTag(x, a) }
	another := func(x *exchange, _ *answer) string { return fmt.Sprintf(`"r%04d"`, x.count()) }
	ignored := func(asked, _ http.Header) { clear(asked) }
	exact := func(asked, shown http.Header) {
		if asked.Get(ifModifiedSince) != shown.Get("Last-Modified") {
			clear(asked)
		}
	}
	now := func(time.Time) time.Time { return time.Now() }
	return []Variant{
		tagged("etag-strong", "Lists have a strong entity tag", tagging{}),
		tagged("etag-weak", "Lists have a weak entity tag", tagging{tag: weak}),
		tagged("etag-without-304", "Lists have an entity tag, and no answer is 304", tagging{asked: ignored}),
		tagged("etag-each-time", "Lists have another entity tag at each read", tagging{tag: another}),
		tagged("last-modified", "Lists have a date", tagging{tag: noTag, modified: whenChanged}),
		tagged("last-modified-exact", "Lists have a date, and 304 is for exactly that", tagging{tag: noTag, modified: whenChanged, asked: exact}),
		tagged("last-modified-now", "Lists have the time of the answer as their date", tagging{tag: noTag, modified: now}),
		tagged("etag-and-last-modified", "Lists have an entity tag and a date", tagging{modified: whenChanged}),
		tagged("304-with-length", "A 304 has the length that the list would have", tagging{answer: announced(false)}),
	}
}
