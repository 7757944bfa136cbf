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

// KeepsOmitted reports whether some update was seen to keep the fields that it left out.
func (t *T) KeepsOmitted(o *judge.Object) bool {
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
