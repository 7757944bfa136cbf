package judge

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// noteRead judges what a read shows: the object of the path, what stays, and what
// updates of it set.
func (t *Test) noteRead(c *Call, a *Answer) {
	if c.Object == nil || a.Shown == nil || !a.Expected {
		return
	}
	if !t.JudgeIdentity(c.Op, c.Object, a) {
		return
	}
	t.JudgeConstant(c.Op, c.Object, a)
	for _, twin := range t.Model.Twins(c.Object) {
		t.judgeAgrees(c, a, twin)
	}
}

// judgeAgrees compares a read with what an update of the same object last set.
func (t *Test) judgeAgrees(c *Call, a *Answer, o *Object) {
	clause := c.Op.Effects["shows"]
	for _, f := range o.Op.Body.Fields {
		r := c.Op.Representation().Field(f.Meaning)
		if r == nil {
			continue
		}
		got := a.Shown[r.Name]
		last, known := o.Last(f.Name)
		if !known || o.Late {
			t.Model.FirstSight(o, f, got)
			continue
		}
		t.Covered(clause)
		if oracle.Equal(f, last, got) {
			continue
		}
		t.noteUnknown(o, f, got)
		if by := o.RefusedWith(f.Name, got); by != nil {
			o.Touched = true
			t.blame(by, "refused-write", shownBy(by, c.Op, r, last, got))
			continue
		}
		found := t.Find("stale", Finding{
			Operation: c.Op.ID, Clause: clause, Pointer: Pointer(c.Op, r),
			Expected: fmt.Sprintf("%s %s, %s", r.Name, oracle.Show(last), o.Since()),
			Got:      oracle.Show(got) + t.Model.OriginOf(o, got),
			Requests: t.after(o.SetIn, "success, with "+oracle.Show(last), oracle.Show(got)),
		})
		t.MayBeAnotherWriters(found, t.Result, o, f, got)
	}
	if o.Refused() {
		t.Covered("EFFECT-1")
	}
}

// JudgeRepeat compares two reads of an object with no write between: what stays,
// and what updates of it can change.
func (t *Test) JudgeRepeat(o *Object, first, second *Answer) {
	if first.Shown == nil || second.Shown == nil {
		return
	}
	clause := o.Op.Effects["repeats"]
	t.Covered(clause)
	for _, r := range o.Op.Representation().Fields {
		if !r.Stays && !t.changeable(o, r) || oracle.Equal(r, first.Shown[r.Name], second.Shown[r.Name]) {
			continue
		}
		t.FindIn(second.Exchange, "list-repeat", Finding{
			Clause: clause, Pointer: Pointer(o.Op, r),
			Expected: fmt.Sprintf("%s %s, as in the read before", r.Name, oracle.Show(first.Shown[r.Name])),
			Got:      oracle.Show(second.Shown[r.Name]),
		})
	}
}

// changeable says whether an update of the object sets a field.
func (t *Test) changeable(o *Object, r *spec.Field) bool {
	return slices.ContainsFunc(t.Model.Contract.Operations, func(op *spec.Operation) bool {
		return op.Updates() && op.SameObjects(o.Op) && op.Body.Field(r.Meaning) != nil
	})
}
