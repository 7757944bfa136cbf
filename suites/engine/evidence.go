package engine

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// A target file may name an object that is not there, or a key that is not
// valid. So a 401, 403 or 404 on an object that was never seen alive is held
// back as a doubt until the run shows whose fault it is.

type doubt struct {
	finding *Finding
	result  *Result
	object  *Object
	status  int
	user    string
	empty   bool         // a list of which nothing was left by then
	files   *disputed    // nil: it is about a status
	unknown *unknownText // a text that may be another writer's; nil: it is not about one
}

// thing is an object, whatever operation names it.
type thing struct {
	kind string
	id   int64
}

// things are the objects that a path names, the last its own.
func (o *Object) things() []thing {
	var all []thing
	for i, p := range o.Op.Params {
		all = append(all, thing{fixtures.KindOf(p.Object), o.IDs[i]})
	}
	return all
}

func (o *Object) thing() thing {
	return thing{fixtures.KindOf(o.Op.Key()), o.ID()}
}

// doubt holds a finding back that may be the operator's mistake.
func (t *Test) doubt(c *Call, a *Answer, f *Finding) {
	if f == nil {
		return
	}
	switch {
	case a.Status == http.StatusUnauthorized && (c.As.Name == ownerName || c.As.Name == strangerName):
	case c.Object != nil && len(c.Object.IDs) > 0 && (a.Status == http.StatusForbidden || a.Status == http.StatusNotFound):
	case c.Object != nil && a.OK && c.As.Name == strangerName && c.Object.forbidden && !c.Object.alive: // it may be the stranger's
	default:
		return
	}
	t.hold(f, t.Result, c.Object, a.Status, c.As.Name)
}

// hold keeps a finding of a case as a doubt.
func (t *Test) hold(f *Finding, r *Result, o *Object, status int, user string) {
	r.Doubtful = true
	empty := false
	if o != nil && o.Op.Lists() {
		left := t.Model.Media(o)
		empty = left.IDs != nil && len(left.IDs) == 0
	}
	t.Model.Outcome.doubt(doubt{finding: f, result: r, object: o, status: status, user: user, empty: empty})
}

const strangerName = "stranger"

// noteEvidence notes what an answer shows of objects.
func (t *Test) noteEvidence(c *Call, a *Answer) {
	if c.Object == nil || !slices.Equal(c.Path, c.Object.Path()) {
		return
	}
	own := c.As.Name == t.user(c.Object).Name
	if a.OK && own {
		c.Object.alive = true
		t.Model.Outcome.noteAlive(c.Op)
		t.Model.Outcome.noteUsed(c.Object.things()...)
	}
	if a.Status == http.StatusForbidden && own {
		c.Object.forbidden = true
	}
	if a.Status == http.StatusForbidden && c.As.Name != t.user(c.Object).Name && c.As.Send {
		c.Object.shownToExist = true
	}
}

func (b *Outcome) noteAlive(op *spec.Operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alive[op.ID] = true
}

// noteUsed notes objects that let their user at them, or at what lies beneath.
func (b *Outcome) noteUsed(objects ...thing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range objects {
		b.used[o] = true
	}
}

// noteListed notes the items of a list: they are there, but who may change them
// is not said.
func (b *Outcome) noteListed(kind string, ids []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		b.listed[thing{kind, id}] = true
	}
}

// noteKey notes what an answer shows of a key. Requests that the document does
// not declare may be answered without a look at it.
func (b *Outcome) noteKey(c *Call, e Expect, ex *wire.Exchange) {
	if ex.Err != nil || c.Method != c.Op.Method {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	status := ex.Response.Status
	if showsKey(c, e, status) {
		b.accepted[c.As.Name] = true
	}
	if status == http.StatusUnauthorized && c.As.Name == ownerName {
		b.refusedBy[c.Op.ID] = true
	}
}

// showsKey says whether an answer shows that somebody took the key. What cannot be
// decoded, or is too much, is refused by many servers before anyone looks at it.
func showsKey(c *Call, e Expect, status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusUnprocessableEntity:
		return !c.Encoded && !e.AnyRefusal && !e.OnlyCrash
	}
	return status/100 == 2 || status == http.StatusForbidden
}

