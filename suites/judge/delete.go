package judge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// noteDelete notes the outcome of a delete.
func (t *Test) noteDelete(c *Call, a *Answer) {
	o := c.Object
	if o == nil {
		return
	}
	named, owned := c.namesObject(), c.As.Name == OwnerName && c.As.Send
	unlike := named || len(c.Path) == 0 || !strings.HasPrefix(c.Path[len(c.Path)-1], fmt.Sprint(o.ID())) // not 301abc for 301
	switch {
	case a.OK && !named: // it is unknown what the request deleted, if anything
		t.noteRefusal(a, nil)
	case a.OK, c.goneBefore(a):
		t.CoveredIf(a.OK && slices.ContainsFunc(o.Refusals(), func(r *Event) bool { return refused(r.Status) }), "EFFECT-1")
		o.note(Event{What: Deleted, Status: a.Status, In: withoutAnswer(a.Exchange)})
	case a.Status >= 500:
		o.note(Event{What: Lost, Status: a.Status}) // it may be gone
		if c.Succeeds && named {
			o.note(Event{What: Deleted, Status: a.Status})
		}
	case refused(a.Status) && !o.Deleted() && !(owned && unlike && a.Status == http.StatusNotFound):
		t.noteRefusal(a, nil)
	}
}

// JudgeDeleted judges the answer to the delete of a creative that has to exist.
func (t *Test) JudgeDeleted(a *Answer) {
	c := a.Call
	switch {
	case c == nil: // it was not sent
	case a.OK:
		t.CoveredIf(a.Status == http.StatusNoContent, c.Op.Effects["bodiless"])
		t.CoveredIf(t.Model.removedBefore(c.Object), c.Op.Effects["others"])
	case a.Status == http.StatusNotFound && !c.goneBefore(a):
		t.judgeMissing(c, a)
	}
}

// goneBefore reports whether a 404 to a delete is as good as 204, because an earlier attempt, whose answer was lost
// or made up by a gateway, may have been carried out.
func (c *Call) goneBefore(a *Answer) bool {
	return c.Succeeds && c.namesObject() && a.Status == http.StatusNotFound && a.Exchange.Unsure
}

// removedBefore reports whether the same operation's delete of another object was answered 204.
func (s *State) removedBefore(o *Object) bool {
	return slices.ContainsFunc(s.Order, func(d *Object) bool { return d != o && d.Op == o.Op && d.Removed() })
}

// DeletedBefore reports whether a request of the run deleted the object or its container, and if so ends the case.
func (t *Test) DeletedBefore(o *Object) bool {
	d := t.Model.lastDelete(func(d *Object) bool { return d.Thing() == o.Thing() || o.beneath(d) })
	if d != nil {
		t.NotTested(ByTarget, fmt.Sprintf("%s was deleted before, in %s", o.Key, d.deletedIn().Case))
	}
	return d != nil
}

// JudgeSecondDelete judges the answer, which may be lost, to a delete of an object that an accepted delete removed.
func (t *Test) JudgeSecondDelete(o *Object, a *Answer) {
	clause := o.Op.Effects["gone"]
	if a.Status == 0 || a.Status >= 500 {
		return
	}
	if a.Expected {
		t.CoveredIf(a.Status == http.StatusNotFound && o.Removed(), clause)
		return
	}
	t.Covered(clause)
	check, got := CheckDeleteEffect, fmt.Sprintf("status %d", a.Status)
	if !a.OK { // it is gone, but the status is wrong
		check = CheckExpectedStatus
	} else { // other users, who were answered so, too, were not mistaken for the owner
		t.withdraw(func(f *Finding) bool {
			return f.Check == CheckNotRefused.ID && f.Operation == o.Op.ID && f.Exchange > o.deletedIn().Seq && f.Got == got
		})
	}
	requests := t.showing(a.Exchange).after(o.deletedIn(), "204", got)
	if t.Model.Listed(o.deletedIn().Seq, nil, o.ID()) {
		got += ", and a list that was asked for after the first delete shows it"
	}
	t.FindIn(a.Exchange, check, Finding{
		Clause: clause, WFC: 113, Expected: fmt.Sprintf("status 404 for %s, which was deleted", o.Key), Got: got, Requests: requests,
		Said: oracle.Words{Subject: secondDelete, Rest: fmt.Sprintf(" is answered %d where 404 was expected", a.Status)},
	})
}

const goneUnnamed = "a creative is gone that no accepted delete named"

// judgeMissing adds the finding that a creative that has to exist is answered 404. It blames the last delete after which no
// list showed it: one of an id that names nothing, one that was refused, or an accepted one of another object.
func (t *Test) judgeMissing(c *Call, a *Answer) {
	o, pending, missing := c.Object, c.Object.Refusals(), Finding{Expected: "status 204 for " + c.Object.Key, Got: "status 404"}
	if t.DeletedBefore(o) {
		return
	}
	for _, d := range t.Model.Order { // an accepted delete of an id that names nothing may have removed any object
		if e := d.last(func(e *Event) bool { return e.What == Refused && e.Op.Deletes() && !refused(e.Status) }); e != nil {
			pending = []*Event{e}
		}
	}
	o.note(Event{What: Deleted, Status: a.Status})
	other := t.Model.lastDelete(func(d *Object) bool { return d != o && d.Op == o.Op })
	if n := len(pending); n > 0 && !t.Model.Listed(pending[n-1].In.Seq, nil, o.ID()) {
		by := pending[n-1]
		missing.Clause, missing.WFC, missing.Got, missing.Names = "EFFECT-1", 114, "status 404: it is gone", fmt.Sprint(o.ID())
		var statuses []string
		for _, r := range pending {
			once(&statuses, fmt.Sprint(r.Status))
		}
		missing.Expected += fmt.Sprintf(": a delete that is refused, as with %s, removes nothing", wording.List(statuses))
		switch {
		case !refused(by.Status):
			missing.Clause, missing.CauseWords = o.Op.Effects["others"], "the delete of an id that names nothing removed a creative"
			missing.Expected = fmt.Sprintf("status 204 for %s: the delete of another id, which was answered %d, removes nothing", o.Key, by.Status)
		case other != nil && other.deletedIn().Seq > by.In.Seq: // either of the two may have done it
			missing.CauseWords = goneUnnamed
			missing.Got += fmt.Sprintf(", by that delete, or by that of %s, which was accepted later", other.Key)
			missing.Requests = []oracle.Request{
				t.request(by.In, fmt.Sprint(by.Status)), t.request(other.deletedIn(), "204"), t.request(t.shown, "404"),
			}
		}
		if f := t.blame(pending, CheckRefusedDelete, missing); f != nil {
			t.hold(f, by.By, o, a.Status, c.As.Name)
		}
		t.NotTested(ByOperator, o.Key+" is gone, as after an earlier run")
		return
	}
	check := CheckExpectedStatus
	missing.Clause = "EFFECT-3"
	if other != nil && !t.Model.Listed(other.deletedIn().Seq, nil, o.ID()) {
		check, missing.Clause, missing.Names = CheckDeleteOther, o.Op.Effects["others"], fmt.Sprint(o.ID())
		missing.Expected += ", which no request deleted"
		missing.Got += fmt.Sprintf(" after %s was deleted", other.Key)
		missing.Requests = t.after(other.deletedIn(), "204", "status 404")
	}
	t.holdBack(c, a, t.Find(check, missing))
}
