package session

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// get sends a GET of the object's path, and reports whether that reads the object.
func (t *T) get(o *judge.Object) bool {
	if t.Known().Way(o.Op, judge.Reads).Refused() {
		return false
	}
	return t.Test.JudgeGet(t.Ask(judge.Call{Op: o.Op, Method: http.MethodGet, Object: o, As: t.Test.User(o)}, judge.Expect{}))
}

// patch sends an update that sets nothing new: the given fields with the values that the object must hold. It reports
// whether the target accepts that. An update that replaces the object has no such form.
func (t *T) patch(o *judge.Object, fields ...*spec.Field) bool {
	if o.Op.Replaces() { // it may unset omitted fields
		return false
	}
	values := map[string]any{}
	for _, f := range fields {
		v, known := o.Last(f.Name)
		if !known || v == nil { // it would set what may not be there
			return false
		}
		values[f.Name] = v
	}
	call := t.update(o, values)
	if t.Known().WayOf(o.Op, call.Body).Refused() {
		return false
	}
	call.Looks = true
	expect := made(o)
	expect.Statuses = []int{http.StatusUnprocessableEntity, http.StatusBadRequest}
	a := t.Ask(call, expect)
	if len(fields) == 0 {
		t.Test.Observe("empty-object", a.Acceptance())
	}
	return a.OK && !a.Undecided
}

// Read reads the object back, and so judges what it holds and whether earlier refused writes had an effect. It returns
// the wire names of the fields that it could read.
func (t *T) Read(o *judge.Object) (seen []string) {
	defer func() {
		if len(seen) > 0 {
			o.LookedAt()
		}
	}()
	known, all := t.Known(), judge.FieldNames(o.Op)
	if known.Way(o.Op, judge.Reads).Tells(all...) && t.get(o) || known.Way(o.Op).Tells(all...) && t.patch(o) {
		return all
	}
	left := all
	for _, f := range o.Op.Body.Fields {
		if rest := without(left, f.Name); len(rest) > 0 && known.Way(o.Op, f.Name).Tells(rest...) && t.patch(o, f) {
			seen = append(seen, rest...)
			left = slices.DeleteFunc(slices.Clone(left), func(name string) bool { return name != f.Name })
		}
	}
	return seen
}

// Survey finds out how objects can be read back, by two full updates with different values and a look in every way after
// each. It is done once for an operation.
func (t *T) Survey(o *judge.Object) {
	if t.Known().Surveyed[o.Op.ID] {
		return
	}
	t.Known().Surveyed[o.Op.ID] = true
	t.get(o)
	if t.patch(o) && t.asGiven(o) {
		for _, key := range []string{spec.Other(o.Key), spec.Sibling(o.Key)} { // to see them before any write
			if other := t.Known().Object(o.Op, key); other != nil {
				t.get(other)
				t.patch(other)
			}
		}
		if key := judge.Foreign(o.Key); t.Known().Outcome.Ownership(key).Shown {
			t.glance(t.Known().Object(o.Op, key))
		}
	}
	for round := range 2 {
		t.Write(o, t.Ordinary(o, round))
		t.look(o)
	}
	t.confirmDefault(o, t.Known().Object(o.Op, spec.Other(o.Key)))
}

// asGiven reports whether {} showed the values in the target file, and so seems not to reset anything.
func (t *T) asGiven(o *judge.Object) bool {
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

// look asks in every way that the target has not refused.
func (t *T) look(o *judge.Object) {
	t.get(o)
	if t.patch(o) {
		return
	}
	for _, f := range o.Op.Body.Fields {
		if len(o.Op.Body.Fields) > 1 {
			t.patch(o, f)
		}
	}
}

// update returns the call that updates an object with these values, as its user.
func (t *T) update(o *judge.Object, values map[string]any) judge.Call {
	return judge.Call{Op: o.Op, Object: o, As: t.Test.User(o), Body: oracle.ObjectBody(values)}
}

// made returns the expectation that an update succeeds.
func made(o *judge.Object) judge.Expect { return judge.Expect{Success: true, Clause: o.Op.Clause} }

// Write updates all fields of the object as its user, which must succeed.
func (t *T) Write(o *judge.Object, values map[string]any) *judge.Answer {
	return t.Ask(t.update(o, values), made(o))
}

// VerifyNoTraceOf looks for the effect of refused writes to the object, by any operation.
func (t *T) VerifyNoTraceOf(o *judge.Object) {
	for _, o := range append([]*judge.Object{o}, t.Known().Twins(o)...) {
		if o.Refused() && !o.Op.Deletes() {
			t.Read(o)
		}
	}
}

// Ordinary returns values for all fields of an update, plain and new in the run. Enumerated fields take turns, so that
// two of them differ, and so do two rounds.
func (t *T) Ordinary(o *judge.Object, round int) map[string]any {
	values := map[string]any{}
	for i, f := range o.Op.Body.Fields {
		v, err := t.fake.Value(f, i+round+1)
		if err != nil { // specs.Check refuses such a contract before there is a plan
			panic(err)
		}
		values[f.Name] = v
	}
	return values
}

// confirmDefault looks at a second object if {} shows another value than the last on the first: a fixed default shows on
// both, an old value of the first object need not.
func (t *T) confirmDefault(o, other *judge.Object) {
	way, persists := t.Known().Way(o.Op), o.Op.Effects["persists"]
	resets := func(f *spec.Field) bool { return len(way.Defaults(f.Name)) > 0 }
	if !slices.ContainsFunc(o.Op.Body.Fields, resets) || other == nil || other.Changed() || !other.MayWrite() || !t.patch(other) {
		return
	}
	for _, f := range o.Op.Body.Fields {
		shown, known := other.Last(f.Name)
		if !known || !resets(f) {
			continue
		}
		t.Test.Covered(persists)
		defaults := way.Defaults(f.Name)
		if slices.ContainsFunc(defaults, func(v any) bool { return oracle.Equal(nil, v, shown) }) {
			continue
		}
		found := t.Test.Find(judge.CheckStale, judge.Finding{
			Clause: persists, Pointer: judge.Pointer(o.Op, o.Op.Representation().Field(f.Meaning)),
			Expected: fmt.Sprintf("for %s the value that the last successful update set, or one fixed default for every object", f.Name),
			Got:      fmt.Sprintf("%s, which is neither: %s shows %s", oracle.Show(defaults[0]), other.Name(), oracle.Show(shown)),
			Cause:    finding.CauseOf(finding.NoDefault),
			Value:    defaults[0],
		})
		for _, v := range defaults {
			t.Test.MayBeAnotherWriters(found, t.Test.Result, o, f, v)
		}
	}
}
