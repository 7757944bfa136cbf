package faults

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// behaviour answers an exchange in place of the server, and condition selects exchanges.
type (
	behaviour func(x *exchange) *answer
	condition func(x *exchange) bool
)

// when applies a behaviour where a condition holds, and forwards the other exchanges.
func when(is condition, then behaviour) behaviour {
	return func(x *exchange) *answer {
		if is(x) {
			return then(x)
		}
		return x.forward()
	}
}

// itself is the behaviour of a topic whose faults have nothing else in common.
func itself(does behaviour) behaviour { return does }

// Behaviours instead of the server.

func replies(status int, body any) behaviour {
	return func(*exchange) *answer { return reply(status, body) }
}

// refuse answers with an error whose issue may name a field, and refusedAndMade makes the update all the same.
func refuse(status int, field ...string) behaviour {
	return replies(status, errorBody(status, field...))
}

func refusedAndMade(field ...string) behaviour {
	return func(x *exchange) *answer {
		x.forward()
		return refuse(422, field...)(x)
	}
}

// empty answers without a body.
func empty(status int) behaviour {
	return func(*exchange) *answer {
		return &answer{status: status, header: http.Header{}}
	}
}

// Behaviours before the server.

// before changes a request, and forwards it. says gives the server another body, and naming names another object in
// the path.
func before(change func(x *exchange)) behaviour {
	return func(x *exchange) *answer { change(x); return x.forward() }
}

func says(body any) behaviour {
	return before(func(x *exchange) { x.body = encode(body) })
}

func naming(ids func(x *exchange) []string) behaviour {
	return before(func(x *exchange) {
		x.path = reference.BasePath + x.op.At(ids(x)...)
	})
}

// asMine names the user's first object, and rightly an object of the owner's under its own parents.
var (
	asMine  = naming((*exchange).mine)
	rightly = naming((*exchange).belongs)
)

// A change is one of the fields of a body or of a representation.
type change func(x *exchange, fields object)

// put sets a field, drop deletes it, and text changes its text, but not to an empty one, which would be refused.
func put(name string, value any) change {
	return func(_ *exchange, fields object) { fields[name] = value }
}

func drop(name string) change {
	return func(_ *exchange, fields object) { delete(fields, name) }
}

func text(name string, spoil func(string) string) change {
	return func(_ *exchange, fields object) {
		if s, ok := fields[name].(string); ok {
			fields[name] = cmp.Or(spoil(s), s)
		}
	}
}

// copying sets the fields of another object.
func copying(of func(x *exchange) object) change {
	return func(x *exchange, fields object) { maps.Copy(fields, of(x)) }
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
	return before(func(x *exchange) {
		x.body = edited(x.body, func(fields object) { does(x, fields) })
	})
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
		a := saves(func(_ *exchange, before object) object {
			made = fields(before)
			return made
		})(x)
		return a.shown(func(data object) { maps.Copy(data, made) })
	}
}

// deletes deletes other creatives than the one in the path.
func deletes(ids func(c spec.Creative) []int64) behaviour {
	return before(func(x *exchange) { x.hooks.Delete = ids })
}

// afterwards does something where a condition holds after an answer of a kind to a request of the same key.
func afterwards(key func(x *exchange) string, begins func(a *answer) bool, is condition, does behaviour) behaviour {
	return func(x *exchange) *answer {
		if _, begun := recall[bool](x, key(x)); begun && is(x) {
			return does(x)
		}
		a := x.forward()
		if begins(a) {
			x.keep(key(x), true)
		}
		return a
	}
}

func samePath(x *exchange) string { return x.path }
func anyPath(*exchange) string    { return "" }

// Behaviours after the server.

// answers changes the answer, and inPlaceOf changes answers with a status where a condition holds.
func answers(change func(a *answer)) behaviour {
	return func(x *exchange) *answer {
		a := x.forward()
		change(a)
		return a
	}
}

func inPlaceOf(status int, is condition, change func(a *answer)) behaviour {
	return answers(func(a *answer) {
		if a.status == status && is(a.to) {
			change(a)
		}
	})
}

