package judge

import (
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// A target file may name an object that is not there, or a key that is not
// valid. So a 401, 403 or 404 on an object that was never seen alive is held
// back as tentative until the run shows whose fault it is.

// TentativeFinding is a finding that stands only where the run confirms it.
type TentativeFinding struct {
	Finding *oracle.Finding
	Result  *testcase.Result
	Object  *model.Object
	Status  int
	User    string
	Empty   bool         // a list of which nothing was left by then
	Files   *Disputed    // nil: it is about a status
	Unknown *UnknownText // a text that may be another writer's; nil: it is not about one
}

// holdBack makes a finding tentative that may be the operator's mistake.
func (t *Test) holdBack(c *call.Call, a *call.Answer, f *Finding) {
	if f == nil {
		return
	}
	switch {
	case a.Status == http.StatusUnauthorized && (c.As.Name == model.OwnerName || c.As.Name == model.StrangerName):
	case c.Object != nil && len(c.Object.IDs) > 0 && (a.Status == http.StatusForbidden || a.Status == http.StatusNotFound):
	case c.Object != nil && a.OK && c.As.Name == model.StrangerName && c.Object.Forbidden && !c.Object.Alive: // it may be the stranger's
	default:
		return
	}
	t.hold(f, t.Result, c.Object, a.Status, c.As.Name)
}

// hold makes a finding of a case tentative.
func (t *Test) hold(f *Finding, r *testcase.Result, o *model.Object, status int, user string) {
	r.Tentative = true
	empty := false
	if o != nil && o.Op.Lists() {
		left := t.Model.Media(o)
		empty = left.IDs != nil && len(left.IDs) == 0
	}
	t.Model.Outcome.Hold(TentativeFinding{Finding: f, Result: r, Object: o, Status: status, User: user, Empty: empty})
}

// noteEvidence notes what an answer shows of objects.
func (t *Test) noteEvidence(c *call.Call, a *call.Answer) {
	if c.Object == nil || !c.NamesObject() {
		return
	}
	own := c.As.Name == t.User(c.Object).Name
	if a.OK && own {
		c.Object.Alive = true
		t.Model.Outcome.NoteAlive(c.Op, c.Object.Things())
	}
	if a.Status == http.StatusForbidden && own {
		c.Object.Forbidden = true
	}
	if a.Status == http.StatusForbidden && c.As.Name != t.User(c.Object).Name && c.As.Send {
		c.Object.ShownToExist = true
	}
}

// NoteAlive notes an operation that let a user at an object, and so at what it lies beneath.
func (b *Outcome) NoteAlive(op *spec.Operation, objects []model.Thing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Alive[op.ID] = true
	for _, o := range objects {
		b.Used[o] = true
	}
}

// NoteListed notes the items of a list: they are there, but who may change them
// is not said.
func (b *Outcome) NoteListed(kind string, ids []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		b.Listed[model.Thing{Kind: kind, ID: id}] = true
	}
}

// NoteKey notes what an answer shows of a key. Requests that the document does
// not declare may be answered without a look at it.
func (b *Outcome) NoteKey(c *call.Call, e oracle.Expect, ex *wire.Exchange) {
	if ex.Err != nil || c.Method != c.Op.Method {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	status := ex.Response.Status
	if showsKey(c, e, status) {
		b.Accepted[c.As.Name] = true
	}
	if status == http.StatusUnauthorized && c.As.Name == model.OwnerName {
		b.refusedBy[c.Op.ID] = true
	}
}

// showsKey says whether an answer shows that somebody took the key. What cannot be
// decoded, or is too much, is refused by many servers before anyone looks at it.
func showsKey(c *call.Call, e oracle.Expect, status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusUnprocessableEntity:
		return !c.Encoded && !e.AnyRefusal && !e.OnlyCrash
	}
	return status/100 == 2 || status == http.StatusForbidden
}

// Lives says whether any operation let the object's user at it.
func (t *Test) Lives(o *model.Object) bool { return o.Alive || t.Model.Outcome.Used[o.Thing()] }

// Drop takes a tentative finding back that the run did not confirm, and tells the operator why.
func (s *Model) Drop(d TentativeFinding, reason string) {
	if d.Object != nil && d.Object.Gone {
		s.Outcome.NoteAbsent(d.Object, s.Presentable(reason))
	} else {
		s.Outcome.NoteMistake(reason)
	}
	s.Outcome.Drop(d, reason)
}

// Drop takes a tentative finding back. Its case was not tested then, unless it has others.
func (b *Outcome) Drop(d TentativeFinding, reason string) {
	r := d.Result
	r.Findings = slices.DeleteFunc(r.Findings, func(f *oracle.Finding) bool { return f == d.Finding })
	if slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool { return f.Severity == oracle.Violation }) {
		return
	}
	r.Status, r.Cause, r.Reason = testcase.NotTested, testcase.ByOperator, reason
	for _, n := range b.coverage {
		delete(n.cases, r.Case.ID)
		n.last = ""
	}
}
