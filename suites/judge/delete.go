package judge

import (
	"fmt"
	"net/http"
	"slices"
)

// noteDelete judges and remembers what became of a delete.
func (t *Test) noteDelete(c *Call, a *Answer) {
	o := c.Object
	if a.OK || a.Status >= 500 {
		t.Model.Outcome.remove()
	}
	if o == nil {
		return
	}
	owned := c.As.Name == OwnerName && c.As.Send
	switch {
	case a.OK:
		if !o.WasDeleted {
			t.Model.Deletes = append(t.Model.Deletes, o)
		}
		o.WasDeleted = true
		o.Removed = o.Removed || a.Status == http.StatusNoContent
		o.Refusals = nil
	case refused(a.Status) && !o.WasDeleted && !(owned && a.Status == http.StatusNotFound):
		o.Refusals = append(o.Refusals, t.newRefusal(a, nil))
	}
}

// Deletion is the owner's delete of a creative, on a raw connection.
func (t *Test) Deletion(o *Object) Call {
	return Call{Op: o.Op, Object: o, As: t.Model.Owner(), Raw: true, Succeeds: true}
}

// JudgeDeleted judges the answer to a delete of what has to exist.
func (t *Test) JudgeDeleted(a *Answer) {
	c := a.Call
	switch {
	case c == nil: // it was not sent
	case a.OK:
		t.CoveredIf(a.Status == http.StatusNoContent, c.Op.Effects["bodiless"])
		t.CoveredIf(len(c.Pending) > 0, "EFFECT-1")
		t.CoveredIf(t.Model.RemovedBefore(c.Object), c.Op.Effects["others"])
	case a.Status == http.StatusNotFound:
		t.Missing(c, a)
	}
}

// RemovedBefore says whether the delete of another object was answered 204.
func (s *Model) RemovedBefore(o *Object) bool {
	return slices.ContainsFunc(s.Deletes, func(other *Object) bool {
		return other != o && other.Removed && (o == nil || other.Op == o.Op)
	})
}

// Missing judges a creative that has to exist and answers 404.
func (t *Test) Missing(c *Call, a *Answer) {
	o, pending := c.Object, c.Pending
	o.WasDeleted = true
	var f *Finding
	switch {
	case len(pending) > 0:
		by := &pending[len(pending)-1]
		t.blame(by, "refused-delete", Finding{
			Clause: "EFFECT-1", WFC: 114, Expected: fmt.Sprintf("status 204 for %s: the delete that was refused with %d removes nothing", o.Key, by.status), Got: "status 404: it is gone",
		})
		if n := len(by.result.Findings); n > 0 {
			f = by.result.Findings[n-1]
			t.hold(f, by.result, o, a.Status, c.As.Name)
		}
		t.NotTested(ByTarget, o.Key+" was gone before")
		return
	case slices.ContainsFunc(t.Model.Deletes, func(other *Object) bool { return other.Op == o.Op }):
		f = t.Find("delete-other", Finding{
			Clause: o.Op.Effects["others"], Expected: fmt.Sprintf("status 204 for %s, which nobody deleted", o.Key), Got: fmt.Sprintf("status 404 after %s was deleted", t.Model.Deletes[len(t.Model.Deletes)-1].Key),
		})
	default:
		f = t.Find("expected-status", Finding{Clause: "EFFECT-3", Expected: "status 204 for " + o.Key, Got: "status 404"})
	}
	t.holdBack(c, a, f)
}
