package judge

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// A target may keep a field that a request leaves out, or set it to one fixed
// default: that is open. It may not show what the field held before the last
// success. A way to ask (GET, {}, {"name": …}) is trusted to read state back
// only after it has shown the last value of two different ones.

// CompareLast compares a field that an answer shows without having been sent
// with the last value known.
func (t *Test) CompareLast(c *Call, how *Mode, f, r *spec.Field, got any) {
	o := c.Object
	last, known := o.Last(f.Name)
	if !known || o.late() || c.Loose {
		o.note(t.Model.sight(o, how, f, got))
		t.judgeFirstSight(c, f, r, got)
		return
	}
	s := &comparison{t: t, c: c, how: how, f: f, r: r, last: last, got: got}
	if oracle.Equal(f, last, got) {
		s.noteKept()
		return
	}
	e := t.Model.sight(o, how, f, got)
	e.As, e.unknown = AsSent, t.isUnknown(f, got)
	shown := o.note(e)
	shown.As = s.explain()
	shown.Beside = shown.As == Default && e.read // a read that the document does not declare may be of another kind
}

// explain judges another value than the last, and returns what explains it.
func (s *comparison) explain() As {
	switch o := s.c.Object; {
	case oracle.Altered(s.last, s.got): // shown as it was sent, and stored trimmed or folded
		s.t.noteAltered(s.c.Op, s.f, s.r, s.last, s.got)
		return AsSent
	case o.tookLast(s.f, s.got): // the answer to that update showed another: open there, or found
		return AsSent
	case s.judgeRefusedValue():
		return OfRefused
	case s.judgeOtherObjectsValue():
		return OfOther
	case s.how.keeps(s.f.Name):
		return s.judgeNotLast()
	case s.byRead():
		s.how.Defaults.note(s.f.Name, s.got)
		return Default
	}
	return s.judgeReset()
}

// JudgeGet judges a read of an object that the document does not declare, and says whether it is one.
func (t *Test) JudgeGet(a *Answer) bool {
	c, o := a.Call, a.Call.Object
	rep, how := o.Op.Representation(), t.Model.Mode(o.Op, ReadMode)
	if got, ok := oracle.Integer(a.Shown[rep.Field("id").Name]); !a.OK || !ok || got != o.ID() {
		how.refused = true
		return false
	}
	t.JudgeConstant(o.Op, o, a)
	for _, f := range o.Op.Body.Fields {
		if r := rep.Field(f.Meaning); r != nil {
			t.CompareLast(c, how, f, r, a.Shown[r.Name])
		}
	}
	o.note(Event{What: Sure})
	return true
}

// judgeFirstSight reports a text that was sent to another object, where the last
// value of this one is not known.
func (t *Test) judgeFirstSight(c *Call, f, r *spec.Field, got any) {
	o := c.Object
	if o.Uncertain() || c.Loose {
		return
	}
	if from, elsewhere := t.Model.sentElsewhere(o, f, got); elsewhere {
		check, clause := leaked(from)
		leak := ofField(c.Op, r, clause, fmt.Sprintf("%s of %s, which no request named yet", r.Name, o.Name()), oracle.Show(got)+from.where())
		leak.Requests = t.after(from.by, fmt.Sprint(from.status), oracle.Show(got))
		t.Find(check, leak)
	}
}

// comparison is a field that an answer shows without having been sent, beside
// the last value that its object was known to hold.
type comparison struct {
	t         *Test
	c         *Call
	how       *Mode
	f, r      *spec.Field // of the request, and of the answer
	last, got any
}

// byRead says whether the object was read, not updated.
func (s *comparison) byRead() bool { return s.how == s.t.Model.Mode(s.c.Op, ReadMode) }

// noteKept notes that the last value is shown. It proves something once the way
// of asking is known to show last values.
func (s *comparison) noteKept() {
	t, o := s.t, s.c.Object
	s.how.kept.note(s.f.Name, s.last)
	if !s.how.keeps(s.f.Name) {
		return
	}
	t.CoveredIf(o.Changed(), s.c.Op.Effects["persists"])
	t.CoveredIf(o.Refused(), "EFFECT-1")
	if !s.byRead() {
		t.Observe("omitted-fields", spec.Kept)
	}
	t.CoveredIf(t.Model.othersUpdated(o), "EFFECT-2")
}

