package faults

import (
	"slices"

	"github.com/adconform/adconform/spec"
)

// mine are the ids in the path of the owner's object that the operation is tried on.
func (x *exchange) mine() []string { return x.idsOf(same, same) }

// other are those of another object of the owner's, in another place than mine.
func (x *exchange) other() []string { return x.idsOf(spec.Other, spec.Other) }

// sibling are those of an object beside mine, where the world has one, else of other.
func (x *exchange) sibling() []string {
	if ids := x.idsOf(same, spec.Sibling); ids != nil {
		return ids
	}
	return x.other()
}

func same(key string) string { return key }

// idsOf are the ids of a path whose last object has another key in the world, and those before it
// but for the first; nil where the world has none.
func (x *exchange) idsOf(parent, last func(key string) string) (ids []string) {
	for i, p := range x.op.Params {
		key := p.Object
		switch {
		case i == len(x.op.Params)-1:
			key = last(key)
		case i > 0:
			key = parent(key)
		}
		found := x.World.Objects[key]
		if len(found) == 0 {
			return nil
		}
		ids = append(ids, itoa(found[0].ID))
	}
	return ids
}

// foreign are the ids in the path of the stranger's object.
func (x *exchange) foreign() (ids []string) {
	for _, p := range x.op.Params {
		key := p.Object
		if x.op.Deletes() {
			key = "creative"
		}
		ids = append(ids, itoa(x.World.Foreign[key]))
	}
	return ids
}

// lastID is the id of the object that the exchange names.
func (x *exchange) lastID() string { return x.ids[len(x.ids)-1] }

// belongs is the right path to the owner's object that the exchange names; nil where there is none.
func (x *exchange) belongs() []string {
	for _, ids := range [][]string{x.mine(), x.sibling(), x.other()} {
		if ids != nil && ids[len(ids)-1] == x.lastID() {
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
func (env *Env) lastDisposable() int64 {
	list := env.World.Objects["disposableCreatives"]
	return list[len(list)-1].ID
}

// Kinds of fields.
func anyField(*spec.Field) bool     { return true }
func listed(f *spec.Field) bool     { return len(f.Enum) > 0 }
func freeText(f *spec.Field) bool   { return len(f.Enum) == 0 }
func hostname(f *spec.Field) bool   { return f.Hostname }
func noHostname(f *spec.Field) bool { return freeText(f) && !f.Hostname }
func expression(f *spec.Field) bool { return f.Regex }
func anyName(f *spec.Field) bool    { return noHostname(f) && !f.Regex }

// fieldsOf are the fields of a kind that an update may give, and nameOf its name or hostname.
func fieldsOf(op *spec.Operation, kind func(*spec.Field) bool) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return !kind(f) })
}

func nameOf(op *spec.Operation) string { return op.Body.Fields[0].Name }

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
	if listed(f) {
		return f.Enum[0]
	}
	return text
}
