package faults

import (
	"net/http"
	"slices"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// listFaults list other items than the creative has, or with other properties.
func listFaults(c *spec.Contract) []Fault {
	list := c.Operation(mediaFileList)
	return slices.Concat(listMembers(list), listProperties(list), listAnswers())
}

func listing(name, clause, sentence string, also []string, change func(x *exchange, n int64, p map[string]any, items []any) []any) Fault {
	return Fault{
		ID: "list/" + name, Clause: clause, Also: also, Sentence: sentence + ".",
		Wrap: fresh(func() behaviour {
			var seen counter
			return on(mediaFileList, func(x *exchange) *answer {
				n := seen.next()
				return x.forward().page(func(p map[string]any, items []any) []any { return change(x, n, p, items) })
			})
		}),
	}
}

// counted sets the counts of a page that lists the whole collection.
func counted(p map[string]any, items []any) []any {
	if number(p["totalPages"]) <= 1 {
		p["count"], p["totalCount"] = len(items), len(items)
	}
	return items
}

// unpaged is a fault of a reference that puts everything on one page.
func unpaged(f Fault) Fault {
	f.Choices = func(c *reference.Choices) { c.PageParameter = "" }
	return f
}

// listMembers are lists with an item too many or too few.
func listMembers(list *spec.Operation) []Fault {
	also := []string{"MEDIA-3", "MEDIA-4", "MEDIA-8", "MEDIA-9"}
	items := func(x *exchange, id string, key string) []any {
		a := x.peek(x.request.with(x.as(key), to(x.at(list, id))))
		doc, _ := decode(a.body).(map[string]any)
		data, _ := doc["data"].([]any)
		return data
	}
	owners := func(x *exchange, id int64) []any { return items(x, itoa(int(id)), x.owner()) }
	return []Fault{
		listing("one-exchanged", "MEDIA-7", "One media file is listed that belongs elsewhere, in place of one that belongs here", nil, func(x *exchange, _ int64, _ map[string]any, own []any) []any {
			if !x.onMine() || len(own) == 0 {
				return own
			}
			return append(own[:len(own)-1:len(own)-1], owners(x, x.World.Objects.VastCreative.ID+20)[0])
		}),
		listing("own-in-large", "MEDIA-7", "A large list starts with the creative itself in place of its first media file", nil, func(x *exchange, _ int64, p map[string]any, items []any) []any {
			if number(p["totalPages"]) < 2 || number(p["page"]) != 1 {
				return items
			}
			own := clone(items[0])
			own["id"] = atoi(x.lastID())
			return append([]any{own}, items[1:]...)
		}),
		unpaged(listing("twice-unpaged", "MEDIA-8", "A list of one page has its first item in place of its last too", nil, func(_ *exchange, _ int64, _ map[string]any, items []any) []any {
			if len(items) < 100 {
				return items
			}
			return append(items[:len(items)-1:len(items)-1], items[0])
		})),
		listing("always-empty", "MEDIA-7", "The list is always empty", also, func(_ *exchange, _ int64, p map[string]any, _ []any) []any {
			p["totalPages"] = 1
			return counted(p, []any{})
		}),
		listing("first-lost", "MEDIA-7", "The first media file is not listed", also, func(_ *exchange, _ int64, p map[string]any, items []any) []any {
			if number(p["totalPages"]) > 1 || len(items) == 0 {
				return items
			}
			return counted(p, items[1:])
		}),
		listing("own-listed", "MEDIA-7", "The list starts with the creative itself", also, func(x *exchange, _ int64, p map[string]any, items []any) []any {
			if number(p["totalPages"]) > 1 || len(items) == 0 {
				return items
			}
			own := clone(items[0])
			own["id"] = atoi(x.lastID())
			return counted(p, append([]any{own}, items...))
		}),
		listing("foreign-listed", "MEDIA-7", "Media files of the stranger's are listed too", also, func(x *exchange, _ int64, p map[string]any, own []any) []any {
			if number(p["totalPages"]) > 1 || !x.byOwner() {
				return own
			}
			return counted(p, append(own, items(x, itoa(int(x.World.Foreign.VastCreative)), x.stranger())...))
		}),
		listing("other-listed", "MEDIA-7", "The media files are those of another creative", also, func(x *exchange, _ int64, p map[string]any, own []any) []any {
			if !x.onMine() {
				return own
			}
			return counted(p, owners(x, x.World.Objects.DisposableVastCreatives[0].ID))
		}),
		listing("all-listed", "MEDIA-7", "The media files of another creative are listed too", also, func(x *exchange, _ int64, p map[string]any, own []any) []any {
			if !x.onMine() {
				return own
			}
			return counted(p, append(own, owners(x, x.World.Objects.DisposableVastCreatives[0].ID)...))
		}),
		listing("plain-in-empty", "MEDIA-7", "An empty creative lists the files of another", also, func(x *exchange, _ int64, p map[string]any, own []any) []any {
			if len(own) > 0 {
				return own
			}
			p["totalPages"] = 1
			return counted(p, owners(x, x.World.Objects.VastCreative.ID))
		}),
		listing("twice", "MEDIA-8", "The first media file is listed twice", also, func(_ *exchange, _ int64, p map[string]any, items []any) []any {
			if number(p["totalPages"]) > 1 || len(items) == 0 {
				return items
			}
			return counted(p, append(items, items[0]))
		}),
		listing("twice-for-another", "MEDIA-8", "The first media file is listed in place of the last too", append(also, "MEDIA-7"), func(_ *exchange, _ int64, _ map[string]any, items []any) []any {
			if len(items) < 2 {
				return items
			}
			return append(items[:len(items)-1:len(items)-1], items[0])
		}),
		listing("sometimes-short", "MEDIA-9", "Every third list lacks an item", append(also, "MEDIA-7"), func(_ *exchange, n int64, p map[string]any, items []any) []any {
			if n%3 != 0 || len(items) == 0 {
				return items
			}
			return counted(p, items[1:])
		}),
		listing("sometimes-empty", "MEDIA-9", "Every fourth list is empty", append(also, "MEDIA-7"), func(_ *exchange, n int64, p map[string]any, items []any) []any {
			if n%4 != 0 {
				return items
			}
			p["totalPages"] = 1
			return counted(p, []any{})
		}),
		listing("sometimes-other", "MEDIA-9", "Every fourth list is that of another creative", append(also, "MEDIA-7"), func(x *exchange, n int64, p map[string]any, own []any) []any {
			if n%4 != 0 || number(p["totalPages"]) > 1 {
				return own
			}
			return counted(p, owners(x, x.World.Objects.DisposableVastCreatives[1].ID))
		}),
		listing("data-null-when-empty", "MEDIA-2", "The data of an empty list are null", nil, nullWhenEmpty),
		listing("null-item", "MEDIA-2", "A list ends with null", append(also, "CREATIVE-1"), func(_ *exchange, _ int64, p map[string]any, items []any) []any {
			if number(p["totalPages"]) > 1 {
				return items
			}
			return counted(p, append(items, nil))
		}),
		listing("ids-only", "MEDIA-2", "The items are ids, no objects", []string{"CREATIVE-1"}, func(_ *exchange, _ int64, _ map[string]any, items []any) []any {
			ids := make([]any, len(items))
			for i := range items {
				ids[i] = clone(items[i])["id"]
			}
			return ids
		}),
		listing("items-wrapped", "CREATIVE-1", "Each item stands in an envelope of its own", []string{"MEDIA-2", "CREATIVE-2"}, func(_ *exchange, _ int64, _ map[string]any, items []any) []any {
			for i := range items {
				items[i] = map[string]any{"data": items[i]}
			}
			return items
		}),
		listing("ids-constant", "MEDIA-8", "All items have the id of the first", append(also, "MEDIA-7"), func(_ *exchange, _ int64, _ map[string]any, items []any) []any {
			for i := range items {
				item := clone(items[i])
				item["id"] = clone(items[0])["id"]
				items[i] = item
			}
			return items
		}),
		listing("ids-are-positions", "MEDIA-7", "The ids are positions in the page", append(also, "MEDIA-8"), func(_ *exchange, _ int64, _ map[string]any, items []any) []any {
			for i := range items {
				item := clone(items[i])
				item["id"] = i + 1
				items[i] = item
			}
			return items
		}),
		listing("ids-drift", "MEDIA-9", "The ids are others with every read", append(also, "MEDIA-7", "MEDIA-8"), func(_ *exchange, n int64, _ map[string]any, items []any) []any {
			for i := range items {
				item := clone(items[i])
				item["id"] = int64(number(item["id"])) + n*10_000
				items[i] = item
			}
			return items
		}),
	}
}

// nullWhenEmpty is null for the items of an empty page.
func nullWhenEmpty(_ *exchange, _ int64, _ map[string]any, items []any) []any {
	if len(items) == 0 {
		return nil
	}
	return items
}

// clone is an item with its own members; empty for what is no object.
func clone(item any) map[string]any {
	copied := map[string]any{}
	fields, _ := item.(map[string]any)
	for name, v := range fields {
		copied[name] = v
	}
	return copied
}

// listProperties are items whose properties differ from read to read.
func listProperties(list *spec.Operation) []Fault {
	var all []Fault
	for _, f := range list.Representation().Fields {
		if !f.Stays {
			continue
		}
		all = append(all, listing("changing-"+f.Name, "MEDIA-9", "Every second read shows another "+f.Name, []string{f.Clause}, func(_ *exchange, n int64, _ map[string]any, items []any) []any {
			for i := range items {
				if n%2 != 0 {
					break
				}
				item := clone(items[i])
				switch {
				case item[f.Name] == nil:
				case f.Date:
					item[f.Name] = "2020-02-02T02:02:02Z"
				case f.Type == "integer":
					item[f.Name] = number(item[f.Name]) + 1
				default:
					item[f.Name] = "another"
				}
				items[i] = item
			}
			return items
		}), listing("null-"+f.Name+"-sometimes", "MEDIA-9", "Every third read shows no "+f.Name, []string{f.Clause}, func(_ *exchange, n int64, _ map[string]any, items []any) []any {
			for i := range items {
				if n%3 == 0 {
					item := clone(items[i])
					item[f.Name] = nil
					items[i] = item
				}
			}
			return items
		}))
	}
	return append(all, listing("width-height-swapped-sometimes", "MEDIA-9", "Every second read shows width and height swapped", nil, func(_ *exchange, n int64, _ map[string]any, items []any) []any {
		for i := range items {
			if n%2 == 0 {
				item := clone(items[i])
				item["width"], item["height"] = item["height"], item["width"]
				items[i] = item
			}
		}
		return items
	}), listing("properties-shifted", "MEDIA-9", "Every second read shows the names of the items one further", nil, func(_ *exchange, n int64, _ map[string]any, items []any) []any {
		if n%2 != 0 || len(items) < 2 {
			return items
		}
		first := clone(items[0])["name"]
		for i := range items {
			item := clone(items[i])
			item["name"] = first
			if i+1 < len(items) {
				item["name"] = clone(items[i+1])["name"]
			}
			items[i] = item
		}
		return items
	}))
}

// listAnswers are lists that are refused for no reason.
func listAnswers() []Fault {
	var all []Fault
	refused := func(name, sentence string, status int, when func(x *exchange) bool) {
		all = append(all, Fault{
			ID: "list/" + name, Clause: "MEDIA-1", Also: []string{"ERR-12", "EFFECT-3", "AUTH-4"}, Sentence: sentence + ".",
			Wrap: each(on(mediaFileList, func(x *exchange) *answer {
				if x.byOwner() && when(x) {
					return refusal(status)
				}
				return x.forward()
			})),
		})
	}
	empty := func(x *exchange) bool { return x.lastID() == itoa(int(x.World.Objects.EmptyVastCreative.ID)) }
	refused("wants-content-type", "A list without a Content-Type is answered 415", http.StatusUnsupportedMediaType, func(x *exchange) bool { return x.header.Get("Content-Type") == "" })
	refused("wants-page", "A list without a page is answered 422", http.StatusUnprocessableEntity, func(x *exchange) bool { return x.query == "" })
	refused("wants-body", "A list without a body is answered 400", http.StatusBadRequest, func(x *exchange) bool { return len(x.body) == 0 })
	refused("single-is-404", "The list of a VAST creative with one media file is answered 404", http.StatusNotFound, func(x *exchange) bool {
		single := false
		x.peek(x.request).page(func(p map[string]any, items []any) []any {
			single = number(p["totalCount"]) == 1
			return items
		})
		return single
	})
	refused("empty-is-422", "The list of a VAST creative without media files is answered 422", http.StatusUnprocessableEntity, empty)
	return append(all, Fault{
		ID: "list/empty-is-204", Clause: "MEDIA-1", Also: []string{"ERR-12", "MEDIA-2"}, Sentence: "The list of a VAST creative without media files is answered 204.",
		Wrap: each(on(mediaFileList, func(x *exchange) *answer {
			if a := x.forward(); !a.ok() || !empty(x) {
				return a
			}
			return noContent()
		})),
	})
}
