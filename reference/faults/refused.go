package faults

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/adconform/adconform/spec"
)

// repair makes of a refused request one that is carried out.
type repair = func(x *exchange) (r request, does bool)

// made carries out, after an error of a status, what repair makes of the request.
func made(status int, repair repair) behaviour {
	return then(func(x *exchange, a *answer) (request, bool) {
		if a.status != status {
			return x.request, false
		}
		return repair(x)
	})
}

// refusedUpdates answer an error and update all the same.
func refusedUpdates(op *spec.Operation) []row {
	var rows []row
	add := func(name, sentence string, status int, repair repair) {
		rows = append(rows, fault(name, "EFFECT-1 persists", sentence, made(status, repair)))
	}
	byHolder := func(is condition) repair { return func(x *exchange) (request, bool) { return x.asHolder(), is(x) } }
	throughParents := func(is condition) repair {
		return func(x *exchange) (request, bool) {
			ids := x.belongs(op, x.lastID())
			if ids == nil {
				return x.request, false
			}
			return x.with(x.to(ids...)), is(x)
		}
	}
	add("401-no-key", "a request without a key is answered 401 and made", 401, byHolder(noKey))
	add("401-any-key", "a request with a wrong key is answered 401 and made", 401, byHolder(always))
	add("403-stranger", "a stranger's request is answered 403 and made", 403, byHolder(byStranger))
	add("403-foreign", "a request for a foreign object is answered 403 and made", 403, byHolder(byOwner))
	add("404-on-mine", "a request for an unknown object is answered 404 and made on the user's first object", 404,
		func(x *exchange) (request, bool) {
			return x.with(x.to(x.mine()...)), len(x.lastID()) == 10 && !onMine(x)
		})
	add("422-malformed", "a malformed body is answered 422 and set as far as it goes", 422, completed)
	add("422-coerced", "a value of the wrong type is answered 422 and stored as text", 422, coercedToText)
	rows = append(rows, fault("reset", "EFFECT-1 persists", "a refused body resets the object to what it was at the start", resetsToStart))
	if several(op) {
		add("404-wrong-parent", "a request through the wrong parents is answered 404 and made", 404, throughParents(always))
		add("404-unknown-parent", "a request through an unknown first parent is answered 404 and made", 404,
			throughParents(func(x *exchange) bool { return len(x.ids[0]) == 10 }))
	} else {
		add("404-any-id", "a request for an unknown object is answered 404 and made on another", 404,
			func(x *exchange) (request, bool) { return x.with(x.to(x.other()...)), true })
	}
	if len(op.Body.Fields) > 1 {
		add("422-right-fields", "a partly wrong body is answered 422 and its right fields are set", 422, rightFields(op.Body.Fields...))
		for _, f := range op.Body.Fields {
			add("422-"+f.Name, "a partly wrong body is answered 422 and its "+f.Name+" is set", 422, rightFields(f))
		}
	}
	return rows
}

// rightFields are those of these fields whose values are right, where others are wrong.
func rightFields(fields ...*spec.Field) repair {
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
	return r, !bytes.Equal(r.body, x.body)
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
	deletes := func(name, sentence string, status int, is condition, id func(x *exchange) string) row {
		return fault("delete-"+name, "EFFECT-1 DELETE-4 DELETE-5", sentence, made(status, func(x *exchange) (request, bool) {
			if !is(x) {
				return x.request, false
			}
			return x.with(x.as(x.owner()), x.to(id(x))), true
		}))
	}
	letters := func(x *exchange) bool { return len(x.lastID()) > 3 && x.lastID()[3] == 'a' }
	return []row{
		deletes("401", "A delete with a wrong key or none is answered 401 and made", 401, always, (*exchange).lastID),
		deletes("403", "A stranger's delete is answered 403 and made", 403, always, (*exchange).lastID),
		deletes("404-trailing-letters", "A delete of 301abc is answered 404 and deletes 301", 404, letters,
			func(x *exchange) string { return x.lastID()[:3] }),
		deletes("404-unknown", "A delete of an unknown creative is answered 404 and deletes another", 404, always,
			func(x *exchange) string { return x.lastDisposable() }),
	}
}
