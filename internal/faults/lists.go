package faults

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// pageSize is the number of items on a page of the reference.
const pageSize = 100

func (p *page) single() bool { return p.number("totalPages") <= 1 }
func (p *page) empty() bool  { return len(p.items) == 0 }

// shows sets the items, and the counts of a page that is the whole list.
func (p *page) shows(items []any) {
	p.items = items
	if p.single() {
		p.numbers["count"] = len(items)
		p.numbers["totalCount"] = len(items)
	}
}

// losesFirst removes the first item, if there is one, and last replaces the last item.
func (p *page) losesFirst() {
	p.shows(p.items[min(1, len(p.items)):])
}

func (p *page) last(item any) {
	p.items[len(p.items)-1] = item
}

// listOf returns the items of another creative's list.
func (x *exchange) listOf(creative int64) []any {
	items, _ := x.apart(x.op, []string{itoa(creative)}, nil).data().([]any)
	return items
}

// wrongItems list an item too many or too few, of another form or with another id, or something else from read to read.
func wrongItems(s *seeds, op *spec.Operation) {
	const also = " MEDIA-3 MEDIA-4 MEDIA-8 MEDIA-9"
	const counts = "MEDIA-7" + also
	// pages adds a fault that changes the pages for which a condition holds.
	pages := func(name, clauses, sentence string, is func(p *page) bool, change func(p *page)) *Server {
		return s.fault("list/"+name, clauses, sentence, lists(func(p *page) {
			if is(p) {
				change(p)
			}
		}))
	}
	several := func(p *page) bool { return len(p.items) > 1 }
	mine := func(p *page) bool {
		return onMine(p.exchange) && !p.empty()
	}
	begins := func(p *page) bool {
		return !p.single() && p.number("page") == 1
	}
	owners := func(p *page) bool { return p.single() && byOwner(p.exchange) }
	twice := func(p *page) { p.last(p.items[0]) }
	pages("always-empty", counts, "A list of one page is always empty", (*page).single,
		func(p *page) { p.shows([]any{}) })
	pages("first-lost", counts, "The first media file is not listed", (*page).single, (*page).losesFirst)
	pages("one-exchanged", "MEDIA-7", "A media file of another creative is listed instead of one of its own", mine,
		func(p *page) {
			p.last(p.listOf(p.idOf("vastCreative") + 20)[0])
		})
	pages("own-listed", counts, "The first page of a large list ends with the creative itself", begins,
		func(p *page) {
			p.items[len(p.items)-1].(object)["id"] = atoi(p.lastID())
		})
	pages("foreign-listed", counts, "Media files of the stranger are listed, too", owners, func(p *page) {
		foreign := atoi(p.World.Foreign["vastCreative"])
		p.shows(append(p.items, p.listOf(int64(foreign))...))
	}).graded(spec.Critical)
	pages("plain-in-empty", counts, "An empty creative lists the files of another", (*page).empty,
		func(p *page) {
			p.shows(p.listOf(p.idOf("vastCreative")))
		})
	pages("twice-for-another", "MEDIA-8 "+counts, "The first media file is also listed instead of the last one",
		several, twice)
	pages("twice-for-the-stranger", "MEDIA-8", "The stranger's first media file is also listed instead of the last one",
		func(p *page) bool { return several(p) && byStranger(p.exchange) }, twice)
	pages("null-item", "MEDIA-2 CREATIVE-1"+also, "A list ends with null", (*page).single,
		func(p *page) { p.shows(append(p.items, nil)) })
	pages("data-null-when-empty", "MEDIA-2", "The data of an empty list are null", (*page).empty,
		func(p *page) { p.items = nil })
	s.fault("list/scan-status-empty-unfinished", "CREATIVE-17", "The status of a scan is empty",
		answers(at("data.latestScanStatus.processingStatus", set(""))))
	s.fault("list/ids-drift", "MEDIA-9 "+counts, "The ids are others with every read",
		shows(func(x *exchange, item object) {
			item["id"] = int64(atoi(item["id"])) + 10_000*x.count()
		}))
	s.fault("list/sometimes-short", "MEDIA-9 "+counts, "Every third list lacks an item",
		when(nth(3), lists((*page).losesFirst)))
	s.everywhere("delete/strangers-too", "EFFECT-3", "Deleting a creative also deletes the stranger's VAST creative",
		afterDelete(anyPath, all(of(mediaFileList), byStranger, onForeign),
			refuse(404))).graded(spec.Critical)
}

