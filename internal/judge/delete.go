package judge

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/internal/finding"
)

// noteDelete notes that a delete was carried out, or may have been.
func (t *Test) noteDelete(c *Call, a *Answer) {
	o := c.Object
	if o == nil {
		return
	}
	isNamed := c.namesObject()
	switch {
	case a.OK && isNamed, c.goneBefore(a):
		o.remove(a.Status, withoutAnswer(a.Exchange))
	case isNamed && a.isGone():
		o.remove(a.Status, nil)
	case a.isFailure():
		o.isLost = true
		if c.Succeeds && isNamed { // it may be gone
			o.remove(a.Status, nil)
		}
	case refused(a.Status) && !o.Deleted():
		if a.Status != http.StatusNotFound {
			o.isRefused = true
		}
		t.noteRefusal(o, a)
	}
}

// JudgeDeleted judges the answer to the delete of a creative that has to exist.
func (t *Test) JudgeDeleted(a *Answer) {
	switch c := a.Call; {
	case c == nil: // it was not sent
	case a.OK:
		t.CoveredIf(a.Status == http.StatusNoContent, c.Op.Effects["bodiless"])
	case a.Status == http.StatusNotFound && !c.goneBefore(a):
		t.DeletedBefore(c.Object)
	}
}

// goneBefore reports whether a 404 to a delete is as good as 204, because an earlier attempt, whose answer was lost
// or made up by a gateway, may have been carried out.
func (c *Call) goneBefore(a *Answer) bool {
	isUnsure := c.Succeeds && a.Exchange.Unsure
	return isUnsure && c.namesObject() && a.Status == http.StatusNotFound
}

// DeletedBefore reports whether an earlier request of the run deleted the object or its container, and if so ends the
// case.
func (t *Test) DeletedBefore(o *Object) bool {
	for _, other := range slices.Backward(t.Order) {
		if other.by != nil && o.isWithin(other) {
			t.NotTested(ByTarget, fmt.Sprintf("%s was deleted before, in %s", o.Key, other.by.Case))
			return true
		}
	}
	return false
}

// isGoneForAll reports whether what is gone is deleted again, whoever asks, as the owner could do before.
func (t *Test) isGoneForAll(a *Answer) bool {
	op := a.Call.Op
	o := a.Call.Object
	isGone := o != nil && o.Removed()
	isDelete := op.Deletes() && a.OK
	return isDelete && isGone && t.Outcome.broke(op, op.Effects["gone"])
}

// JudgeSecondDelete judges the status of the refusal of a delete of an object that is gone. That it is refused is
// judged like anything that the model knows.
func (t *Test) JudgeSecondDelete(o *Object, a *Answer) {
	first := o.by
	switch {
	case a.Status == 0, a.OK, a.isFailure(), first == nil:
		return
	}
	f := Finding{
		Clause: o.Op.Effects["gone"], WFC: 113, Cause: finding.OfSecondDelete(a.Status),
		Expected: "status 404 for " + o.Key + ", which was deleted",
		Got:      fmt.Sprintf("status %d", a.Status),
	}
	at := t.showing(a.Exchange)
	f.Requests = at.after(first, "204", f.Got)
	at.require(a.Expected, CheckExpectedStatus, f)
}
