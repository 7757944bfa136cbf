package engine

import (
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// The interface has no read of the objects that it updates. Read finds out what
// one holds by a way of asking that was seen to tell, see omitted.go.

// user is the one whose object it is.
func (t *Test) user(o *Object) wire.Credential {
	if o.Foreign {
		return t.Model.Stranger()
	}
	return t.Model.Owner()
}

// Get asks for the object with GET of its path. It says whether the target
// offers that.
func (t *T) Get(o *Object) bool {
	how := t.Test.Model.mode(o.Op, readMode)
	if how.refused {
		return false
	}
	c := Call{Op: o.Op, Method: http.MethodGet, Object: o, As: t.Test.user(o)}
	a := t.ask(c, Expect{})
	id := o.Op.Representation().Field("id")
	if got, ok := oracle.Integer(a.Shown[id.Name]); !a.OK || !ok || got != o.ID() {
		how.refused = true
		return false
	}
	rep := o.Op.Representation()
	for _, f := range o.Op.Body.Fields {
		if r := rep.Field(f.Meaning); r != nil && t.Test.compareLast(&c, how, f, r, a.Shown[r.Name]) {
			o.last[f.Name] = a.Shown[r.Name]
		}
	}
	t.Test.followed(o, false)
	return true
}

// Patch sends an update that sets nothing new: the given fields with the values
// that the object has to hold. It says whether the target accepts that. An update
// that replaces the object has no such form.
func (t *T) Patch(o *Object, fields ...*spec.Field) bool {
	if o.Op.Replaces() { // it may unset what is left out
		return false
	}
	values := map[string]any{}
	for _, f := range fields {
		v, known := o.last[f.Name]
		if !known || v == nil || o.uncertain { // it would set what may not be there
			return false
		}
		values[f.Name] = v
	}
	body := ObjectBody(o.Op.Body, values)
	how := t.Test.Model.mode(o.Op, modeOf(body))
	if how.refused {
		return false
	}
	pending := o.refused
	a := t.ask(Call{Op: o.Op, Object: o, As: t.Test.user(o), Body: body}, Expect{
		Success: true, Statuses: []int{http.StatusUnprocessableEntity, http.StatusBadRequest}, Clause: o.Op.Clause,
	})
	if !a.OK {
		o.refused = pending // a probe is no write whose effect is in question
		how.refused = a.Status == http.StatusUnprocessableEntity || a.Status == http.StatusBadRequest
	}
	if len(fields) == 0 {
		t.Test.Observe("empty-object", acceptance(a))
	}
	return a.OK
}

// Read reads the object back and so judges what it holds. It returns the wire
// names of the fields that it could look at; none where the target shows no way.
func (t *T) Read(o *Object) []string {
	all := fieldNames(o.Op)
	if t.Test.readable(o.Op, readMode, all) && t.Get(o) {
		return all
	}
	if t.Test.readable(o.Op, "", all) && t.Patch(o) {
		return all
	}
	var seen []string
	left := all
	for _, f := range o.Op.Body.Fields {
		rest := without(left, f.Name)
		if len(rest) > 0 && t.Test.readable(o.Op, f.Name, rest) && t.Patch(o, f) {
			seen = append(seen, rest...)
			left = intersect(left, []string{f.Name})
		}
	}
	return seen
}

// TakesParts says whether updates with a single field were taken.
func (t *Test) TakesParts(o *Object) bool {
	for _, f := range fieldNames(o.Op) {
		if m := t.Model.modes[modeKey{o.Op.ID, f}]; m == nil || m.refused {
			return false
		}
	}
	return len(o.Op.Body.Fields) > 1
}

// readable says whether a way of asking was seen to tell all these fields.
func (t *Test) readable(op *spec.Operation, fields string, names []string) bool {
	m := t.Model.modes[modeKey{op.ID, fields}]
	if m == nil || m.refused {
		return false
	}
	for _, name := range names {
		if !m.keeps(name) {
			return false
		}
	}
	return true
}

// Calibrate finds out how the target shows state, by two full updates of the
// object with different values and a look after each. It is done once for an
// operation.
func (t *T) Calibrate(o *Object) {
	if t.Test.Model.calibrated[o.Op.ID] {
		return
	}
	t.Test.Model.calibrated[o.Op.ID] = true
	t.Get(o)
	if t.Patch(o) && t.asGiven(o) {
		for _, key := range []string{Other(o.Key), Sibling(o.Key)} { // as they are before any write
			if other := t.Test.Model.Object(o.Op, key); other != nil {
				t.Patch(other)
			}
		}
		t.glance(t.Test.Model.Object(o.Op, Foreign(o.Key)))
	}
	for round := range 2 {
		t.Write(o, t.Ordinary(o, round))
		t.look(o)
	}
	t.confirmDefault(o, t.Test.Model.Object(o.Op, Other(o.Key)))
}

// asGiven says whether {} showed what the target file says of the object, so that
// {} does not seem to reset anything.
func (t *T) asGiven(o *Object) bool {
	n := 0
	for _, f := range o.Op.Body.Fields {
		if given, ok := o.Given[f.Meaning]; ok {
			if last, known := o.Last(f.Name); !known || !oracle.Equal(f, given, last) {
				return false
			}
			n++
		}
	}
	return n > 0
}

// look asks in every way that is not refused yet.
func (t *T) look(o *Object) {
	t.Get(o)
	if t.Patch(o) {
		return
	}
	for _, f := range o.Op.Body.Fields {
		if len(o.Op.Body.Fields) > 1 {
			t.Patch(o, f)
		}
	}
}

// Write updates all fields of the object as its user, which has to succeed.
func (t *T) Write(o *Object, values map[string]any) *Answer {
	return t.ask(Call{
		Op: o.Op, Object: o, As: t.Test.user(o), Body: ObjectBody(o.Op.Body, values), Succeeds: true,
	}, Expect{Success: true, Clause: o.Op.Clause})
}

// Settle looks whether refused writes left a trace, where the target shows a
// way to look, and forgets them.
func (t *T) Settle(o *Object) {
	if !o.Refused() || o.Op.Deletes() {
		return
	}
	if !t.Test.Model.calibrated[o.Op.ID] && !o.Foreign {
		return // nothing is known of how to look, and finding out would write
	}
	if len(t.Read(o)) > 0 {
		o.refused = nil
	}
}

// Ordinary are values for all fields of an update, plain and new in the run.
// Enumerated fields take turns, so that two of them differ and so do two rounds.
func (t *T) Ordinary(o *Object, round int) map[string]any { return t.ordinary(o.Op, round) }

func (t *T) ordinary(op *spec.Operation, round int) map[string]any {
	values := map[string]any{}
	for i, f := range op.Body.Fields {
		values[f.Name] = t.OrdinaryValue(f, i+round+1)
	}
	return values
}

// OrdinaryValue is a value that every implementation has to take, within the bounds
// that the document states. Turn picks among the values of an enumeration.
func (t *T) OrdinaryValue(f *spec.Field, turn int) any {
	v, err := t.Fake.Value(f, turn)
	if err != nil { // the plan is not made then, see specs.Check
		panic(err)
	}
	return v
}

func fieldNames(op *spec.Operation) []string {
	var names []string
	for _, f := range op.Body.Fields {
		if op.Representation().Field(f.Meaning) != nil { // a password, say, is not shown
			names = append(names, f.Name)
		}
	}
	return names
}

func without(names []string, name string) []string {
	var rest []string
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}

func intersect(a, b []string) []string {
	var both []string
	for _, x := range a {
		for _, y := range b {
			if x == y {
				both = append(both, x)
			}
		}
	}
	return both
}
