package judge

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// A target may keep a field that a request leaves out, or set it to one fixed default: that is open. It may not show
// what the field held before the last success. A way to read an object back (GET, {}, {"name": …}) is trusted only
// after it has shown the last values of two updates.

// CompareLast compares a field that an answer shows, and that its request did not send, with the last value known.
func (t *Test) CompareLast(c *Call, way *Way, f, r *spec.Field, got any) {
	o := c.Object
	last, known := o.Last(f.Name)
	if !known || o.Late() || c.Loose {
		t.judgeFirstSight(c, o.note(t.Model.sight(o, way, f, got)), f, r, got)
		return
	}
	if oracle.Equal(f, last, got) {
		o.note(Event{What: Shown, As: Same, Way: way, Values: map[string]any{f.Name: last}})
		t.coverKept(c, way, f)
		return
	}
	e := t.Model.sight(o, way, f, got)
	x := t.Model.explain(o, way, f, last, got)
	e.As, e.trails, e.unknown = x.as, x.trails, t.isUnknown(f, got)
	e.Beside = x.as == Default && way.reads() // a read that the document does not declare may show something else
	o.note(e)
	if x.as == AsSent && oracle.Altered(last, got) {
		t.noteAltered(c.Op, f, r, last, got)
	}
	if x.reset {
		t.CoveredIf(o.Changed(), c.Op.Effects["persists"])
		if x.as != Stale {
			t.Observe("omitted-fields", spec.Reset)
		}
	}
	t.reportOther(c, f, r, last, got, x)
}

// coverKept covers the clauses that a field with its last value shows to hold, if the way of asking is trusted.
func (t *Test) coverKept(c *Call, way *Way, f *spec.Field) {
	o := c.Object
	if !way.keeps(f.Name) {
		return
	}
	t.CoveredIf(o.Changed(), c.Op.Effects["persists"])
	t.CoveredIf(o.Refused(), "EFFECT-1")
	if !way.reads() {
		t.Observe("omitted-fields", spec.Kept)
	}
	t.CoveredIf(t.Model.othersUpdated(o), "EFFECT-2")
}

// An explanation says why an object shows another value than the last, and which check that breaks.
type explanation struct {
	as     As
	check  *Check // nil if nothing is broken
	why    string // describes the value in the finding
	by     *Event // OfRefused: the request
	from   Origin // OfOther: where the value was sent, if that is known
	reset  bool   // an update may have set the field to a default
	trails bool   // see Event
}

// explain explains why an object shows another value than the last, from the histories of the object and of the way
// of asking.
func (s *State) explain(o *Object, way *Way, f *spec.Field, last, got any) explanation {
	if oracle.Altered(last, got) || // it is stored trimmed or folded
		o.tookLast(f, got) { // the answer to that update, which showed another value, was judged
		return explanation{as: AsSent}
	}
	keeps := way.keeps(f.Name)
	if by := o.refusedWith(f.Name, got); by != nil && (keeps || s.IsOurs(got)) {
		return explanation{as: OfRefused, check: CheckRefusedWrite, why: ", which only the refused request sent", by: by}
	}
	if from, elsewhere := s.sentElsewhere(o, f, got); elsewhere {
		return explanation{as: OfOther, check: leaked(from), why: from.where(), from: from}
	}
	switch {
	case keeps:
		return s.explainNotLast(o, f, got)
	case way.reads():
		return explanation{as: Default}
	}
	return s.explainReset(o, way, f, got)
}

// explainNotLast explains a value that a trusted way of asking shows.
func (s *State) explainNotLast(o *Object, f *spec.Field, got any) explanation {
	text, _ := got.(string) // an earlier value of this run: an update was not made, or the answer is stale
	lost := o.took(text) || s.IsOurs(got) && o.had(f.Name, got)
	switch pending := o.Refusals(); {
	case len(pending) > 0 && o.IsMain() && !lost && !o.wasStale():
		why := fmt.Sprintf(" after %d refused requests", len(pending))
		return explanation{as: OfRefused, check: CheckRefusedWrite, why: why, by: pending[len(pending)-1]}
	case !o.written():
		return explanation{as: OfOther, check: CheckOtherObject, why: ", though no request named this object"}
	}
	return explanation{as: Stale, check: CheckStale, why: s.originOf(got)}
}

