package faults

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/adconform/adconform/spec"
)

// pageFaults are pages whose numbers do not agree with one another, with the
// items, or with what was asked for.
func pageFaults(*spec.Contract) []Fault {
	return slices.Concat(pageNumbers(), pageItems())
}

func paged(name, clause, sentence string, also []string, change func(x *exchange, p map[string]any, items []any) []any) Fault {
	return Fault{
		ID: "page/" + name, Clause: clause, Also: also, Sentence: sentence + ".",
		Wrap: each(on(mediaFileList, func(x *exchange) *answer {
			return x.forward().page(func(p map[string]any, items []any) []any { return change(x, p, items) })
		})),
	}
}

// pageNumbers are wrong numbers over right items.
func pageNumbers() []Fault {
	all := []string{"MEDIA-3", "MEDIA-4", "MEDIA-5", "MEDIA-6", "MEDIA-8"}
	set := func(name, clause, sentence, field string, value func(p map[string]any, items []any) int) Fault {
		return paged(name, clause, sentence, all, func(_ *exchange, p map[string]any, items []any) []any {
			p[field] = value(p, items)
			return items
		})
	}
	n := func(p map[string]any, name string) int { return number(p[name]) }
	return []Fault{
		set("count-one-more", "MEDIA-3", "count is one more than the items", "count", func(p map[string]any, _ []any) int { return n(p, "count") + 1 }),
		set("count-one-less", "MEDIA-3", "count is one less than the items", "count", func(p map[string]any, _ []any) int { return n(p, "count") - 1 }),
		set("count-is-total", "MEDIA-3", "count is that of the collection", "count", func(p map[string]any, _ []any) int { return n(p, "totalCount") }),
		set("count-is-page-size", "MEDIA-3", "count is the size of a full page", "count", func(map[string]any, []any) int { return 100 }),
		set("count-zero", "MEDIA-3", "count is always 0", "count", func(map[string]any, []any) int { return 0 }),
		set("count-constant", "MEDIA-3", "count is always 3", "count", func(map[string]any, []any) int { return 3 }),
		set("total-is-count", "MEDIA-4", "totalCount is the number of items on the page", "totalCount", func(p map[string]any, _ []any) int { return n(p, "count") }),
		set("total-one-more", "MEDIA-4", "totalCount is one too many", "totalCount", func(p map[string]any, _ []any) int { return n(p, "totalCount") + 1 }),
		set("total-one-less", "MEDIA-4", "totalCount is one too few", "totalCount", func(p map[string]any, _ []any) int { return n(p, "totalCount") - 1 }),
		set("total-zero", "MEDIA-4", "totalCount is always 0", "totalCount", func(map[string]any, []any) int { return 0 }),
		set("total-so-far", "MEDIA-4", "totalCount is the number of items up to this page", "totalCount", func(p map[string]any, _ []any) int {
			return min(n(p, "totalCount"), 100*n(p, "page"))
		}),
		set("total-capped", "MEDIA-4", "totalCount is at most 200", "totalCount", func(p map[string]any, _ []any) int { return min(n(p, "totalCount"), 200) }),
		set("total-with-own", "MEDIA-4", "totalCount counts the creative itself where there are several pages", "totalCount", func(p map[string]any, _ []any) int {
			if n(p, "totalPages") > 1 {
				return n(p, "totalCount") + 1
			}
			return n(p, "totalCount")
		}),
		set("total-of-all", "MEDIA-4", "totalCount is that of all creatives", "totalCount", func(map[string]any, []any) int { return 276 }),
		set("page-from-zero", "MEDIA-5", "page counts from 0", "page", func(p map[string]any, _ []any) int { return n(p, "page") - 1 }),
		set("page-one-more", "MEDIA-5", "page is one too many", "page", func(p map[string]any, _ []any) int { return n(p, "page") + 1 }),
		set("page-always-1", "MEDIA-5", "page is always 1", "page", func(map[string]any, []any) int { return 1 }),
		set("page-is-total-pages", "MEDIA-5", "page is the last page's number", "page", func(p map[string]any, _ []any) int { return n(p, "totalPages") }),
		set("page-is-offset", "MEDIA-5", "page is the number of the first item", "page", func(p map[string]any, _ []any) int { return (n(p, "page")-1)*100 + 1 }),
		set("single-page-0", "MEDIA-5", "the only page is page 0", "page", func(p map[string]any, _ []any) int {
			if n(p, "totalPages") <= 1 {
				return 0
			}
			return n(p, "page")
		}),
		set("empty-page-0", "MEDIA-5", "the page of an empty list is 0", "page", func(p map[string]any, _ []any) int {
			if n(p, "totalCount") == 0 {
				return 0
			}
			return n(p, "page")
		}),
		set("page-negative", "MEDIA-5", "page is -1", "page", func(map[string]any, []any) int { return -1 }),
		set("pages-one-more", "MEDIA-6", "totalPages is one too many", "totalPages", func(p map[string]any, _ []any) int { return n(p, "totalPages") + 1 }),
		set("pages-one-less", "MEDIA-6", "totalPages is one too few", "totalPages", func(p map[string]any, _ []any) int { return n(p, "totalPages") - 1 }),
		set("pages-rounded-down", "MEDIA-6", "totalPages is rounded down", "totalPages", func(p map[string]any, _ []any) int { return n(p, "totalCount") / 100 }),
		set("pages-always-1", "MEDIA-6", "totalPages is always 1", "totalPages", func(map[string]any, []any) int { return 1 }),
		set("pages-are-items", "MEDIA-6", "totalPages is the number of items", "totalPages", func(p map[string]any, _ []any) int { return n(p, "totalCount") }),
		set("pages-left", "MEDIA-6", "totalPages is the number of pages that are left", "totalPages", func(p map[string]any, _ []any) int {
			return n(p, "totalPages") - n(p, "page") + 1
		}),
		set("pages-negative", "MEDIA-6", "totalPages is -1", "totalPages", func(map[string]any, []any) int { return -1 }),
	}
}

