package faults

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/adconform/adconform/spec"
)

// refusedUpdates answer an error and update all the same.
func refusedUpdates(op *spec.Operation) (rows []row) {
	add := func(name, sentence string, status int, is condition, does behaviour) {
		rows = append(rows, fault(name, "EFFECT-1 persists", sentence, made(status, is, does)))
	}
	unknown := func(i int) condition { return func(x *exchange) bool { return len(x.ids[i]) == 10 } }
	add("401-no-key", "a request without a key is answered 401 and made", 401, noKey, asOwner)
	add("401-any-key", "a request with a wrong key is answered 401 and made", 401, always, asOwner)
	add("403-stranger", "a stranger's request is answered 403 and made", 403, byStranger, permitted)
	add("403-foreign", "a request for a foreign object is answered 403 and made", 403, byOwner, permitted)
	add("404-on-mine", "a request for an unknown object is answered 404 and made on the user's first object", 404,
		all(unknown(len(op.Params)-1), not(onMine)), asMine)
	add("422-malformed", "a malformed body is answered 422 and set as far as it goes", 422, always, func(x *exchange) *answer {
		if body := completed(x.body); body != nil {
			return says(body)(x)
		}
		return nil
	})
	add("422-coerced", "a value of the wrong type is answered 422 and stored as text", 422, always, setting(func(x *exchange, fields object) {
		for _, f := range op.Body.Fields {
			if noText(fields[f.Name]) {
				fields[f.Name] = placeholder(f, coerced)
			}
		}
	}))
	rows = append(rows, fault("reset", "EFFECT-1 persists", "a refused body resets the object to what it was at the start",
		knowing(answers(func(x *exchange, a *answer) *answer {
			if x.before != nil {
				x.values.LoadOrStore(x.path, onlyFields(op, x.before))
			}
			if start, had := recall[object](x, x.path); had && a.status == 422 {
				x.set(op, x.ids, start)
			}
			return a
		}))))
	if several(op) {
		belongs := func(x *exchange) bool { return x.belongs() != nil }
		rightly := naming((*exchange).belongs)
		add("404-wrong-parent", "a request through the wrong parents is answered 404 and made", 404, belongs, rightly)
		add("404-unknown-parent", "a request through an unknown first parent is answered 404 and made", 404, all(belongs, unknown(0)), rightly)
	} else {
		add("404-any-id", "a request for an unknown object is answered 404 and made on another", 404, always, naming((*exchange).other))
	}
	if len(op.Body.Fields) > 1 {
		partly := func(name, words string, fields ...*spec.Field) {
			add("422-"+name, "a partly wrong body is answered 422 and "+words+" set", 422, always, func(x *exchange) *answer {
				if kept := rightFields(x.fields(), fields); len(kept) > 0 && len(kept) < len(x.fields()) {
					return says(kept)(x)
				}
				return nil
			})
		}
		partly("right-fields", "its right fields are", op.Body.Fields...)
		for _, f := range op.Body.Fields {
			partly(f.Name, "its "+f.Name+" is", f)
		}
	}
	return rows
}

// rightFields are those of these fields whose values are right.
func rightFields(doc object, fields []*spec.Field) object {
	kept := object{}
	for _, f := range fields {
		if s, text := doc[f.Name].(string); text && (freeText(f) || slices.Contains(f.Enum, s)) {
			kept[f.Name] = s
		}
	}
	return kept
}

// completed is a body that is cut off, or has something after its end, as far as it goes; nil for any other.
func completed(body []byte) []byte {
	for _, whole := range [][]byte{append(slices.Clone(body), `"}`...), body[:bytes.LastIndexByte(body, '}')+1]} {
		if !json.Valid(body) && json.Valid(whole) {
			return whole
		}
	}
	return nil
}

// refusedDeletes answer an error and delete all the same.
func refusedDeletes(op *spec.Operation) []row {
	deletes := func(name, sentence string, status int, is condition, does behaviour) row {
		return fault("delete-"+name, "EFFECT-1 DELETE-4 DELETE-5", sentence, made(status, is, does))
	}
	another := func(id func(x *exchange) string) behaviour {
		return func(x *exchange) *answer {
			x.set(op, []string{id(x)}, nil)
			return nil
		}
	}
	letters := func(x *exchange) bool { return len(x.lastID()) > 3 && x.lastID()[3] == 'a' }
	return []row{
		deletes("401", "A delete with a wrong key or none is answered 401 and made", 401, always, asOwner),
		deletes("403", "A stranger's delete is answered 403 and made", 403, always, permitted),
		deletes("404-trailing-letters", "A delete of 301abc is answered 404 and deletes 301", 404, letters,
			another(func(x *exchange) string { return x.lastID()[:3] })),
		deletes("404-unknown", "A delete of an unknown creative is answered 404 and deletes another", 404, always,
			another(func(x *exchange) string { return itoa(x.lastDisposable()) })),
	}
}
