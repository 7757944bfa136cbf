package judge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// A target may keep a field that a request leaves out, or set it to one fixed default: that is open. It may not show
// what the field held before the last success. A way to read an object back (GET, {}, {"name": …}) is trusted only
// after it has shown the last values of two updates.

// compareLast compares a field of an object that an answer shows, and that its request did not send, with the last value
// known.
func (t *Test) compareLast(c *Call, o *Object, way *Way, f, r *spec.Field, got any) {
	last, isHeld := o.Last(f.Name)
	isKnown := isHeld && !o.Late() && !c.Loose
	isTrusted := c.Op.Reads() || way.keeps(f.Name)                                               // what the document declares needs no trial
	e := Event{What: Shown, Way: way, Values: map[string]any{f.Name: got}, Beside: c.Op.Reads()} // a read may show a copy that lags
	if isKnown && oracle.Equal(f, last, got) {
		e.As, e.Values[f.Name] = Same, last
		t.noteSame(c, o, f, e, isTrusted)
		return
	}
	var x explanation
	if isKnown {
		x = t.Model.explain(o, way, isTrusted, f, last, got)
		// What another chain made up is not unknown.
		e.unknown = t.isUnknown(f, got) && !t.Model.Outcome.Made(fmt.Sprint(got))
		e.Beside = e.Beside || x.as == Default && way.reads() // a read that the document does not declare may show something else
	} else {
		x = t.explainFirst(c, o, f, got)
	}
	e.As = x.as
	e.fresh = !t.Model.othersUpdated(o) && !t.Model.IsOurs(got) && !o.sent(func(text string) bool { return text == fmt.Sprint(got) })
	o.note(e)
	t.noteOther(c, o, f, r, last, got, x)
	expected := fmt.Sprintf("%s of %s, which no request named yet", r.Name, o.Name())
	if isKnown && o.written() {
		expected = fmt.Sprintf("%s %s, which the last successful update of %s set", r.Name, oracle.Show(last), o.Name())
	} else if isKnown {
		expected = fmt.Sprintf("%s %s, as %s was before the run", r.Name, oracle.Show(last), o.Name())
	}
	t.reportOther(c, o, f, r, expected, last, got, x)
}

// noteSame notes that an answer shows the last value of a field.
func (t *Test) noteSame(c *Call, o *Object, f *spec.Field, e Event, isTrusted bool) {
	o.note(e)
	t.Model.Outcome.noteText(o, f)
	if !isTrusted {
		return
	}
	t.CoveredIf(o.Changed() || c.Op.Reads(), keptBy(c.Op))
	t.CoveredIf(o.Refused(), "EFFECT-1")
	t.CoveredIf(t.Model.othersUpdated(o), "EFFECT-2")
	if !e.Way.reads() {
		t.Observe("omitted-fields", spec.Kept)
	}
}

// noteOther notes what a value other than the last shows of the target.
func (t *Test) noteOther(c *Call, o *Object, f, r *spec.Field, last, got any, x explanation) {
	if x.as == Stale {
		t.Model.Outcome.noteText(o, f)
	}
	if x.as == AsSent && oracle.Altered(last, got) {
		t.noteAltered(c.Op, f, r, last, got)
	}
	if !x.reset {
		return
	}
	t.CoveredIf(o.Changed(), c.Op.Effects["persists"])
	if x.as != Stale {
		t.Observe("omitted-fields", spec.Reset)
	}
}

// explainFirst explains the first value of a field that is known for certain.
func (t *Test) explainFirst(c *Call, o *Object, f *spec.Field, got any) explanation {
	trace, isTraced := t.Model.explainTrace(o, false, f, got)
	isCertain := !o.Uncertain() && !c.Loose
	switch {
	case isTraced && isCertain:
		return trace
	case isTraced && trace.as == OfOther:
		return explanation{as: OfOther}
	}
	return explanation{as: First}
}

// An explanation states why an object shows a value other than the last, and which check that breaks.
type explanation struct {
	as    As
	check *Check   // nil if nothing is broken
	why   string   // describes the value in the finding
	by    []*Event // OfRefused: the requests, each of which may have been carried out
	from  *Event   // OfOther: the update that sent the value, if it is known
	reset bool     // an update may have set the field to a default
}

