package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// noteDelete notes the outcome of a delete. A request that names no object of the target file is noted in the history of a
// placeholder: it is unknown what it deleted, if anything.
func (t *Test) noteDelete(c *Call, a *Answer) {
	o, owned := c.Object, c.As.Name == OwnerName && c.As.Send
	named := o != nil && c.namesObject()
	id := append(c.Path, "")[max(0, len(c.Path)-1)]
	like := o != nil && o.resembles(id)
	switch {
	case !named && a.OK, !like && isWellFormed(c.Op, id) && refused(a.Status):
		t.noteRefusal(t.Model.nameless(c.Op), a, nil)
	case o == nil:
	case a.OK, c.goneBefore(a):
		t.CoveredIf(a.OK && o.Refused(), "EFFECT-1")
		o.note(Event{What: Deleted, Status: a.Status, In: withoutAnswer(a.Exchange)})
	case a.Status >= 500:
		o.note(Event{What: Lost, Status: a.Status}) // it may be gone
		if c.Succeeds && named {
			o.note(Event{What: Deleted, Status: a.Status})
		}
	case refused(a.Status) && !o.Deleted() && !(owned && (named || !like) && a.Status == http.StatusNotFound):
		t.noteRefusal(o, a, nil)
	}
}

// resembles reports whether an id in a path may be taken for that of the object: 301abc for 301.
func (o *Object) resembles(id string) bool {
	own := string(o.ID())
	isShort := id != "" && o.Op.Params[len(o.Op.Params)-1].HasTexts() && strings.HasPrefix(own, id)
	return isShort || strings.HasPrefix(strings.ToLower(id), strings.ToLower(own))
}

// isWellFormed reports whether an object of the operation may have an id.
func isWellFormed(op *spec.Operation, id string) bool {
	if len(op.Params) > 0 && op.Params[len(op.Params)-1].HasTexts() {
		return op.Params[len(op.Params)-1].Holds(spec.ID(id))
	}
	n, err := strconv.ParseUint(id, 10, 31)
	return err == nil && n > 0
}

// nameless returns the placeholder whose history holds the deletes of ids that name nothing.
func (s *State) nameless(op *spec.Operation) *Object {
	o := s.Used(op, "")
	if o == nil {
		o = s.UnknownObject(op)
		s.Order = append(s.Order, o)
	}
	return o
}

// JudgeDeleted judges the answer to the delete of a creative that has to exist. If it is answered 404, it decides which
// request is to blame.
func (t *Test) JudgeDeleted(a *Answer) {
	c := a.Call
	switch {
	case c == nil: // it was not sent
		return
	case a.OK:
		t.CoveredIf(a.Status == http.StatusNoContent, c.Op.Effects["bodiless"])
		removed := func(d *Object) bool { return d != c.Object && d.Op == c.Op && d.Removed() }
		t.CoveredIf(slices.ContainsFunc(t.Order, removed), c.Op.Effects["others"])
		return
	case a.Status != http.StatusNotFound || c.goneBefore(a) || t.DeletedBefore(c.Object):
		return
	}
	o, by := c.Object, t.Model.culprit(c.Object)
	missing := Finding{Clause: "EFFECT-3", Expected: "status 204 for " + o.Key, Got: "status 404"}
	o.note(Event{What: Deleted, Status: a.Status})
	if by == nil {
		t.holdBack(c, a, t.Find(CheckExpectedStatus, missing))
		return
	}
	t.judgeGone(by, a, missing)
	if by.refusal() {
		t.NotTested(ByOperator, o.Key+" is gone, probably deleted by an earlier run")
	}
}

// goneBefore reports whether a 404 to a delete is as good as 204, because an earlier attempt, whose answer was lost
// or made up by a gateway, may have been carried out.
func (c *Call) goneBefore(a *Answer) bool {
	return c.Succeeds && c.namesObject() && a.Status == http.StatusNotFound && a.Exchange.Unsure
}

// DeletedBefore reports whether a request of the run deleted the object or its container, and if so ends the case.
func (t *Test) DeletedBefore(o *Object) bool {
	d := t.Model.lastDelete(func(d *Object) bool { return d.Thing() == o.Thing() || o.beneath(d) })
	if d != nil {
		t.NotTested(ByTarget, fmt.Sprintf("%s was deleted before, in %s", o.Key, d.In.Case))
	}
	return d != nil
}

// JudgeSecondDelete judges the answer, which may be lost, to a delete of an object that is gone. If no delete was accepted,
// as the object was not there, it may be there later.
func (t *Test) JudgeSecondDelete(o *Object, a *Answer) {
	clause, first := o.Op.Effects["gone"], o.deletedIn()
	if a.Status == 0 || a.Status >= 500 || !a.Expected && first == nil {
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
			return f.Check == CheckNotRefused.ID && f.Operation == o.Op.ID && f.Exchange > first.Seq && f.IsAnswered(a.Status)
		})
	}
	requests := t.showing(a.Exchange).after(first, "204", got)
	var aspect finding.Aspect
	if t.Model.Listed(nil, o.ID()) > first.Seq {
		got += ", and a list that was asked for after the first delete shows it"
		aspect = finding.StillListed
	}
	t.FindIn(a.Exchange, check, Finding{
		Clause: clause, WFC: 113, Expected: fmt.Sprintf("status 404 for %s, which was deleted", o.Key), Got: got, Requests: requests,
		Cause: finding.OfSecondDelete(a.Status), Aspect: aspect,
	})
}

