package faults

import (
	"maps"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// pageSize is how many items a page of the reference has.
const pageSize = 100

// wrongPage is a fault that changes pages of which a condition holds.
func wrongPage(name, clauses, sentence string, is func(p *page) bool, change func(p *page)) row {
	return fault(name, clauses, sentence, lists(func(p *page) {
		if is(p) {
			change(p)
		}
	}))
}

// Conditions of pages.

func anyPage(*page) bool     { return true }
func (p *page) single() bool { return p.number("totalPages") <= 1 }
func (p *page) whole() bool  { return p.single() && len(p.items) > 0 }
func (p *page) empty() bool  { return len(p.items) == 0 }
func (p *page) mine() bool   { return onMine(p.exchange) }

// Changes of pages.

// shows sets the items, and the counts of a page that is the whole list.
func (p *page) shows(items []any) {
	p.items = items
	if p.single() {
		p.numbers["count"], p.numbers["totalCount"] = len(items), len(items)
	}
}

func (p *page) empties() {
	p.numbers["totalPages"] = 1
	p.shows([]any{})
}

// losesFirst takes the first item away, where there is one, and last puts one in place of the last.
func (p *page) losesFirst() { p.shows(p.items[min(1, len(p.items)):]) }

func (p *page) last(item any) {
	n := len(p.items) - 1
	p.items = append(p.items[:n:n], item)
}

// each changes a copy of each item.
func (p *page) each(change func(i int, item object)) {
	for i := range p.items {
		p.items[i] = changed(p.items[i], func(item object) { change(i, item) })
	}
}

// changed is an item with own members that are changed; empty for what is no object.
func changed(item any, change func(item object)) object {
	copied := object{}
	fields, _ := item.(object)
	maps.Copy(copied, fields)
	change(copied)
	return copied
}

// listOf are the items of another creative's list, as the user with this key sees it.
func (x *exchange) listOf(creative int64, key string) []any {
	return x.listed(x.with(x.as(key), x.to(itoa(creative))))
}

const listCounts = " MEDIA-3 MEDIA-4 MEDIA-8 MEDIA-9"

// wrongMembers are lists with an item too many or too few.
func wrongMembers(*spec.Operation) []row {
	foreign := func(p *page) bool { return p.single() && byOwner(p.exchange) }
	firstOfMine := func(p *page) bool { return p.mine() && !p.empty() }
	several := func(p *page) bool { return len(p.items) > 1 }
	const counts = "MEDIA-7" + listCounts
	return []row{
		wrongPage("always-empty", counts, "The list is always empty", anyPage, (*page).empties),
		wrongPage("first-lost", counts, "The first media file is not listed", (*page).whole, (*page).losesFirst),
		wrongPage("one-exchanged", "MEDIA-7", "One media file is listed that belongs elsewhere, in place of one that belongs here",
			firstOfMine, func(p *page) { p.last(p.listOf(p.World.Objects["vastCreative"][0].ID+20, p.owner())[0]) }),
		wrongPage("own-listed", counts, "The list starts with the creative itself", (*page).whole, func(p *page) {
			p.shows(append([]any{changed(p.items[0], func(own object) { own["id"] = atoi(p.lastID()) })}, p.items...))
		}),
		wrongPage("foreign-listed", counts, "Media files of the stranger's are listed too", foreign, func(p *page) {
			p.shows(append(p.items, p.listOf(p.World.Foreign["vastCreative"], p.stranger())...))
		}).graded(Critical),
		wrongPage("other-listed", counts, "The media files are those of another creative", (*page).mine,
			func(p *page) { p.shows(p.listOf(p.disposable(0), p.owner())) }),
		wrongPage("plain-in-empty", counts, "An empty creative lists the files of another", (*page).empty, func(p *page) {
			p.numbers["totalPages"] = 1
			p.shows(p.listOf(p.World.Objects["vastCreative"][0].ID, p.owner()))
		}),
		wrongPage("twice", "MEDIA-8"+listCounts, "The first media file is listed twice", (*page).whole,
			func(p *page) { p.shows(append(p.items, p.items[0])) }),
		wrongPage("twice-for-another", "MEDIA-8 "+counts, "The first media file is listed in place of the last too", several,
			func(p *page) { p.last(p.items[0]) }),
		wrongPage("null-item", "MEDIA-2 CREATIVE-1"+listCounts, "A list ends with null", (*page).single,
			func(p *page) { p.shows(append(p.items, nil)) }),
		wrongPage("data-null-when-empty", "MEDIA-2", "The data of an empty list are null", (*page).empty, func(p *page) { p.items = nil }),
		wrongPage("twice-unpaged", "MEDIA-8", "A list of one page has its first item in place of its last too",
			func(p *page) bool { return len(p.items) >= pageSize }, func(p *page) { p.last(p.items[0]) }).
			choosing(func(c *reference.Choices) { c.PageParameter = "" }),
	}
}

// wrongItems are items of another form, or with other ids.
func wrongItems(*spec.Operation) []row {
	replaced := func(name, clauses, sentence string, item func(p *page, old object) any) row {
		return wrongPage(name, clauses, sentence, anyPage, func(p *page) {
			for i := range p.items {
				p.items[i] = item(p, changed(p.items[i], func(object) {}))
			}
		})
	}
	return []row{
		replaced("scan-status-empty-unfinished", "CREATIVE-17", "The status of a scan that has not ended is an empty text",
			func(_ *page, item object) any {
				if scan, scanned := item["latestScanStatus"].(object); scanned && scan["finishedAt"] == nil {
					scan["processingStatus"] = ""
				}
				return item
			}),
		replaced("ids-only", "MEDIA-2 CREATIVE-1", "The items are ids, no objects", func(_ *page, item object) any { return item["id"] }),
		replaced("items-wrapped", "CREATIVE-1 MEDIA-2 CREATIVE-2", "Each item stands in an envelope of its own",
			func(_ *page, item object) any { return object{"data": item} }),
		replaced("ids-constant", "MEDIA-8 MEDIA-7"+listCounts, "All items have the id of the first", func(p *page, item object) any {
			item["id"] = p.items[0].(object)["id"]
			return item
		}),
		replaced("ids-drift", "MEDIA-9 MEDIA-7"+listCounts, "The ids are others with every read", func(p *page, item object) any {
			item["id"] = int64(number(item["id"])) + p.n*10_000
			return item
		}),
	}
}

// unstableLists differ from read to read.
func unstableLists(op *spec.Operation) []row {
	every := func(n int64, name, also, sentence string, change func(p *page)) row {
		return wrongPage(name, "MEDIA-9 "+also, sentence, func(p *page) bool { return p.n%n == 0 }, change)
	}
	rows := []row{
		every(3, "sometimes-short", "MEDIA-7"+listCounts, "Every third list lacks an item", (*page).losesFirst),
		every(4, "sometimes-empty", "MEDIA-7"+listCounts, "Every fourth list is empty", (*page).empties),
		every(2, "width-height-swapped-sometimes", "", "Every second read shows width and height swapped", func(p *page) {
			p.each(func(_ int, item object) { item["width"], item["height"] = item["height"], item["width"] })
		}),
	}
	for _, f := range op.Representation().Fields {
		sets := func(is bool, n int64, name, sentence string, value func(old any) any) {
			if is && f.Stays {
				rows = append(rows, every(n, name, f.Clause, sentence, func(p *page) {
					p.each(func(_ int, item object) { item[f.Name] = value(item[f.Name]) })
				}))
			}
		}
		now := func(any) any { return time.Now().UTC().Format(time.RFC3339) }
		sets(f.Date, 1, "now-"+f.Name, "Each read shows the time of the read as "+f.Name, now)
		sets(true, 2, "changing-"+f.Name, "Every second read shows another "+f.Name, func(old any) any {
			switch {
			case old == nil:
				return nil
			case f.Date:
				return "2020-02-02T02:02:02Z"
			case f.Type == "integer":
				return number(old) + 1
			}
			return "another"
		})
		sets(true, 3, "null-"+f.Name+"-sometimes", "Every third read shows no "+f.Name, func(any) any { return nil })
	}
	return rows
}

// listAnswers are lists that are refused for no reason.
func listAnswers(*spec.Operation) []row {
	refused := func(name, sentence string, status int, is condition) row {
		return fault(name, "MEDIA-1 ERR-12 EFFECT-3 AUTH-4", sentence+" is answered "+itoa(status), when(all(byOwner, is), refuse(status)))
	}
	empty := func(x *exchange) bool { return x.lastID() == itoa(x.World.Objects["emptyVastCreative"][0].ID) }
	oneFile := func(x *exchange) bool { return len(x.listed(x.request)) == 1 }
	return []row{
		refused("wants-content-type", "A list without a Content-Type", 415, noType),
		refused("wants-page", "A list without a page", 422, asks("")),
		refused("page-1-missing", "A list whose first page is asked for by its number", 404, asks("page=1")),
		fault("page-1-is-second", "MEDIA-9 MEDIA-5 MEDIA-8", "The first page has the items of the second where it is asked for by its number",
			when(asks("page=1"), pageOf("page=2", func(p *page) { p.numbers["page"] = 1 }))),
		refused("single-is-404", "The list of a VAST creative with one media file", 404, oneFile),
		refused("empty-is-422", "The list of a VAST creative without media files", 422, empty),
		fault("empty-is-204", "MEDIA-1 ERR-12 MEDIA-2", "The list of a VAST creative without media files is answered 204",
			inPlaceOf(200, empty, func(x *exchange, _ *answer) *answer { return noContent(x) })),
	}
}
