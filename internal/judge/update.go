package judge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// noteUpdate judges the answer to an update and notes what the object holds now.
func (t *Test) noteUpdate(c *Call, a *Answer) {
	o := c.Object
	if o != nil && c.Body != nil && a.Status >= 500 {
		o.note(Event{What: Lost, Status: a.Status, Wrote: true}) // it may have been carried out
	}
	if o == nil || c.Body == nil || a.Expect.OnlyCrash && !a.Expect.Unlisted && !a.OK {
		return
	}
	if a.OK && len(c.Body.Fields) > 0 {
		o.note(Event{What: Taken, Values: c.Body.Fields})
	}
	if (c.Part || c.Looks) && a.Status == http.StatusUnprocessableEntity || c.Looks && a.Status == http.StatusBadRequest {
		o.note(Event{What: NoWay, Way: t.Model.WayOf(c.Op, c.Body)})
	}
	switch {
	case a.OK && a.Shown != nil && !a.Expect.OnlyCrash:
		t.judgeRepresentation(c, a)
	case a.OK: // the answer may be as damaged as the request
		o.note(Event{What: Set, Values: c.Body.Fields})
		o.note(Event{What: Unsure})
	case refused(a.Status):
		t.noteRefusal(o, a, c.Body.Fields)
	}
}

// noteRefusal notes a refused write, unless it would have set nothing new.
func (t *Test) noteRefusal(o *Object, a *Answer, fields map[string]any) {
	if !a.Call.Looks {
		t.Result.Refused = true
		o.note(Event{What: Refused, By: t.Result, Status: a.Status, Values: fields, In: withoutAnswer(a.Exchange)})
	}
}

// refused reports whether a status says that nothing was changed.
func refused(status int) bool {
	return slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity}, status)
}

// judgeRepresentation compares a representation with the path, with what was sent, and with earlier answers.
func (t *Test) judgeRepresentation(c *Call, a *Answer) {
	o, op := c.Object, c.Op
	if !t.JudgeIdentity(op, o, a) {
		if a.Expected {
			o.note(Event{What: Set, Values: c.Body.Fields})
		}
		return
	}
	shown, isChange := map[string]any{}, false
	for _, f := range op.Body.Fields {
		r := op.Representation().Field(f.Meaning)
		if r == nil {
			continue
		}
		sent, isSent := c.Body.Fields[f.Name]
		if !isSent {
			t.compareLast(c, o, t.Model.WayOf(op, c.Body), f, r, a.Shown[r.Name])
			continue
		}
		isChange = isChange || o.isChangedBy(f, sent)
		shown[f.Name] = t.judgeField(c, a, f, r)
	}
	o.note(Event{What: Set, Values: shown, In: withoutAnswer(a.Exchange)})
	o.note(Event{What: Sure})
	t.judgeConstant(c.Op, o, a)
	t.judgeUpdatedAt(o, a, isChange && a.Expected)
}

// isChangedBy reports whether a field is known to hold another value than the one that is sent.
func (o *Object) isChangedBy(f *spec.Field, sent any) bool {
	old, isKnown := o.Holds(f.Name)
	text, isCoerced := oracle.TextOf(f, sent)
	isText := isCoerced && old == text
	return isKnown && !isText && !oracle.Equal(f, old, sent)
}

// judgeField judges a field that was sent as the answer shows it, and returns what the object has to hold from now on.
func (t *Test) judgeField(c *Call, a *Answer, f, r *spec.Field) any {
	sent, got := c.Body.Fields[f.Name], a.Shown[r.Name]
	isAltered := oracle.Altered(sent, got)
	if isAltered {
		c.Object.note(Event{What: Taken, Values: map[string]any{f.Name: got}})
	}
	if text, isCoerced := oracle.TextOf(f, sent); isCoerced {
		t.judgeCoerced(c, a, f, r, text, got)
		return got
	}
	switch {
	case !a.Expected:
	case sent == nil:
		if f.Optional && isNullAsText(got) {
			t.require(false, CheckShowsSent, ofField(c.Op, r, r.Clause, r.Name+" null or absent, as it was unset", oracle.Show(got)))
		}
	case !c.Loose:
		t.JudgeShown(c, f, r, sent, got)
		if isShown := isAltered || oracle.Equal(f, sent, got); !isShown {
			return sent
		}
	}
	return got
}

// nullTexts are what programs write where they make a text of a null.
var nullTexts = []string{"null", "none", "nil", "undefined"}

