package faults

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
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

// lists wraps a server in a tagging of its lists. The tag is that of the body
// unless it says otherwise, "" for none; without modified there is no date.
func (g tagging) lists() func(http.Handler, Env) http.Handler {
	return fresh(func() behaviour {
		var changed memory[time.Time] // nothing but deletes changes lists
		start := time.Now().Add(-time.Hour)
		return func(x *exchange) *answer {
			if x.op != nil && x.op.Deletes() {
				a := x.forward()
				if a.ok() {
					changed.put("", time.Now())
				}
				return a
			}
			if x.op == nil || !x.op.Lists() {
				return x.forward()
			}
			at, ok := changed.get("")
			if !ok {
				at = start
			}
			return g.list(x, at)
		}
	})
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
	var tag string
	var modified time.Time
	if g.tag == nil {
		tag = bodyTag(x, shown)
	} else {
		tag = g.tag(x, shown)
	}
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

// conditionalFaults are lists whose tag or date does not follow them, and servers
// that read what a request asks for wrongly.
func conditionalFaults(*spec.Contract) []Fault {
	var all []Fault
	add := func(name, clause, sentence string, wrap func(http.Handler, Env) http.Handler, also ...string) {
		all = append(all, Fault{ID: "conditional/" + name, Clause: clause, Also: also, Sentence: mediaFileList + ": " + sentence + ".", Wrap: wrap})
	}
	tags := func(name, sentence string, tag func(*exchange, *answer) string) {
		add(name, "HTTP-4", sentence, tagging{tag: tag}.lists(), "DELETE-5")
	}
	tags("tag-of-the-path", "the entity tag is made of the path alone", func(x *exchange, _ *answer) string { return `"` + strings.ReplaceAll(x.path, "/", ".") + `"` })
	tags("weak-tag-of-the-path", "the weak entity tag is made of the id alone", func(x *exchange, _ *answer) string { return `W/"` + x.lastID() + `-7f3"` })
	tags("tag-of-the-pages", "the entity tag is made of the number of pages", func(_ *exchange, a *answer) string {
		pages := 0
		a.page(func(p map[string]any, items []any) []any { pages = number(p["totalPages"]); return items })
		return fmt.Sprintf(`"pages-%d"`, pages)
	})
	add("tag-of-the-first-answer", "HTTP-4", "the entity tag is that of the first answer", func(next http.Handler, env Env) http.Handler {
		return tagging{tag: firstTag()}.lists()(next, env)
	})
	same := func(name, sentence string, same func(asked, tag string) bool) {
		add(name, "HTTP-4", sentence, tagging{same: same}.lists())
	}
	same("any-tag", "304 for every entity tag", func(string, string) bool { return true })
	same("tag-of-the-length", "304 for every entity tag of the right length", func(asked, tag string) bool { return len(asked) == len(tag) })
	same("start-of-the-tag", "304 for an entity tag that starts like the right one", func(asked, tag string) bool { return strings.HasPrefix(asked, tag[:4]) })
	same("all-but-the-tag", "304 for every entity tag but the right one", func(asked, tag string) bool { return asked != tag })
	dates := func(name, sentence string, g tagging) {
		if g.modified == nil {
			g.modified = whenChanged
		}
		g.tag = noTag
		add(name, "HTTP-4", sentence, g.lists())
	}
	dates("any-date", "304 for every If-Modified-Since", tagging{since: func(time.Time, time.Time) bool { return true }})
	dates("dates-swapped", "304 where the list has changed since, 200 where it has not", tagging{since: func(asked, modified time.Time) bool { return asked.Before(modified) }})
	dates("date-stands", "Last-Modified stays where it was", tagging{modified: func(*exchange, time.Time) time.Time { return time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC) }})
	add("both-stand", "HTTP-4", "neither the tag nor the date follows the list", tagging{
		tag:      func(x *exchange, _ *answer) string { return `"v` + x.lastID() + `"` },
		modified: func(*exchange, time.Time) time.Time { return time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC) },
	}.lists())
	add("date-beside-a-right-tag", "HTTP-4", "the tag follows the list, and the date does not", tagging{
		modified: func(*exchange, time.Time) time.Time { return time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC) },
	}.lists())
	add("304-with-content", "HTTP-2", "a 304 comes with the list", tagging{answer: func(a *answer, tag string) *answer {
		b := notModified(a)
		b.raw = fmt.Appendf(nil, "HTTP/1.1 304 Not Modified\r\nETag: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", tag, len(a.body), a.body)
		return b
	}}.lists())
	add("304-unasked", "MEDIA-1", "the second answer to the same user is 304, asked or not", unasked(), "ERR-12", "HTTP-4")
	all = append(all, conditionalAuthFaults()...)
	return append(all, conditionalCrashes()...)
}

// firstTag is the tag that a list had when it was first asked for.
func firstTag() func(*exchange, *answer) string {
	var tags sync.Map
	return func(x *exchange, a *answer) string {
		tag, _ := tags.LoadOrStore(x.path, bodyTag(x, a))
		return tag.(string)
	}
}

