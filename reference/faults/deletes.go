package faults

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// deletedWrongly are deletes that are answered 204 and remove nothing, or something else.
func deletedWrongly(*spec.Operation) []row {
	removes := func(name, clause, sentence string, ids func(x *exchange, c spec.Creative) []int64) row {
		return fault(name, clause+" DELETE-3 DELETE-5 EFFECT-1 DELETE-1", sentence, deletes(ids))
	}
	too := func(id int64) func(*exchange, spec.Creative) []int64 {
		return func(_ *exchange, c spec.Creative) []int64 { return []int64{c.ID, id} }
	}
	return []row{
		removes("without-effect", "DELETE-3", "A delete is answered 204 and removes nothing", nothing),
		removes("sometimes-without-effect", "DELETE-3", "Every third delete removes nothing", func(x *exchange, c spec.Creative) []int64 {
			if x.count()%3 == 0 {
				return nil
			}
			return []int64{c.ID}
		}),
		removes("next-instead", "DELETE-4", "A delete removes the creative after the one that is named",
			func(_ *exchange, c spec.Creative) []int64 { return []int64{c.ID + 1} }),
		removes("next-too", "DELETE-4", "A delete removes the creative after the one that is named too",
			func(_ *exchange, c spec.Creative) []int64 { return []int64{c.ID, c.ID + 1} }),
		removes("last-too", "DELETE-4", "A delete removes the user's newest banner too",
			func(x *exchange, c spec.Creative) []int64 { return []int64{c.ID, x.lastDisposable()} }),
		removes("listed-too", "DELETE-4", "A delete removes a media file of an unrelated container too", too(202)),
		removes("paged-too", "DELETE-4", "A delete removes a media file on the first page of a large container too", too(1005)),
		removes("container-too", "DELETE-4", "A delete removes a container that is not named", too(250)),
	}
}

// afterDelete behaves otherwise where a condition holds after a delete, of the creative that
// the exchange names or of any; x.n is how often it came to that.
func afterDelete(ofAny bool, is condition, does behaviour) behaviour {
	return func(x *exchange) *answer {
		key := "deleted"
		if !ofAny && len(x.ids) > 0 {
			key += x.lastID()
		}
		if times, gone := recall[int64](x, key); gone && is(x) {
			x.n = times + 1
			x.keep(key, x.n)
			return does(x)
		}
		a := x.forward()
		if of(creativeDelete)(x) && a.ok() {
			x.keep(key, int64(0))
		}
		return a
	}
}

// deletedAgain answer the owner's delete of what is deleted already.
func deletedAgain(*spec.Operation) []row {
	again := func(name, clauses, sentence string, does behaviour) row {
		return fault(name, clauses, sentence, afterDelete(false, byOwner, does))
	}
	containerBack := func(x *exchange, a *answer) *answer {
		if a.ok() {
			x.keep("last", x.lastID())
		}
		last, _ := recall[string](x, "last")
		if a.status == 404 && byOwner(x) && last != x.lastID() && x.lastID() == itoa(x.disposable(0)) {
			return noContent(x)
		}
		return a
	}
	return []row{
		again("again-204", "DELETE-3", "A second delete is answered 204 too", noContent),
		again("third-204", "DELETE-3", "A third delete is answered 204", when(func(x *exchange) bool { return x.n == 2 }, noContent)),
		again("again-422", "DELETE-3", "A second delete is answered 422", refuse(422)),
		fault("container-back", "DELETE-3", "A container that was deleted can be deleted again, once another creative was",
			answers(containerBack)),
	}
}

// afterDeletes are objects that are gone with a creative that was deleted, or with any success, and requests that fail
// for one that is gone.
func afterDeletes(op *spec.Operation) (rows []row) {
	if op.Updates() {
		rows = append(rows, everywhere("delete/forgets", "EFFECT-3 DELETE-4", "With a creative an object goes that * names",
			afterDelete(true, all(of(op.ID), onMine, byOwner), refuse(404))).graded(Critical))
	}
	if op.Deletes() {
		rows = append(rows, fault("crash/second-of-two", "HTTP-1 DELETE-3", "the server fails on what is deleted already",
			afterDelete(false, byOwner, refuse(500))))
	}
	// Nothing is asked later of a creative that goes too but what becomes of it.
	gone := func(name, clauses, sentence, key string, after int64) {
		too := answers(func(x *exchange, a *answer) *answer {
			if a.ok() && x.count() > 3 {
				x.set(x.Contract.Operation(creativeDelete), []string{itoa(x.World.Objects[key][0].ID + after)}, nil)
			}
			return a
		})
		rows = append(rows, fault("gone/"+name, "EFFECT-3 EFFECT-2 DELETE-4 "+clauses,
			"each success but the first three removes "+sentence+" too", too).graded(Critical))
	}
	gone("plain", "", "a creative that holds no media files", "plainCreative", 0)
	gone("empty", "MEDIA-1 MEDIA-9", "a container without media files", "emptyVastCreative", 0)
	gone("file", "MEDIA-9 MEDIA-7 MEDIA-4", "a media file that no request named", "vastCreative", 2)
	return rows
}

