package session

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Delete deletes a creative that must exist, as its owner, and decides which request is to blame if it does not.
func (t *T) Delete(o *judge.Object, also ...int) *judge.Answer {
	a := t.Ask(t.Test.Deletion(o), judge.Expect{Success: true, Statuses: append(also, http.StatusNotFound), Clause: o.Op.Clause})
	t.Test.JudgeDeleted(a)
	return a
}

// DeleteAgain deletes a creative that the run has deleted, which must be answered 404.
func (t *T) DeleteAgain(o *judge.Object) {
	if !o.Deleted() {
		return
	}
	e := judge.Expect{Statuses: []int{http.StatusNotFound}}
	if o.Uncertain() {
		e.Success = true // the first delete may not have arrived
	}
	a := t.Ask(judge.Call{Op: o.Op, Object: o, As: t.Known().Owner(), Succeeds: e.Success}, e)
	t.Test.JudgeSecondDelete(o, a)
}

// DeleteTogether sends two deletes of one creative at the same instant: one is answered 204, the other 204 or 404.
func (t *T) DeleteTogether(o *judge.Object) {
	c := judge.Call{Op: o.Op, Object: o, As: t.Known().Owner(), Succeeds: true}
	answers := t.SendTogether(c, c)
	lost, ok, gone := false, false, 0
	for _, a := range answers {
		t.judge(a, judge.Expect{Success: true, Statuses: []int{http.StatusNotFound}, Clause: o.Op.Clause})
		lost = lost || a.Status == 0 || a.Exchange.Unsure
		ok = ok || a.OK
		if a.Status == http.StatusNotFound {
			gone++
		}
	}
	t.Test.CoveredIf(ok && t.Known().RemovedBefore(o), o.Op.Effects["others"])
	if gone == len(answers) && !lost && !ok {
		t.Test.Missing(answers[0].Call, answers[0])
	}
	t.DeleteAgain(o)
}

// UserID returns the owner's id, as the target file gives it or an answer showed it, or "".
func (t *T) UserID() string {
	const meaning, container = "userId", "vastCreative"
	known := t.Known()
	for _, op := range known.Contract.Operations {
		rep := op.Representation()
		if rep == nil || rep.Field(meaning) == nil {
			continue
		}
		var shown any
		switch name := rep.Field(meaning).Name; {
		case op.Updates():
			if o := known.Objects[op.ID+" "+op.Key()]; o != nil {
				shown, _ = o.Constant(name)
			}
			if shown == nil {
				shown = judge.Find(known.Target, op.Key()).Values[meaning]
			}
		case op.Lists() && known.Lookup(container) != 0:
			if a := t.Ask(judge.Call{Op: op, Object: known.Object(op, container), As: known.Owner()},
				judge.Expect{Success: true, Clause: op.Clause}); a.List != nil && len(a.List.Items) > 0 {
				shown = a.List.Items[0][name]
			}
		}
		if id, ok := oracle.Integer(shown); ok {
			return fmt.Sprint(id)
		}
	}
	return ""
}

// glance records what an object of the stranger holds before any change. Other cases judge whether it
// exists.
func (t *T) glance(o *judge.Object) {
	if o == nil || t.Known().Target.Credentials.Stranger == "" {
		return
	}
	t.Ask(t.update(o, map[string]any{}), judge.Expect{Success: true, Statuses: []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
	}})
	o.LookedAt()
}

// TwoWriters updates two different fields of one object at the same instant, several times. If the target keeps
// omitted fields, both values should be there afterwards. The document does not say so: a breach is a notice.
func (t *T) TwoWriters(o *judge.Object) {
	fields := o.Op.Body.Fields[:2]
	if !t.keepsOmitted(o) {
		t.Test.NotTested(judge.ByTarget, "the target was not seen to keep omitted fields")
		return
	}
	lost := false
	for round := 0; round < writerRounds && !lost; round++ {
		var calls []judge.Call
		for _, f := range fields {
			v := t.ordinaryValue(f, 0)
			if last, known := o.Last(f.Name); known && len(f.Enum) > 0 && v == last {
				v = t.ordinaryValue(f, 1)
			}
			call := t.update(o, map[string]any{f.Name: v})
			call.Loose = true
			calls = append(calls, call)
		}
		answers := t.SendTogether(calls...)
		for _, a := range answers {
			t.judge(a, judge.Expect{Success: true, Statuses: []int{400, 409, 422}, Clause: o.Op.Clause})
		}
		o.LoseTrack() // it is unknown which update came last
		if !answers[0].OK || !answers[1].OK {
			t.Test.NotTested(judge.ByTarget, "the target does not accept two updates of one field each at the same time")
			return
		}
		seen := t.Read(o)
		if len(seen) == 0 {
			t.Test.NotTested(judge.ByTarget, "the target shows no way to read the object back")
			return
		}
		for i, f := range fields {
			want := calls[i].Body.Fields[f.Name]
			got, known := o.Last(f.Name)
			if !known || !slices.Contains(seen, f.Name) || oracle.Equal(f, want, got) {
				continue
			}
			lost = true
			t.Test.FindIn(answers[i].Exchange, judge.CheckConcurrentWriters, judge.Finding{
				Clause: "OPEN-7", Pointer: judge.Pointer(o.Op, o.Op.Representation().Field(f.Meaning)),
				Expected: f.Name + " " + oracle.Show(want) + " beside the other writer's field",
				Got:      oracle.Show(got) + "; this depends on timing, so another run may not see it",
			})
		}
	}
	t.Test.Covered("OPEN-7")
	t.Test.Observe("concurrent-writers", map[bool]spec.Choice{false: "both get their way", true: "one overwrites the other"}[lost])
}

// writerRounds is how many times two writers meet, as a faulty server does not lose an update each time.
const writerRounds = 2

// keepsOmitted reports whether some update was seen to keep the fields that it left out.
func (t *T) keepsOmitted(o *judge.Object) bool {
	all := judge.FieldNames(o.Op)
	return t.Known().Way(o.Op).Tells(all...) || slices.ContainsFunc(o.Op.Body.Fields, func(f *spec.Field) bool {
		return t.Known().Way(o.Op, f.Name).Tells(without(all, f.Name)...)
	})
}

// without returns the other names.
func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// Pause waits, and reports whether the case may continue.
func (t *T) Pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-t.Ctx.Done():
		return false
	}
}
