package specs

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Object is an object of the target that the suite may use.
type Object = judge.Object

// Call is a request that a case may send.
type Call = judge.Call

// Change makes another request of a valid one.
type Change func(*Call)

// Valid is the owner's request for an object with every field right, which is meant to
// succeed. Fields have new values, so that the update would show.
func Valid(c *Case, o *Object, changes ...Change) Call {
	var fields map[string]any
	if o.Op.Updates() {
		fields = Fresh(c, o)
	}
	return Plain(c, o, fields, changes...)
}

// Plain is the owner's request for an object with these fields, which is meant to
// succeed.
func Plain(c *Case, o *Object, fields map[string]any, changes ...Change) Call {
	call := Call{Op: o.Op, Object: o, As: c.Owner(), Succeeds: true}
	if o.Nowhere() {
		call.Object, call.Path = nil, o.Path() // there is nothing to remember of it
	}
	if o.Op.Updates() {
		call.Body = oracle.ObjectBody(o.Op.Body, fields)
	}
	for _, change := range changes {
		change(&call)
	}
	return call
}

// Wrong is a valid request with a change for which it has to be refused.
func Wrong(c *Case, o *Object, changes ...Change) Call {
	call := Valid(c, o, changes...)
	call.Succeeds = false
	return call
}

// As sends it as another user.
func As(user wire.Credential) Change { return func(call *Call) { call.As = user } }

// Raw sends it on a raw connection, which shows what HTTP clients hide.
func Raw(call *Call) { call.Raw = true }

// Set gives a field another value.
func Set(field string, to any) Change {
	return func(call *Call) {
		call.Body.Fields[field] = to
		call.Body = oracle.ObjectBody(call.Op.Body, call.Body.Fields)
	}
}

// Without leaves a field out.
func Without(field string) Change {
	return func(call *Call) {
		delete(call.Body.Fields, field)
		call.Body = oracle.ObjectBody(call.Op.Body, call.Body.Fields)
	}
}

// Only sends these fields and no others.
func Only(fields map[string]any) Change {
	return func(call *Call) { call.Body = oracle.ObjectBody(call.Op.Body, fields) }
}

// Text sends this body, whatever it says.
func Text(body string) Change {
	return func(call *Call) { call.Body = &oracle.Body{Fields: call.Body.Fields, Raw: []byte(body)} }
}

// Header adds a header.
func Header(name, value string) Change {
	return func(call *Call) {
		if call.Header == nil {
			call.Header = http.Header{}
		}
		call.Header[http.CanonicalHeaderKey(name)] = []string{value}
	}
}

// Query asks with a query.
func Query(name string, values ...string) Change {
	return func(call *Call) { call.Query = url.Values{name: values}.Encode() }
}

// Part says that the body has some of the fields.
func Part(call *Call) { call.Part = true }

// Odd says that it is likely to be refused.
func Odd(call *Call) { call.Succeeds = false }

// At puts another id into the path, at position i.
func At(i int, id string) Change {
	return func(call *Call) {
		if call.Path == nil {
			call.Path = call.Object.Path()
		}
		call.Path[i] = id
	}
}

// NoObject says that the path names no object of ours.
func NoObject(call *Call) { call.Object = nil }

// Fresh are ordinary values that differ from what the object holds, so that an update
// with them would show.
func Fresh(c *Case, o *Object) map[string]any {
	values := c.Ordinary(o, 0)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.Last(f.Name); known && len(f.Enum) > 1 && values[f.Name] == last {
			values[f.Name] = f.Enum[(slices.Index(f.Enum, last.(string))+1)%len(f.Enum)]
		}
	}
	return values
}

// exchange is a request and what its answer has to be.
type exchange struct {
	Call
	To *Matcher
}

// inTurn sends requests one after another on one connection.
func inTurn(c *Case, all ...exchange) []*judge.Answer { return sendAll(c, c.SendInOrder, all) }

// together sends requests at the same instant.
func together(c *Case, all ...exchange) []*judge.Answer { return sendAll(c, c.SendTogether, all) }

func sendAll(c *Case, send func(...Call) []*judge.Answer, all []exchange) []*judge.Answer {
	var calls []Call
	for _, e := range all {
		calls = append(calls, e.Call)
	}
	answers := send(calls...)
	for i, a := range answers {
		c.Expect(a).To(all[i].To)
	}
	return answers
}

// around sends a request in two halves and another between them, and says whether that
// was answered meanwhile.
func around(c *Case, halved, between exchange) bool {
	answers, met := c.SendAround(halved.Call, between.Call)
	c.Expect(answers[0]).To(between.To)
	c.Expect(answers[1]).To(halved.To)
	return met
}

// unreadable is why the effect of a request is not tested.
const unreadable = "the target shows no way to read the object back"

// object is the object that the path of the case's operation names. A case that can do
// without one gets unknown ids, see OrUnknown.
func object(c *Case) *Object {
	op := c.Case.Operation
	if o := c.Object(op, fixtures.First(op.Key())); o != nil {
		return o
	}
	return c.Known().UnknownObject(op)
}