// deleteAnswers are deletes that are answered wrongly, or refused for want of what no contract asks for.
func deleteAnswers(*spec.Operation) []row {
	raw := func(name, sentence, lines string) row {
		does := func(*exchange) *answer {
			return &answer{raw: []byte("HTTP/1.1 204 No Content\r\nConnection: close\r\n" + strings.ReplaceAll(lines, "\n", "\r\n"))}
		}
		return fault(name, "DELETE-2 HTTP-2", sentence, instead(204, always, does))
	}
	shown := func(x *exchange, a *answer) *answer {
		return a.replaced(200, object{"data": object{"id": atoi(x.lastID())}})
	}
	wants := func(name, sentence string, status int, missing condition) row {
		return fault(name, "DELETE-6 DELETE-1 ERR-12", "A delete without a "+sentence, when(all(byOwner, missing), refuse(status)))
	}
	return []row{
		raw("204-with-body", "A 204 has a body", "Content-Type: application/json\nContent-Length: 16\n\n{\"deleted\":true}\n"),
		raw("204-announces-body", "A 204 announces a body that does not come", "Content-Length: 16\n\n"),
		raw("204-body-unannounced", "A body follows a 204 that announces none", "\nnull\n"),
		fault("200-representation", "DELETE-1 ERR-12", "A delete is answered 200 with the deleted creative", inPlaceOf(204, always, shown)),
		wants("wants-content-type", "Content-Type is answered 415", 415, noType),
		wants("wants-body", "body is answered 422", 422, func(x *exchange) bool { return len(x.body) == 0 }),
	}
}

func noType(x *exchange) bool { return x.header.Get("Content-Type") == "" }

func nothing(*exchange, spec.Creative) []int64 { return nil }

// deletedFiles are deletes of media files that leave a wrong list, or do more or less.
func deletedFiles(*spec.Operation) []row {
	// file deletes otherwise where a media file is deleted.
	file := func(ids func(x *exchange, c spec.Creative) []int64) behaviour {
		return deletes(func(x *exchange, c spec.Creative) []int64 {
			if c.ParentID == nil {
				return []int64{c.ID}
			}
			return ids(x, c)
		})
	}
	noting := file(func(x *exchange, c spec.Creative) []int64 {
		list := reference.BasePath + x.Contract.Operation(mediaFileList).At(itoa(*c.ParentID))
		gone, _ := recall[[]any](x, list)
		x.keep(list, append(slices.Clone(gone), decode(encode(c))))
		return []int64{c.ID}
	})
	// leaves changes the lists from which media files, gone, were deleted.
	leaves := func(name, sentence string, change func(p *page, gone []any)) row {
		return fault(name, "DELETE-5 DELETE-4 MEDIA-3 MEDIA-4 MEDIA-7", sentence, func(x *exchange) *answer {
			gone, had := recall[[]any](x, x.path)
			if !had {
				return noting(x)
			}
			return x.forward().paged(func(p *page) { change(p, gone) })
		})
	}
	return []row{
		leaves("delete/still-listed", "A deleted media file is still listed", func(p *page, gone []any) {
			p.items = append(p.items, gone...)
			p.add("count", len(gone))
			p.add("totalCount", len(gone))
		}),
		leaves("delete/total-stays", "A deleted media file still counts in totalCount",
			func(p *page, gone []any) { p.add("totalCount", len(gone)) }),
		leaves("delete/another-leaves", "With a media file another leaves its parent's list", func(p *page, _ []any) { p.losesFirst() }),
		fault("delete/parent-gone", "DELETE-5 EFFECT-3 DELETE-4 MEDIA-1", "With a media file its parent is deleted",
			file(func(_ *exchange, c spec.Creative) []int64 { return []int64{c.ID, *c.ParentID} })).graded(Critical),
		fault("delete/file-stays", "DELETE-5 DELETE-3 EFFECT-1 MEDIA-4 MEDIA-7",
			"The delete of a media file is answered 204 and removes nothing", file(nothing)),
		fault("crash/list-of-deleted", "HTTP-1", "The list of a creative that was deleted makes the server fail",
			afterDelete(false, all(of(mediaFileList), byOwner), refuse(500))),
	}
}