// instead replaces an answer with a status. made does something in secret in addition to it.
func instead(status int, is condition, does behaviour) behaviour {
	return inPlaceOf(status,
		is, func(a *answer) { *a = *does(a.to) })
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
	return func(x *exchange) *answer { return x.asked(query).paged(change) }
}

// Conditions.

func always(*exchange) bool { return true }

func all(conditions ...condition) condition {
	return func(x *exchange) bool {
		return !slices.ContainsFunc(conditions, func(is condition) bool { return !is(x) })
	}
}

func not(is condition) condition {
	return func(x *exchange) bool { return !is(x) }
}

// nth selects every n-th exchange that reaches it, only the n-th one alone, and beyond those after it.
func nth(n int64) condition {
	return func(x *exchange) bool { return x.count()%n == 0 }
}

func only(n int64) condition {
	return func(x *exchange) bool { return x.count() == n }
}

func beyond(n int64) condition {
	return func(x *exchange) bool { return x.count() > n }
}

func of(operation string) condition {
	return func(x *exchange) bool { return x.op != nil && x.op.ID == operation }
}

func byOwner(x *exchange) bool    { return x.key() == x.owner() }
func byStranger(x *exchange) bool { return x.key() == x.stranger() }
func anyUser(x *exchange) bool    { return byOwner(x) || byStranger(x) }
func noKey(x *exchange) bool      { return x.key() == "" }
func foreignKey(x *exchange) bool {
	return strings.ContainsFunc(x.key(), func(r rune) bool { return r > 0x7f })
}

// onMine selects requests for the object on which the suite tries an operation, onForeign those for the stranger's, and
// belongs those for an object of the owner's.
func onMine(x *exchange) bool {
	return slices.Equal(x.ids, x.mine())
}

func onForeign(x *exchange) bool {
	return x.lastID() == x.foreign()[len(x.ids)-1]
}
func belongs(x *exchange) bool { return x.belongs() != nil }

// keyIs selects requests with a key of a kind, and idIs those for an object with an id of a kind.
func keyIs(is func(key string) bool) condition {
	return func(x *exchange) bool { return is(x.key()) }
}

func idIs(is func(id string) bool) condition {
	return func(x *exchange) bool { return is(x.lastID()) }
}

// changing selects updates with fields, sets those by the owner, setsMine those of the first object by its owner, and
// alone those with one field.
func changing(x *exchange) bool { return len(x.fields()) > 0 }
func sets(x *exchange) bool     { return byOwner(x) && changing(x) }
func setsMine(x *exchange) bool { return sets(x) && onMine(x) }
func alone(x *exchange) bool    { return len(x.fields()) == 1 }

// names selects requests of the owner for the first object under a key of the target file, and unknownAt those with an
// unknown id at a place of the path: those of the suite have ten digits.
func names(key string) condition {
	return func(x *exchange) bool {
		return byOwner(x) && x.lastID() == itoa(x.idOf(key))
	}
}

func unknownAt(i int) condition {
	return func(x *exchange) bool { return len(x.ids[i]) == 10 }
}

func asks(query string) condition {
	return func(x *exchange) bool { return x.query == query }
}

// header selects requests with a header that contains a part, and headerIs those with a header of a kind.
func header(name, part string) condition { return headerIs(name, has(part)) }

func headerIs(name string, is func(value string) bool) condition {
	return func(x *exchange) bool {
		return slices.ContainsFunc(x.header.Values(name), is)
	}
}

// body selects requests of the owner with a certain body, and gives those that give a field a certain value.
func body(is func(body string) bool) condition {
	return func(x *exchange) bool {
		return byOwner(x) && is(string(x.body))
	}
}

// query selects requests whose query contains a part.
func query(part string) condition {
	return func(x *exchange) bool { return strings.Contains(x.query, part) }
}

func bodyHas(part string) condition { return body(has(part)) }

func bodyBegins(first string) condition {
	return body(func(b string) bool {
		return strings.HasPrefix(strings.TrimSpace(b), first)
	})
}

func bodyIs(texts ...string) condition {
	return body(equalTo(texts...))
}