// judgeRefusedValue judges a value that only a refused request sent, and says
// whether it is one.
func (s *comparison) judgeRefusedValue() bool {
	o := s.c.Object
	by := o.refusedWith(s.f.Name, s.got)
	if by == nil || !s.how.keeps(s.f.Name) && !s.t.Model.IsOurs(s.got) {
		return false
	}
	s.t.blame(by, CheckRefusedWrite, shownBy(by, s.c.Op, s.r, s.last, s.got))
	return true
}

// shownBy is the finding that a field shows what only the refused request sent.
func shownBy(by *Event, op *spec.Operation, r *spec.Field, last, got any) Finding {
	f := ofField(op, r, "EFFECT-1",
		fmt.Sprintf("%s %s: a request that was refused with %d changes nothing", r.Name, oracle.Show(last), by.Status),
		oracle.Show(got)+", which only the refused request sent")
	f.WFC = 114
	return f
}

// judgeOtherObjectsValue judges a text that was sent to another object, and says
// whether it is one.
func (s *comparison) judgeOtherObjectsValue() bool {
	from, elsewhere := s.t.Model.sentElsewhere(s.c.Object, s.f, s.got)
	if !elsewhere {
		return false
	}
	check, clause := leaked(from)
	s.report(check, clause, from.where(), s.t.after(from.by, fmt.Sprint(from.status), oracle.Show(s.got))...)
	return true
}

// leaked are check and clause for a text that shows on another object than it was sent to.
func leaked(from Origin) (check *Check, clause string) {
	if from.object == nil {
		return CheckRefusedWrite, "EFFECT-1"
	}
	return CheckOtherObject, "EFFECT-2"
}

// judgeNotLast judges another value than the last, shown by a way of asking that is
// known to show last values.
func (s *comparison) judgeNotLast() As {
	t, o := s.t, s.c.Object
	text, _ := s.got.(string) // an old one of ours: an update was not made, or the answer is stale
	lost := o.took(text) || t.Model.IsOurs(s.got) && o.had(s.f.Name, s.got)
	switch pending := o.Refusals(); {
	case len(pending) > 0 && o.IsMain() && !lost && !o.wasStale():
		by := pending[len(pending)-1]
		f := ofField(s.c.Op, s.r, "EFFECT-1", fmt.Sprintf("%s %s: refused requests change nothing", s.r.Name, oracle.Show(s.last)),
			fmt.Sprintf("%s after %d refused requests", oracle.Show(s.got), len(pending)))
		f.WFC = 114
		found := t.blame(by, CheckRefusedWrite, f)
		t.MayBeAnotherWriters(found, by.By, o, s.f, s.got)
		return OfRefused
	case !o.written():
		s.report(CheckOtherObject, "EFFECT-2", ", though no request named this object")
		return OfOther
	}
	s.report(CheckStale, s.c.Op.Effects["persists"], t.Model.originOf(o, s.got))
	return Stale
}

// judgeReset judges another value than the last, shown by an update that may have
// set the field to a default: not a value from before the last success, and one
// default for all objects.
func (s *comparison) judgeReset() As {
	t, o, name := s.t, s.c.Object, s.f.Name
	clause := s.c.Op.Effects["persists"]
	t.CoveredIf(o.Changed(), clause)
	if s.wasHeld() {
		s.report(CheckStale, clause, ", the value from before the last success")
		return Stale
	}
	earlier := o.earlier(name)
	if n := len(earlier); n > 0 && oracle.Equal(s.f, earlier[n-1], s.got) && !t.Model.maybeDefault(o, s.f, s.got) {
		s.how.trailing.note(name, s.got)
		if len(s.how.trailing[name]) >= 2 {
			s.report(CheckStale, clause, ", the value from before the last success, again")
			return Stale
		}
	}
	s.how.Defaults.note(name, s.got)
	t.Observe("omitted-fields", spec.Reset)
	if len(s.how.Defaults[name]) >= 2 {
		s.report(CheckStale, clause, ", neither the last value nor one fixed default")
		return NoDefault
	}
	return Default
}

