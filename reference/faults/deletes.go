package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

func noContent() *answer { return &answer{status: http.StatusNoContent, header: http.Header{}} }

// exists says whether the creative exists: a stranger is told so by a 403.
func exists(x *exchange) bool {
	return x.peek(x.with(x.as(x.stranger()))).status == http.StatusForbidden
}

// deletedWrongly are deletes that remove nothing, or something else. They are
// answered 204 after deleting what ids says.
func deletedWrongly(*spec.Operation) []row {
	instead := func(name, clause, sentence string, ids func(x *exchange) []string) row {
		return fault(name, clause+" DELETE-3 DELETE-5 EFFECT-1 DELETE-1", sentence, when(all(byOwner, exists), func(x *exchange) *answer {
			x.count()
			for _, id := range ids(x) {
				x.send(x.with(x.to(id)))
			}
			return noContent()
		}))
	}
	too := func(name, sentence string, id func(x *exchange) string) row {
		return instead(name, "DELETE-4", "A delete removes "+sentence+" too", func(x *exchange) []string { return []string{x.lastID(), id(x)} })
	}
	beside := func(x *exchange, by int) string { return itoa(atoi(x.lastID()) + by) }
	next := func(x *exchange) string { return beside(x, 1) }
	fixed := func(id string) func(*exchange) string { return func(*exchange) string { return id } }
	return []row{
		instead("without-effect", "DELETE-3", "A delete is answered 204 and removes nothing", func(*exchange) []string { return nil }),
		instead("sometimes-without-effect", "DELETE-3", "Every third delete removes nothing", func(x *exchange) []string {
			if x.n%3 == 0 {
				return nil
			}
			return []string{x.lastID()}
		}),
		instead("next-instead", "DELETE-4", "A delete removes the creative after the one that is named",
			func(x *exchange) []string { return []string{next(x)} }),
		instead("previous-too", "DELETE-4", "A delete removes the media files beside it too", func(x *exchange) []string {
			return []string{x.lastID(), next(x), beside(x, -1)}
		}),
		too("next-too", "the creative after the one that is named", next),
		too("last-too", "the user's newest banner", func(x *exchange) string { return x.lastDisposable() }),
		too("listed-too", "a media file of an unrelated container", fixed("202")),
		too("paged-too", "a media file on the first page of a large container", fixed("1005")),
		instead("container-too", "DELETE-4", "A delete removes a container that is not named", func(x *exchange) []string {
			return []string{x.lastID(), "250"}
		}),
	}
}

// deletedAgain answer the owner's delete of what is deleted already.
func deletedAgain(*spec.Operation) []row {
	again := func(name, clauses, sentence string, answered func(x *exchange, times int) *answer) row {
		return fault(name, clauses, sentence, when(byOwner, func(x *exchange) *answer {
			if times, was := recall[int](x, x.path); was {
				x.keep(x.path, times+1)
				return answered(x, times)
			}
			a := x.forward()
			if a.ok() {
				x.keep(x.path, 1)
			}
			return a
		}))
	}
	refused := func(status int) func(*exchange, int) *answer {
		return func(*exchange, int) *answer { return refusal(status) }
	}
	return []row{
		again("again-204", "DELETE-3", "A second delete is answered 204 too", func(*exchange, int) *answer { return noContent() }),
		again("third-204", "DELETE-3", "A third delete is answered 204", func(x *exchange, times int) *answer {
			if times == 2 {
				return noContent()
			}
			return x.forward()
		}),
		again("again-403", "DELETE-3", "A second delete is answered 403", refused(403)),
		again("again-410", "DELETE-3 ERR-12", "A second delete is answered 410", refused(410)),
		again("again-422", "DELETE-3", "A second delete is answered 422", refused(422)),
		again("two-at-once-422", "DELETE-1 DELETE-3 ERR-12", "A delete of what is being deleted or is deleted is refused with 409", refused(409)),
	}
}

