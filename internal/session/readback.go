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
	if t.Known().Reads(o.Op).IsRefused {
		return false
	}
	call := judge.Call{Op: o.Op, Method: http.MethodGet, Object: o, As: t.Test.User(o)}
	return t.Test.JudgeGet(t.Ask(call, judge.Expect{}))
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
	if t.Known().WayOf(o.Op, call.Body).IsRefused {
		return false
	}
	call.Looks = true
	expect := success(o.Op)
	expect.Statuses = []int{http.StatusUnprocessableEntity, http.StatusBadRequest}
	a := t.Ask(call, expect)
	if len(fields) == 0 {
		t.Test.Observe("empty-object", a.Acceptance())
	}
	return a.OK && !a.Undecided
}

// Read reads the object back, and so judges what it holds and whether earlier refused writes had an effect. It returns
// the fields that it could read.
func (t *T) Read(o *judge.Object) (seen []*spec.Field) {
	defer func() {
		if len(seen) > 0 {
			o.LookedAt()
		}
	}()
	known := t.Known()
	all := judge.ShownFields(o.Op)
	if known.Reads(o.Op).Tells(all...) && t.get(o) {
		return all
	}
	if known.Way(o.Op).Tells(all...) && t.patch(o) {
		return all
	}
	unread := all
	for _, f := range o.Op.Body.Fields {
		others := without(unread, f)
		if len(others) == 0 || !known.Way(o.Op, f.Name).Tells(others...) {
			continue
		}
		if t.patch(o, f) {
			seen = append(seen, others...)
			unread = without(unread, others...)
		}
	}
	return seen
}

// Survey finds out how objects can be read back, by two full updates with different values and a look in every way
// after each. It is done once for an operation.
func (t *T) Survey(o *judge.Object) {
	if t.Known().Surveyed[o.Op.ID] {
		return
	}
	t.Known().Surveyed[o.Op.ID] = true
	t.get(o)
	if t.patch(o) && isAsGiven(o) {
		t.lookAtOthers(o)
	}
	for round := range 2 {
		t.Write(o, t.Ordinary(o, round))
		t.look(o)
	}
	t.confirmDefault(o, t.Known().Object(o.Op, spec.Other(o.Key)))
}

// lookAtOthers reads the other objects of an operation, to see them before any write.
func (t *T) lookAtOthers(o *judge.Object) {
	for _, key := range []string{spec.Other(o.Key), spec.Sibling(o.Key)} {
		if other := t.Known().Object(o.Op, key); other != nil {
			t.get(other)
			t.patch(other)
		}
	}
	if key := judge.Foreign(o.Key); t.Known().Outcome.Ownership(key).Shown {
		t.glance(t.Known().Object(o.Op, key))
	}
}

// isAsGiven reports whether {} showed the values in the target file, and so seems not to reset anything.
func isAsGiven(o *judge.Object) bool {
	n := 0
	for _, f := range o.Op.Body.Fields {
		given, isGiven := o.Given[f.Meaning]
		if !isGiven {
			continue
		}
		n++
		last, isKnown := o.Last(f.Name)
		if !isKnown || !oracle.Equal(f, given, last) {
			return false
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

// success returns the expectation that an operation succeeds.
func success(op *spec.Operation) judge.Expect {
	return judge.Expect{Success: true, Clause: op.Clause}
}

// Write updates all fields of the object as its user, which must succeed.
func (t *T) Write(o *judge.Object, values map[string]any) *judge.Answer {
	return t.Ask(t.update(o, values), success(o.Op))
}

// VerifyNoTraceOf looks for the effect of refused writes to the object, by any operation.
func (t *T) VerifyNoTraceOf(o *judge.Object) {
	all := append([]*judge.Object{o}, t.Known().Twins(o)...)
	for _, o := range all {
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

// confirmDefault looks at a second object if {} shows another value than the last on the first: a fixed default shows
// on both, an old value of the first object need not.
func (t *T) confirmDefault(o, other *judge.Object) {
	way := t.Known().Way(o.Op)
	hasDefault := func(f *spec.Field) bool { return len(way.Defaults(f)) > 0 }
	if !slices.ContainsFunc(o.Op.Body.Fields, hasDefault) {
		return
	}
	switch {
	case other == nil, other.Changed(), !other.MayWrite(), !t.patch(other):
		return
	}
	for _, f := range o.Op.Body.Fields {
		shown, isKnown := other.Last(f.Name)
		if isKnown && hasDefault(f) {
			t.judgeDefault(o, other, f, shown)
		}
	}
}

// judgeDefault judges the value that {} shows on a second object by the defaults of the first.
func (t *T) judgeDefault(o, other *judge.Object, f *spec.Field, shown any) {
	persists := o.Op.Effects["persists"]
	t.Test.Covered(persists)
	defaults := t.Known().Way(o.Op).Defaults(f)
	isShown := func(v any) bool { return oracle.Equal(nil, v, shown) }
	if slices.ContainsFunc(defaults, isShown) {
		return
	}
	found := t.Test.Find(judge.CheckStale, judge.Finding{
		Clause:  persists,
		Pointer: judge.Pointer(o.Op, o.Op.Representation().Field(f.Meaning)),
		Expected: fmt.Sprintf("for %s the value that the last successful update set, "+
			"or one fixed default for every object", f.Name),
		Got: fmt.Sprintf("%s, which is neither: %s shows %s",
			oracle.Show(defaults[0]), other.Name(), oracle.Show(shown)),
		Cause: finding.CauseOf(finding.NoDefault),
		Value: defaults[0],
	})
	for _, v := range defaults {
		t.Test.MayBeAnotherWriters(found, t.Test.Result, o, f, v)
	}
}