// JudgeIdentity compares the id in a representation with that in the path, and reports whether they are equal.
func (t *Test) JudgeIdentity(op *spec.Operation, o *Object, a *Answer) bool {
	id := op.Representation().Field("id")
	if id == nil {
		return true
	}
	got := oracle.IDOf(a.Shown[id.Name])
	if _, isText := a.Shown[id.Name].(string); got == "" && !isText {
		return true // the oracle reports it
	}
	expected := fmt.Sprintf("%s %s, the id in the path", id.Name, o.ID())
	same := o.ID().Is(got) || a.Call != nil && a.Call.inOtherLetters() && strings.EqualFold(string(got), string(o.ID()))
	f := ofField(op, id, op.Effects["identity"], expected, string(got))
	f.Name = string(o.ID())
	t.require(same, CheckIdentity, f)
	return same
}

// JudgeShown compares a field that was sent with the one that the answer shows.
func (t *Test) JudgeShown(c *Call, f, r *spec.Field, sent, got any) {
	clause := c.Op.Effects["shows"]
	t.Covered(clause)
	switch {
	case oracle.Equal(f, sent, got):
		t.Covered(f.Clause)
		t.CoveredIf(oracle.Alterable(sent), "OPEN-6")
	case oracle.Altered(sent, got):
		t.noteAltered(c.Op, f, r, sent, got)
	default:
		found := ofField(c.Op, r, clause,
			fmt.Sprintf("%s %s, as sent", r.Name, oracle.Show(sent)), oracle.Show(got)+t.Model.origin(got).where())
		found.Value = got
		if held, known := c.Object.Holds(f.Name); !t.Model.IsOurs(got) && !(known && oracle.Equal(f, held, got)) {
			found.Cause = finding.Changed(sent, got)
		}
		t.Find(CheckShowsSent, found)
	}
}

// JudgeRestored judges the answer to an update that sends the values from before the run once more, unless updates were
// seen to go wrong before.
func (t *Test) JudgeRestored(a *Answer) {
	at, op, seen := t.showing(a.Exchange), a.Call.Op, t.Model.Outcome
	if seen.Forgets(op) || seen.broke(op.Effects["shows"], op) || seen.broke(op.Effects["identity"], op) {
		return
	}
	for _, f := range op.Body.Fields {
		r, sent := op.Representation().Field(f.Meaning), a.Call.Body.Fields[f.Name]
		if r != nil && sent != nil && a.Shown != nil {
			at.JudgeShown(a.Call, f, r, sent, a.Shown[r.Name])
		}
	}
}

// judgeCoerced judges the value shown for one that was accepted as a text: a number or boolean as its own, another
// spelling of a listed value as that value.
func (t *Test) judgeCoerced(c *Call, a *Answer, f, r *spec.Field, text string, got any) {
	if !a.Expected {
		return
	}
	point, clause := Coercion(f)
	sent := oracle.Show(c.Body.Fields[f.Name])
	if oracle.Equal(f, text, got) {
		t.observeOf(f.Name, point, spec.Taken.With("as text (%s as %s)", f.Name, sent))
		t.NoticeUndocumentedBody(a, fmt.Sprintf("status 422 for %s as %s", f.Name, sent), "it is taken as the text "+oracle.Show(text))
		return
	}
	t.require(false, CheckShowsSent, ofField(c.Op, r, clause,
		fmt.Sprintf("status 422 for %s as %s, or the text %s", f.Name, sent, oracle.Show(text)),
		oracle.Show(got)+t.Model.origin(got).where()))
}

// Coercion returns the open point of whether a field takes other values for its texts, and the clause that a value
// breaks that is taken for something else.
func Coercion(f *spec.Field) (point, clause string) {
	if len(f.Enum) > 0 {
		return "listed-spelling", "ERR-5"
	}
	return "scalar-coercion", "ERR-4"
}

// NoticeUndocumentedBody gives a notice of an accepted body that does not have the form in the document.
func (t *Test) NoticeUndocumentedBody(a *Answer, expected, got string) {
	if a.Acceptance() == "" {
		return // refused for another reason, or not answered
	}
	t.showing(a.Exchange).require(!a.OK, CheckBeyondDocument, Finding{Clause: "OPEN-8", Expected: expected, Got: got})
}