// movingFields list items whose fields are others from read to read.
func movingFields(s *seeds, op *spec.Operation) {
	for _, f := range op.Representation().Fields {
		s.name = f.Name
		changing := func(another string, edit func(parent object, name string)) {
			s.fault("list/changing-{name}", "MEDIA-9 "+f.Clause, "Every second read shows "+another+" {name}",
				when(nth(2), answers(each(edit, f.Name))))
		}
		switch {
		case f.Moves == spec.MovesQuery:
			changing("another", set("https://example.com/another"))
		case f.Moves == spec.MovesLater:
			changing("an earlier", set(earlyDate))
		case f.Moves == "" && f.Meaning != "id" && f.Meaning != "nbMediaFiles":
			changing("another", to(anotherValue(f)))
		}
		if f.Stays && f.Date {
			s.fault("list/{name}-now", "MEDIA-9 "+f.Clause, "The {name} of an item is the time of each answer",
				shows(now(f)))
		}
	}
}

// earlyDate is earlier than every date of the world.
const earlyDate = "2020-02-02T02:02:02Z"

// anotherValue is a value of a field that no object of the world has.
func anotherValue(f *spec.Field) any {
	switch {
	case f.Date:
		return earlyDate
	case f.Type == "integer":
		return 7
	}
	return "another"
}

// askedPage returns the number of the requested page; 0 if that is not a number.
func askedPage(x *exchange) int { return atoi(strings.TrimPrefix(x.query, "page=")) }

// pageNumbers give a page numbers that do not fit its items, the collection or the request.
func pageNumbers(s *seeds, _ *spec.Operation) {
	wrong := func(name, clause, sentence, field string, value func(p *page) int) {
		s.fault("page/"+name, clause+" MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-8", sentence,
			lists(func(p *page) { p.numbers[field] = value(p) }))
	}
	one := func(*page) int { return 1 }
	plus := func(number string, n int) func(*page) int {
		return func(p *page) int { return p.number(number) + n }
	}
	wrong("count-one-more", "MEDIA-3", "count is one more than the items", "count", plus("count", 1))
	wrong("count-is-total", "MEDIA-3", "count is that of the collection", "count", plus("totalCount", 0))
	wrong("total-is-count", "MEDIA-4", "totalCount is the number of items on the page", "totalCount", plus("count", 0))
	wrong("total-one-more", "MEDIA-4", "totalCount is one too many", "totalCount", plus("totalCount", 1))
	wrong("total-so-far", "MEDIA-4", "totalCount is the number of items up to this page", "totalCount",
		func(p *page) int {
			return min(p.number("totalCount"), pageSize*p.number("page"))
		})
	wrong("page-from-zero", "MEDIA-5", "page counts from 0", "page", plus("page", -1))
	wrong("page-always-1", "MEDIA-5", "page is always 1", "page", one)
	wrong("empty-page-0", "MEDIA-5", "the page of an empty list is 0", "page",
		func(p *page) int {
			return min(p.number("page"), p.number("totalCount"))
		})
	wrong("pages-rounded-down", "MEDIA-6", "totalPages is rounded down", "totalPages",
		func(p *page) int { return p.number("totalCount") / pageSize })
	wrong("pages-always-1", "MEDIA-6", "totalPages is always 1", "totalPages", one)
}

