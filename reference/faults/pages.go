package faults

import (
	"math"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// askedPage is the number of the page that is asked for; 0 where it is no number.
func askedPage(x *exchange) int { return atoi(strings.TrimPrefix(x.query, "page=")) }

// pageOf answers with the page of another query, which is changed.
func pageOf(query string, change func(p *page)) behaviour {
	return func(x *exchange) *answer {
		return x.send(x.with(asking(query))).paged(func(p *page) {
			p.exchange = x
			change(p)
		})
	}
}

// pageNumbers are numbers of a page that do not fit its items, the collection or what was asked for.
func pageNumbers(*spec.Operation) []row {
	wrong := func(name, clause, sentence, field string, value func(p *page) int) row {
		return fault(name, clause+" MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-8", sentence,
			lists(func(p *page) { p.numbers[field] = value(p) }))
	}
	fixed := func(n int) func(*page) int { return func(*page) int { return n } }
	plus := func(number string, n int) func(*page) int { return func(p *page) int { return p.number(number) + n } }
	atMost := func(number string, most func(p *page) int) func(*page) int {
		return func(p *page) int { return min(p.number(number), most(p)) }
	}
	return []row{
		wrong("count-one-more", "MEDIA-3", "count is one more than the items", "count", plus("count", 1)),
		wrong("count-one-less", "MEDIA-3", "count is one less than the items", "count", plus("count", -1)),
		wrong("count-is-total", "MEDIA-3", "count is that of the collection", "count", plus("totalCount", 0)),
		wrong("total-is-count", "MEDIA-4", "totalCount is the number of items on the page", "totalCount", plus("count", 0)),
		wrong("total-one-more", "MEDIA-4", "totalCount is one too many", "totalCount", plus("totalCount", 1)),
		wrong("total-so-far", "MEDIA-4", "totalCount is the number of items up to this page", "totalCount",
			atMost("totalCount", func(p *page) int { return pageSize * p.number("page") })),
		wrong("total-capped", "MEDIA-4", "totalCount is at most 200", "totalCount", atMost("totalCount", fixed(200))),
		wrong("page-from-zero", "MEDIA-5", "page counts from 0", "page", plus("page", -1)),
		wrong("page-one-more", "MEDIA-5", "page is one too many", "page", plus("page", 1)),
		wrong("page-always-1", "MEDIA-5", "page is always 1", "page", fixed(1)),
		wrong("empty-page-0", "MEDIA-5", "the page of an empty list is 0", "page", atMost("page", plus("totalCount", 0))),
		wrong("pages-one-more", "MEDIA-6", "totalPages is one too many", "totalPages", plus("totalPages", 1)),
		wrong("pages-rounded-down", "MEDIA-6", "totalPages is rounded down", "totalPages", func(p *page) int {
			return p.number("totalCount") / pageSize
		}),
		wrong("pages-always-1", "MEDIA-6", "totalPages is always 1", "totalPages", fixed(1)),
	}
}

// pageItems are right numbers over wrong items: what a wrong offset or limit leaves on the pages of a collection
// with several, all in the order of ids.
func pageItems(*spec.Operation) []row {
	const also = " MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-7 MEDIA-9"
	within := func(p *page) bool { return !p.single() && p.number("page") <= p.number("totalPages") }
	cut := func(name, clause, sentence string, pick func(all []any, page int) []any) row {
		return wrongPage(name, clause+also, sentence, within, func(p *page) {
			var all []any
			for n := range p.number("totalPages") {
				all = append(all, p.listed(p.with(asking("page="+itoa(n+1))))...)
			}
			p.items = pick(all, p.number("page"))
			p.numbers["count"] = len(p.items)
		})
	}
	slice := func(all []any, from, to int) []any {
		to = min(max(to, 0), len(all))
		return all[min(max(from, 0), to):to]
	}
	window := func(all []any, page int) []any { return slice(all, (page-1)*pageSize, page*pageSize) }
	shifted := func(start, end int) func(all []any, page int) []any {
		return func(all []any, page int) []any { return slice(all, (page-1)*pageSize+start, page*pageSize+end) }
	}
	return []row{
		cut("last-of-page-lost", "MEDIA-8", "The last item of each page is lost", shifted(0, -1)),
		cut("overlap", "MEDIA-8", "Each page starts with the last item of the page before", shifted(-1, -1)),
		cut("offset-by-one", "MEDIA-8", "All pages start one item late", shifted(1, 1)),
		cut("items-of-page-1", "MEDIA-5", "Every page has the items of page 1", func(all []any, _ int) []any { return window(all, 1) }),
		cut("items-of-next-page", "MEDIA-8", "Every page has the items of the next", shifted(pageSize, pageSize)),
		cut("everything", "MEDIA-6", "Every page has all items", func(all []any, _ int) []any { return all }),
		cut("second-page-twice", "MEDIA-8", "Pages after the second are the second",
			func(all []any, page int) []any { return window(all, min(page, 2)) }),
		cut("unstable-order", "MEDIA-8", "Each page is cut from another order of the items",
			func(all []any, page int) []any { return window(slices.Concat(all[page*7:], all[:page*7]), page) }),
		fault("one-off", "MEDIA-5 MEDIA-8"+also, "The page parameter counts from 0 and page from 1", func(x *exchange) *answer {
			if page := askedPage(x); page > 0 && page < 10 {
				return x.send(x.with(asking("page=" + itoa(page+1))))
			}
			return x.forward()
		}),
		fault("large-short", "MEDIA-7 MEDIA-4 MEDIA-6 MEDIA-8 MEDIA-9",
			"A large collection lacks its last item from the third look on, and all numbers agree", answers(func(x *exchange, a *answer) *answer {
				return a.paged(func(p *page) {
					if p.single() || x.count() < 3 {
						return
					}
					p.numbers["totalCount"] = p.number("totalCount") - 1
					if p.number("page") == p.number("totalPages") {
						p.items = p.items[:len(p.items)-1]
						p.numbers["count"] = len(p.items)
					}
				})
			})),
	}
}

// overflowing are page numbers at which an integer ends, or its product with the size of a page.
var overflowing = []string{"2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807"}

// misplaced are answers to what is no page, or is beyond the last, that call themselves page 1
// and are not, tell of no items at all, or have a number that nobody asked for; and servers that find
// a page by arithmetic that fails on large numbers, or comes out at page 1.
func misplaced(*spec.Operation) []row {
	beyond := asks("page=1000")
	malformed := func(x *exchange) bool {
		return strings.HasPrefix(x.query, "page=") && (askedPage(x) < 1 || x.query != "page="+itoa(askedPage(x)))
	}
	first := func(name, clauses, sentence string, is condition, change func(p *page)) row {
		return fault(name, clauses, sentence, when(is, pageOf("", change))).graded(Minor)
	}
	lost := func(p *page) { p.numbers["count"], p.items = 0, []any{} }
	uncounted := func(p *page) {
		p.items = []any{}
		p.numbers["count"], p.numbers["totalCount"], p.numbers["page"], p.numbers["totalPages"] = 0, 0, 0, 0
	}
	above := func(page int) condition { return func(x *exchange) bool { return askedPage(x) > page } }
	renumbered := func(p *page) { p.numbers["page"] = askedPage(p.exchange) }
	const emptied, numbers = "MEDIA-4 MEDIA-5 MEDIA-6", "MEDIA-4 MEDIA-6"
	rows := []row{
		first("lost-beyond", emptied, "a page after the last is answered with page 1, without its items", beyond, lost),
		first("lost-malformed", emptied, "a page that is no number of one is answered with page 1, without its items", malformed, lost),
		first("uncounted-beyond", numbers, "a page after the last is answered as if there were no items", beyond, uncounted),
		first("uncounted-malformed", numbers, "a page that is no number of one is answered as if there were no items", malformed, uncounted),
		fault("beyond-one-less", "MEDIA-5", "page=1000 is answered with an empty page 999",
			when(beyond, lists(func(p *page) { p.numbers["page"] = 999 }))).graded(Minor),
		first("overflow-32-bit", "MEDIA-5", "a page whose first item has a number beyond 32 bits has the items of page 1",
			above(math.MaxInt32/pageSize), renumbered),
		first("overflow-64-bit", "MEDIA-5", "a page whose first item has a number beyond 64 bits has the items of page 1",
			above(math.MaxInt64/pageSize), renumbered),
	}
	for _, n := range overflowing {
		rows = append(rows, fault("overflow-"+n+"-500", "HTTP-1", "the server fails on page="+n, crashes(asks("page="+n))))
	}
	return rows
}
