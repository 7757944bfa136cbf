package judge

import (
	"net/http"
)

// A target file may name an object that is not there, or a key that is not
// valid. So a 401, 403 or 404 on an object that was never seen alive is held
// back as tentative until the run shows whose fault it is.

// holdBack makes a finding tentative that may be the operator's mistake.
func (t *Test) holdBack(c *Call, a *Answer, f *Finding) {
	if f == nil {
		return
	}
	switch {
	case a.Status == http.StatusUnauthorized && (c.As.Name == OwnerName || c.As.Name == StrangerName):
	case c.Object != nil && len(c.Object.IDs) > 0 && (a.Status == http.StatusForbidden || a.Status == http.StatusNotFound):
	case c.Object != nil && a.OK && c.As.Name == StrangerName && c.Object.Forbidden && !c.Object.Alive: // it may be the stranger's
	default:
		return
	}
	t.hold(f, t.Result, c.Object, a.Status, c.As.Name)
}

// hold makes a finding of a case tentative.
func (t *Test) hold(f *Finding, r *Result, o *Object, status int, user string) {
	r.Tentative = true
	empty := false
	if o != nil && o.Op.Lists() {
		left := t.Model.Media(o)
		empty = left.IDs != nil && len(left.IDs) == 0
	}
	t.Model.Outcome.Hold(TentativeFinding{Finding: f, Result: r, Object: o, Status: status, User: user, Empty: empty})
}

// noteEvidence notes what an answer shows of objects.
func (t *Test) noteEvidence(c *Call, a *Answer) {
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

// Lives says whether any operation let the object's user at it.
func (t *Test) Lives(o *Object) bool { return o.Alive || t.Model.Outcome.Used[o.Thing()] }

// Drop takes a tentative finding back that the run did not confirm, and tells the operator why.
func (s *Model) Drop(d TentativeFinding, reason string) {
	if d.Object != nil && d.Object.Gone {
		s.Outcome.NoteAbsent(d.Object, s.Presentable(reason))
	} else {
		s.Outcome.NoteMistake(reason)
	}
	s.Outcome.Drop(d, reason)
}