// explain explains why an object shows a value other than the last, from the histories of the object and of the way
// of asking. trusted reports whether that way is trusted. An update that is not trusted may have set the field to a
// default: all objects have to have the same one, and it may not be a value from before the last success.
func (s *State) explain(o *Object, way *Way, isTrusted bool, f *spec.Field, last, got any) explanation {
	trace, isTraced := s.explainTrace(o, isTrusted, f, got)
	isStoredSo := oracle.Altered(last, got) // trimmed or folded
	isJudged := o.tookLast(f, got)          // by the answer to that update, which showed another value
	switch {
	case isStoredSo || isJudged:
		return explanation{as: AsSent}
	case isTraced:
		return trace
	case isTrusted:
		return s.explainTrusted(o, f, got)
	case way.reads():
		return explanation{as: Default}
	}
	return s.explainReset(o, way, f, got)
}

// explainTrusted explains a value that a trusted way of asking shows, and that no request is known to have sent.
func (s *State) explainTrusted(o *Object, f *spec.Field, got any) explanation {
	pending := o.Refusals()
	trails := func(e *Event) bool { return e.As == Stale || e.As == NoDefault }
	mayBeRefused := len(pending) > 0 && o.IsMain() && o.first(trails) == nil
	switch {
	case mayBeRefused && !s.isLost(o, f, got):
		return explanation{as: OfRefused, check: CheckRefusedWrite, why: " after " + wording.Count(len(pending), "refused request"), by: pending}
	case !o.written():
		return explanation{as: OfOther, check: CheckOtherObject, why: ", though no request named this object"}
	}
	return explanation{as: Stale, check: CheckStale, why: s.origin(got).where()}
}

// isLost reports whether an update was not made, or the answer is stale. A listed value may be an earlier one and that of a
// refused request.
func (s *State) isLost(o *Object, f *spec.Field, got any) bool {
	gives := func(e *Event) bool { v := e.Values[f.Name]; return v != nil && oracle.Equal(f, v, got) }
	isOfRefused := func(e *Event) bool { return e.As == OfRefused && gives(e) }
	switch {
	case !o.had(f.Name, got):
		return false
	case s.IsOurs(got):
		return true
	}
	return o.last(isOfRefused) == nil && !slices.ContainsFunc(o.Refusals(), gives)
}

// explainReset explains a value that an update may have set because it left the field out.
func (s *State) explainReset(o *Object, way *Way, f *spec.Field, got any) explanation {
	defaults := way.Defaults(f.Name)
	isFirst := len(defaults) == 0
	isSame := len(defaults) == 1 && contains(defaults, nil, got)
	switch {
	case s.isNoDefault(o, f, got):
		return explanation{as: Stale, check: CheckStale, reset: true, why: ", the value from before the last success"}
	case isFirst || isSame:
		return explanation{as: Default, reset: true}
	}
	return explanation{as: NoDefault, check: CheckStale, why: ", neither the last value nor one fixed default", reset: true}
}

// isNoDefault reports whether a value is one from before the last success, and none to which updates reset the field.
func (s *State) isNoDefault(o *Object, f *spec.Field, got any) bool {
	text, _ := got.(string)
	isUnset := f.Optional && !s.IsOurs(got)
	return text != "" && !isUnset && !isListed(f) && s.wasHeld(o, f, got)
}

// explainTrace explains a value that refused requests, or a request to another object, sent. A value that others may
// have sent, too, counts only if the way of asking is trusted.
func (s *State) explainTrace(o *Object, trusted bool, f *spec.Field, got any) (x explanation, is bool) {
	if by := o.refusedWith(f.Name, got); len(by) > 0 && (trusted || s.IsOurs(got)) {
		who := "the refused request"
		if len(by) > 1 {
			who = wording.Count(len(by), "refused request")
		}
		return explanation{as: OfRefused, check: CheckRefusedWrite, why: ", which only " + who + " sent", by: by}, true
	}
	text, _ := got.(string)
	from := s.origin(got)
	if from == nil || from.of == o || o.had(f.Name, text) {
		return x, false
	}
	x = explanation{as: OfOther, check: CheckOtherObject, why: from.where(), from: from}
	if from.of.Placeholder() {
		x.check = CheckRefusedWrite
	}
	return x, true
}

// keptBy returns the clause by which an answer shows what was set before.
func keptBy(op *spec.Operation) string {
	if op.Reads() {
		return op.Effects["shows"]
	}
	return op.Effects["persists"]
}