func unasked() func(http.Handler, Env) http.Handler {
	return fresh(func() behaviour {
		var seen memory[bool]
		return on(mediaFileList, func(x *exchange) *answer {
			a := x.forward()
			if _, before := seen.put(x.path+x.key(), true); before && a.ok() {
				return notModified(a)
			}
			return a
		})
	})
}

// conditionalAuthFaults tell what the list is to who may not know.
func conditionalAuthFaults() []Fault {
	early := func(name, clause, sentence string, of func(*exchange) bool) Fault {
		return Fault{
			ID: "conditional/" + name, Clause: clause, Sentence: mediaFileList + ": " + sentence + ".",
			Wrap: func(next http.Handler, env Env) http.Handler {
				right, wrong := tagging{}.lists()(next, env), tagging{first: true}.lists()(next, env)
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					x := &exchange{Env: &env, request: request{header: r.Header}}
					if of(x) {
						wrong.ServeHTTP(w, r)
						return
					}
					right.ServeHTTP(w, r)
				})
			},
		}
	}
	return []Fault{
		early("304-for-nobody", "AUTH-1", "a request without a key and with the right entity tag gets 304", func(x *exchange) bool { return x.key() == "" }),
		early("304-for-the-stranger", "AUTH-2", "a stranger's request with the right entity tag gets 304", (*exchange).byStranger),
	}
}

// conditionalCrashes are servers that fail on what a request asks for.
func conditionalCrashes() []Fault {
	var all []Fault
	for _, way := range []struct {
		name, sentence string
		fails          func(tag, date string) bool
	}{
		{"fails-on-a-tag", "a request with an entity tag makes the server fail", func(tag, _ string) bool { return tag != "" }},
		{"fails-on-star", "If-None-Match: * makes the server fail", func(tag, _ string) bool { return tag == "*" }},
		{"fails-on-several", "several entity tags make the server fail", func(tag, _ string) bool { return strings.Contains(tag, ",") }},
		{"fails-on-many", "many entity tags make the server fail", func(tag, _ string) bool { return strings.Count(tag, ",") > 50 }},
		{"fails-on-unquoted", "an entity tag without quotation marks makes the server fail", func(tag, _ string) bool { return tag != "" && !strings.Contains(tag, `"`) && tag != "*" }},
		{"fails-on-half-quoted", "an entity tag that does not end makes the server fail", func(tag, _ string) bool { return strings.Count(tag, `"`)%2 == 1 }},
		{"fails-on-a-date", "a request with If-Modified-Since makes the server fail", func(_, date string) bool { return date != "" }},
		{"fails-on-a-bad-date", "an If-Modified-Since that is no date makes the server fail", func(_, date string) bool {
			_, err := http.ParseTime(date)
			return date != "" && err != nil
		}},
	} {
		all = append(all, Fault{
			ID: "conditional/" + way.name, Clause: "HTTP-1", Also: []string{"HTTP-4"}, Sentence: mediaFileList + ": " + way.sentence + ".",
			Wrap: func(next http.Handler, env Env) http.Handler {
				return each(on(mediaFileList, func(x *exchange) *answer {
					if way.fails(x.header.Get("If-None-Match"), x.header.Get("If-Modified-Since")) {
						return refusal(http.StatusInternalServerError)
					}
					return x.forward()
				}))(tagging{modified: whenChanged}.lists()(next, env), env)
			},
		})
	}
	return all
}

// conditionalVariants tag their lists as HTTP allows.
func conditionalVariants() []Variant {
	variant := func(id, sentence string, g tagging) Variant {
		return Variant{ID: "wire/" + id, Sentence: sentence + ".", Open: []string{"list-validators"}, Wrap: g.lists()}
	}
	never := func(string, string) bool { return false }
	return []Variant{
		variant("etag-strong", "Lists have a strong entity tag", tagging{}),
		variant("etag-weak", "Lists have a weak entity tag", tagging{tag: weakTag}),
		variant("etag-without-304", "Lists have an entity tag, and no answer is 304", tagging{same: never}),
		variant("etag-each-time", "Lists have another entity tag at each read", tagging{tag: countingTag()}),
		variant("last-modified", "Lists have a date", tagging{tag: noTag, modified: whenChanged}),
		variant("last-modified-exact", "Lists have a date, and 304 is for exactly that", tagging{tag: noTag, modified: whenChanged, since: time.Time.Equal}),
		variant("last-modified-without-304", "Lists have a date, and no answer is 304", tagging{tag: noTag, modified: whenChanged, since: func(time.Time, time.Time) bool { return false }}),
		variant("last-modified-now", "Lists have the time of the answer as their date", tagging{tag: noTag, modified: func(*exchange, time.Time) time.Time { return time.Now() }}),
		variant("etag-and-last-modified", "Lists have an entity tag and a date", tagging{modified: whenChanged}),
		variant("304-with-length", "A 304 has the length that the list would have", tagging{answer: func(a *answer, tag string) *answer {
			b := notModified(a)
			b.raw = fmt.Appendf(nil, "HTTP/1.1 304 Not Modified\r\nETag: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", tag, len(a.body))
			return b
		}}),
	}
}

func countingTag() func(*exchange, *answer) string {
	var seen counter
	return func(*exchange, *answer) string { return fmt.Sprintf(`"r%04d"`, seen.next()) }
}
