package faults

import (
	"maps"
	"slices"

	"github.com/adconform/adconform/spec"
)

// single says whether the page is the whole list.
func (p *page) single() bool { return p.number("totalPages") <= 1 }

// shows sets the items, and the counts of a page that is the whole list.
func (p *page) shows(items []any) {
	p.items = items
	if p.single() {
		p.numbers["count"], p.numbers["totalCount"] = len(items), len(items)
	}
}

// empties takes all items away.
func (p *page) empties() {
	p.numbers["totalPages"] = 1
	p.shows([]any{})
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

func id(item any) any { return item.(object)["id"] }

// itself is the creative itself, in the form of an item.
func itself(x *exchange, item any) object {
	return changed(item, func(own object) { own["id"] = atoi(x.lastID()) })
}

// of are the items of another creative's list, as the user with this key sees it.
func (x *exchange) listOf(creative int64, key string) []any {
	return x.listed(x.with(x.as(key), x.to(itoa(creative))))
}

func (x *exchange) otherList(i int) []any { return x.listOf(x.disposable(i), x.owner()) }

const listCounts = " MEDIA-3 MEDIA-4 MEDIA-8 MEDIA-9"

// wrongMembers are lists with an item too many or too few.
func wrongMembers(*spec.Operation) []row {
	// whole changes lists of one page that have items.
	whole := func(change func(x *exchange, p *page)) behaviour {
		return lists(func(x *exchange, p *page) {
			if p.single() && len(p.items) > 0 {
				change(x, p)
			}
		})
	}
	mine := func(change func(x *exchange, p *page)) behaviour {
		return lists(func(x *exchange, p *page) {
			if onMine(x) {
				change(x, p)
			}
		})
	}
	return []row{
		fault("one-exchanged", "MEDIA-7", "One media file is listed that belongs elsewhere, in place of one that belongs here",
			mine(func(x *exchange, p *page) {
				if n := len(p.items); n > 0 {
					p.items = append(p.items[:n-1:n-1], x.listOf(x.World.Objects.VastCreative.ID+20, x.owner())[0])
				}
			})),
		fault("own-in-large", "MEDIA-7", "A large list starts with the creative itself in place of its first media file",
			lists(func(x *exchange, p *page) {
				if !p.single() && p.number("page") == 1 {
					p.items[0] = itself(x, p.items[0])
				}
			})),
		fault("always-empty", "MEDIA-7"+listCounts, "The list is always empty", lists(func(_ *exchange, p *page) { p.empties() })),
		fault("first-lost", "MEDIA-7"+listCounts, "The first media file is not listed", whole(func(_ *exchange, p *page) { p.shows(p.items[1:]) })),
		fault("own-listed", "MEDIA-7"+listCounts, "The list starts with the creative itself", whole(func(x *exchange, p *page) {
			p.shows(append([]any{itself(x, p.items[0])}, p.items...))
		})),
		fault("foreign-listed", "MEDIA-7"+listCounts, "Media files of the stranger's are listed too", lists(func(x *exchange, p *page) {
			if p.single() && byOwner(x) {
				p.shows(append(p.items, x.listOf(x.World.Foreign.VastCreative, x.stranger())...))
			}
		})),
		fault("other-listed", "MEDIA-7"+listCounts, "The media files are those of another creative",
			mine(func(x *exchange, p *page) { p.shows(x.otherList(0)) })),
		fault("all-listed", "MEDIA-7"+listCounts, "The media files of another creative are listed too",
			mine(func(x *exchange, p *page) { p.shows(append(p.items, x.otherList(0)...)) })),
		fault("plain-in-empty", "MEDIA-7"+listCounts, "An empty creative lists the files of another", lists(func(x *exchange, p *page) {
			if len(p.items) == 0 {
				p.numbers["totalPages"] = 1
				p.shows(x.listOf(x.World.Objects.VastCreative.ID, x.owner()))
			}
		})),
		fault("twice", "MEDIA-8"+listCounts, "The first media file is listed twice", whole(func(_ *exchange, p *page) { p.shows(append(p.items, p.items[0])) })),
		fault("twice-for-another", "MEDIA-8 MEDIA-7"+listCounts, "The first media file is listed in place of the last too",
			lists(func(_ *exchange, p *page) { p.firstForLast(2) })),
		fault("null-item", "MEDIA-2 CREATIVE-1"+listCounts, "A list ends with null", lists(func(_ *exchange, p *page) {
			if p.single() {
				p.shows(append(p.items, nil))
			}
		})),
		fault("data-null-when-empty", "MEDIA-2", "The data of an empty list are null", lists(func(_ *exchange, p *page) {
			if len(p.items) == 0 {
				p.items = nil
			}
		})),
	}
}

// firstForLast lists the first item in place of the last too, where there are so many.
func (p *page) firstForLast(atLeast int) {
	if n := len(p.items); n >= atLeast {
		p.items = append(p.items[:n-1:n-1], p.items[0])
	}
}

// unpaged are faults of a list that has everything on one page.
func unpaged(*spec.Operation) []row {
	return prepared(onePage, fault("twice-unpaged", "MEDIA-8", "A list of one page has its first item in place of its last too",
		lists(func(_ *exchange, p *page) { p.firstForLast(100) })))
}

// wrongItems are items of another form, or with other ids.
func wrongItems(*spec.Operation) []row {
	return []row{
		fault("ids-only", "MEDIA-2 CREATIVE-1", "The items are ids, no objects", lists(func(_ *exchange, p *page) {
			for i := range p.items {
				p.items[i] = id(p.items[i])
			}
		})),
		fault("items-wrapped", "CREATIVE-1 MEDIA-2 CREATIVE-2", "Each item stands in an envelope of its own", lists(func(_ *exchange, p *page) {
			for i := range p.items {
				p.items[i] = object{"data": p.items[i]}
			}
		})),
		fault("ids-constant", "MEDIA-8 MEDIA-7"+listCounts, "All items have the id of the first", lists(func(_ *exchange, p *page) {
			p.each(func(_ int, item object) { item["id"] = id(p.items[0]) })
		})),
		fault("ids-are-positions", "MEDIA-7"+listCounts, "The ids are positions in the page", lists(func(_ *exchange, p *page) {
			p.each(func(i int, item object) { item["id"] = i + 1 })
		})),
		fault("ids-drift", "MEDIA-9 MEDIA-7"+listCounts, "The ids are others with every read", lists(func(x *exchange, p *page) {
			p.each(func(_ int, item object) { item["id"] = int64(number(item["id"])) + x.n*10_000 })
		})),
	}
}

// sometimes changes every n-th list.
func sometimes(n int64, change func(x *exchange, p *page)) behaviour {
	return lists(func(x *exchange, p *page) {
		if x.n%n == 0 {
			change(x, p)
		}
	})
}

// unstableLists differ from read to read.
func unstableLists(op *spec.Operation) []row {
	rows := []row{
		fault("sometimes-short", "MEDIA-9 MEDIA-7"+listCounts, "Every third list lacks an item", sometimes(3, func(_ *exchange, p *page) {
			if len(p.items) > 0 {
				p.shows(p.items[1:])
			}
		})),
		fault("sometimes-empty", "MEDIA-9 MEDIA-7"+listCounts, "Every fourth list is empty", sometimes(4, func(_ *exchange, p *page) { p.empties() })),
		fault("sometimes-other", "MEDIA-9 MEDIA-7"+listCounts, "Every fourth list is that of another creative", sometimes(4, func(x *exchange, p *page) {
			if p.single() {
				p.shows(x.otherList(1))
			}
		})),
		fault("width-height-swapped-sometimes", "MEDIA-9", "Every second read shows width and height swapped", sometimes(2, func(_ *exchange, p *page) {
			p.each(func(_ int, item object) { item["width"], item["height"] = item["height"], item["width"] })
		})),
		fault("properties-shifted", "MEDIA-9", "Every second read shows the names of the items one further", sometimes(2, func(_ *exchange, p *page) {
			before := slices.Clone(p.items)
			p.each(func(i int, item object) { item["name"] = before[(i+1)%len(before)].(object)["name"] })
		})),
	}
	for _, f := range op.Representation().Fields {
		if !f.Stays {
			continue
		}
		rows = append(rows,
			fault("changing-"+f.Name, "MEDIA-9 "+f.Clause, "Every second read shows another "+f.Name, sometimes(2, func(_ *exchange, p *page) {
				p.each(func(_ int, item object) { item[f.Name] = another(f, item[f.Name]) })
			})),
			fault("null-"+f.Name+"-sometimes", "MEDIA-9 "+f.Clause, "Every third read shows no "+f.Name, sometimes(3, func(_ *exchange, p *page) {
				p.each(func(_ int, item object) { item[f.Name] = nil })
			})))
	}
	return rows
}

// another is another value of a field.
func another(f *spec.Field, v any) any {
	switch {
	case v == nil:
		return nil
	case f.Date:
		return "2020-02-02T02:02:02Z"
	case f.Type == "integer":
		return number(v) + 1
	default:
		return "another"
	}
}

// listAnswers are lists that are refused for no reason.
func listAnswers(*spec.Operation) []row {
	refused := func(name, sentence string, status int, is condition) row {
		return fault(name, "MEDIA-1 ERR-12 EFFECT-3 AUTH-4", sentence+" is answered "+itoa(status), when(all(byOwner, is), refuse(status)))
	}
	empty := func(x *exchange) bool { return x.lastID() == itoa(x.World.Objects.EmptyVastCreative.ID) }
	oneFile := func(x *exchange) bool {
		found := false
		x.peek(x.request).paged(func(p *page) { found = p.number("totalCount") == 1 })
		return found
	}
	return []row{
		refused("wants-content-type", "A list without a Content-Type", 415, noType),
		refused("wants-page", "A list without a page", 422, asks("")),
		refused("wants-body", "A list without a body", 400, noBody),
		refused("single-is-404", "The list of a VAST creative with one media file", 404, oneFile),
		refused("empty-is-422", "The list of a VAST creative without media files", 422, empty),
		fault("empty-is-204", "MEDIA-1 ERR-12 MEDIA-2", "The list of a VAST creative without media files is answered 204",
			answers(func(x *exchange, a *answer) *answer {
				if a.ok() && empty(x) {
					return noContent()
				}
				return a
			})),
	}
}