// explainReset explains a value shown by an update that may have set the field to a default: there may be one
// default for all objects, and it may not be a value from before the last success.
func (s *State) explainReset(o *Object, way *Way, f *spec.Field, got any) explanation {
	stale := explanation{as: Stale, check: CheckStale, reset: true, why: ", the value from before the last success"}
	if text, _ := got.(string); text != "" && len(f.Enum) == 0 && s.WasHeld(o, f, got) && (!f.Optional || s.IsOurs(got)) {
		return stale
	}
	earlier := o.earlier(f.Name)
	n := len(earlier)
	if stale.trails = n > 0 && oracle.Equal(f, earlier[n-1], got) && !s.maybeDefault(o, f, got); stale.trails && way.trailed(f.Name, got) {
		stale.why += ", again"
		return stale
	}
	if known := way.Defaults(f.Name); len(known) == 0 || len(known) == 1 && contains(known, nil, got) {
		return explanation{as: Default, reset: true, trails: stale.trails}
	}
	return explanation{
		as: NoDefault, check: CheckStale, why: ", neither the last value nor one fixed default", reset: true, trails: stale.trails,
	}
}

// leaked returns the check for a text that was sent to another object than the one that shows it.
func leaked(from Origin) *Check {
	if from.object == nil {
		return CheckRefusedWrite
	}
	return CheckOtherObject
}

// clauseOf returns the clause that a check finds broken by a value that an operation shows.
func clauseOf(check *Check, op *spec.Operation) string {
	switch check {
	case CheckRefusedWrite:
		return "EFFECT-1"
	case CheckOtherObject:
		return "EFFECT-2"
	}
	return op.Effects["persists"]
}

// reportOther adds the finding that another value than the last is shown, if that breaks a check.
func (t *Test) reportOther(c *Call, f, r *spec.Field, last, got any, x explanation) {
	o := c.Object
	switch {
	case x.check == nil:
		return
	case x.by != nil:
		t.blameRefused(o, x.by, c.Op, f, r, last, got, x.why)
		return
	}
	found := ofField(c.Op, r, clauseOf(x.check, c.Op),
		fmt.Sprintf("%s %s, %s", r.Name, oracle.Show(last), o.since()), oracle.Show(got)+x.why)
	found.Requests = t.after(x.from.by, fmt.Sprint(x.from.status), oracle.Show(got))
	if spread := t.beside(CheckOtherObject.ID); spread != nil { // the same update shows both fields
		found.CauseWords, found.Requests = spread.CauseWords, spread.Requests
	} else if x.check == CheckStale {
		if !t.Model.IsOurs(got) && !t.Model.WasHeld(o, f, got) && !o.had(f.Name, got) {
			found.CauseWords = Changed("a text is kept ", last, got)
		}
		if found.Requests = t.after(o.setIn(), "success, with "+oracle.Show(last), found.Got); found.Requests != nil {
			found.Sent = t.matters(o.setIn(), found.Pointer)
		}
	}
	t.MayBeAnotherWriters(t.Find(x.check, found), t.Result, o, f, got)
}

// blameRefused adds, to the case of a refused request, the finding that a field shows the value of that request, or
// changed after it.
func (t *Test) blameRefused(o *Object, by *Event, op *spec.Operation, f, r *spec.Field, last, got any, why string) {
	found := ofField(op, r, "EFFECT-1",
		fmt.Sprintf("%s %s: a request that was refused with %d changes nothing", r.Name, oracle.Show(last), by.Status), oracle.Show(got)+why)
	found.WFC = 114
	t.MayBeAnotherWriters(t.blame(by, CheckRefusedWrite, found), by.By, o, f, got)
}

// JudgeGet judges a GET of an object's path that the document does not declare, and reports whether it read the
// object.
func (t *Test) JudgeGet(a *Answer) bool {
	if a.Call == nil { // it was not sent
		return false
	}
	c, o := a.Call, a.Call.Object
	rep, way := o.Op.Representation(), t.Model.Way(o.Op, Reads)
	if got, ok := oracle.Integer(a.Shown[rep.Field("id").Name]); !a.OK || !ok || got != o.ID() {
		o.note(Event{What: NoWay, Way: way})
		return false
	}
	t.JudgeConstant(o.Op, o, a)
	for _, f := range o.Op.Body.Fields {
		if r := rep.Field(f.Meaning); r != nil {
			t.CompareLast(c, way, f, r, a.Shown[r.Name])
		}
	}
	o.note(Event{What: Sure})
	return true
}

