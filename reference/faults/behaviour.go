package faults

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// behaviour answers an exchange in place of the server.
type behaviour func(x *exchange) *answer

// condition selects exchanges.
type condition func(x *exchange) bool

// when applies a behaviour where a condition holds, and forwards the other exchanges.
func when(is condition, then behaviour) behaviour {
	return func(x *exchange) *answer {
		if is(x) {
			return then(x)
		}
		return x.forward()
	}
}

// Behaviours instead of the server.

func replies(status int, body any) behaviour {
	return func(*exchange) *answer { return reply(status, body) }
}

// refuse answers with an error whose issue may name a field.
func refuse(status int, field ...string) behaviour {
	return replies(status, errorBody(status, field...))
}

// empty answers without a body.
func empty(status int) behaviour {
	return func(*exchange) *answer { return &answer{status: status, header: http.Header{}} }
}

// Behaviours before the server.

// before changes a request, and forwards it.
func before(change func(x *exchange)) behaviour {
	return func(x *exchange) *answer {
		change(x)
		return x.forward()
	}
}

// says gives the server another body.
func says(body any) behaviour { return before(func(x *exchange) { x.body = encode(body) }) }

// A change is one of the fields of a body or of a representation.
type change func(x *exchange, fields object)

// put sets a field, drop deletes it, and text changes its text, but not to an empty one, which would be refused.
func put(name string, value any) change {
	return func(_ *exchange, fields object) { fields[name] = value }
}

func drop(name string) change { return func(_ *exchange, fields object) { delete(fields, name) } }

func text(name string, spoil func(string) string) change {
	return func(_ *exchange, fields object) {
		if s, ok := fields[name].(string); ok {
			fields[name] = cmp.Or(spoil(s), s)
		}
	}
}

// where makes a change if the field has such a value.
func where(name string, is func(v any) bool, does change) change {
	return func(x *exchange, fields object) {
		if is(fields[name]) {
			does(x, fields)
		}
	}
}

// setting changes the fields of the body, if it is an object.
func setting(does change) behaviour {
	return before(func(x *exchange) { x.body = edited(x.body, func(fields object) { does(x, fields) }) })
}

// naming names another object in the path.
func naming(ids func(x *exchange) []string) behaviour {
	return before(func(x *exchange) { x.path = reference.BasePath + x.op.At(ids(x)...) })
}

// Behaviours on hooks of the server.

// asOwner treats the user as the owner, and permitted gives the user permission for the object.
var (
	asOwner   = before(func(x *exchange) { x.hooks.Authenticate = x.ownerID })
	permitted = before(func(x *exchange) { x.hooks.Permit = yes })
)

// saves stores other fields than the answer to an update shows. change gets the old fields of the object.
func saves(change func(x *exchange, before object) object) behaviour {
	return before(func(x *exchange) {
		x.hooks.Save = func(shown []byte, value any) {
			was, _ := decode(shown).(object)
			_ = json.Unmarshal(encode(change(x, was)), value) // what does not fit stays
		}
	})
}

// stores changes the fields that are stored, but not those that the answer shows.
func stores(does change) behaviour {
	return saves(func(x *exchange, _ object) object {
		fields := x.fields()
		does(x, fields)
		return onlyFields(x.op, fields)
	})
}

// makes changes fields with an update, and shows that. fields gets the old fields of the object.
func makes(fields func(before object) object) behaviour {
	return func(x *exchange) *answer {
		var made object
		a := saves(func(_ *exchange, before object) object { made = fields(before); return made })(x)
		return a.shown(func(data object) { maps.Copy(data, made) })
	}
}

// deletes deletes other creatives than the one in the path.
func deletes(ids func(c spec.Creative) []int64) behaviour {
	return before(func(x *exchange) { x.hooks.Delete = ids })
}

// Behaviours after the server.

// answers changes the answer.
func answers(change func(a *answer)) behaviour {
	return func(x *exchange) *answer {
		a := x.forward()
		change(a)
		return a
	}
}

// inPlaceOf changes answers with a status where a condition holds.
func inPlaceOf(status int, is condition, change func(a *answer)) behaviour {
	return answers(func(a *answer) {
		if a.status == status && is(a.to) {
			change(a)
		}
	})
}