// deletes returns the deletes that were accepted, and those that were refused and may have been carried out, in order.
func (s *State) deletes() (all []*Event) {
	for _, o := range s.Order {
		if !o.Op.Deletes() {
			continue
		}
		all = append(all, o.Refusals()...)
		if e := o.first(func(e *Event) bool { return e.What == Deleted }); e.in() != nil {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(x, y *Event) int { return cmp.Compare(x.In.Seq, y.In.Seq) })
	return all
}

// lastDelete returns the last accepted delete of an object for which is holds, or nil.
func (s *State) lastDelete(is func(*Object) bool) *Event {
	for _, d := range slices.Backward(s.deletes()) {
		if d.What == Deleted && is(d.of) {
			return d
		}
	}
	return nil
}

// A culprit is the delete that is to blame for something that is gone.
type culprit struct {
	*Event
	alike []*Event // those that are as suspicious; it is the last
	later *Event   // an accepted one that came later, and may be to blame for what a refused one seems to have done
}

// culprit returns the delete to blame if a creative, or what its list held, is gone since it was last shown, or nil. The least
// suspicious is a refused one of the creative, of what holds it or of what it holds, if another creative outlived such a
// refusal; then come an accepted one of another creative, a refused one of an unknown id, a refused one that no other
// creative outlived, and an accepted one of what is no id. An unknown id is no suspect if a list differs, or if the creative
// was never seen to exist.
func (s *State) culprit(gone *Object) *culprit {
	var suspects [6][]*Event
	since := s.lastShown(gone)
	for _, d := range s.deletes() {
		accepted, nameless, same := !d.refusal(), d.of.Placeholder(), d.of.Thing() == gone.Thing()
		related := same || d.of.beneath(gone) || gone.beneath(d.of)
		outlived := func(o *Object) bool {
			return o != gone && o.Removed() && o.first(func(e *Event) bool { return e.refusal() && e.Status == d.Status }) != nil
		}
		rank := 0
		switch {
		case d.In.Seq <= since:
		case accepted && nameless:
			rank = 5
		case !accepted && related:
			if rank = 4; slices.ContainsFunc(s.Order, outlived) {
				rank = 1
			}
		case !accepted && nameless && gone.Op.Deletes() && (since > 0 || gone.ShownToExist()):
			rank, suspects[3] = 3, nil
		case accepted && !same:
			rank = 2
		}
		suspects[rank] = append(suspects[rank], d)
	}
	for _, alike := range slices.Backward(suspects[1:]) {
		if len(alike) > 0 {
			c := &culprit{Event: alike[len(alike)-1], alike: alike}
			if others := suspects[2]; c.refusal() && len(others) > 0 && others[len(others)-1].In.Seq > c.In.Seq {
				c.later = others[len(others)-1]
			}
			return c
		}
	}
	return nil
}

// breaks returns the check and the clause that the delete breaks.
func (c *culprit) breaks() (*Check, string) {
	if c.refusal() {
		return CheckRefusedDelete, "EFFECT-1"
	}
	return CheckDeleteOther, c.Op.Effects["others"]
}

// accuse adds the finding that something is gone because of a delete.
func (t *Test) accuse(by *culprit, f Finding) *Finding {
	check, clause := by.breaks()
	f.Clause, f.Operation, f.Requests = clause, by.Op.ID, t.after(by.In, fmt.Sprint(by.Status), f.Got)
	if !by.refusal() {
		f.Got += fmt.Sprintf(" after %s was deleted", cmp.Or(by.of.Key, "an id that names nothing"))
		return t.Find(check, f)
	}
	var statuses []string
	for _, r := range by.alike {
		addNew(&statuses, fmt.Sprint(r.Status))
	}
	f.WFC, f.Requests = 114, nil
	f.Expected += fmt.Sprintf(": a delete that is refused, as with %s, removes nothing", wording.List(statuses))
	if by.later != nil {
		f.Cause = finding.CauseOf(finding.GoneUnnamed)
		f.Requests = []oracle.Request{
			t.request(by.In, fmt.Sprint(by.Status)), t.request(by.later.In, fmt.Sprint(by.later.Status)), t.request(t.shown, f.Got),
		}
		f.Got += fmt.Sprintf(": removed by that delete, or by that of %s, which was accepted later", by.later.of.Key)
	}
	return t.blame(by.alike, check, f)
}

// judgeGone adds the finding that an object is answered 404 because of a delete. It is tentative.
func (t *Test) judgeGone(by *culprit, a *Answer, f Finding) {
	o, in := a.Call.Object, t.Result
	if by.refusal() {
		in = by.By
	}
	f.Names = string(o.ID())
	if found := t.accuse(by, f); found != nil {
		t.hold(found, in, o, a.Status, a.Call.As.Name)
	}
}
