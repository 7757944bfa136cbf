package faults

import (
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// which says which of the objects of an operation a path names.
type which int

const (
	itself which = iota
	anOther
	aSibling
)

// mine are the ids in the path of the owner's object that the operation is tried on.
func (x *exchange) mine() []string { return idsOf(x.World.Objects, x.op, itself) }

// other are those of another object of the owner's, in another place than mine.
func (x *exchange) other() []string { return idsOf(x.World.Objects, x.op, anOther) }

// sibling are those of an object beside mine, where the world has one, else of other.
func (x *exchange) sibling() []string { return sibling(x.World.Objects, x.op) }

func sibling(o fixtures.Objects, op *spec.Operation) []string {
	if ids := idsOf(o, op, aSibling); ids != nil {
		return ids
	}
	return idsOf(o, op, anOther)
}

// foreign are the ids in the path of the stranger's object.
func (x *exchange) foreign() []string {
	var ids []string
	for _, p := range x.op.Params {
		key := p.Object
		if x.op.Deletes() {
			key = "creative"
		}
		ids = append(ids, itoa(x.World.Foreign[key]))
	}
	return ids
}

// idsOf are the ids of a path to one of the operation's objects; nil where the world has none.
func idsOf(o fixtures.Objects, op *spec.Operation, w which) []string {
	var ids []string
	for i, p := range op.Params {
		key := p.Object
		switch last := i == len(op.Params)-1; {
		case w == anOther && (last || i > 0):
			key = spec.Other(key)
		case w == aSibling && last:
			key = spec.Sibling(key)
		}
		found := o[key]
		if len(found) == 0 {
			return nil
		}
		ids = append(ids, itoa(found[0].ID))
	}
	return ids
}

// holder is the key of the user whose object the exchange names.
func (x *exchange) holder() string {
	if onForeign(x) {
		return x.stranger()
	}
	return x.owner()
}

// asHolder sends the request as the user whose object it names.
func (x *exchange) asHolder(changes ...func(*request)) request {
	return x.with(append([]func(*request){x.as(x.holder())}, changes...)...)
}

// to names another object in the path.
func (x *exchange) to(ids ...string) func(*request) {
	return func(r *request) { r.path = x.at(x.op, ids...) }
}

// current is what the object at a path of the exchange's operation holds, as
// {} shows it.
func (x *exchange) current(ids ...string) object {
	asJSON := func(r *request) { r.header.Set("Content-Type", "application/json") }
	return x.peek(x.asHolder(x.to(ids...), saying(object{}), asking(""), asJSON)).data()
}

// last is the id of the object that the exchange names.
func (x *exchange) lastID() string { return x.ids[len(x.ids)-1] }

// belongs is the right path to the owner's object with this id; nil where there is none.
func (env *Env) belongs(op *spec.Operation, id string) []string {
	o := env.World.Objects
	for _, ids := range [][]string{idsOf(o, op, itself), sibling(o, op), idsOf(o, op, anOther)} {
		if ids != nil && ids[len(ids)-1] == id {
			return ids
		}
	}
	return nil
}

// listed are the items on the page of a list that a request gets.
func (x *exchange) listed(r request) []any {
	doc, _ := decode(x.peek(r).body).(object)
	items, _ := doc["data"].([]any)
	return items
}

// disposable is the id of the container with media files that may be deleted.
func (env *Env) disposable(i int) int64 { return env.World.Objects["disposableVastCreatives"][i].ID }

// lastDisposable is the id of the newest creative that may be deleted.
func (env *Env) lastDisposable() string {
	list := env.World.Objects["disposableCreatives"]
	return itoa(list[len(list)-1].ID)
}

// onlyFields are the changeable fields of a representation that have a value.
func onlyFields(op *spec.Operation, data object) object {
	kept := object{}
	for _, f := range op.Body.Fields {
		if v := data[f.Name]; v != nil {
			kept[f.Name] = v
		}
	}
	return kept
}

// placeholder is a value that a field may have: the first of its list, or a text.
func placeholder(f *spec.Field, text string) string {
	if len(f.Enum) > 0 {
		return f.Enum[0]
	}
	return text
}

// enums are the fields whose values are listed.
func enums(op *spec.Operation) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return len(f.Enum) == 0 })
}
