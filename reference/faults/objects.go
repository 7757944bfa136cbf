package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// object is a JSON object.
type object = map[string]any

func itoa[N int | int64](n N) string { return fmt.Sprint(n) }

func atoi(s string) int {
	n := 0
	_, _ = fmt.Sscan(s, &n)
	return n
}

// decode reads JSON as object, []any, string, bool and json.Number; it returns nil for malformed JSON.
func decode(data []byte) any {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a fault answers what JSON cannot hold: %v", err))
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// edited changes the JSON object in a body. A body that stays equal keeps its bytes.
func edited(body []byte, change func(doc object)) []byte {
	doc, ok := decode(body).(object)
	if !ok {
		return body
	}
	before := encode(doc)
	change(doc)
	if after := encode(doc); !bytes.Equal(before, after) {
		return after
	}
	return body
}

// edit changes the JSON object in an answer, and alter the one in a request.
func (a *answer) edit(change func(doc object)) *answer {
	a.body = edited(a.body, change)
	return a
}

func (r request) alter(change func(fields object)) request {
	r.body = edited(r.body, change)
	return r
}

// visit finds the objects that hold the last name of a path; "*" means every item of an array.
func visit(v any, path []string, found func(parent object, name string)) {
	switch v := v.(type) {
	case []any:
		if path[0] == "*" {
			for _, item := range v {
				visit(item, path[1:], found)
			}
		}
	case object:
		if len(path) > 1 {
			visit(v[path[0]], path[1:], found)
		} else if _, ok := v[path[0]]; ok {
			found(v, path[0])
		}
	}
}

// data returns the representation in an answer, or nil.
func (a *answer) data() object {
	doc, _ := decode(a.body).(object)
	data, _ := doc["data"].(object)
	return data
}

// shown changes the representation in a success.
func (a *answer) shown(change func(data object)) *answer {
	if !a.ok() {
		return a
	}
	return a.edit(func(doc object) {
		if data, ok := doc["data"].(object); ok {
			change(data)
		}
	})
}

// page is a page of a list, with numbers and items that may be changed.
type page struct {
	*exchange        // that it answers
	numbers   object // the pagination
	items     []any
}

func (p *page) number(name string) int { return number(p.numbers[name]) }

// paged changes the page in a success, the answer to an exchange.
func (a *answer) paged(x *exchange, change func(p *page)) *answer {
	if !a.ok() {
		return a
	}
	return a.edit(func(doc object) {
		meta, _ := doc["meta"].(object)
		numbers, ok := meta["pagination"].(object)
		items, isList := doc["data"].([]any)
		if ok && isList {
			p := &page{x, numbers, items}
			change(p)
			doc["data"] = p.items
		}
	})
}

// everyObject changes the representation or each item in a success.
func everyObject(change func(data object)) behaviour {
	return answers(func(x *exchange, a *answer) {
		a.shown(change).paged(x, func(p *page) { p.each(change) })
	})
}

// number returns an integer from a decoded body, 0 for anything else.
func number(v any) int {
	n, _ := v.(json.Number)
	i, _ := strconv.Atoi(string(n))
	return i
}

// fields returns the members of a request body, or nil if it is not an object.
func (r request) fields() object {
	doc, _ := decode(r.body).(object)
	return doc
}

// mine returns the ids in the path of the owner's object on which the suite tries the operation.
func (x *exchange) mine() []string { return x.idsOf(x.op, same, same) }

// other returns those of another object of the owner's, with other parents.
func (x *exchange) other() []string { return x.idsOf(x.op, spec.Other, spec.Other) }

// sibling returns those of an object with the same parents, or of other if there are no parents.
func (x *exchange) sibling() []string {
	if !several(x.op) {
		return x.other()
	}
	return x.idsOf(x.op, same, spec.Sibling)
}

func same(key string) string { return key }

// idsOf returns the ids of a path for other keys of the world: parent changes the keys between the first and the last.
func (env *Env) idsOf(op *spec.Operation, parent, last func(key string) string) (ids []string) {
	for i, p := range op.Params {
		key := p.Object
		switch {
		case i == len(op.Params)-1:
			key = last(key)
		case i > 0:
			key = parent(key)
		}
		ids = append(ids, itoa(env.World.Objects[key][0].ID))
	}
	return ids
}

// foreign returns the ids in the path of the stranger's object.
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

// lastID returns the id of the object in the path.
func (x *exchange) lastID() string { return x.ids[len(x.ids)-1] }

// belongs returns the right path of the owner's object in the path, or nil.
func (x *exchange) belongs() []string {
	for _, ids := range [][]string{x.mine(), x.sibling(), x.other()} {
		if ids[len(ids)-1] == x.lastID() {
			return ids
		}
	}
	return nil
}

// listed returns the items of the page that a request gets.
func (x *exchange) listed(r request) []any {
	doc, _ := decode(x.serve(r, reference.Hooks{}).body).(object)
	items, _ := doc["data"].([]any)
	return items
}

// disposable returns the id of a container with media files that may be deleted.
func (env *Env) disposable(i int) int64 { return env.World.Objects["disposableVastCreatives"][i].ID }

// lastDisposable returns the id of the newest creative that may be deleted.
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

// fieldsOf returns the fields of a kind that an update may give, and nameOf the name of its name or hostname.
func fieldsOf(op *spec.Operation, kind func(*spec.Field) bool) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return !kind(f) })
}

func nameOf(op *spec.Operation) string { return op.Body.Fields[0].Name }

// onlyFields returns the changeable fields of a representation that have a value.
func onlyFields(op *spec.Operation, data object) object {
	kept := object{}
	for _, f := range op.Body.Fields {
		if v := data[f.Name]; v != nil {
			kept[f.Name] = v
		}
	}
	return kept
}

// placeholder returns a valid value of a field: the first of its list, or a text.
func placeholder(f *spec.Field, text string) string {
	if listed(f) {
		return f.Enum[0]
	}
	return text
}