// noteAltered gives a notice of a text that came back trimmed, folded or normalised.
func (t *Test) noteAltered(op *spec.Operation, f, r *spec.Field, sent, got any) {
	t.observeOf(f.Name, "trimming", spec.Trimmed+", folded or normalised")
	t.require(false, CheckTextAltered,
		ofField(op, r, "OPEN-6", fmt.Sprintf("%s as sent, %s", f.Name, oracle.Show(sent)), oracle.Show(got)))
}

// judgeConstant compares the fields that no request can change with their first values. If the target file gives
// another first value, that is the operator's mistake. A read that the document does not declare may show a field in
// another form.
func (t *Test) judgeConstant(op *spec.Operation, o *Object, a *Answer) {
	clause, shown := op.Effects["stays"], map[string]any{}
	for _, f := range op.Representation().Fields {
		got, ok := a.Shown[f.Name]
		_, integer := oracle.Integer(got)
		_, text := got.(string)
		typed := f.Type == "integer" && integer || f.Type == "string" && text
		if !f.Stays || !ok || a.Exchange.Request.Method != op.Method && !typed {
			continue
		}
		same := func(want any) bool { return oracle.Equal(f, want, got) || f.Date && oracle.SameDate(want, got) }
		want, first := o.Constant(f.Name)
		if first == nil {
			shown[f.Name] = got
			if given, named := o.Given[f.Meaning]; named && !same(given) {
				t.Model.noteMisgiven(o, f, given, got)
			}
			continue
		}
		if t.Covered(clause); same(want) {
			continue
		}
		moved := ofField(op, f, clause,
			fmt.Sprintf("%s %s, as the answer in %s showed it first", f.Name, oracle.Show(want), first.Case), oracle.Show(got))
		moved.Requests = t.after(first, oracle.Show(want), oracle.Show(got))
		t.Find(CheckStays, moved)
	}
	if len(shown) > 0 {
		o.note(Event{What: Constant, Values: shown, In: withoutAnswer(a.Exchange)})
	}
}

// ofField returns a finding about a field of the representation.
func ofField(op *spec.Operation, f *spec.Field, clause, expected, got string) Finding {
	return Finding{Clause: clause, Pointer: Pointer(op, f), Expected: expected, Got: got}
}

// Pointer returns the JSON pointer to a field of the representation.
func Pointer(op *spec.Operation, f *spec.Field) string { return dataPointer(op) + "/" + f.Name }

// dataPointer returns the JSON pointer to the representation, or to the items of a list.
func dataPointer(op *spec.Operation) string {
	if op.IsBare() {
		return ""
	}
	return "/" + op.InEnvelope()
}

// judgeUpdatedAt judges updatedAt: after a change it is the date of that update, and it stays so when an update that
// changes nothing shows the object again.
func (t *Test) judgeUpdatedAt(o *Object, a *Answer, changed bool) {
	f := o.Op.Representation().Field("updatedAt")
	if f == nil {
		return
	}
	at, ok := oracle.ReadMoment(a.Shown[f.Name])
	require := func(held bool, expected string) {
		t.require(held, CheckUpdatedAt, ofField(o.Op, f, o.Op.Effects["updatedAt"], expected, oracle.Show(a.Shown[f.Name])))
	}
	last, standing := o.dated()
	answered := a.Exchange.Start.Add(a.Exchange.Duration)
	overtaken := last != nil && answered.Before(last.at) // of two requests under way at once, this one was answered first
	switch {
	case !changed && standing == nil: // no change of this run has dated it
		if ok && last == nil {
			o.note(Event{What: Dated, Date: &dating{shows: at}})
		}
		return
	case !changed && !a.Expected:
		return
	case a.Shown[f.Name] == nil:
		require(false, "updatedAt is a date after a change")
		return
	case !ok: // the schema check reports it
		return
	case !changed:
		require(overtaken || !at.Before(last.shows), "updatedAt not before that of the last update, "+last.shows.Time.Format(time.RFC3339Nano))
		return
	}
	require(clocksOf(a.Exchange).apart(at) <= at.Leeway(), fmt.Sprintf("updatedAt the date of this update: within %s of %s",
		at.Leeway(), clocksOf(a.Exchange)))
	if last != nil && !overtaken && at.Before(last.shows) {
		require(false, "updatedAt not before its earlier value, "+last.shows.Time.Format(time.RFC3339Nano))
	}
	if !overtaken {
		o.note(Event{What: Dated, Date: &dating{at, answered, true}})
	}
}