// deleteAnswers are deletes that are answered wrongly.
func deleteAnswers(*spec.Operation) []row {
	answered := func(name, clauses, sentence string, change func(x *exchange, a *answer) *answer) row {
		return fault(name, clauses, sentence, inPlaceOf(http.StatusNoContent, always, change))
	}
	raw := func(name, sentence string, lines ...string) row {
		return answered(name, "DELETE-2 HTTP-2", sentence, func(*exchange, *answer) *answer {
			a := noContent()
			a.raw = []byte("HTTP/1.1 204 No Content\r\n" + strings.Join(lines, "\r\n") + "\r\n")
			return a
		})
	}
	status := func(status int) row {
		return answered("status-"+itoa(status), "DELETE-1 ERR-12 HTTP-2", "A delete is answered "+itoa(status), func(*exchange, *answer) *answer {
			return &answer{status: status, header: http.Header{"Location": {"/"}}}
		})
	}
	return []row{
		raw("204-with-body", "A 204 has a body", "Content-Type: application/json", "Content-Length: 16", "Connection: close", "",
			`{"deleted":true}`),
		raw("204-announces-body", "A 204 announces a body that does not come", "Content-Length: 16", "Connection: close", ""),
		raw("204-chunked", "A 204 has a chunked body", "Transfer-Encoding: chunked", "Connection: close", "", "2", "{}", "0", ""),
		raw("204-body-unannounced", "A body follows a 204 that announces none", "Connection: close", "", "null"),
		answered("200-representation", "DELETE-1 ERR-12", "A delete is answered 200 with the deleted creative",
			func(x *exchange, a *answer) *answer {
				return a.replaced(http.StatusOK, object{"data": object{"id": atoi(x.lastID())}})
			}),
		answered("200-empty-object", "DELETE-1 ERR-12", "A delete is answered 200 with {}", func(_ *exchange, a *answer) *answer {
			return a.replaced(http.StatusOK, object{})
		}),
		status(202), status(205), status(301),
	}
}

// deleteWants refuse deletes that lack what no contract asks for.
func deleteWants(*spec.Operation) []row {
	wants := func(name, sentence string, status int, missing condition) row {
		return fault(name, "DELETE-6 DELETE-1 ERR-12", "A delete without a "+sentence, when(all(byOwner, missing), refuse(status)))
	}
	return []row{
		wants("wants-content-type", "Content-Type is answered 415", 415, noType),
		wants("wants-content-type-422", "Content-Type is answered 422", 422, noType),
		wants("wants-body", "body is answered 422", 422, noBody),
		wants("wants-body-400", "body is answered 400", 400, noBody),
		wants("wants-length", "Content-Length is answered 411", 411, noBody),
	}
}

func noType(x *exchange) bool { return x.header.Get("Content-Type") == "" }
func noBody(x *exchange) bool { return len(x.body) == 0 }

