package fuzz

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/value"
	"github.com/adconform/adconform/suites/wire"
)

// draft is a request that mutations change.
type draft struct {
	op       *spec.Operation
	t        *session.T
	object   *model.Object // nil: the path names nothing that exists
	user     wire.Credential
	path     []string // the ids of what it is for
	method   string
	segments []string // of the path, as they stand in the request line
	ids      []int    // which of them are ids
	suffix   string   // what follows them: a slash, a fragment
	query    *string
	header   http.Header
	values   map[string]any // of the fields that are sent as they are known to be
	middle   map[string]int // where texts are put into those of fields, none into another
	members  []member       // of the body
	body     []byte         // in place of the members
	recode   func([]byte) []byte
	odd      *wire.Odd
	copies   int  // that are sent
	together bool // at the same instant, else on one connection
	plain    int  // ordinary requests that follow on that connection
}

// member is one of a body: name and value as they are written.
type member struct{ name, value string }

// newDraft is the valid request of an operation. With apart it is for unknown ids.
func newDraft(t *session.T, op *spec.Operation, object *model.Object) *draft {
	d := &draft{op: op, t: t, object: object, user: t.Owner(), method: op.Method, header: http.Header{}, middle: map[string]int{}, copies: 1}
	unknown := t.Known().UnknownObject(op)
	named := object
	if named == nil {
		named = unknown
	}
	d.path = named.Path()
	d.segments = strings.Split(strings.TrimPrefix(op.At(d.path...), "/"), "/")
	for i, part := range strings.Split(strings.TrimPrefix(op.Path, "/"), "/") {
		if strings.HasPrefix(part, "{") {
			d.ids = append(d.ids, i)
		}
	}
	if op.Updates() {
		d.values = t.Ordinary(named, 0)
		for _, f := range op.Body.Fields {
			if v, ok := d.values[f.Name]; ok {
				d.members = append(d.members, member{string(value.JSON(f.Name)), string(value.JSON(v))})
			}
			if text, ok := d.values[f.Name].(string); ok {
				d.middle[f.Name] = middleOf(text)
			}
		}
	}
	return d
}

// middleOf is a place between two characters.
func middleOf(text string) int {
	at := len(text) / 2
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// id is the index of an id among the segments, the last for 0. A path without ids has its
// last segment.
func (d *draft) id(n int) int {
	if len(d.ids) == 0 {
		return len(d.segments) - 1
	}
	return d.ids[len(d.ids)-1-n%len(d.ids)]
}

// raw is how the request is written, where that is no more as HTTP clients write it.
func (d *draft) raw() *wire.Odd {
	if d.odd == nil {
		d.odd = &wire.Odd{}
	}
	return d.odd
}

// set gives a field another value, as it is written.
func (d *draft) set(f *spec.Field, json string) {
	delete(d.values, f.Name)
	for i := range d.members {
		if d.members[i].name == string(value.JSON(f.Name)) {
			d.members[i].value = json
		}
	}
}

// text gives a field a text, which is known when it shows.
func (d *draft) text(f *spec.Field, text string) {
	d.set(f, string(value.JSON(text)))
	d.values[f.Name] = text
}

// constant is the value of a field that no request changes; false where it is not known.
func (d *draft) constant(f *spec.Field) (v any, known bool) {
	if d.object == nil || !f.Stays {
		return nil, false
	}
	v, known = d.object.Constant[f.Name]
	return v, known
}

// field is one of those of the body: the last for 0.
func (d *draft) field(n int) *spec.Field {
	all := d.op.Body.Fields
	return all[len(all)-1-n%len(all)]
}

// add puts a member behind the others, of which the document says nothing.
func (d *draft) add(name, json string) {
	d.members = append(d.members, member{string(value.JSON(name)), json})
}

// instead sends this in place of the object; then it is not known what it sets.
func (d *draft) instead(text string) {
	d.body, d.values = []byte(text), map[string]any{}
}

// object is the body of an update as the members say.
func object(members []member) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = m.name + ":" + m.value
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// code makes other bytes of the whole body, such as those of another encoding.
func (d *draft) code(to func([]byte) []byte) {
	before := d.recode
	d.recode = func(b []byte) []byte {
		if before != nil {
			b = before(b)
		}
		return to(b)
	}
}

// target is path and query as they stand in the request line.
func (d *draft) target() string {
	target := "/" + strings.Join(d.segments, "/") + d.suffix
	if d.query != nil {
		target += "?" + *d.query
	}
	return target
}

// isTarget says whether a request line may hold it (RFC 3986, 3.3 and 3.4), or nearly so: what
// HTTP clients send as it is.
func isTarget(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~!$&'()*+,;=:@/?%[]", r))
	})
}

