package specs

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Object is an object of the target that the suite may use.
type Object = judge.Object

// Call is a request that a case may send.
type Call = judge.Call

// Request returns the request of an object's user with every field right, which is meant to
// succeed, except for what is changed. Fields have new values, so that the update shows.
func Request(c Case, o *Object, changes ...Change) Call {
	call := Call{Op: o.Op, Object: o, As: c.User(o), Succeeds: true}
	if o.Placeholder() {
		call.Object, call.Path = nil, o.Path() // it has no history
		call.Note(finding.PlaceOf(finding.Path, o.Op.Params[0].Name), finding.UnknownID, call.Path[0])
	}
	if o.Op.Updates() {
		call.Body = oracle.ObjectBody(Fresh(c, o))
	}
	combined(changes...)(&call)
	return call
}

// Change changes a valid request and records which part was changed.
type Change func(*Call)

// combined makes several changes.
func combined(changes ...Change) Change {
	return func(call *Call) {
		for _, change := range changes {
			change(call)
		}
	}
}

// Called describes the last changed part for findings.
func (change Change) Called(what finding.Oddity) Change {
	return change.noted(func(part *finding.Sent) { part.What = what })
}

// And says what is odd beside the last changed part.
func (change Change) And(what finding.Oddity) Change {
	return change.noted(func(part *finding.Sent) { part.Extra = what })
}

// noted completes the description of the last changed part.
func (change Change) noted(complete func(*finding.Sent)) Change {
	return func(call *Call) {
		change(call)
		complete(&call.Sent[len(call.Sent)-1])
	}
}

// notedAt describes the last changed part as this one, with its value.
func (change Change) notedAt(at finding.Place, value string) Change {
	return change.noted(func(part *finding.Sent) { part.At, part.Value = at, oracle.Shorten(value) })
}

// As sends the request as another user.
func As(user wire.Credential) Change {
	return func(call *Call) {
		call.As, call.Succeeds = user, false
		call.Note(finding.PlaceOf(finding.Key, ""), ofKeys[user.Name], "")
	}
}

// Fields sends these fields, which are ordinary.
func Fields(values map[string]any) Change {
	return func(call *Call) { call.Body = oracle.ObjectBody(values) }
}

// Set gives a field another value.
func Set(field string, to any) Change {
	return func(call *Call) {
		call.Body.Fields[field] = to
		call.Body = oracle.ObjectBody(call.Body.Fields)
		what := finding.Oddity("")
		if to == nil {
			what = finding.Null
		}
		call.Note(finding.PlaceOf(finding.Field, field), what, oracle.Show(to))
	}
}

// writtenAs gives a field a value in literal form, valid JSON or not.
func writtenAs(field, text string) Change {
	return func(call *Call) {
		name := string(oracle.JSON(field)) + ":"
		before := name + string(oracle.JSON(call.Body.Fields[field]))
		delete(call.Body.Fields, field)
		Text(strings.Replace(string(call.Body.Raw), before, name+text, 1))(call)
	}
}

// Text sends this body, whatever it contains.
func Text(body string) Change {
	return func(call *Call) {
		call.Body = &oracle.Body{Fields: call.Body.Fields, Raw: []byte(body)}
		call.Note(finding.PlaceOf(finding.Body, ""), "", oracle.Shorten(body))
	}
}

// NoBody sends no body.
func NoBody(call *Call) {
	call.Body = &oracle.Body{Raw: []byte{}, Fields: map[string]any{}}
	call.Note(finding.PlaceOf(finding.Body, ""), finding.NoBody, "")
}

// Header adds a header.
func Header(name, value string) Change {
	return func(call *Call) {
		if call.Header == nil {
			call.Header = http.Header{}
		}
		name = http.CanonicalHeaderKey(name)
		call.Header[name] = []string{value}
		call.Note(finding.PlaceOf(finding.Header, name), finding.Oddity("the header "+name), value)
	}
}

// Query adds a query.
func Query(name string, values ...string) Change {
	return func(call *Call) {
		call.Query = url.Values{name: values}.Encode()
		call.Note(finding.PlaceOf(finding.Query, name), "", strings.Join(values, ", "))
	}
}

// At puts another id into the path, at position i.
func At(i int, id string) Change {
	return func(call *Call) {
		if call.Path == nil {
			call.Path = call.Object.Path()
		}
		call.Path[i], call.Succeeds = id, false
		call.Note(finding.PlaceOf(finding.Path, call.Op.Params[i].Name), "", id)
	}
}