// ResolveDoubts decides, when all else is done, which held-back findings stand:
// those on objects that were seen alive, and refused keys that other requests
// showed to be valid. The cases of the rest were not tested.
func (t *T) ResolveDoubts() {
	for _, d := range t.Test.Model.Outcome.doubts {
		reason := ""
		switch {
		case d.unknown != nil:
			if t.writtenByAnother(d) {
				reason = d.unknown.anothers()
			}
		case d.files != nil:
			if !t.listsWrongly(d.files) {
				reason = misnamed(d.files.container.Name(), d.files.words)
			}
		case d.status == http.StatusUnauthorized:
			if !t.Test.Model.Outcome.accepted[d.user] {
				reason = fmt.Sprintf("the key credentials.%s was never accepted", d.user)
			}
		case d.status < http.StatusBadRequest:
			if !t.Test.lives(d.object) && t.Test.Model.Outcome.alive[d.object.Op.ID] {
				d.object.gone = true
				reason = fmt.Sprintf("%s (%s) is the stranger's: the owner gets 403 for it, and the stranger does not", d.object.Name(), fmt.Sprint(d.object.IDs))
			}
		case !t.stands(d):
			d.object.gone = true
			reason = fmt.Sprintf("%s (%s) is not there for the %s: every answer was 403 or 404", d.object.Name(), fmt.Sprint(d.object.IDs), t.Test.user(d.object).Name)
		}
		if reason == "" {
			continue
		}
		if d.object != nil && d.object.gone {
			t.Test.Model.absent(d.object, reason)
		} else {
			t.Test.Model.Outcome.mistaken(reason)
		}
		r := d.result
		r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool { return f == d.finding })
		if !slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Severity == oracle.Violation }) {
			r.Status, r.Cause, r.Reason = NotTested, ByOperator, reason
			for _, n := range t.Test.Model.Outcome.judged {
				delete(n.cases, r.Case.ID)
				n.last = ""
			}
		}
	}
	t.Test.Model.Outcome.doubts = nil
}

// lives says whether any operation let the object's user at it.
func (t *Test) lives(o *Object) bool { return o.alive || t.Model.Outcome.used[o.thing()] }

// stands says whether an object was seen to be there, by whatever operation, so
// that a 403 or 404 to its own user is the target's doing.
func (t *T) stands(d doubt) bool {
	o := d.object
	unknown := d.status == http.StatusNotFound
	switch {
	case unknown && o.Op.Lists() && d.empty:
		return false // an empty list may be answered 404
	case unknown && o.Op.Lists() && !o.alive && t.Test.lives(o):
		return t.Test.hasFiles(o.Key) // else it may be no container, or an empty one
	case t.Test.lives(o), unknown && t.Test.Model.Outcome.listed[o.thing()]:
		return true
	}
	return !o.gone && t.exists(o)
}

// exists finds out, for an object that its own user never got at, whether it is
// there all the same: it is where the stranger gets 403 for it, and 404 for an id
// that nobody has.
func (t *T) exists(o *Object) bool {
	if o.Foreign || t.Test.Model.Target.Credentials.Stranger == "" || t.Ctx.Err() != nil {
		return false
	}
	if !o.shownToExist && t.strangerGets(o, o.Path()) == http.StatusForbidden {
		o.shownToExist = true
	}
	if !o.shownToExist {
		return false
	}
	known, asked := t.Test.Model.strangerSees404[o.Op.ID]
	if !asked {
		path := o.Path()
		path[len(path)-1] = t.Test.Model.UnknownID(0)
		known = t.strangerGets(o, path) == http.StatusNotFound
		t.Test.Model.strangerSees404[o.Op.ID] = known
	}
	return known
}

// strangerGets is the status of the stranger's request for a path.
func (t *T) strangerGets(o *Object, path []string) int {
	c := Call{Op: o.Op, Object: o, Path: path, As: t.Test.Model.Stranger()}
	if o.Op.Updates() {
		c.Body = ObjectBody(o.Op.Body, t.Ordinary(o, 0))
	}
	return t.ask(c, Expect{}).Status
}

// UnknownID is an id just below 2^31 that no object has; n tells several apart.
func (s *Model) UnknownID(n int) string {
	const top = 1<<31 - 1
	return fmt.Sprint(int64(top) - int64(s.Seed%97)*10 - int64(n) - 1)
}
