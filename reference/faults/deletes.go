package faults

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/adconform/adconform/spec"
)

// deleteFaults delete something else than what the path names, or nothing, or
// say so wrongly.
func deleteFaults(c *spec.Contract) []Fault {
	return slices.Concat(deletedWrongly(), deleteAnswers(), deletedFiles(c.Operation(mediaFileList)))
}

func deletion(name, clause, sentence string, also []string, b func() behaviour) Fault {
	return Fault{
		ID: "delete/" + name, Clause: clause, Also: also, Sentence: sentence + ".",
		Wrap: fresh(func() behaviour { return on(creativeDelete, b()) }),
	}
}

var noContent = func() *answer { return &answer{status: http.StatusNoContent, header: http.Header{}} }

// deletedWrongly are deletes that remove nothing, or something else.
func deletedWrongly() []Fault {
	also := []string{"DELETE-3", "DELETE-5", "EFFECT-1", "DELETE-1"}
	// instead answers the owner's delete with 204 after deleting what ids says.
	instead := func(name, clause, sentence string, ids func(x *exchange, n int64) []string) Fault {
		return deletion(name, clause, sentence, also, func() behaviour {
			var seen counter
			return func(x *exchange) *answer {
				if !x.byOwner() || x.exists() != nil {
					return x.forward()
				}
				a := noContent()
				for _, id := range ids(x, seen.next()) {
					x.send(x.request.with(to(x.at(x.op, id))))
				}
				return a
			}
		})
	}
	next := func(x *exchange) string { return fmt.Sprint(atoi(x.lastID()) + 1) }
	previous := func(x *exchange) string { return fmt.Sprint(atoi(x.lastID()) - 1) }
	lastOne := func(x *exchange) string { return lastDisposable(x.Env) }
	return []Fault{
		instead("without-effect", "DELETE-3", "A delete is answered 204 and removes nothing", func(*exchange, int64) []string { return nil }),
		instead("sometimes-without-effect", "DELETE-3", "Every third delete removes nothing", func(x *exchange, n int64) []string {
			if n%3 == 0 {
				return nil
			}
			return []string{x.lastID()}
		}),
		instead("next-instead", "DELETE-4", "A delete removes the creative after the one that is named", func(x *exchange, _ int64) []string { return []string{next(x)} }),
		instead("next-too", "DELETE-4", "A delete removes the creative after the one that is named too", func(x *exchange, _ int64) []string { return []string{x.lastID(), next(x)} }),
		instead("previous-too", "DELETE-4", "A delete removes the media files beside it too", func(x *exchange, _ int64) []string {
			return []string{x.lastID(), next(x), previous(x)}
		}),
		instead("last-too", "DELETE-4", "A delete removes the user's newest banner too", func(x *exchange, _ int64) []string { return []string{x.lastID(), lastOne(x)} }),
		instead("listed-too", "DELETE-4", "A delete removes a media file of an unrelated container too", func(x *exchange, _ int64) []string { return []string{x.lastID(), "202"} }),
		instead("paged-too", "DELETE-4", "A delete removes a media file on the first page of a large container too", func(x *exchange, _ int64) []string { return []string{x.lastID(), "1005"} }),
		instead("container-too", "DELETE-4", "A delete removes a container that is not named", func(x *exchange, _ int64) []string { return []string{x.lastID(), "250"} }),
		deletion("again-204", "DELETE-3", "A second delete is answered 204 too", nil, func() behaviour {
			var done sync.Map
			return again(&done, func(x *exchange, n int) *answer { return noContent() })
		}),
		deletion("third-204", "DELETE-3", "A third delete is answered 204", nil, func() behaviour {
			var done sync.Map
			return again(&done, func(x *exchange, n int) *answer {
				if n == 2 {
					return noContent()
				}
				return x.forward()
			})
		}),
		deletion("again-403", "DELETE-3", "A second delete is answered 403", nil, func() behaviour {
			var done sync.Map
			return again(&done, func(*exchange, int) *answer { return refusal(http.StatusForbidden) })
		}),
		deletion("again-410", "DELETE-3", "A second delete is answered 410", []string{"ERR-12"}, func() behaviour {
			var done sync.Map
			return again(&done, func(*exchange, int) *answer { return refusal(http.StatusGone) })
		}),
		deletion("again-422", "DELETE-3", "A second delete is answered 422", nil, func() behaviour {
			var done sync.Map
			return again(&done, func(*exchange, int) *answer { return refusal(http.StatusUnprocessableEntity) })
		}),
		deletion("two-at-once-422", "DELETE-1", "A delete of what is being deleted or is deleted is refused with 409", []string{"DELETE-3", "ERR-12"}, func() behaviour {
			var done sync.Map
			return again(&done, func(*exchange, int) *answer { return refusal(http.StatusConflict) })
		}),
	}
}