// Unknown puts an unused id into the path; n distinguishes several.
func Unknown(c Case, i, n int) Change {
	return func(call *Call) {
		At(i, string(c.Target().UnknownID(call.Op, i, n))).Called(finding.UnknownID)(call)
	}
}

// Changes of how a request is sent, and of what is known about it.
var (
	Raw      Change = func(call *Call) { call.Raw = true }   // on a raw connection, which shows what HTTP clients hide
	Part     Change = func(call *Call) { call.Part = true }  // the body has some of the fields
	Loose    Change = func(call *Call) { call.Loose = true } // what it shows if accepted is open
	NoObject Change = func(call *Call) { call.Object = nil } // the path names no object of ours
)

// Fresh returns ordinary values that differ from what the object holds, so that an update with them shows.
func Fresh(c Case, o *Object) map[string]any {
	values := c.Ordinary(o, 0)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.Last(f.Name); known && len(f.Enum) > 1 && values[f.Name] == last {
			values[f.Name] = f.Enum[(slices.Index(f.Enum, last.(string))+1)%len(f.Enum)]
		}
	}
	return values
}

// unique returns the token of an ordinary name, which distinguishes this text from others.
func unique(c Case) string {
	name := c.Fake().Name()
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// send sends a request, expects its answer to satisfy the matcher, and returns the answer.
func send(c Case, call Call, to *Matcher) *judge.Answer {
	a := c.Send(call)
	c.Expect(a).To(to)
	return a
}

// sendJudged sends a request and judges its answer by the document.
func sendJudged(c Case, call Call) *judge.Answer {
	a := c.Send(call)
	c.Judge(a, c.Right(a))
	return a
}

// exchange is a request and the expectation of its answer.
type exchange struct {
	Call
	To *Matcher
}

// served is an ordinary request, which has to be accepted.
func served(c Case, o *Object) exchange { return exchange{Request(c, o), BeAccepted()} }

// hasStranger reports whether requests can be sent as a user without permission for objects of this path. Every user
// has an own list that no id names.
func hasStranger(c Case, op *spec.Operation) bool {
	return c.Run().Target.Credentials.Stranger != "" && len(op.Params) > 0
}

// sendAll sends requests by a method of the case, and checks the expectation of each answer.
func sendAll(c Case, send func(...Call) []*judge.Answer, all ...exchange) []*judge.Answer {
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

// around sends a request in two halves and another between them. It returns why the latter was not answered
// meanwhile; "" if it was.
func around(c Case, halved, between exchange) (apart string) {
	answers, met := c.SendAround(halved.Call, between.Call)
	c.Expect(answers[0]).To(between.To)
	c.Expect(answers[1]).To(halved.To)
	ex := answers[1].Exchange
	switch {
	case met:
		return ""
	case ex != nil && ex.Response != nil && ex.Response.Proto == "HTTP/2.0":
		return "over HTTP/2 a request cannot be sent in halves"
	}
	return "the target does not answer a request while half of another is there"
}

// object returns the object that the path of the case's operation names. A case that can do
// without one gets unknown ids, see OrUnknown.
func object(c Case) *Object {
	op := c.Planned().Operation
	if o := c.Object(op, first(op.Key())); o != nil {
		return o
	}
	return c.Target().UnknownObject(op)
}

// others returns the owner's objects other than the one that the operation's cases use.
func others(c Case, op *spec.Operation) []*Object {
	if op.Updates() {
		return named(c, op, spec.Other(op.Key()), spec.Sibling(op.Key()))
	}
	isOwn := func(key string) bool { return key == op.Key() }
	return named(c, op, slices.DeleteFunc(keysOf(c.Run().Target, op), isOwn)...)
}

// named returns the objects under these keys, as far as the target file has them.
func named(c Case, op *spec.Operation, keys ...string) []*Object {
	var all []*Object
	for _, key := range keys {
		if o := c.Object(op, key); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// strangers returns the stranger's object, to which the owner may try to write. It ends the case unless an answer
// showed that the object is the stranger's.
func strangers(c Case, op *spec.Operation) *Object {
	o := foreign(c, op)
	owned := c.Target().Ownership(o.Key)
	skipUnless(c, owned.Shown, owned.Cause, owned.Reason)
	return o
}

// foreign returns the stranger's object.
func foreign(c Case, op *spec.Operation) *Object { return c.Object(op, judge.Foreign(op.Key())) }