// deletedFiles are deletes of media files that leave a wrong list, and gone are the
// items of that list that were deleted.
func deletedFiles(c *spec.Contract) []row {
	list := c.Operation(mediaFileList)
	leaves := func(name, also, sentence string, change func(p *page, gone []any)) row {
		return fault(name, "DELETE-5 "+also, sentence, func(x *exchange) *answer {
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
	const counts = "DELETE-4 MEDIA-3 MEDIA-4 MEDIA-7"
	return []row{
		leaves("still-listed", counts, "A deleted media file is still listed", func(p *page, gone []any) {
			p.add("count", len(gone))
			p.add("totalCount", len(gone))
			p.items = append(p.items, gone...)
		}),
		leaves("total-stays", counts, "A deleted media file still counts in totalCount",
			func(p *page, gone []any) { p.add("totalCount", len(gone)) }),
		leaves("counts-stay", counts, "A deleted media file still counts", func(p *page, gone []any) {
			p.add("count", len(gone))
			p.add("totalCount", len(gone))
		}),
		leaves("another-leaves", counts, "With a media file another leaves its parent's list", func(p *page, _ []any) {
			if len(p.items) > 1 {
				p.drop(1)
			}
		}),
		leaves("list-emptied", counts, "With a media file all others leave its parent's list", func(p *page, _ []any) { p.drop(len(p.items)) }),
		leaves("null-left", counts+" MEDIA-2", "A deleted media file leaves a null in its parent's list", func(p *page, _ []any) {
			p.add("count", 1)
			p.add("totalCount", 1)
			p.items = append(p.items, nil)
		}),
	}
}

// deletedParents are deletes of media files that do more or less.
func deletedParents(c *spec.Contract) []row {
	list := c.Operation(mediaFileList)
	parentGone := func(x *exchange) *answer {
		parent, _ := x.parentOf(list)
		return then(func(x *exchange, a *answer) (request, bool) { return x.with(x.to(parent)), parent != "" && a.ok() })(x)
	}
	isFile := func(x *exchange) bool {
		parent, _ := x.parentOf(list)
		return parent != "" && byOwner(x)
	}
	return []row{
		fault("parent-gone", "DELETE-5 EFFECT-3 DELETE-4 MEDIA-1", "With a media file its parent is deleted",
			on(creativeDelete, parentGone)).graded(Critical),
		fault("file-stays", "DELETE-5 DELETE-3 EFFECT-1 MEDIA-4 MEDIA-7", "The delete of a media file is answered 204 and removes nothing",
			on(creativeDelete, when(isFile, func(*exchange) *answer { return noContent() }))),
	}
}

// parentOf is the disposable container that lists the creative of the exchange, and
// the item.
func (x *exchange) parentOf(list *spec.Operation) (parent string, item any) {
	for i := range x.World.Objects.DisposableVastCreatives {
		id := itoa(x.disposable(i))
		for _, one := range x.listed(request{method: list.Method, path: x.at(list, id), header: x.header}.with(x.as(x.owner()))) {
			if fields, ok := one.(object); ok && fmt.Sprint(fields["id"]) == x.lastID() {
				return id, one
			}
		}
	}
	return "", nil
}

// made sends, after an error of a status, the request that repair makes of it.
func made(status int, repair func(x *exchange) (r request, does bool)) behaviour {
	return then(func(x *exchange, a *answer) (request, bool) {
		if a.status != status {
			return x.request, false
		}
		return repair(x)
	})
}

// refusedUpdates answer an error and update all the same.
func refusedUpdates(op *spec.Operation) []row {
	applied := func(name, sentence string, status int, repair func(x *exchange) (request, bool)) row {
		return fault(name, "EFFECT-1 persists", sentence, made(status, repair))
	}
	byHolder := func(is condition) func(x *exchange) (request, bool) {
		return func(x *exchange) (request, bool) { return x.asHolder(), is(x) }
	}
	rows := []row{
		applied("401-no-key", "a request without a key is answered 401 and made", 401, byHolder(noKey)),
		applied("401-any-key", "a request with a wrong key is answered 401 and made", 401, byHolder(always)),
		applied("403-stranger", "a stranger's request is answered 403 and made", 403, byHolder(byStranger)),
		applied("403-foreign", "a request for a foreign object is answered 403 and made", 403, byHolder(byOwner)),
		applied("404-on-mine", "a request for an unknown object is answered 404 and made on the user's first object", 404,
			func(x *exchange) (request, bool) {
				return x.with(x.to(x.mine()...)), len(x.lastID()) == 10 && !onMine(x)
			}),
		applied("422-malformed", "a malformed body is answered 422 and set as far as it goes", 422, completed),
		applied("422-coerced", "a value of the wrong type is answered 422 and stored as text", 422, coercedToText),
		fault("reset", "EFFECT-1 persists", "a refused body resets the object to what it was at the start", resetsToStart),
	}
	throughParents := func(is condition) func(x *exchange) (request, bool) {
		return func(x *exchange) (request, bool) {
			ids := x.belongs(op, x.lastID())
			if ids == nil || !is(x) {
				return x.request, false
			}
			return x.with(x.to(ids...)), true
		}
	}
	if several(op) {
		rows = append(rows,
			applied("404-wrong-parent", "a request through the wrong parents is answered 404 and made", 404, throughParents(always)),
			applied("404-unknown-parent", "a request through an unknown first parent is answered 404 and made", 404,
				throughParents(func(x *exchange) bool { return len(x.ids[0]) == 10 })))
	} else {
		rows = append(rows, applied("404-any-id", "a request for an unknown object is answered 404 and made on another", 404,
			func(x *exchange) (request, bool) { return x.with(x.to(x.other()...)), true }))
	}
	if len(op.Body.Fields) == 1 {
		return rows
	}
	rows = append(rows, applied("422-right-fields", "a partly wrong body is answered 422 and its right fields are set", 422,
		rightFields(op.Body.Fields...)))
	for _, f := range op.Body.Fields {
		rows = append(rows, applied("422-"+f.Name, "a partly wrong body is answered 422 and its "+f.Name+" is set", 422, rightFields(f)))
	}
	return rows
}

// rightFields are those of these fields whose values are right, where others are wrong.
func rightFields(fields ...*spec.Field) func(x *exchange) (request, bool) {
	return func(x *exchange) (request, bool) {
		doc, kept := x.fields(), object{}
		for _, f := range fields {
			if s, text := doc[f.Name].(string); text && (freeText(f) || slices.Contains(f.Enum, s)) {
				kept[f.Name] = s
			}
		}
		return x.with(saying(kept)), len(kept) > 0 && len(kept) < len(doc)
	}
}

// completed is a request whose body is cut off, or has something after its end.
func completed(x *exchange) (request, bool) {
	for _, body := range [][]byte{append(slices.Clone(x.body), `"}`...), x.body[:bytes.LastIndexByte(x.body, '}')+1]} {
		if !json.Valid(x.body) && json.Valid(body) {
			return x.with(saying(body)), true
		}
	}
	return x.request, false
}

// coercedToText is a request with texts for values of other types.
func coercedToText(x *exchange) (request, bool) {
	r := x.alter(func(fields object) {
		for _, f := range x.op.Body.Fields {
			if v := fields[f.Name]; v != nil && !is[string](v) {
				fields[f.Name] = placeholder(f, coerced)
			}
		}
	})
	return r, !r.equal(x.request)
}

func resetsToStart(x *exchange) *answer {
	if _, had := recall[object](x, x.path); !had && byOwner(x) && onMine(x) {
		x.keep(x.path, onlyFields(x.op, x.current(x.ids...)))
	}
	return made(422, func(x *exchange) (request, bool) {
		start, had := recall[object](x, x.path)
		return x.asHolder(saying(start)), had
	})(x)
}

// refusedDeletes answer an error and delete all the same.
func refusedDeletes(*spec.Operation) []row {
	applied := func(name, sentence string, status int, is condition, id func(x *exchange) string) row {
		return fault("delete-"+name, "EFFECT-1 DELETE-4 DELETE-5", sentence, made(status, func(x *exchange) (request, bool) {
			if !is(x) {
				return x.request, false
			}
			return x.with(x.as(x.owner()), x.to(id(x))), true
		}))
	}
	same := (*exchange).lastID
	letters := func(x *exchange) bool { return len(x.lastID()) > 3 && x.lastID()[3] == 'a' }
	return []row{
		applied("401", "A delete with a wrong key or none is answered 401 and made", 401, always, same),
		applied("401-no-key", "A delete without a key is answered 401 and made", 401, noKey, same),
		applied("403", "A stranger's delete is answered 403 and made", 403, always, same),
		applied("404-trailing-letters", "A delete of 301abc is answered 404 and deletes 301", 404, letters,
			func(x *exchange) string { return x.lastID()[:3] }),
		applied("404-unknown", "A delete of an unknown creative is answered 404 and deletes another", 404, always,
			func(x *exchange) string { return x.lastDisposable() }),
	}
}