// pageItems give the pages of a large collection wrong items under right numbers, as a wrong offset or limit does,
// answer a request for a page with another page, or compute its first item with an integer type that overflows.
func pageItems(s *seeds, _ *spec.Operation) {
	// cut gives a page the items of the collection from one place to another, both relative to those of page 1.
	cut := func(name, clause, sentence string, moves, from, to int) {
		s.fault("page/"+name, clause+" MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-7 MEDIA-9", sentence, lists(func(p *page) {
			if p.single() || p.number("page") > p.number("totalPages") {
				return
			}
			var all []any
			for n := range p.number("totalPages") {
				items, _ := p.asked("page=" + itoa(n+1)).data().([]any)
				all = append(all, items...)
			}
			start := (p.number("page") - 1) * moves
			p.items = all[max(start+from, 0):min(start+to, len(all))]
			p.numbers["count"] = len(p.items)
		}))
	}
	const size = pageSize
	cut("last-of-page-lost", "MEDIA-8", "The last item of each page is lost", size, 0, size-1)
	cut("overlap", "MEDIA-8", "Each page starts with the last item of the page before", size-1, 0, size)
	cut("offset-by-one", "MEDIA-8", "All pages start one item late", size, 1, size+1)
	cut("first-shorter", "MEDIA-6", "The first page has one item less than the next", size, -1, size-1)
	cut("items-of-page-1", "MEDIA-5", "Every page has the items of page 1", 0, 0, size)
	cut("everything", "MEDIA-6", "Every page has all items", 0, 0, math.MaxInt)
	// numbered shows the page of another query under a number.
	numbered := func(query string, number func(x *exchange) any) behaviour {
		return pageOf(query,
			func(p *page) { p.numbers["page"] = number(p.exchange) })
	}
	asAsked := func(x *exchange) any { return askedPage(x) }
	s.fault("list/page-1-is-second", "MEDIA-9 MEDIA-5 MEDIA-8",
		"The first page, asked for by its number, has the items of the second",
		when(asks("page=1"), numbered("page=2", asAsked)))
	s.fault("list/page-1-outdated", "DELETE-5 MEDIA-9 MEDIA-7",
		"A list asked for by the number of its page is as it was at the first request",
		inPlaceOf(200, always, func(a *answer) {
			if outdated := first(a.to, a.to.path, *a); asks("page=1")(a.to) {
				*a = outdated
			}
		}))
	s.fault("page/uncounted-beyond", "MEDIA-4 MEDIA-6", "a page after the last is answered as if there were no items",
		when(all(byOwner, asks("page=1000")), lists(func(p *page) {
			p.numbers["totalCount"] = 0
			p.numbers["page"] = 0
			p.numbers["totalPages"] = 0
		}))).graded(spec.Minor)
	for bits, most := range map[string]int{"32": math.MaxInt32, "64": math.MaxInt64} {
		above := func(x *exchange) bool { return askedPage(x) > most/pageSize }
		s.fault("page/overflow-"+bits+"-bit", "MEDIA-5",
			"a page whose first item has a number beyond "+bits+" bits has the items of page 1",
			when(above, numbered("", asAsked))).graded(spec.Minor)
	}
	s.fault("decoding/page-fraction-shown/"+mediaFileList, "MEDIA-5 MEDIA-2",
		"page=1.5 is shown as the page, which is no integer then",
		when(asks("page=1.5"), numbered("", func(*exchange) any {
			return json.Number("1.5")
		}))).graded(spec.Minor).
		choosing(func(c *reference.Choices) { c.MalformedPage = 0 })
}

const (
	ifNoneMatch     = "If-None-Match"
	ifModifiedSince = "If-Modified-Since"
)

// validated gives lists an entity tag and a date, and answers 304 where HTTP says so. Either may be nil. changed is
// when a creative was last deleted.
func validated(tag func(a *answer) string, modified func(changed time.Time) time.Time) behaviour {
	return func(x *exchange) *answer {
		a := x.forward()
		if of(creativeDelete)(x) && a.ok() { // nothing else changes lists
			x.keep("changed", time.Now())
		}
		if !of(mediaFileList)(x) || !a.ok() {
			return a
		}
		asked := httptest.NewRequestWithContext(x.ctx, http.MethodGet, "/", nil)
		told := httptest.NewRecorder()
		date := time.Time{}
		asked.Header = http.Header{
			ifNoneMatch: x.header[ifNoneMatch], ifModifiedSince: x.header[ifModifiedSince],
		}
		maps.Copy(told.Header(), a.header)
		if tag != nil {
			told.Header().Set("ETag", tag(a))
		}
		if modified != nil {
			changed, _ := recall[time.Time](x, "changed")
			date = modified(cmp.Or(changed, x.started.Add(-time.Hour)))
		}
		http.ServeContent(told, asked, "", date, bytes.NewReader(a.body))
		return &answer{
			to: x, status: told.Code, header: told.Header(),
			body: told.Body.Bytes(),
		}
	}
}

func bodyTag(a *answer) string {
	return fmt.Sprintf(`"%x"`, sha256.Sum256(a.body))[:20] + `"`
}

