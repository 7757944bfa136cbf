package faults

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// mine are the ids in the path of the owner's object that the operation is tried on,
// in the object set of the exchange.
func (x *exchange) mine() []string { return idsOf(x.objects(), x.op, "") }

// other are those of another object of the owner's, in another place than mine.
func (x *exchange) other() []string { return idsOf(x.objects(), x.op, "other") }

// sibling are those of an object beside mine, where the world has one, else of other.
func (x *exchange) sibling() []string { return sibling(x.objects(), x.op) }

func sibling(o *fixtures.Objects, op *spec.Operation) []string {
	if ids := idsOf(o, op, "sibling"); ids != nil {
		return ids
	}
	return idsOf(o, op, "other")
}

// objects is the object set that the path of the exchange begins in: the first,
// where it begins in none.
func (x *exchange) objects() *fixtures.Objects {
	sets := x.objectSets()
	for _, o := range sets {
		for _, prefix := range []string{"", "other"} {
			if ids := idsOf(o, x.op, prefix); ids != nil && len(x.ids) > 0 && ids[0] == x.ids[0] {
				return o
			}
		}
	}
	return sets[0]
}

// objectSets are the sets of the owner's objects.
func (env *Env) objectSets() []*fixtures.Objects {
	all := []*fixtures.Objects{&env.World.Objects}
	for i := range env.World.Lanes {
		all = append(all, &env.World.Lanes[i])
	}
	return all
}

// foreign are the ids in the path of the stranger's object.
func (x *exchange) foreign() []string {
	var ids []string
	for _, p := range x.op.Params {
		key := p.Object
		if x.op.Deletes() {
			key = "creative"
		}
		ids = append(ids, itoa(x.World.Foreign.ByKey(key)))
	}
	return ids
}

// idsOf are the ids of a path whose object stands under the operation's key, with a prefix;
// nil where the world has none.
func idsOf(o *fixtures.Objects, op *spec.Operation, prefix string) []string {
	var ids []string
	for i, p := range op.Params {
		key := p.Object
		if prefix != "" && (i == len(op.Params)-1 || prefix == "other" && i > 0) {
			key = prefix + strings.ToUpper(key[:1]) + key[1:]
		}
		found := o.ByKey(key)
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
	for _, o := range env.objectSets() {
		for _, ids := range [][]string{idsOf(o, op, ""), sibling(o, op), idsOf(o, op, "other")} {
			if ids != nil && ids[len(ids)-1] == id {
				return ids
			}
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
func (env *Env) disposable(i int) int64 { return env.World.Objects.DisposableVastCreatives[i].ID }

// lastDisposable is the id of the newest creative that may be deleted.
func (env *Env) lastDisposable() string {
	list := env.World.Objects.DisposableCreatives
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

// reset are values for all fields that no test sends.
func reset(op *spec.Operation) object {
	doc := object{}
	for _, f := range op.Body.Fields {
		doc[f.Name] = placeholder(f, "untitled.example.com")
	}
	return doc
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