// reportOther adds the finding that a value other than the last is shown, if that breaks a check.
func (t *Test) reportOther(c *Call, o *Object, f, r *spec.Field, expected string, last, got any, x explanation) {
	if x.check == nil {
		return
	}
	clause := map[*Check]string{CheckRefusedWrite: "EFFECT-1", CheckOtherObject: "EFFECT-2", CheckStale: keptBy(c.Op)}[x.check]
	found := ofField(c.Op, r, clause, expected, oracle.Show(got)+x.why)
	found.Value = got
	if x.as == NoDefault {
		found.Aspect = finding.NeitherOne
	}
	if len(x.by) > 0 {
		by := x.by[len(x.by)-1].By
		found.WFC = 114
		found.Expected += ": a request that is refused changes nothing"
		t.MayBeAnotherWriters(t.blame(x.by, CheckRefusedWrite, found), by, o, f, got)
		return
	}
	if x.from != nil {
		found.Requests = t.after(x.from.In, fmt.Sprint(x.from.Status), oracle.Show(got))
	}
	if spread := t.sameAnswer(finding.OtherObject); spread != nil { // the same update shows both fields
		found.Cause, found.Requests = spread.Cause, spread.Requests
	} else if x.check == CheckStale {
		if !t.Model.IsOurs(got) && !o.had(f.Name, got) {
			found.Cause = finding.Changed(last, got)
		}
		if found.Requests = t.after(o.setIn(), "with "+oracle.Show(last), found.Got); found.Requests != nil {
			found.Sent = t.matters(o.setIn(), found.Pointer)
		}
	}
	t.MayBeAnotherWriters(t.Find(x.check, found), t.Result, o, f, got)
}

// JudgeGet judges a GET of an object's path that the document does not declare, and reports whether it read the
// object.
func (t *Test) JudgeGet(a *Answer) bool {
	if a.Call == nil || a.Undecided { // it was not sent, or shows nothing
		return false
	}
	c, o := a.Call, a.Call.Object
	rep := o.Op.Representation()
	if !a.OK || !o.ID().Is(oracle.IDOf(a.Shown[rep.Field("id").Name])) {
		o.note(Event{What: NoWay, Way: t.Model.Way(o.Op, Reads)})
		return false
	}
	t.judgeConstant(o.Op, o, a)
	t.compareRead(c, o, a)
	o.note(Event{What: Sure})
	return true
}

// blame adds a finding, which an answer in a later case shows, to the case of the last of some refused requests. If
// there are several, any of them may have been carried out.
func (t *Test) blame(by []*Event, check *Check, f Finding) *Finding {
	last := by[len(by)-1]
	at := t.showing(last.In)
	if len(by) > 1 {
		at.shown, f.Cause = t.shown, cmp.Or(f.Cause, finding.CauseOf(finding.Kind(check.ID)))
	}
	if t.shown != nil && f.Requests == nil {
		for i, r := range by { // one with each status, as there may be dozens
			if !slices.ContainsFunc(by[i+1:], func(later *Event) bool { return later.Status == r.Status }) {
				f.Requests = append(f.Requests, t.request(r.In, fmt.Sprintf("status %d", r.Status)))
			}
		}
		f.Requests = append(f.Requests, t.request(t.shown, f.Got))
	}
	at.Case, at.Result, at.answering = last.By.Case, last.By, nil
	if last.By != t.Result {
		at.Result = &Result{Case: last.By.Case}
	}
	found := at.Find(check, f)
	if found != nil && last.By != t.Result {
		t.Model.Outcome.blame(blamed{Finding: found, result: last.By})
	}
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

// noteRead checks that a read shows the object of the path, with its constant fields and what updates set.
func (t *Test) noteRead(c *Call, a *Answer) {
	if c.Object == nil || a.Shown == nil || !a.Expected {
		return
	}
	if !t.JudgeIdentity(c.Op, c.Object, a) {
		return
	}
	t.judgeConstant(c.Op, c.Object, a)
	for _, o := range t.Model.Twins(c.Object) {
		t.compareRead(c, o, a)
	}
}

// compareRead compares the fields that updates of an object set with those that a read shows.
func (t *Test) compareRead(c *Call, o *Object, a *Answer) {
	for _, f := range o.Op.Body.Fields {
		if r := c.Op.Representation().Field(f.Meaning); r != nil {
			t.compareLast(c, o, t.Model.Way(o.Op, Reads), f, r, a.Shown[r.Name])
		}
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
