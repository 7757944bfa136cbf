package faults

import (
	"math"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// pageSize is how many items a page of the reference has.
const pageSize = 100

// wrongNumbers are numbers of a page that do not fit its items, the collection or what was
// asked for.
var wrongNumbers = []struct {
	name, clause, sentence, field string
	value                         func(p *page) int
}{
	{"count-one-more", "MEDIA-3", "count is one more than the items", "count", plus("count", 1)},
	{"count-one-less", "MEDIA-3", "count is one less than the items", "count", plus("count", -1)},
	{"count-is-total", "MEDIA-3", "count is that of the collection", "count", plus("totalCount", 0)},
	{"count-zero", "MEDIA-3", "count is always 0", "count", fixed(0)},
	{"total-is-count", "MEDIA-4", "totalCount is the number of items on the page", "totalCount", plus("count", 0)},
	{"total-one-more", "MEDIA-4", "totalCount is one too many", "totalCount", plus("totalCount", 1)},
	{"total-so-far", "MEDIA-4", "totalCount is the number of items up to this page", "totalCount", func(p *page) int {
		return min(p.number("totalCount"), pageSize*p.number("page"))
	}},
	{"total-capped", "MEDIA-4", "totalCount is at most 200", "totalCount", func(p *page) int { return min(p.number("totalCount"), 200) }},
	{"page-from-zero", "MEDIA-5", "page counts from 0", "page", plus("page", -1)},
	{"page-one-more", "MEDIA-5", "page is one too many", "page", plus("page", 1)},
	{"page-always-1", "MEDIA-5", "page is always 1", "page", fixed(1)},
	{"empty-page-0", "MEDIA-5", "the page of an empty list is 0", "page", func(p *page) int {
		if p.number("totalCount") == 0 {
			return 0
		}
		return p.number("page")
	}},
	{"pages-one-more", "MEDIA-6", "totalPages is one too many", "totalPages", plus("totalPages", 1)},
	{"pages-rounded-down", "MEDIA-6", "totalPages is rounded down", "totalPages", func(p *page) int {
		return p.number("totalCount") / pageSize
	}},
	{"pages-always-1", "MEDIA-6", "totalPages is always 1", "totalPages", fixed(1)},
}

func fixed(n int) func(*page) int { return func(*page) int { return n } }

func plus(number string, n int) func(*page) int {
	return func(p *page) int { return p.number(number) + n }
}

func pageNumbers(*spec.Operation) []row {
	var rows []row
	for _, w := range wrongNumbers {
		rows = append(rows, fault(w.name, w.clause+" MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-8", w.sentence,
			lists(func(p *page) { p.numbers[w.field] = w.value(p) })))
	}
	return rows
}

// wrongWindows are what a wrong offset or limit leaves on the pages of a collection
// with several, all in the order of ids.
var wrongWindows = []struct {
	name, clause, sentence string
	pick                   func(all []any, page int) []any
}{
	{"last-of-page-lost", "MEDIA-8", "The last item of each page is lost", shiftedBy(0, -1)},
	{"overlap", "MEDIA-8", "Each page starts with the last item of the page before", shiftedBy(-1, -1)},
	{"offset-by-one", "MEDIA-8", "All pages start one item late", shiftedBy(1, 1)},
	{"items-of-page-1", "MEDIA-5", "Every page has the items of page 1", func(all []any, _ int) []any { return window(all, 1) }},
	{"items-of-next-page", "MEDIA-8", "Every page has the items of the next", shiftedBy(pageSize, pageSize)},
	{"everything", "MEDIA-6", "Every page has all items", func(all []any, _ int) []any { return all }},
	{"second-page-twice", "MEDIA-8", "Pages after the second are the second", func(all []any, page int) []any {
		return window(all, min(page, 2))
	}},
	{"unstable-order", "MEDIA-8", "Each page is cut from another order of the items", func(all []any, page int) []any {
		return window(slices.Concat(all[page*7:], all[:page*7]), page)
	}},
}

// window are the items of a page, and shiftedBy those from a little before or after
// its start to a little before or after its end.
func window(all []any, page int) []any { return slice(all, (page-1)*pageSize, page*pageSize) }

func shiftedBy(start, end int) func(all []any, page int) []any {
	return func(all []any, page int) []any { return slice(all, (page-1)*pageSize+start, page*pageSize+end) }
}

func slice(all []any, from, to int) []any {
	to = min(max(to, 0), len(all))
	return all[min(max(from, 0), to):to]
}

// pageItems are right numbers over wrong items.
func pageItems(*spec.Operation) []row {
	const also = " MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-7 MEDIA-9"
	within := func(p *page) bool { return !p.single() && p.number("page") <= p.number("totalPages") }
	var rows []row
	for _, w := range wrongWindows {
		rows = append(rows, wrongPage(w.name, w.clause+also, w.sentence, within, func(p *page) {
			var all []any
			for n := range p.number("totalPages") {
				all = append(all, p.listed(p.with(asking("page="+itoa(n+1))))...)
			}
			p.items = w.pick(all, p.number("page"))
			p.numbers["count"] = len(p.items)
		}))
	}
	nextPage := func(x *exchange) *answer {
		if page := askedPage(x); page > 0 && page < 10 {
			return x.send(x.with(asking("page=" + itoa(page+1))))
		}
		return x.forward()
	}
	return append(rows,
		fault("one-off", "MEDIA-5 MEDIA-8"+also, "The page parameter counts from 0 and page from 1", nextPage),
		fault("large-short", "MEDIA-7 MEDIA-4 MEDIA-6 MEDIA-8 MEDIA-9",
			"A large collection lacks its last item from the third look on, and all numbers agree", func(x *exchange) *answer {
				return x.forward().paged(func(p *page) {
					if p.single() || x.count() < 3 {
						return
					}
					p.add("totalCount", -1)
					if p.number("page") == p.number("totalPages") {
						p.items = p.items[:len(p.items)-1]
						p.numbers["count"] = len(p.items)
					}
				})
			}))
}

// askedPage is the number of the page that is asked for; 0 where it is no number.
func askedPage(x *exchange) int { return atoi(strings.TrimPrefix(x.query, "page=")) }

// misplaced are answers to what is no page, or is beyond the last, that call themselves page 1
// and are not, tell of no items at all, or have a number that nobody asked for.
func misplaced(*spec.Operation) []row {
	beyond := asks("page=1000")
	malformed := func(x *exchange) bool {
		return strings.HasPrefix(x.query, "page=") && (askedPage(x) < 1 || x.query != "page="+itoa(askedPage(x)))
	}
	var rows []row
	for _, asked := range []struct {
		name, sentence string
		is             condition
	}{{"beyond", "a page after the last", beyond}, {"malformed", "a page that is no number of one", malformed}} {
		first := func(name, clauses, sentence string, change func(p *page)) {
			does := func(x *exchange) *answer { return x.send(x.with(asking(""))).paged(change) }
			rows = append(rows, fault(name+"-"+asked.name, clauses, asked.sentence+" is answered "+sentence, when(asked.is, does)).graded(Minor))
		}
		first("lost", "MEDIA-4 MEDIA-5 MEDIA-6", "with page 1, without its items", func(p *page) {
			p.numbers["count"], p.items = 0, []any{}
		})
		first("uncounted", "MEDIA-4 MEDIA-6", "as if there were no items", func(p *page) {
			p.items = []any{}
			p.numbers["count"], p.numbers["totalCount"], p.numbers["page"], p.numbers["totalPages"] = 0, 0, 0, 0
		})
	}
	return append(rows, fault("beyond-one-less", "MEDIA-5", "page=1000 is answered with an empty page 999",
		when(beyond, lists(func(p *page) { p.numbers["page"] = 999 }))).graded(Minor))
}

// overflowing are page numbers at which an integer ends, or its product with the size of a page.
var overflowing = []string{"2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807"}

// overflown find a page by arithmetic that fails on large numbers, or comes out at page 1.
func overflown(*spec.Operation) []row {
	wraps := func(name string, from int, sentence string) row {
		far := func(x *exchange) bool { return askedPage(x) > from }
		return fault("overflow-"+name, "MEDIA-5", sentence+" has the items of page 1", when(far, func(x *exchange) *answer {
			return x.send(x.with(asking(""))).paged(func(p *page) { p.numbers["page"] = askedPage(x) })
		})).graded(Minor)
	}
	rows := []row{
		wraps("32-bit", math.MaxInt32/pageSize, "a page whose first item has a number beyond 32 bits"),
		wraps("64-bit", math.MaxInt64/pageSize, "a page whose first item has a number beyond 64 bits"),
	}
	for _, n := range overflowing {
		rows = append(rows, fault("overflow-"+n+"-500", "HTTP-1", "the server fails on page="+n, crashes(asks("page="+n))))
	}
	return rows
}
