package session

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// ResolveDoubts decides, when all else is done, which held-back findings stand:
// those on objects that were seen alive, and refused keys that other requests
// showed to be valid. The cases of the rest were not tested.
func (t *T) ResolveDoubts() {
	for _, d := range t.Test.Model.Outcome.Doubts {
		reason := ""
		switch {
		case d.Unknown != nil:
			if t.writtenByAnother(d) {
				reason = d.Unknown.Anothers(t.Test.Model.Presentable)
			}
		case d.Files != nil:
			if !t.listsWrongly(d.Files) {
				reason = judge.Misnamed(d.Files.Container.Name(), d.Files.Words)
			}
		case d.Status == http.StatusUnauthorized:
			if !t.Test.Model.Outcome.Accepted[d.User] {
				reason = fmt.Sprintf("the key credentials.%s was never accepted", d.User)
			}
		case d.Status < http.StatusBadRequest:
			if !t.Test.Lives(d.Object) && t.Test.Model.Outcome.Alive[d.Object.Op.ID] {
				d.Object.Gone = true
				reason = fmt.Sprintf("%s (%s) is the stranger's: the owner gets 403 for it, and the stranger does not", d.Object.Name(), fmt.Sprint(d.Object.IDs))
			}
		case !t.stands(d):
			d.Object.Gone = true
			reason = fmt.Sprintf("%s (%s) is not there for the %s: every answer was 403 or 404", d.Object.Name(), fmt.Sprint(d.Object.IDs), t.Test.User(d.Object).Name)
		}
		if reason == "" {
			continue
		}
		if d.Object != nil && d.Object.Gone {
			t.Test.Model.Absent(d.Object, reason)
		} else {
			t.Test.Model.Outcome.Mistaken(reason)
		}
		r := d.Result
		r.Findings = slices.DeleteFunc(r.Findings, func(f *judge.Finding) bool { return f == d.Finding })
		if !slices.ContainsFunc(r.Findings, func(f *judge.Finding) bool { return f.Severity == oracle.Violation }) {
			r.Status, r.Cause, r.Reason = judge.NotTested, judge.ByOperator, reason
			for _, n := range t.Test.Model.Outcome.Coverage {
				delete(n.Cases, r.Case.ID)
				n.Last = ""
			}
		}
	}
	t.Test.Model.Outcome.Doubts = nil
}

// stands says whether an object was seen to be there, by whatever operation, so
// that a 403 or 404 to its own user is the target's doing.
func (t *T) stands(d judge.Doubt) bool {
	o := d.Object
	unknown := d.Status == http.StatusNotFound
	switch {
	case unknown && o.Op.Lists() && d.Empty:
		return false // an empty list may be answered 404
	case unknown && o.Op.Lists() && !o.Alive && t.Test.Lives(o):
		return t.Test.HasFiles(o.Key) // else it may be no container, or an empty one
	case t.Test.Lives(o), unknown && t.Test.Model.Outcome.Listed[o.Thing()]:
		return true
	}
	return !o.Gone && t.exists(o)
}

// exists finds out, for an object that its own user never got at, whether it is
// there all the same: it is where the stranger gets 403 for it, and 404 for an id
// that nobody has.
func (t *T) exists(o *judge.Object) bool {
	if o.Foreign || t.Test.Model.Target.Credentials.Stranger == "" || t.Ctx.Err() != nil {
		return false
	}
	if !o.ShownToExist && t.strangerGets(o, o.Path()) == http.StatusForbidden {
		o.ShownToExist = true
	}
	if !o.ShownToExist {
		return false
	}
	known, asked := t.Test.Model.StrangerSees404[o.Op.ID]
	if !asked {
		path := o.Path()
		path[len(path)-1] = t.Test.Model.UnknownID(0)
		known = t.strangerGets(o, path) == http.StatusNotFound
		t.Test.Model.StrangerSees404[o.Op.ID] = known
	}
	return known
}

// strangerGets is the status of the stranger's request for a path.
func (t *T) strangerGets(o *judge.Object, path []string) int {
	c := judge.Call{Op: o.Op, Object: o, Path: path, As: t.Test.Model.Stranger()}
	if o.Op.Updates() {
		c.Body = judge.ObjectBody(o.Op.Body, t.Ordinary(o, 0))
	}
	return t.Ask(c, judge.Expect{}).Status
}