// judgeFirstSight reports a text that was sent by a refused request or to another object, if the last value of this
// object is not known.
func (t *Test) judgeFirstSight(c *Call, shown *Event, f, r *spec.Field, got any) {
	o := c.Object
	if o.Uncertain() || c.Loose {
		return
	}
	if by := o.refusedWith(f.Name, got); by != nil && t.Model.IsOurs(got) {
		shown.As = OfRefused
		t.blameRefused(o, by, c.Op, f, r, o.Given[f.Meaning], got, ", which only the refused request sent")
		return
	}
	if from, elsewhere := t.Model.sentElsewhere(o, f, got); elsewhere {
		check := leaked(from)
		leak := ofField(c.Op, r, clauseOf(check, c.Op),
			fmt.Sprintf("%s of %s, which no request named yet", r.Name, o.Name()), oracle.Show(got)+from.where())
		leak.Requests = t.after(from.by, fmt.Sprint(from.status), oracle.Show(got))
		t.Find(check, leak)
	}
}

// blame adds a finding to the case of a refused request, which an answer in a later case shows.
func (t *Test) blame(by *Event, check *Check, f Finding) *Finding {
	if t.shown != nil && f.Requests == nil {
		f.Requests = []oracle.Request{t.request(by.In, fmt.Sprintf("status %d", by.Status)), t.request(t.shown, f.Got)}
	}
	at := t.showing(by.In)
	at.Case, at.Result, at.answering = by.By.Case, by.By, nil
	found := at.Find(check, f)
	at.Covered(f.Clause)
	return found
}

// User returns the user who may use the object.
func (t *Test) User(o *Object) wire.Credential {
	if o.Foreign {
		return t.Model.Stranger()
	}
	return t.Model.Owner()
}

// noteRead judges that a read shows the object of the path, with its constant fields and what updates set.
func (t *Test) noteRead(c *Call, a *Answer) {
	if c.Object == nil || a.Shown == nil || !a.Expected {
		return
	}
	if !t.JudgeIdentity(c.Op, c.Object, a) {
		return
	}
	t.JudgeConstant(c.Op, c.Object, a)
	for _, twin := range t.Model.Twins(c.Object) {
		t.judgeAgrees(c, a, twin)
	}
}

// judgeAgrees compares a read with what an update last set.
func (t *Test) judgeAgrees(c *Call, a *Answer, o *Object) {
	clause := c.Op.Effects["shows"]
	for _, f := range o.Op.Body.Fields {
		r := c.Op.Representation().Field(f.Meaning)
		if r == nil {
			continue
		}
		got := a.Shown[r.Name]
		last, known := o.Last(f.Name)
		if !known || o.Late() {
			e := t.Model.sight(o, t.Model.Way(o.Op, Reads), f, got)
			e.As, e.Beside = First, true
			o.note(e)
			continue
		}
		t.Covered(clause)
		if oracle.Equal(f, last, got) {
			continue
		}
		shown := o.note(Event{What: Shown, Values: map[string]any{f.Name: got}, Beside: true, unknown: t.isUnknown(f, got)})
		if by := o.refusedWith(f.Name, got); by != nil {
			shown.As = OfRefused
			t.blameRefused(o, by, c.Op, f, r, last, got, ", which only the refused request sent")
			continue
		}
		stale := ofField(c.Op, r, clause,
			fmt.Sprintf("%s %s, %s", r.Name, oracle.Show(last), o.since()), oracle.Show(got)+t.Model.originOf(got))
		stale.Operation, stale.Requests = c.Op.ID, t.after(o.setIn(), "success, with "+oracle.Show(last), oracle.Show(got))
		t.MayBeAnotherWriters(t.Find(CheckStale, stale), t.Result, o, f, got)
	}
	if o.Refused() {
		t.Covered("EFFECT-1")
	}
}

// JudgeRepeat compares the fields of two reads of an object between which nothing was written.
func (t *Test) JudgeRepeat(o *Object, first, second *Answer) {
	if first.Shown == nil || second.Shown == nil {
		return
	}
	clause := o.Op.Effects["repeats"]
	t.Covered(clause)
	for _, r := range o.Op.Representation().Fields {
		sets := func(op *spec.Operation) bool {
			return op.Updates() && op.SameObjects(o.Op) && op.Body.Field(r.Meaning) != nil
		}
		if !r.Stays && !slices.ContainsFunc(t.Model.Contract.Operations, sets) || oracle.Equal(r, first.Shown[r.Name], second.Shown[r.Name]) {
			continue
		}
		t.FindIn(second.Exchange, CheckListRepeat, ofField(o.Op, r, clause,
			fmt.Sprintf("%s %s, as in the read before", r.Name, oracle.Show(first.Shown[r.Name])), oracle.Show(second.Shown[r.Name])))
	}
}