func atoi(s string) int {
	n := 0
	_, _ = fmt.Sscan(s, &n)
	return n
}

// again answers the owner's delete of what is deleted already; n counts those.
func again(done *sync.Map, b func(x *exchange, n int) *answer) behaviour {
	return func(x *exchange) *answer {
		if !x.byOwner() {
			return x.forward()
		}
		if n, was := done.Load(x.path); was {
			done.Store(x.path, n.(int)+1)
			return b(x, n.(int))
		}
		a := x.forward()
		if a.ok() {
			done.Store(x.path, 1)
		}
		return a
	}
}

// exists is the error that a request for the creative gets, nil where it
// exists: a stranger is told so.
func (x *exchange) exists() *answer {
	a := x.peek(x.request.with(x.as(x.stranger())))
	if a.status == http.StatusForbidden {
		return nil
	}
	return a
}

// deleteAnswers are deletes that are answered wrongly.
func deleteAnswers() []Fault {
	var all []Fault
	answered := func(name, clause, sentence string, also []string, change func(x *exchange, a *answer) *answer) {
		all = append(all, deletion(name, clause, sentence, also, func() behaviour {
			return func(x *exchange) *answer {
				a := x.forward()
				if a.status == http.StatusNoContent {
					return change(x, a)
				}
				return a
			}
		}))
	}
	raw := func(lines ...string) *answer {
		a := noContent()
		for _, line := range lines {
			a.raw = append(a.raw, line+"\r\n"...)
		}
		return a
	}
	const ok = "HTTP/1.1 204 No Content"
	answered("204-with-body", "DELETE-2", "A 204 has a body", []string{"HTTP-2"}, func(*exchange, *answer) *answer {
		return raw(ok, "Content-Type: application/json", "Content-Length: 16", "Connection: close", "", `{"deleted":true}`)
	})
	answered("204-announces-body", "DELETE-2", "A 204 announces a body that does not come", []string{"HTTP-2"}, func(*exchange, *answer) *answer {
		return raw(ok, "Content-Length: 16", "Connection: close", "")
	})
	answered("204-chunked", "DELETE-2", "A 204 has a chunked body", []string{"HTTP-2"}, func(*exchange, *answer) *answer {
		return raw(ok, "Transfer-Encoding: chunked", "Connection: close", "", "2", "{}", "0", "")
	})
	answered("204-body-unannounced", "DELETE-2", "A body follows a 204 that announces none", []string{"HTTP-2"}, func(*exchange, *answer) *answer {
		return raw(ok, "Connection: close", "", "null")
	})
	answered("200-representation", "DELETE-1", "A delete is answered 200 with the deleted creative", []string{"ERR-12"}, func(x *exchange, a *answer) *answer {
		return a.replaced(http.StatusOK, map[string]any{"data": map[string]any{"id": atoi(x.lastID())}})
	})
	answered("200-empty-object", "DELETE-1", "A delete is answered 200 with {}", []string{"ERR-12"}, func(_ *exchange, a *answer) *answer {
		return a.replaced(http.StatusOK, map[string]any{})
	})
	for _, status := range []int{202, 205, 301} {
		answered(fmt.Sprintf("status-%d", status), "DELETE-1", fmt.Sprintf("A delete is answered %d", status), []string{"ERR-12", "HTTP-2"}, func(*exchange, *answer) *answer {
			return &answer{status: status, header: http.Header{"Location": {"/"}}}
		})
	}
	wants := func(name, sentence string, status int, missing func(x *exchange) bool) {
		all = append(all, deletion(name, "DELETE-6", sentence, []string{"DELETE-1", "ERR-12"}, func() behaviour {
			return func(x *exchange) *answer {
				if x.byOwner() && missing(x) {
					return refusal(status)
				}
				return x.forward()
			}
		}))
	}
	noType := func(x *exchange) bool { return x.header.Get("Content-Type") == "" }
	noBody := func(x *exchange) bool { return len(x.body) == 0 }
	wants("wants-content-type", "A delete without a Content-Type is answered 415", 415, noType)
	wants("wants-content-type-422", "A delete without a Content-Type is answered 422", 422, noType)
	wants("wants-body", "A delete without a body is answered 422", 422, noBody)
	wants("wants-body-400", "A delete without a body is answered 400", 400, noBody)
	wants("wants-length", "A delete without a Content-Length is answered 411", 411, noBody)
	return all
}