func gives(f *spec.Field, is func(v any) bool) condition {
	return func(x *exchange) bool {
		v, given := x.fields()[f.Name]
		return given && byOwner(x) && is(v)
	}
}

// holds selects requests for an object whose field has a certain value.
func holds(field string, is func(v any) bool) condition {
	return func(x *exchange) bool { return is(x.stored()[field]) }
}

// Kinds of values.
func equals(want any) func(any) bool {
	return func(v any) bool { return v == want }
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}
func noText(v any) bool { return v != nil && !is[string](v) }
func isContainer(v any) bool {
	return is[[]any](v) || is[object](v)
}

func aText(is func(s string) bool) func(v any) bool {
	return func(v any) bool {
		s, text := v.(string)
		return text && is(s)
	}
}

func containing(part string) func(v any) bool { return aText(has(part)) }
func longer(than int) func(v any) bool {
	return aText(func(s string) bool { return len(s) > than })
}

// short selects texts of at most 255 characters, which the reference accepts, of a kind.
func short(is func(s string) bool) func(v any) bool {
	return aText(func(s string) bool {
		return utf8.RuneCountInString(s) <= 255 && is(s)
	})
}

func equalTo(want ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(want, s) }
}

func beginsWith(first string) func(string) bool {
	return func(s string) bool { return strings.HasPrefix(s, first) }
}

func has(part string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, part) }
}

// Kinds of fields.
func anyField(*spec.Field) bool     { return true }
func listed(f *spec.Field) bool     { return len(f.Enum) > 0 }
func freeText(f *spec.Field) bool   { return len(f.Enum) == 0 }
func hostname(f *spec.Field) bool   { return f.Hostname }
func noHostname(f *spec.Field) bool { return freeText(f) && !f.Hostname }
func expression(f *spec.Field) bool { return f.Regex }
func anyName(f *spec.Field) bool    { return noHostname(f) && !f.Regex }

// mine returns the ids in the path of the owner's object on which the suite tries the operation, other those of another
// object with other parents, and sibling those of one with the same parents, or of other if there are no parents.
func (x *exchange) mine() []string {
	return x.idsOf(x.op, same, same)
}

func (x *exchange) other() []string {
	return x.idsOf(x.op, spec.Other, spec.Other)
}

func (x *exchange) sibling() []string {
	if !several(x.op) {
		return x.other()
	}
	return x.idsOf(x.op, same, spec.Sibling)
}

func same(key string) string { return key }

// idsOf returns the ids of a path for other keys of the world: parent changes the keys between the first and the last.
func (env *Env) idsOf(op *spec.Operation, parent, last func(key string) string) (ids []string) {
	keys := slices.Repeat([]func(key string) string{parent},
		len(op.Params))
	keys[0] = same
	keys[len(keys)-1] = last // which may be the same one
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
		ids = append(ids, string(x.World.Foreign[key]))
	}
	return ids
}

// lastID returns the id of the object in the path.
func (x *exchange) lastID() string {
	return x.ids[len(x.ids)-1]
}

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
func (env *Env) idOf(key string) int64 {
	return int64(atoi(env.World.Objects[key][0].ID))
}

// lastDisposable returns the id of the newest creative that may be deleted.
func (env *Env) lastDisposable() int64 {
	list := env.World.Objects["disposableCreatives"]
	return int64(atoi(list[len(list)-1].ID))
}

// nameOf returns the name of the name or hostname that an update may give.
func nameOf(op *spec.Operation) string { return op.Body.Fields[0].Name }

// lastOf returns the last field that an update may give.
func lastOf(op *spec.Operation) *spec.Field {
	return op.Body.Fields[len(op.Body.Fields)-1]
}

// fieldAfter returns the field after the i-th that an update may give, the first after the last.
func fieldAfter(op *spec.Operation, i int) *spec.Field {
	return op.Body.Fields[(i+1)%len(op.Body.Fields)]
}

// settings returns the changeable fields of the object in the path that have a value.
func (x *exchange) settings() object {
	return onlyFields(x.op, x.stored())
}

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