// badPercent is a percent sign that encodes nothing (RFC 3986, 2.1).
var badPercent = regexp.MustCompile(`%(?:$|[^0-9A-Fa-f]|[0-9A-Fa-f](?:$|[^0-9A-Fa-f]))`)

// apply makes the mutations of an input, in the order of the families.
func (d *draft) apply(in Input) {
	all := slices.Clone(in.Mutations)
	slices.SortStableFunc(all, func(a, b Mutation) int {
		return slices.Index(families, familyOf(a.Class)) - slices.Index(families, familyOf(b.Class))
	})
	for _, m := range all {
		classes[m.Class].change(d, m.Text, m.N)
	}
}

// call is the request of an input.
func (d *draft) call(in Input) call.Call {
	c := call.Call{
		Op: d.op, Method: d.method, Object: d.object, Path: d.path, As: d.user, Header: d.header, Target: d.target(),
		Sent: &oracle.Sent{At: "request:" + in.Class(), What: in.Words(), Value: shown(in)},
	}
	if !isTarget(c.Target) {
		d.raw()
		c.Malformed = true
	}
	c.Malformed = c.Malformed || badPercent.MatchString(c.Target)
	if c.Wire = d.odd; d.odd != nil {
		d.copies, d.plain = 1, 0
	}
	framings := 0 // two of them are no message (RFC 9112, 6.1: chunked comes once)
	for _, m := range in.Mutations {
		if classes[m.Class].family() == "framing" {
			framings++
		}
		c.Malformed = c.Malformed || classes[m.Class].malformed || framings > 1
	}
	body := d.body
	if body == nil && d.op.Updates() {
		body = []byte(object(d.members))
	}
	if d.recode != nil {
		body = d.recode(body)
	}
	if body != nil {
		c.Body = &value.Body{Fields: d.values, Raw: body}
		c.Malformed = c.Malformed || len(body) > large
	}
	if reads(d.op) || d.method != d.op.Method {
		c.Object = nil // what it shows, or does, is remembered of nothing
	}
	return c
}

// Calls are the requests of an input, and which answers to them are right. They go to an object, nil
// for one that does not exist: together, or one after another on one connection.
func (in Input) Calls(t *session.T, op *spec.Operation, object *model.Object) (calls []call.Call, expect []judge.Expect, together bool) {
	d := newDraft(t, op, object)
	d.apply(in)
	calls = slices.Repeat([]call.Call{d.call(in)}, d.copies)
	for range d.plain {
		calls = append(calls, in.Ordinary(t, op, object))
	}
	for i := range calls {
		expect = append(expect, d.expect(in, i))
	}
	return calls, expect, d.together
}

// Ordinary is the valid request that an input changes, in whose name it is sent.
func (in Input) Ordinary(t *session.T, op *spec.Operation, object *model.Object) call.Call {
	return newDraft(t, op, object).call(in)
}

// expect says which answers to an input are right.
func (d *draft) expect(in Input, i int) judge.Expect {
	e := judge.Expect{OnlyCrash: true, Unlisted: true, ErrorForm: d.method == d.op.Method}
	for _, m := range in.Mutations {
		c := classes[m.Class]
		e.ErrorForm = e.ErrorForm && !c.formless
		e.Statuses = append(e.Statuses, c.right...)
	}
	if i >= d.copies && d.object != nil && !d.op.Deletes() { // an ordinary request
		e = judge.Expect{Success: true, Clause: d.op.Clause}
	}
	return e
}

// large is the size in bytes from which a server may answer before it has read a body, and end
// the connection then.
const large = 16 << 10

// shown is what an input puts into the request, as a finding shows it.
func shown(in Input) string {
	var parts []string
	for _, m := range in.Mutations {
		if m.Text != "" {
			parts = append(parts, value.Show(string(bytes.ToValidUTF8([]byte(m.Text), []byte("\ufffd")))))
		}
	}
	return strings.Join(parts, ", ")
}
