package faults

import (
	"net/http"

	"github.com/adconform/adconform/spec"
)

// goneToo are requests that remove a creative of the owner's which they do not name. Nothing is
// asked of it later but what becomes of it.
func goneToo(op *spec.Operation) []row {
	gone := func(name, clauses, sentence string, id func(x *exchange) string) row {
		words := "each success but the first three removes " + sentence + " too"
		return fault(name, clauses, words, then(func(x *exchange, a *answer) (request, bool) {
			return x.with(x.as(x.owner()), func(r *request) {
				r.method, r.path, r.query, r.body = http.MethodDelete, x.at(x.removing(), id(x)), "", nil
			}), a.ok() && x.count() > 3
		})).graded(Critical)
	}
	return []row{
		gone("plain", "EFFECT-3 EFFECT-2 DELETE-4", "a creative that holds no media files",
			func(x *exchange) string { return itoa(x.World.Objects.PlainCreative.ID) }),
		gone("empty", "EFFECT-3 EFFECT-2 DELETE-4 MEDIA-1 MEDIA-9", "a container without media files",
			func(x *exchange) string { return itoa(x.World.Objects.EmptyVastCreative.ID) }),
		gone("file", "EFFECT-3 EFFECT-2 DELETE-4 MEDIA-9 MEDIA-7 MEDIA-4", "a media file that no request named",
			func(x *exchange) string { return itoa(x.World.Objects.VastCreative.ID + 2) }),
	}
}

// removing is the operation that deletes.
func (env *Env) removing() *spec.Operation { return env.Contract.Operation(creativeDelete) }

// forgetsUpdated are deletes after which an object of another kind is gone.
func forgetsUpdated(c *spec.Contract) []row {
	var rows []row
	for _, op := range c.Operations {
		if op.Updates() {
			rows = append(rows, fault("forgets/"+op.ID, "EFFECT-3 DELETE-4", "With a creative an object goes that "+op.ID+" names",
				func(x *exchange) *answer {
					if _, gone := recall[bool](x, "deleted"); gone && x.op == op && onMine(x) && byOwner(x) {
						return refusal(http.StatusNotFound)
					}
					a := x.forward()
					if of(creativeDelete)(x) && a.ok() {
						x.keep("deleted", true)
					}
					return a
				}).graded(Critical))
		}
	}
	return rows
}

// readsThatWrite are lists that change what an update set: they bring it back to what it was.
func readsThatWrite(c *spec.Contract) []row {
	var rows []row
	for _, op := range c.Operations {
		if !op.Updates() {
			continue
		}
		start := "start " + op.ID
		rows = append(rows, fault("read-writes/"+op.ID, "persists EFFECT-1 EFFECT-2", "A list brings what "+op.ID+" set back to what it was",
			func(x *exchange) *answer {
				if x.op == op && onMine(x) && byOwner(x) {
					if _, had := recall[object](x, start); !had {
						x.keep(start, onlyFields(op, x.current(x.ids...)))
					}
				}
				a := x.forward()
				if before, had := recall[object](x, start); had && of(mediaFileList)(x) && a.ok() {
					ids := idsOf(&x.World.Objects, op, itself)
					x.secretly(x.with(x.as(x.owner()), saying(before), func(r *request) {
						r.method, r.path, r.query = op.Method, x.at(op, ids...), ""
						r.header.Set("Content-Type", "application/json")
					}))
				}
				return a
			}).graded(Critical))
		rows[len(rows)-1].clauses = op.Effects["persists"] + " EFFECT-1 EFFECT-2"
	}
	return rows
}

// failsOnDeleted are requests that fail for what was deleted.
func failsOnDeleted(*spec.Contract) []row {
	const words = "The list of a creative that was deleted makes the server fail"
	return []row{fault("list-of-deleted", "HTTP-1", words, func(x *exchange) *answer {
		if _, gone := recall[bool](x, x.lastOr()); gone && of(mediaFileList)(x) && byOwner(x) {
			return refusal(http.StatusInternalServerError)
		}
		a := x.forward()
		if of(creativeDelete)(x) && a.ok() {
			x.keep(x.lastOr(), true)
		}
		return a
	})}
}

func (x *exchange) lastOr() string {
	if len(x.ids) == 0 {
		return ""
	}
	return "deleted " + x.lastID()
}

// backAgain are deletes that are undone by a later one.
func backAgain(*spec.Operation) []row {
	const words = "A container that was deleted can be deleted again, once another creative was"
	return []row{fault("container-back", "DELETE-3", words, func(x *exchange) *answer {
		was, _ := recall[string](x, "container")
		if was == x.lastID() && byOwner(x) {
			if n, _ := recall[int](x, "others"); n > 0 {
				return noContent()
			}
		}
		a := x.forward()
		switch {
		case a.ok() && x.lastID() == itoa(x.disposable(0)):
			x.keep("container", x.lastID())
		case a.ok() && was != "":
			x.keep("others", 1)
		}
		return a
	})}
}