// instead replaces an answer with a status. made does something in secret in addition to it.
func instead(status int, is condition, does behaviour) behaviour {
	return inPlaceOf(status, is, func(a *answer) { *a = *does(a.to) })
}

func made(status int, is condition, does behaviour) behaviour {
	return inPlaceOf(status, is, func(a *answer) { does(a.to) })
}

// shows changes the representation in a success, or each item of a list.
func shows(does change) behaviour {
	return func(x *exchange) *answer {
		return x.forward().shown(func(data object) { does(x, data) })
	}
}

// lists changes the page in a success. pageOf does so with the page of another query.
func lists(change func(p *page)) behaviour {
	return func(x *exchange) *answer { return x.forward().paged(change) }
}

func pageOf(query string, change func(p *page)) behaviour {
	return func(x *exchange) *answer {
		a := x.asking(query).forward()
		a.to = x
		return a.paged(change)
	}
}

func always(*exchange) bool { return true }

func all(conditions ...condition) condition {
	return func(x *exchange) bool {
		return !slices.ContainsFunc(conditions, func(is condition) bool { return !is(x) })
	}
}

func not(is condition) condition { return func(x *exchange) bool { return !is(x) } }

// nth selects every n-th exchange that reaches it.
func nth(n int64) condition { return func(x *exchange) bool { return x.count()%n == 0 } }

// only selects the n-th exchange that reaches it.
func only(n int64) condition { return func(x *exchange) bool { return x.count() == n } }

// beyond selects every exchange that reaches it after the first n.
func beyond(n int64) condition { return func(x *exchange) bool { return x.count() > n } }

func of(operation string) condition {
	return func(x *exchange) bool { return x.op != nil && x.op.ID == operation }
}

func byOwner(x *exchange) bool    { return x.key() == x.owner() }
func byStranger(x *exchange) bool { return x.key() == x.stranger() }
func noKey(x *exchange) bool      { return x.key() == "" }

// onMine selects requests for the object on which the suite tries an operation.
func onMine(x *exchange) bool { return slices.Equal(x.ids, x.mine()) }

// onForeign selects requests for the stranger's object.
func onForeign(x *exchange) bool { return x.lastID() == x.foreign()[len(x.ids)-1] }

// setsMine selects updates of that object by its owner that give fields.
func setsMine(x *exchange) bool { return byOwner(x) && onMine(x) && len(x.fields()) > 0 }

// alone selects requests that give one field.
func alone(x *exchange) bool { return len(x.fields()) == 1 }

// belongs selects requests for an object of the owner's, and rightly sends them through its own parents.
func belongs(x *exchange) bool { return x.belongs() != nil }

var rightly = naming((*exchange).belongs)

// unknownAt selects requests whose path has an unknown id at a place: those of the suite have ten digits.
func unknownAt(i int) condition { return func(x *exchange) bool { return len(x.ids[i]) == 10 } }

func asks(query string) condition { return func(x *exchange) bool { return x.query == query } }

// body selects requests of the owner with a certain body.
func body(is func(body string) bool) condition {
	return func(x *exchange) bool { return byOwner(x) && is(string(x.body)) }
}

func bodyHas(part string) condition { return body(has(part)) }

func bodyBegins(first string) condition {
	return body(func(b string) bool { return strings.HasPrefix(strings.TrimSpace(b), first) })
}

func bodyIs(texts ...string) condition {
	return body(func(b string) bool { return slices.Contains(texts, b) })
}

// gives is a request of the owner that gives a field a certain value.
func gives(f *spec.Field, is func(v any) bool) condition {
	return func(x *exchange) bool {
		v, given := x.fields()[f.Name]
		return given && byOwner(x) && is(v)
	}
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
	keys := slices.Repeat([]func(key string) string{parent}, len(op.Params))
	keys[0], keys[len(keys)-1] = same, last // which may be the same one
	for i, p := range op.Params {
		ids = append(ids, itoa(env.idOf(keys[i](p.Object))))
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

// idOf returns the id of the first object under a key of the target file.
func (env *Env) idOf(key string) int64 { return env.World.Objects[key][0].ID }

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

// nameOf returns the name of the name or hostname that an update may give.
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
