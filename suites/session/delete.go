package session

import (
	"fmt"
	"net/http"

	"github.com/adconform/adconform/suites/judge"
)

// Delete deletes a creative that has to be there, as its owner, and says whose
// fault it is when it is not: a refused delete's, another delete's, or nobody
// knows.
func (t *T) Delete(o *judge.Object, also ...int) *judge.Answer {
	a := t.Ask(t.Test.Deletion(o), judge.Expect{Success: true, Statuses: append(also, http.StatusNotFound), Clause: o.Op.Clause})
	t.Test.JudgeDeleted(a)
	return a
}

// DeleteAgain deletes what is deleted already: 404, as it no longer exists. What
// nobody deleted is left alone.
func (t *T) DeleteAgain(o *judge.Object) {
	if !o.WasDeleted {
		return
	}
	e := judge.Expect{Statuses: []int{http.StatusNotFound}}
	if o.Uncertain {
		e.Success = true // the first delete may not have arrived
	}
	a := t.Ask(judge.Call{Op: o.Op, Object: o, As: t.Known().Owner(), Succeeds: e.Success}, e)
	clause := o.Op.Effects["gone"]
	if a.Status == 0 || a.Status >= 500 {
		return
	}
	if a.Expected {
		t.Test.CoveredIf(a.Status == http.StatusNotFound && o.Removed, clause)
		return
	}
	t.Test.Covered(clause)
	check := "delete-effect"
	if !a.OK { // it is gone, and the status is another one
		check = "expected-status"
	}
	t.Test.FindIn(a.Exchange, check, judge.Finding{
		Clause: clause, WFC: 113,
		Expected:   fmt.Sprintf("status 404 for %s, which was deleted%s", o.Key, t.Known().StillListed(o)),
		Got:        fmt.Sprintf("status %d", a.Status),
		CauseWords: fmt.Sprintf("a second delete is answered %d where 404 was expected", a.Status),
		Requests:   t.Test.AfterDelete(o, a.Exchange),
	})
}

// DeleteTogether sends two deletes of one creative at the same instant: one
// gets 204, the other 204 or 404.
func (t *T) DeleteTogether(o *judge.Object) {
	c := judge.Call{Op: o.Op, Object: o, As: t.Known().Owner(), Succeeds: true}
	answers := t.SendTogether(c, c)
	lost, ok, gone := false, false, 0
	for _, a := range answers {
		t.judge(a, judge.Expect{Success: true, Statuses: []int{http.StatusNotFound}, Clause: o.Op.Clause})
		lost = lost || a.Status == 0
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

// TryFiles deletes media files of a disposable container whose list is not shown
// until one is: then there was something to list.
func (t *T) TryFiles(container string) {
	name, _ := judge.SplitKey(container)
	op := t.Known().Contract.DeleteOf(name)
	for i, id := range t.Known().Container(container).MediaFileIDs {
		o := t.Known().MediaFile(op, container, i)
		if t.Known().UsedUp(o) {
			continue
		}
		if t.Ask(judge.Call{Op: op, Object: o, As: t.Known().Owner(), Raw: true}, judge.Expect{}).Status != http.StatusNotFound {
			return
		}
		t.Known().UsedUpFiles[id] = true
	}
}

// lookFor asks for what the judgement of an answer wants to know.
func (t *T) lookFor(a *judge.Answer, w *judge.Wanted) {
	for _, file := range w.Deletes {
		deleted := t.Ask(judge.Call{Op: file.Op, Object: file, As: t.Known().Owner(), Raw: true}, judge.Expect{})
		if !t.Test.FileWanted(a, file, deleted) {
			return
		}
	}
}
