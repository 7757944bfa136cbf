package engine

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
	owned := c.As.Name == ownerName && c.As.Send
	switch {
	case a.OK:
		if !o.deleted {
			t.Model.deletes = append(t.Model.deletes, o)
		}
		o.deleted = true
		o.removed = o.removed || a.Status == http.StatusNoContent
		o.refused = nil
	case refused(a.Status) && !o.deleted && !(owned && a.Status == http.StatusNotFound):
		o.refused = append(o.refused, t.newRefusal(a, nil))
	}
}

// Delete deletes a creative that has to be there, as its owner, and says whose
// fault it is when it is not: a refused delete's, another delete's, or nobody
// knows.
func (t *T) Delete(o *Object, also ...int) *Answer {
	a := t.ask(t.Test.Deletion(o), Expect{Success: true, Statuses: append(also, http.StatusNotFound), Clause: o.Op.Clause})
	t.Test.JudgeDeleted(a)
	return a
}

// Deletion is the owner's delete of a creative, on a raw connection.
func (t *Test) Deletion(o *Object) Call {
	return Call{Op: o.Op, Object: o, As: t.Model.Owner(), Raw: true, Succeeds: true}
}

// JudgeDeleted judges the answer to a delete of what has to exist.
func (t *Test) JudgeDeleted(a *Answer) {
	c := a.call
	switch {
	case c == nil: // it was not sent
	case a.OK:
		t.coveredIf(a.Status == http.StatusNoContent, c.Op.Effects["bodiless"])
		t.coveredIf(len(c.pending) > 0, "EFFECT-1")
		t.coveredIf(t.Model.removedBefore(c.Object), c.Op.Effects["others"])
	case a.Status == http.StatusNotFound:
		t.missing(c, a)
	}
}

// removedBefore says whether the delete of another object was answered 204.
func (s *Model) removedBefore(o *Object) bool {
	return slices.ContainsFunc(s.deletes, func(other *Object) bool {
		return other != o && other.removed && (o == nil || other.Op == o.Op)
	})
}

// missing judges a creative that has to exist and answers 404.
func (t *Test) missing(c *Call, a *Answer) {
	o, pending := c.Object, c.pending
	o.deleted = true
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
	case slices.ContainsFunc(t.Model.deletes, func(other *Object) bool { return other.Op == o.Op }):
		f = t.find("delete-other", Finding{
			Clause: o.Op.Effects["others"], Expected: fmt.Sprintf("status 204 for %s, which nobody deleted", o.Key), Got: fmt.Sprintf("status 404 after %s was deleted", t.Model.deletes[len(t.Model.deletes)-1].Key),
		})
	default:
		f = t.find("expected-status", Finding{Clause: "EFFECT-3", Expected: "status 204 for " + o.Key, Got: "status 404"})
	}
	t.doubt(c, a, f)
}

// DeleteAgain deletes what is deleted already: 404, as it no longer exists. What
// nobody deleted is left alone.
func (t *T) DeleteAgain(o *Object) {
	if !o.deleted {
		return
	}
	e := Expect{Statuses: []int{http.StatusNotFound}}
	if o.uncertain {
		e.Success = true // the first delete may not have arrived
	}
	a := t.ask(Call{Op: o.Op, Object: o, As: t.Test.Model.Owner(), Succeeds: e.Success}, e)
	clause := o.Op.Effects["gone"]
	if a.Status == 0 || a.Status >= 500 {
		return
	}
	if a.Expected {
		t.Test.coveredIf(a.Status == http.StatusNotFound && o.removed, clause)
		return
	}
	t.Test.covered(clause)
	check := "delete-effect"
	if !a.OK { // it is gone, and the status is another one
		check = "expected-status"
	}
	t.Test.find(check, Finding{
		Clause: clause, WFC: 113, Expected: fmt.Sprintf("status 404 for %s, which was deleted", o.Key), Got: fmt.Sprintf("status %d", a.Status), Curl: a.Exchange.Curl(), Exchange: a.Exchange.Seq,
	})
}

// DeleteTogether sends two deletes of one creative at the same instant: one
// gets 204, the other 204 or 404.
func (t *T) DeleteTogether(o *Object) {
	c := Call{Op: o.Op, Object: o, As: t.Test.Model.Owner(), Succeeds: true}
	answers := t.SendTogether(c, c)
	lost, ok, gone := false, false, 0
	for _, a := range answers {
		t.judge(a, Expect{Success: true, Statuses: []int{http.StatusNotFound}, Clause: o.Op.Clause})
		lost = lost || a.Status == 0
		ok = ok || a.OK
		if a.Status == http.StatusNotFound {
			gone++
		}
	}
	t.Test.coveredIf(ok && t.Test.Model.removedBefore(o), o.Op.Effects["others"])
	if gone == len(answers) && !lost && !ok {
		t.Test.missing(answers[0].call, answers[0])
	}
	t.DeleteAgain(o)
}

// TryFiles deletes media files of a disposable container whose list is not shown
// until one is: then there was something to list.
func (t *T) TryFiles(container string) {
	name, _ := splitKey(container)
	op := t.Test.Model.Contract.DeleteOf(name)
	for i, id := range t.Test.Model.Container(container).MediaFileIDs {
		o := t.Test.Model.MediaFile(op, container, i)
		if t.Test.Model.UsedUp(o) {
			continue
		}
		if t.ask(Call{Op: op, Object: o, As: t.Test.Model.Owner(), Raw: true}, Expect{}).Status != http.StatusNotFound {
			return
		}
		t.Test.Model.usedUp[id] = true
	}
}

// lookFor asks for what the judgement of an answer wants to know.
func (t *T) lookFor(a *Answer, w *Wanted) {
	for _, file := range w.Deletes {
		deleted := t.ask(Call{Op: file.Op, Object: file, As: t.Test.Model.Owner(), Raw: true}, Expect{})
		if !t.Test.FileWanted(a, file, deleted) {
			return
		}
	}
}
