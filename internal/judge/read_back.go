package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// A target may keep a field that a request leaves out, or set it to one fixed default: that is open. It may not show
// what the field held before the last success. A way to read an object back (GET, {}, {"name": …}) is trusted only
// after it has shown the last values of two updates.

// noteOmitted notes what fields that a request left out show of the target.
func (t *Test) noteOmitted(a *Answer) {
	op := a.Call.Op
	o := a.Call.Object
	for _, f := range a.omitted {
		switch f.Omission {
		case model.Kept:
			t.noteKept(a, f)
		case model.Altered:
			t.noteAltered(op, f.Field, op.Representation().Field(f.Meaning), f.Last, f.Got)
		case model.Back:
			t.Outcome.noteText(o, f.Field)
			t.CoveredIf(!f.IsTrusted && o.Changed(), op.Effects["persists"])
		case model.Reset:
			t.CoveredIf(o.Changed(), op.Effects["persists"])
			t.Observe("omitted-fields", spec.Reset)
		}
	}
}

// noteKept notes that an answer shows the last value of a field.
func (t *Test) noteKept(a *Answer, f model.Omitted) {
	t.Outcome.noteText(a.Call.Object, f.Field)
	if !f.IsTrusted {
		return
	}
	t.CoveredIf(t.othersUpdated(a.Call.Object), "EFFECT-2")
	if a.Call.Method != http.MethodGet {
		t.Observe("omitted-fields", spec.Kept)
	}
}

// JudgeGet judges a GET of an object's path that the document does not declare, and reports whether it read the
// object.
func (t *Test) JudgeGet(a *Answer) bool {
	if a.Call == nil || a.Undecided { // it was not sent, or shows nothing
		return false
	}
	o := a.Call.Object
	rep := o.Op.Representation()
	if !a.OK || !o.ID().Is(oracle.IDOf(a.Shown[rep.Field("id").Name])) {
		t.Reads(o.Op).IsRefused = true
		return false
	}
	return true
}

// A refusal is a request that was refused, and the result of the case that sent it.
type refusal struct {
	*wire.Exchange
	by *Result
}

// blame adds a finding, which an answer in a later case shows, to the case of the last of some refused requests. If
// there are several, any of them may have been carried out.
func (t *Test) blame(by []refusal, check *Check, f Finding) *Finding {
	last := by[len(by)-1]
	at := t.showing(last.Exchange)
	if len(by) > 1 {
		at.shown = t.shown
		f.Cause = cmp.Or(f.Cause, finding.CauseOf(finding.Kind(check.ID)))
	}
	if t.shown != nil && f.Requests == nil {
		for i, r := range by { // one with each status, as there may be dozens
			isAlike := func(later refusal) bool { return later.Response.Status == r.Response.Status }
			if !slices.ContainsFunc(by[i+1:], isAlike) {
				then := fmt.Sprint(r.Response.Status)
				f.Requests = append(f.Requests, t.request(r.Exchange, then))
			}
		}
		f.Requests = append(f.Requests, t.request(t.shown, f.Got))
	}
	isEarlier := last.by != t.Result
	at.Case = last.by.Case
	at.answering = nil
	if isEarlier {
		at.Result = &Result{Case: at.Case}
	}
	found := at.Find(check, f)
	if found != nil && isEarlier {
		t.Outcome.blame(blamed{Finding: found, result: last.by})
	}
	at.Covered(f.Clause)
	return found
}

// User returns the user who may use the object.
func (t *Test) User(o *Object) wire.Credential {
	if o.Foreign {
		return t.Stranger()
	}
	return t.Owner()
}

// noteRead checks that a read shows the object of the path.
func (t *Test) noteRead(c *Call, a *Answer) {
	if isShown := a.Shown != nil && a.Expected; c.Object != nil && isShown {
		t.JudgeIdentity(c.Op, c.Object, a)
	}
}

// JudgeRepeat compares the fields of two reads of an object between which nothing was written.
func (t *Test) JudgeRepeat(o *Object, first, second *Answer) {
	if first.Shown == nil || second.Shown == nil {
		return
	}
	clause := o.Op.Effects["repeats"]
	t.Covered(clause)
	for _, r := range o.Op.Representation().Fields {
		sets := func(op *spec.Operation) bool {
			isUpdate := op.Updates() && op.SameObjects(o.Op)
			return isUpdate && op.Body.Field(r.Meaning) != nil
		}
		before := first.Shown[r.Name]
		now := second.Shown[r.Name]
		// What no request sets, the target may change at any time.
		isTheirs := !r.Stays && !slices.ContainsFunc(t.Contract.Operations, sets)
		if isTheirs || oracle.Equal(r, before, now) {
			continue
		}
		expected := fmt.Sprintf("%s %s, as in the read before", r.Name, oracle.Show(before))
		t.FindIn(second.Exchange, CheckListRepeat, ofField(o.Op, r, clause, expected, oracle.Show(now)))
	}
}