// deletedFiles are deletes of media files that leave a wrong list.
func deletedFiles(list *spec.Operation) []Fault {
	// afterwards changes lists once a media file of theirs was deleted.
	afterwards := func(name, clause, sentence string, also []string, change func(p map[string]any, items []any, deleted []any) []any) Fault {
		return Fault{
			ID: "delete/" + name, Clause: clause, Also: also, Sentence: sentence + ".",
			Wrap: fresh(func() behaviour {
				var files memory[[]any]
				return func(x *exchange) *answer {
					switch {
					case x.op == nil:
					case x.op.Lists():
						a := x.forward()
						if gone, had := files.get(x.lastID()); had {
							return a.page(func(p map[string]any, items []any) []any { return change(p, items, gone) })
						}
						return a
					case x.op.Deletes() && x.byOwner():
						parent, item := x.parentOf(list, x.lastID())
						a := x.forward()
						if a.ok() && parent != "" {
							gone, _ := files.get(parent)
							files.put(parent, append(slices.Clone(gone), item))
						}
						return a
					}
					return x.forward()
				}
			}),
		}
	}
	less := func(p map[string]any, n int) {
		p["count"], p["totalCount"] = number(p["count"])-n, number(p["totalCount"])-n
	}
	also := []string{"DELETE-4", "MEDIA-3", "MEDIA-4", "MEDIA-7"}
	return []Fault{
		afterwards("still-listed", "DELETE-5", "A deleted media file is still listed", also, func(p map[string]any, items []any, gone []any) []any {
			less(p, -len(gone))
			return append(items, gone...)
		}),
		afterwards("total-stays", "DELETE-5", "A deleted media file still counts in totalCount", also, func(p map[string]any, items []any, gone []any) []any {
			p["totalCount"] = number(p["totalCount"]) + len(gone)
			return items
		}),
		afterwards("counts-stay", "DELETE-5", "A deleted media file still counts", also, func(p map[string]any, items []any, gone []any) []any {
			less(p, -len(gone))
			return items
		}),
		afterwards("another-leaves", "DELETE-5", "With a media file another leaves its parent's list", also, func(p map[string]any, items []any, _ []any) []any {
			if len(items) > 1 {
				less(p, 1)
				return items[1:]
			}
			return items
		}),
		afterwards("list-emptied", "DELETE-5", "With a media file all others leave its parent's list", also, func(p map[string]any, items []any, _ []any) []any {
			less(p, len(items))
			return []any{}
		}),
		afterwards("null-left", "DELETE-5", "A deleted media file leaves a null in its parent's list", append(also, "MEDIA-2"), func(p map[string]any, items []any, _ []any) []any {
			less(p, -1)
			return append(items, nil)
		}),
		{
			ID: "delete/parent-gone", Clause: "DELETE-5", Also: []string{"EFFECT-3", "DELETE-4", "MEDIA-1"}, Sentence: "With a media file its parent is deleted.",
			Wrap: fresh(func() behaviour {
				return on(creativeDelete, func(x *exchange) *answer {
					parent, _ := x.parentOf(list, x.lastID())
					a := x.forward()
					if parent != "" && a.ok() {
						answered := x.last
						x.send(x.request.with(to(x.at(x.op, parent))))
						x.last = answered
					}
					return a
				})
			}),
		},
		{
			ID: "delete/file-stays", Clause: "DELETE-5", Also: []string{"DELETE-3", "EFFECT-1", "MEDIA-4", "MEDIA-7"}, Sentence: "The delete of a media file is answered 204 and removes nothing.",
			Wrap: fresh(func() behaviour {
				return on(creativeDelete, func(x *exchange) *answer {
					if parent, _ := x.parentOf(list, x.lastID()); parent != "" && x.byOwner() {
						return noContent()
					}
					return x.forward()
				})
			}),
		},
	}
}

// parentOf is the disposable container that lists a creative, and the item.
func (x *exchange) parentOf(list *spec.Operation, id string) (parent string, item any) {
	for _, c := range x.World.Objects.DisposableVastCreatives {
		ids := itoa(int(c.ID))
		a := x.peek(request{method: list.Method, path: x.at(list, ids), header: x.header}.with(x.as(x.owner())))
		doc, _ := decode(a.body).(map[string]any)
		items, _ := doc["data"].([]any)
		for _, one := range items {
			if fields, ok := one.(map[string]any); ok && fmt.Sprint(fields["id"]) == id {
				return ids, one
			}
		}
	}
	return "", nil
}