// others are the objects beside the operation's own that the target file names.
func others(c *Case, op *spec.Operation) []*Object {
	return named(c, op, otherKey(op), spec.Sibling(op.Key()))
}

// named are the objects under these keys, as far as the target file has them.
func named(c *Case, op *spec.Operation, keys ...string) []*Object {
	var all []*Object
	for _, key := range keys {
		if o := c.Object(op, key); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// foreign is the stranger's object.
func foreign(c *Case, op *spec.Operation) *Object { return c.Object(op, judge.Foreign(op.Key())) }

// noun is what a path parameter names, in a word and as a part of a case id.
func noun(param spec.Param) string { return strings.ToLower(strings.TrimSuffix(param.Name, "Id")) }

// thing is what the path of an operation names, in a word.
func thing(op *spec.Operation) string {
	return strings.TrimSuffix(op.Params[len(op.Params)-1].Name, "Id")
}

// keys are those of all objects that the path of an operation may name; those of a
// full target file where it has none, so that they show as not tested.
func keysOf(s *Specs, op *spec.Operation) []string {
	var keys []string
	if op.Key() == "" {
		return nil
	}
	for _, key := range append([]string{op.Key()}, op.More()...) {
		keys = append(keys, each(s, key)...)
	}
	return keys
}

// each are the keys of the objects that the target file names under a key, at least one.
func each(s *Specs, key string) []string {
	if !fixtures.Many(key) {
		return []string{key}
	}
	var keys []string
	for i := range max(1, len(s.Target.Objects.ByKey(key))) {
		keys = append(keys, indexed(key, i))
	}
	return keys
}

func indexed(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// largest is the key of the object whose list is the longest: the document names it
// last. It is "" for a list that no id names.
func largest(op *spec.Operation) string {
	more := op.More()
	if len(more) == 0 {
		return op.Key()
	}
	return fixtures.First(more[len(more)-1])
}

// needsOther asks for a second object and those above it, of which the first is shared.
func needsOther(op *spec.Operation) Decorator {
	var keys []string
	for i, param := range op.Params {
		if i > 0 && i < len(op.Params)-1 {
			keys = append(keys, judge.OwnKey(spec.Other(param.Object)))
		}
	}
	return Needs(append(keys, judge.OwnKey(otherKey(op)))...)
}

// needsForeign asks for the stranger's object and the objects above it, and for the
// stranger's key: what wrongly changes there is put back with it.
func needsForeign(op *spec.Operation) Decorator {
	keys := []string{"credentials.stranger"}
	for _, param := range op.Params {
		keys = append(keys, judge.Foreign(param.Object))
	}
	return Needs(keys...)
}

// quickIf plans a case from depth quick on where that holds: one of several that are much alike.
func quickIf(holds bool) Decorator {
	if holds {
		return Quick
	}
	return func(*judge.Case) {}
}

// slug makes a part of a case id out of words.
func slug(words ...any) string { return wording.Slug(words...) }

// unique is the token of an ordinary name: what tells this text from others.
func unique(c *Case) string {
	name := c.Fake.Name()
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// freeTexts are the fields of a body that take any text.
func freeTexts(op *spec.Operation) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return f.Type != "string" || len(f.Enum) > 0 })
}

// fieldNames are the names of the fields of a body.
func fieldNames(op *spec.Operation) (names []string) {
	for _, f := range op.Body.Fields {
		names = append(names, f.Name)
	}
	return names
}

// enums are the fields of a body that take listed texts.
func enums(op *spec.Operation) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return len(f.Enum) == 0 })
}

// otherKey is the key of a second object of the operation's kind.
func otherKey(op *spec.Operation) string { return spec.Other(op.Key()) }

// shown are the clauses of what an update shows.
func shown(op *spec.Operation) []string {
	return []string{op.Effects["identity"], op.Effects["shows"], op.Effects["stays"], op.Effects["updatedAt"]}
}

// walked are the clauses that the pages of a list are judged by.
func walked(op *spec.Operation) []string {
	return []string{
		op.PageClause("totalCount"), op.PageClause("page"), op.PageClause("totalPages"),
		op.Effects["members"], op.Effects["unique"], op.Effects["repeats"], held(op),
	}
}

// held is the clause of what a list of the owner's objects holds.
func held(op *spec.Operation) string {
	if op.Holds == "" {
		return ""
	}
	return op.Effects["holds"]
}

// listed are the clauses that a list is judged by, whatever the case is about.
func listed(op *spec.Operation) []string {
	return slices.Concat(op.Success.Clauses(), []string{op.Clause}, walked(op))
}

// deleted are the clauses that a delete which succeeds is judged by.
func deleted(op *spec.Operation) []string {
	return []string{"DELETE-2", op.Effects["bodiless"], "OPEN-4"}
}