// pageItems are right numbers over wrong items: what a wrong offset or limit
// leaves on the pages.
func pageItems() []Fault {
	also := []string{"MEDIA-3", "MEDIA-4", "MEDIA-5", "MEDIA-6", "MEDIA-7", "MEDIA-9"}
	// window shows, of a collection with several pages, the items that pick
	// takes from it, all in the order of ids.
	window := func(name, clause, sentence string, pick func(all []any, page int) []any) Fault {
		return paged(name, clause, sentence, also, func(x *exchange, p map[string]any, items []any) []any {
			if number(p["totalPages"]) < 2 || number(p["page"]) > number(p["totalPages"]) {
				return items
			}
			picked := pick(x.collection(number(p["totalPages"])), number(p["page"]))
			p["count"] = len(picked)
			return picked
		})
	}
	slice := func(all []any, from, to int) []any {
		to = min(max(to, 0), len(all))
		return all[min(max(from, 0), to):to]
	}
	return []Fault{
		window("last-of-page-lost", "MEDIA-8", "The last item of each page is lost", func(all []any, page int) []any { return slice(all, (page-1)*100, page*100-1) }),
		window("overlap", "MEDIA-8", "Each page starts with the last item of the page before", func(all []any, page int) []any { return slice(all, (page-1)*100-1, page*100-1) }),
		window("long-pages", "MEDIA-8", "Each page has one item of the next", func(all []any, page int) []any { return slice(all, (page-1)*100, page*100+1) }),
		window("offset-by-one", "MEDIA-8", "All pages start one item late", func(all []any, page int) []any { return slice(all, (page-1)*100+1, page*100+1) }),
		window("items-of-page-1", "MEDIA-5", "Every page has the items of page 1", func(all []any, _ int) []any { return slice(all, 0, 100) }),
		window("items-of-next-page", "MEDIA-8", "Every page has the items of the next", func(all []any, page int) []any { return slice(all, page*100, page*100+100) }),
		window("last-page-empty", "MEDIA-8", "The last page is empty", func(all []any, page int) []any {
			if page*100 > len(all) {
				return []any{}
			}
			return slice(all, (page-1)*100, page*100)
		}),
		window("last-item-lost", "MEDIA-8", "The last item of the last page is lost", func(all []any, page int) []any { return slice(all, (page-1)*100, min(page*100, len(all)-1)) }),
		window("last-page-full", "MEDIA-8", "The last page is filled up from the page before", func(all []any, page int) []any {
			to := min(page*100, len(all))
			return slice(all, to-100, to)
		}),
		window("everything", "MEDIA-6", "Every page has all items", func(all []any, _ int) []any { return all }),
		window("page-size-changes", "MEDIA-8", "Pages after the first are half as long", func(all []any, page int) []any {
			if page == 1 {
				return slice(all, 0, 100)
			}
			return slice(all, (page-1)*50, page*50)
		}),
		window("second-page-twice", "MEDIA-8", "Pages after the second are the second", func(all []any, page int) []any {
			page = min(page, 2)
			return slice(all, (page-1)*100, page*100)
		}),
		window("unstable-order", "MEDIA-8", "Each page is cut from another order of the items", func(all []any, page int) []any {
			rotated := slices.Concat(all[page*7:], all[:page*7])
			return slice(rotated, (page-1)*100, page*100)
		}),
		{
			ID: "page/large-short", Clause: "MEDIA-7", Also: []string{"MEDIA-4", "MEDIA-6", "MEDIA-8", "MEDIA-9"}, Sentence: "A large collection lacks its last item from the third look on, and all numbers agree.",
			Wrap: fresh(func() behaviour {
				var seen counter
				return on(mediaFileList, func(x *exchange) *answer {
					return x.forward().page(func(p map[string]any, items []any) []any {
						if number(p["totalPages"]) < 2 || seen.next() < 3 {
							return items
						}
						total := number(p["totalCount"])
						p["totalCount"] = total - 1
						if number(p["page"]) == number(p["totalPages"]) {
							items = items[:len(items)-1]
							p["count"] = len(items)
						}
						return items
					})
				})
			}),
		},
		paged("number-only", "MEDIA-5", "The page parameter changes the number and nothing else", also, func(x *exchange, p map[string]any, items []any) []any {
			if x.query == "" || number(p["totalPages"]) < 2 || number(p["page"]) > number(p["totalPages"]) {
				return items
			}
			p["count"] = 100
			return slice(x.collection(number(p["totalPages"])), 0, 100)
		}),
		{
			ID: "page/one-off", Clause: "MEDIA-5", Also: append(also, "MEDIA-8"), Sentence: "The page parameter counts from 0 and page from 1.",
			Wrap: each(on(mediaFileList, func(x *exchange) *answer {
				q, _ := url.ParseQuery(x.query)
				if page := q.Get("page"); page != "" && page != "abc" && atoi(page) > 0 && atoi(page) < 10 {
					return x.send(x.request.with(func(r *request) { r.query = fmt.Sprintf("page=%d", atoi(page)+1) }))
				}
				return x.forward()
			})),
		},
	}
}

// collection are all items of the list that the exchange asks for.
func (x *exchange) collection(pages int) []any {
	var all []any
	for page := range pages {
		a := x.peek(x.request.with(func(r *request) { r.query = fmt.Sprintf("page=%d", page+1) }))
		doc, _ := decode(a.body).(map[string]any)
		items, _ := doc["data"].([]any)
		all = append(all, items...)
	}
	return all
}