// wasHeld says whether the value is a text from before the last success that
// cannot be a default.
func (s *comparison) wasHeld() bool {
	text, ok := s.got.(string)
	if !ok || text == "" || len(s.f.Enum) > 0 {
		return false
	}
	return s.t.Model.WasHeld(s.c.Object, s.f, s.got) && (!s.f.Optional || s.t.Model.IsOurs(s.got))
}

// report adds a finding that another value is shown than the last.
func (s *comparison) report(check *Check, clause, why string, requests ...oracle.Request) {
	o := s.c.Object
	f := ofField(s.c.Op, s.r, clause, fmt.Sprintf("%s %s, %s", s.r.Name, oracle.Show(s.last), o.since()), oracle.Show(s.got)+why)
	f.Requests = requests
	if spread := s.t.beside(CheckOtherObject.ID); spread != nil { // with this field
		f.CauseWords, f.Requests = spread.CauseWords, spread.Requests
	} else if check == CheckStale {
		if !s.t.Model.IsOurs(s.got) && !s.t.Model.WasHeld(o, s.f, s.got) && !o.had(s.f.Name, s.got) {
			f.CauseWords = Changed("a text is kept ", s.last, s.got)
		}
		if f.Requests = s.t.after(o.setIn(), "success, with "+oracle.Show(s.last), f.Got); f.Requests != nil {
			f.Sent = s.t.matters(o.setIn(), f.Pointer)
		}
	}
	found := s.t.Find(check, f)
	s.t.MayBeAnotherWriters(found, s.t.Result, o, s.f, s.got)
}

// blame adds a finding to the case of a refused request, not to the one that
// looked.
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

// User is the one whose object it is.
func (t *Test) User(o *Object) wire.Credential {
	if o.Foreign {
		return t.Model.Stranger()
	}
	return t.Model.Owner()
}

// noteRead judges what a read shows: the object of the path, what stays, and what
// updates of it set.
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

// judgeAgrees compares a read with what an update of the same object last set.
func (t *Test) judgeAgrees(c *Call, a *Answer, o *Object) {
	clause := c.Op.Effects["shows"]
	for _, f := range o.Op.Body.Fields {
		r := c.Op.Representation().Field(f.Meaning)
		if r == nil {
			continue
		}
		got := a.Shown[r.Name]
		last, known := o.Last(f.Name)
		if !known || o.late() {
			e := t.Model.sight(o, t.Model.Mode(o.Op, ReadMode), f, got)
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
			t.blame(by, CheckRefusedWrite, shownBy(by, c.Op, r, last, got))
			continue
		}
		stale := ofField(c.Op, r, clause,
			fmt.Sprintf("%s %s, %s", r.Name, oracle.Show(last), o.since()), oracle.Show(got)+t.Model.originOf(o, got))
		stale.Operation, stale.Requests = c.Op.ID, t.after(o.setIn(), "success, with "+oracle.Show(last), oracle.Show(got))
		t.MayBeAnotherWriters(t.Find(CheckStale, stale), t.Result, o, f, got)
	}
	if o.Refused() {
		t.Covered("EFFECT-1")
	}
}

// JudgeRepeat compares two reads of an object with no write between: what stays,
// and what updates of it can change.
func (t *Test) JudgeRepeat(o *Object, first, second *Answer) {
	if first.Shown == nil || second.Shown == nil {
		return
	}
	clause := o.Op.Effects["repeats"]
	t.Covered(clause)
	for _, r := range o.Op.Representation().Fields {
		if !r.Stays && !t.changeable(o, r) || oracle.Equal(r, first.Shown[r.Name], second.Shown[r.Name]) {
			continue
		}
		t.FindIn(second.Exchange, CheckListRepeat, ofField(o.Op, r, clause,
			fmt.Sprintf("%s %s, as in the read before", r.Name, oracle.Show(first.Shown[r.Name])), oracle.Show(second.Shown[r.Name])))
	}
}

// changeable says whether an update of the object sets a field.
func (t *Test) changeable(o *Object, r *spec.Field) bool {
	return slices.ContainsFunc(t.Model.Contract.Operations, func(op *spec.Operation) bool {
		return op.Updates() && op.SameObjects(o.Op) && op.Body.Field(r.Meaning) != nil
	})
}
