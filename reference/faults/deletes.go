package faults

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

func noContent(*exchange) *answer {
	return &answer{status: http.StatusNoContent, header: http.Header{}}
}

// exists says whether the creative exists: a stranger is told so by a 403.
func exists(x *exchange) bool {
	return x.peek(x.with(x.as(x.stranger()))).status == http.StatusForbidden
}

// deletedWrongly are deletes that remove nothing, or something else. They are
// answered 204 after deleting what ids say.
func deletedWrongly(*spec.Operation) []row {
	type id = func(x *exchange) string
	removes := func(name, clause, sentence string, is condition, ids ...id) row {
		return fault(name, clause+" DELETE-3 DELETE-5 EFFECT-1 DELETE-1", sentence, when(all(byOwner, exists, is), func(x *exchange) *answer {
			for _, id := range ids {
				x.send(x.with(x.to(id(x))))
			}
			return noContent(x)
		}))
	}
	named, last := (*exchange).lastID, func(x *exchange) string { return x.lastDisposable() }
	next := func(x *exchange) string { return itoa(atoi(x.lastID()) + 1) }
	fixed := func(id string) id { return func(*exchange) string { return id } }
	return []row{
		removes("without-effect", "DELETE-3", "A delete is answered 204 and removes nothing", always),
		removes("sometimes-without-effect", "DELETE-3", "Every third delete removes nothing", nth(3)),
		removes("next-instead", "DELETE-4", "A delete removes the creative after the one that is named", always, next),
		removes("next-too", "DELETE-4", "A delete removes the creative after the one that is named too", always, named, next),
		removes("last-too", "DELETE-4", "A delete removes the user's newest banner too", always, named, last),
		removes("listed-too", "DELETE-4", "A delete removes a media file of an unrelated container too", always, named, fixed("202")),
		removes("paged-too", "DELETE-4", "A delete removes a media file on the first page of a large container too", always,
			named, fixed("1005")),
		removes("container-too", "DELETE-4", "A delete removes a container that is not named", always, named, fixed("250")),
	}
}

// deletedAgain answer the owner's delete of what is deleted already.
func deletedAgain(*spec.Operation) []row {
	// again answers the nth delete of what is gone, or with 0 each.
	again := func(name, clauses, sentence string, nth int, does behaviour) row {
		return fault(name, clauses, sentence, when(byOwner, func(x *exchange) *answer {
			times, was := recall[int](x, x.path)
			if was {
				x.keep(x.path, times+1)
				if nth == 0 || times == nth {
					return does(x)
				}
			}
			a := x.forward()
			if a.ok() {
				x.keep(x.path, 1)
			}
			return a
		}))
	}
	return []row{
		again("again-204", "DELETE-3", "A second delete is answered 204 too", 0, noContent),
		again("third-204", "DELETE-3", "A third delete is answered 204", 2, noContent),
		again("again-410", "DELETE-3 ERR-12", "A second delete is answered 410", 0, refuse(410)),
		again("again-422", "DELETE-3", "A second delete is answered 422", 0, refuse(422)),
	}
}

// deleteAnswers are deletes that are answered wrongly, or refused for want of what no contract asks for.
func deleteAnswers(*spec.Operation) []row {
	raw := func(name, sentence, lines string) row {
		return fault(name, "DELETE-2 HTTP-2", sentence, inPlaceOf(http.StatusNoContent, always, func(*exchange, *answer) *answer {
			return &answer{raw: []byte("HTTP/1.1 204 No Content\r\nConnection: close\r\n" + strings.ReplaceAll(lines, "\n", "\r\n"))}
		}))
	}
	shown := func(x *exchange, a *answer) *answer {
		return a.replaced(http.StatusOK, object{"data": object{"id": atoi(x.lastID())}})
	}
	wants := func(name, sentence string, status int, missing condition) row {
		return fault(name, "DELETE-6 DELETE-1 ERR-12", "A delete without a "+sentence, when(all(byOwner, missing), refuse(status)))
	}
	return []row{
		raw("204-with-body", "A 204 has a body", "Content-Type: application/json\nContent-Length: 16\n\n{\"deleted\":true}\n"),
		raw("204-announces-body", "A 204 announces a body that does not come", "Content-Length: 16\n\n"),
		raw("204-body-unannounced", "A body follows a 204 that announces none", "\nnull\n"),
		fault("200-representation", "DELETE-1 ERR-12", "A delete is answered 200 with the deleted creative",
			inPlaceOf(http.StatusNoContent, always, shown)),
		wants("wants-content-type", "Content-Type is answered 415", 415, noType),
		wants("wants-body", "body is answered 422", 422, noBody),
	}
}

func noType(x *exchange) bool { return x.header.Get("Content-Type") == "" }
func noBody(x *exchange) bool { return len(x.body) == 0 }