func whenChanged(changed time.Time) time.Time { return changed }

// announced gives lists a tag, and lets a 304 have the length of the list, and what follows the head.
func announced(format string) behaviour {
	return func(x *exchange) *answer {
		a := validated(bodyTag, nil)(x)
		if a.status == http.StatusNotModified {
			a.body = x.forward().body
			framed("ETag: " + a.header.Get("ETag") + "\r\nContent-Length: %[2]d\r\n\r\n" + format)(a)
		}
		return a
	}
}

// wrongTags answer 304 when that is wrong, or fail on a condition.
func wrongTags(s *seeds, _ *spec.Operation) {
	add := func(name, clauses, sentence string, does behaviour) {
		s.fault("conditional/"+name, clauses, mediaFileList+": "+sentence, does)
	}
	// instead does something else where a condition holds, and tags the other lists correctly.
	instead := func(name, clauses, sentence string, does behaviour, is ...condition) {
		add(name, clauses, sentence, func(x *exchange) *answer {
			if of(mediaFileList)(x) && all(is...)(x) {
				return does(x)
			}
			return validated(bodyTag, whenChanged)(x)
		})
	}
	unchanged := empty(http.StatusNotModified)
	tag := header(ifNoneMatch, `"`)
	dated := header(ifModifiedSince, "")
	badDate := headerIs(ifModifiedSince,
		func(asked string) bool { _, err := http.ParseTime(asked); return err != nil })
	fixedDate := func(time.Time) time.Time {
		return time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC)
	}
	pathTag := func(a *answer) string {
		return `"` + strings.ReplaceAll(a.to.path, "/", ".") + `"`
	}
	add("tag-of-the-path", "HTTP-4 DELETE-5", "the entity tag is made of the path alone", validated(pathTag, nil))
	add("date-stands", "HTTP-4", "Last-Modified stays where it was", validated(nil, fixedDate))
	add("304-with-content", "HTTP-2", "a 304 comes with the list", announced("%[1]s"))
	instead("any-tag", "HTTP-4", "304 for every entity tag", unchanged, byOwner, tag)
	instead("any-date", "HTTP-4", "304 for every If-Modified-Since", unchanged, byOwner, dated)
	instead("304-for-nobody", "AUTH-1", "a request without a key and with an entity tag gets 304",
		unchanged, noKey, tag)
	instead("304-for-the-stranger", "AUTH-2", "a stranger's request with an entity tag gets 304", unchanged,
		byStranger, tag)
	instead("304-unasked", "MEDIA-1 ERR-12 HTTP-4", "every second request of the owner gets 304, asked or not",
		unchanged, byOwner, nth(2))
	instead("fails-on-a-tag", "HTTP-1 HTTP-4", "a request with an entity tag makes the server fail", refuse(500), tag)
	instead("fails-on-a-bad-date", "HTTP-1 HTTP-4", "an If-Modified-Since that is no date makes the server fail",
		refuse(500), badDate)
}

// conditionalVariants tag their lists as HTTP allows.
func conditionalVariants(s *seeds) {
	tagged := func(id, sentence string, does behaviour) {
		s.variant("wire/"+id, sentence, "list-validators", does)
	}
	weak := func(a *answer) string { return "W/" + bodyTag(a) }
	another := func(a *answer) string {
		return fmt.Sprintf(`"r%04d"`, a.to.count())
	}
	now := func(time.Time) time.Time { return time.Now() }
	never := inPlaceOf(200, of(mediaFileList),
		func(a *answer) { a.header.Set("ETag", bodyTag(a)) })
	tagged("etag-strong", "Lists have a strong entity tag", validated(bodyTag, nil))
	tagged("etag-weak", "Lists have a weak entity tag", validated(weak, nil))
	tagged("etag-without-304", "Lists have an entity tag, and no answer is 304", never)
	tagged("etag-each-time", "Lists have another entity tag at each read", validated(another, nil))
	tagged("last-modified", "Lists have a date", validated(nil, whenChanged))
	tagged("last-modified-now", "Lists have the time of the answer as their date", validated(nil, now))
	tagged("etag-and-last-modified", "Lists have an entity tag and a date", validated(bodyTag, whenChanged))
	tagged("304-with-length", "A 304 has the length that the list would have", announced(""))
}
