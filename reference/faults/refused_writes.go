package faults

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
)

// refusedWriteFaults do what they refuse to do.
func refusedWriteFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		all = append(all, refusedUpdates(op)...)
	}
	return append(all, refusedDeletes()...)
}

// refusedUpdates answer an error and update all the same.
func refusedUpdates(op *spec.Operation) []Fault {
	var all []Fault
	// applied sends, after an error, the request that repair makes of it.
	applied := func(name, sentence string, status int, repair func(x *exchange) (request, bool)) {
		all = append(all, Fault{
			ID: "refused/" + name + "/" + op.ID, Clause: "EFFECT-1", Also: []string{op.Effects["persists"]}, Sentence: op.ID + ": " + sentence + ".",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				if a.status == status {
					if r, ok := repair(x); ok {
						answered := x.last
						x.send(r)
						x.last = answered
					}
				}
				return a
			})),
		})
	}
	asHolder := func(x *exchange) (request, bool) { return x.asHolder(), true }
	applied("401-no-key", "a request without a key is answered 401 and made", 401, func(x *exchange) (request, bool) {
		return x.asHolder(), x.key() == ""
	})
	applied("401-any-key", "a request with a wrong key is answered 401 and made", 401, asHolder)
	applied("403-stranger", "a stranger's request is answered 403 and made", 403, func(x *exchange) (request, bool) {
		return x.asHolder(), x.byStranger()
	})
	applied("403-foreign", "a request for a foreign object is answered 403 and made", 403, func(x *exchange) (request, bool) {
		return x.asHolder(), x.byOwner()
	})
	applied("404-on-mine", "a request for an unknown object is answered 404 and made on the user's first object", 404, func(x *exchange) (request, bool) {
		return x.request.with(to(x.at(op, x.mine(op)...))), len(x.lastID()) == 10 && !slices.Equal(x.ids, x.mine(op))
	})
	if len(op.Params) > 1 {
		applied("404-wrong-parent", "a request through the wrong parents is answered 404 and made", 404, func(x *exchange) (request, bool) {
			return x.throughParents(op)
		})
		applied("404-unknown-parent", "a request through an unknown first parent is answered 404 and made", 404, func(x *exchange) (request, bool) {
			r, ok := x.throughParents(op)
			return r, ok && len(x.ids[0]) == 10
		})
	} else {
		applied("404-any-id", "a request for an unknown object is answered 404 and made on another", 404, func(x *exchange) (request, bool) {
			return x.request.with(to(x.at(op, x.other(op)...))), true
		})
	}
	right := func(x *exchange, only string) (request, bool) {
		doc := x.fields()
		kept := map[string]any{}
		for _, f := range op.Body.Fields {
			if s, text := doc[f.Name].(string); text && (len(f.Enum) == 0 || slices.Contains(f.Enum, s)) && (only == "" || only == f.Name) {
				kept[f.Name] = s
			}
		}
		return x.request.with(saying(encode(kept))), len(kept) > 0 && len(kept) < len(doc)
	}
	if len(op.Body.Fields) > 1 {
		applied("422-right-fields", "a partly wrong body is answered 422 and its right fields are set", 422, func(x *exchange) (request, bool) { return right(x, "") })
		for _, f := range op.Body.Fields {
			applied("422-"+f.Name, "a partly wrong body is answered 422 and its "+f.Name+" is set", 422, func(x *exchange) (request, bool) { return right(x, f.Name) })
		}
	}
	applied("422-malformed", "a malformed body is answered 422 and set as far as it goes", 422, func(x *exchange) (request, bool) {
		for _, body := range [][]byte{append(slices.Clone(x.body), `"}`...), x.body[:bytes.LastIndexByte(x.body, '}')+1]} {
			if !json.Valid(x.body) && json.Valid(body) {
				return x.request.with(saying(body)), true
			}
		}
		return x.request, false
	})
	applied("422-coerced", "a value of the wrong type is answered 422 and stored as text", 422, func(x *exchange) (request, bool) {
		doc := x.fields()
		changed := false
		for _, f := range op.Body.Fields {
			if _, text := doc[f.Name].(string); !text && doc[f.Name] != nil {
				doc[f.Name] = "coerced.example.com"
				if len(f.Enum) > 0 {
					doc[f.Name] = f.Enum[0]
				}
				changed = true
			}
		}
		return x.request.with(saying(encode(doc))), changed
	})
	all = append(all, Fault{
		ID: "refused/reset/" + op.ID, Clause: "EFFECT-1", Also: []string{op.Effects["persists"]},
		Sentence: op.ID + ": a refused body resets the object to what it was at the start.",
		Wrap: fresh(func() behaviour {
			var start memory[[]byte]
			return on(op.ID, func(x *exchange) *answer {
				if x.byOwner() && x.onMine() {
					if _, had := start.get(x.path); !had {
						start.put(x.path, encode(onlyFields(op, x.current(x.ids...))))
					}
				}
				a := x.forward()
				if body, had := start.get(x.path); had && a.status == http.StatusUnprocessableEntity {
					answered := x.last
					x.send(x.asHolder(saying(body)))
					x.last = answered
				}
				return a
			})
		}),
	})
	return all
}

// throughParents is the request with the right parents of the object that it
// names; false where the owner has no such object.
func (x *exchange) throughParents(op *spec.Operation) (request, bool) {
	ids, ok := x.belongs(op, x.lastID())
	if !ok {
		return x.request, false
	}
	return x.request.with(to(x.at(op, ids...))), true
}

// onlyFields are the changeable fields of a representation that have a value.
func onlyFields(op *spec.Operation, data map[string]any) map[string]any {
	kept := map[string]any{}
	for _, f := range op.Body.Fields {
		if v := data[f.Name]; v != nil {
			kept[f.Name] = v
		}
	}
	return kept
}

// refusedDeletes answer an error and delete all the same.
func refusedDeletes() []Fault {
	var all []Fault
	applied := func(name, sentence string, when func(x *exchange, a *answer) bool, id func(x *exchange) string) {
		all = append(all, Fault{
			ID: "refused/delete-" + name, Clause: "EFFECT-1", Also: []string{"DELETE-4", "DELETE-5"}, Sentence: sentence + ".",
			Wrap: each(on(creativeDelete, func(x *exchange) *answer {
				a := x.forward()
				if when(x, a) {
					answered := x.last
					x.send(x.request.with(x.as(x.owner()), to(x.at(x.op, id(x)))))
					x.last = answered
				}
				return a
			})),
		})
	}
	same := (*exchange).lastID
	status := func(want int) func(*exchange, *answer) bool {
		return func(_ *exchange, a *answer) bool { return a.status == want }
	}
	applied("401", "A delete with a wrong key or none is answered 401 and made", status(401), same)
	applied("401-no-key", "A delete without a key is answered 401 and made", func(x *exchange, a *answer) bool { return a.status == 401 && x.key() == "" }, same)
	applied("403", "A stranger's delete is answered 403 and made", status(403), same)
	applied("404-trailing-letters", "A delete of 301abc is answered 404 and deletes 301", func(x *exchange, a *answer) bool {
		return a.status == 404 && len(x.lastID()) > 3 && x.lastID()[3] == 'a'
	}, func(x *exchange) string { return x.lastID()[:3] })
	applied("404-unknown", "A delete of an unknown creative is answered 404 and deletes another", status(404), func(x *exchange) string { return lastDisposable(x.Env) })
	return all
}