// deletedFiles are deletes of media files that leave a wrong list, or do more or less.
func deletedFiles(c *spec.Contract) []row {
	list := c.Operation(mediaFileList)
	// leaves changes the lists from which media files, gone, were deleted.
	leaves := func(name, sentence string, change func(p *page, gone []any)) row {
		return fault(name, "DELETE-5 DELETE-4 MEDIA-3 MEDIA-4 MEDIA-7", sentence, func(x *exchange) *answer {
			if of(mediaFileList)(x) {
				gone, had := recall[[]any](x, x.lastID())
				return x.forward().paged(func(p *page) {
					if had {
						change(p, gone)
					}
				})
			}
			if !of(creativeDelete)(x) || !byOwner(x) {
				return x.forward()
			}
			parent, item := x.parentOf(list)
			a := x.forward()
			if a.ok() && parent != "" {
				gone, _ := recall[[]any](x, parent)
				x.keep(parent, append(slices.Clone(gone), item))
			}
			return a
		})
	}
	parentToo := func(x *exchange) *answer {
		parent, _ := x.parentOf(list)
		return then(func(x *exchange, a *answer) (request, bool) { return x.with(x.to(parent)), parent != "" && a.ok() })(x)
	}
	isFile := func(x *exchange) bool {
		parent, _ := x.parentOf(list)
		return parent != "" && byOwner(x)
	}
	return []row{
		leaves("still-listed", "A deleted media file is still listed", func(p *page, gone []any) {
			p.items = append(p.items, gone...)
			p.add("count", len(gone))
			p.add("totalCount", len(gone))
		}),
		leaves("total-stays", "A deleted media file still counts in totalCount", func(p *page, gone []any) { p.add("totalCount", len(gone)) }),
		leaves("another-leaves", "With a media file another leaves its parent's list", func(p *page, _ []any) {
			if len(p.items) > 1 {
				p.items = p.items[1:]
				p.add("count", -1)
				p.add("totalCount", -1)
			}
		}),
		fault("parent-gone", "DELETE-5 EFFECT-3 DELETE-4 MEDIA-1", "With a media file its parent is deleted",
			on(creativeDelete, parentToo)).graded(Critical),
		fault("file-stays", "DELETE-5 DELETE-3 EFFECT-1 MEDIA-4 MEDIA-7", "The delete of a media file is answered 204 and removes nothing",
			on(creativeDelete, when(isFile, noContent))),
	}
}

// parentOf is the disposable container that lists the creative of the exchange, and
// the item.
func (x *exchange) parentOf(list *spec.Operation) (parent string, item any) {
	for i := range x.World.Objects["disposableVastCreatives"] {
		id := itoa(x.disposable(i))
		for _, one := range x.listed(request{method: list.Method, path: x.at(list, id), header: x.header}.with(x.as(x.owner()))) {
			if fields, ok := one.(object); ok && fmt.Sprint(fields["id"]) == x.lastID() {
				return id, one
			}
		}
	}
	return "", nil
}

// goneToo are requests that remove a creative of the owner's which they do not name. Nothing is
// asked of it later but what becomes of it.
func goneToo(op *spec.Operation) []row {
	gone := func(name, clauses, sentence string, id func(x *exchange) int64) row {
		words := "each success but the first three removes " + sentence + " too"
		return fault(name, "EFFECT-3 EFFECT-2 DELETE-4 "+clauses, words, then(func(x *exchange, a *answer) (request, bool) {
			return x.with(x.as(x.owner()), func(r *request) {
				r.method, r.path = http.MethodDelete, x.at(x.Contract.Operation(creativeDelete), itoa(id(x)))
				r.query, r.body = "", nil
			}), a.ok() && x.count() > 3
		})).graded(Critical)
	}
	return []row{
		gone("plain", "", "a creative that holds no media files", func(x *exchange) int64 { return x.World.Objects["plainCreative"][0].ID }),
		gone("empty", "MEDIA-1 MEDIA-9", "a container without media files",
			func(x *exchange) int64 { return x.World.Objects["emptyVastCreative"][0].ID }),
		gone("file", "MEDIA-9 MEDIA-7 MEDIA-4", "a media file that no request named",
			func(x *exchange) int64 { return x.World.Objects["vastCreative"][0].ID + 2 }),
	}
}

// afterDelete behaves otherwise where a condition holds after a delete, of the
// creative that the exchange names or of any.
func afterDelete(ofAny bool, is condition, does behaviour) behaviour {
	return func(x *exchange) *answer {
		key := "deleted"
		if !ofAny && len(x.ids) > 0 {
			key += x.lastID()
		}
		if _, gone := recall[bool](x, key); gone && is(x) {
			return does(x)
		}
		a := x.forward()
		if of(creativeDelete)(x) && a.ok() {
			x.keep(key, true)
		}
		return a
	}
}

// afterDeletes are objects of another kind that are gone with a creative, and lists
// that fail for one that is.
func afterDeletes(c *spec.Contract) []row {
	var rows []row
	for _, op := range c.Operations {
		if op.Updates() {
			mine := func(x *exchange) bool { return x.op == op && onMine(x) && byOwner(x) }
			rows = append(rows, fault("delete/forgets/"+op.ID, "EFFECT-3 DELETE-4", "With a creative an object goes that "+op.ID+" names",
				afterDelete(true, mine, refuse(404))).graded(Critical))
		}
	}
	return append(rows, fault("crash/list-of-deleted", "HTTP-1", "The list of a creative that was deleted makes the server fail",
		afterDelete(false, all(of(mediaFileList), byOwner), refuse(500))))
}

// backAgain are deletes that are undone by a later one.
func backAgain(*spec.Operation) []row {
	const words = "A container that was deleted can be deleted again, once another creative was"
	return []row{fault("container-back", "DELETE-3", words, func(x *exchange) *answer {
		was, _ := recall[string](x, "container")
		if others, _ := recall[bool](x, "others"); others && was == x.lastID() && byOwner(x) {
			return noContent(x)
		}
		a := x.forward()
		switch {
		case a.ok() && x.lastID() == itoa(x.disposable(0)):
			x.keep("container", x.lastID())
		case a.ok() && was != "":
			x.keep("others", true)
		}
		return a
	})}
}
