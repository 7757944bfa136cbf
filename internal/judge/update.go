package judge

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// noteUpdate judges the answer to an update.
func (t *Test) noteUpdate(c *Call, a *Answer) {
	isNotExpected := a.Expect.OnlyCrash && !a.Expect.Unlisted
	switch {
	case c.Object == nil, c.Body == nil, isNotExpected && !a.OK:
		return
	case c.isNoWay(a):
		t.WayOf(c.Op, c.Body).IsRefused = true
	}
	switch {
	case a.Shown != nil && !a.Expect.OnlyCrash:
		t.judgeRepresentation(c, a)
	case refused(a.Status):
		t.noteRefusal(c.Object, a)
	}
}

// isNoWay reports whether an answer shows that such a body does not ask what an object holds.
func (c *Call) isNoWay(a *Answer) bool {
	switch a.Status {
	case http.StatusUnprocessableEntity:
		return c.Part || c.Looks
	case http.StatusBadRequest:
		return c.Looks
	}
	return false
}

// noteRefusal notes a refused write, unless it would have set nothing new.
func (t *Test) noteRefusal(o *Object, a *Answer) {
	if !a.Call.Looks {
		t.Result.Refused = true
		o.isDue = true
	}
}

// refused reports whether a status says that nothing was changed.
func refused(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// judgeRepresentation compares a representation with the path and with what was sent.
func (t *Test) judgeRepresentation(c *Call, a *Answer) {
	if !t.JudgeIdentity(c.Op, c.Object, a) {
		return
	}
	isWhole := true
	for _, f := range c.Op.Body.Fields {
		r := c.Op.Representation().Field(f.Meaning)
		_, isSent := c.Body.Fields[f.Name]
		switch {
		case !isSent:
			isWhole = false
		case r != nil:
			t.judgeField(c, a, f, r)
		}
	}
	if isWhole { // it hides what refused writes may have done
		c.Object.isDue = false
	}
	if len(c.Body.Fields) > 0 {
		for _, twin := range t.Twins(c.Object) {
			twin.isDue = false
		}
	}
}

// judgeField judges a field that was sent as the answer shows it.
func (t *Test) judgeField(c *Call, a *Answer, f, r *spec.Field) {
	sent := c.Body.Fields[f.Name]
	got := a.Shown[r.Name]
	text, isCoerced := oracle.TextOf(f, sent)
	switch {
	case isCoerced:
		t.judgeCoerced(c, a, f, r, text, got)
	case !a.Expected:
	case sent == nil:
		if f.Optional && isNullAsText(got) {
			expected := r.Name + " null or absent, as it was unset"
			t.require(false, CheckShowsSent, ofField(c.Op, r, r.Clause, expected, oracle.Show(got)))
		}
	case !c.Loose:
		t.JudgeShown(c, f, r, sent, got)
	}
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
	same := o.ID().Is(got)
	if a.Call != nil && a.Call.inOtherLetters() {
		same = same || strings.EqualFold(string(got), string(o.ID()))
	}
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
			r.Name+" "+oracle.Show(sent)+", as sent",
			oracle.Show(got)+t.sentTo(got))
		found.Value = got
		if isOurs := t.Sequence.Origin(got) != nil; !isOurs && !t.isHeld(c.Object, f, got) {
			found.Cause = finding.Changed(sent, got)
		}
		t.Find(CheckShowsSent, found)
	}
}

// JudgeRestored judges the answer to an update that sends the values from before the run once more, unless updates were
// seen to go wrong before.
func (t *Test) JudgeRestored(a *Answer) {
	op := a.Call.Op
	switch {
	case a.Shown == nil, t.Outcome.Forgets(op),
		t.Outcome.broke(op, op.Effects["shows"], op.Effects["identity"]):
		return
	}
	for _, f := range op.Body.Fields {
		r := op.Representation().Field(f.Meaning)
		if sent := a.Call.Body.Fields[f.Name]; r != nil && sent != nil {
			t.showing(a.Exchange).JudgeShown(a.Call, f, r, sent, a.Shown[r.Name])
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
		t.NoticeUndocumentedBody(a,
			fmt.Sprintf("status 422 for %s as %s", f.Name, sent), "it is taken as the text "+oracle.Show(text))
		return
	}
	t.require(false, CheckShowsSent, ofField(c.Op, r, clause,
		fmt.Sprintf("status 422 for %s as %s, or the text %s", f.Name, sent, oracle.Show(text)),
		oracle.Show(got)+t.sentTo(got)))
}

// Coercion returns the open point of whether a field takes other values for its texts, and the clause that a value
// breaks that is taken for something else.
func Coercion(f *spec.Field) (point, clause string) {
	if isListed(f) {
		return "listed-spelling", "ERR-5"
	}
	return "scalar-coercion", "ERR-4"
}

// NoticeUndocumentedBody gives a notice of an accepted body that does not have the form in the document.
func (t *Test) NoticeUndocumentedBody(a *Answer, expected, got string) {
	if a.Acceptance() == "" {
		return // refused for another reason, or not answered
	}
	f := Finding{Clause: "OPEN-8", Expected: expected, Got: got}
	t.showing(a.Exchange).require(!a.OK, CheckBeyondDocument, f)
}

// noteAltered gives a notice of a text that came back trimmed, folded or normalised.
func (t *Test) noteAltered(op *spec.Operation, f, r *spec.Field, sent, got any) {
	t.observeOf(f.Name, "trimming", spec.Trimmed+", folded or normalised")
	t.require(false, CheckTextAltered,
		ofField(op, r, "OPEN-6", f.Name+" as sent, "+oracle.Show(sent), oracle.Show(got)))
}

// ofField returns a finding about a field of the representation.
func ofField(op *spec.Operation, f *spec.Field, clause, expected, got string) Finding {
	return Finding{Clause: clause, Pointer: Pointer(op, f), Expected: expected, Got: got}
}

// Pointer returns the JSON pointer to a field of the representation.
func Pointer(op *spec.Operation, f *spec.Field) string {
	return dataPointer(op) + "/" + f.Name
}

// dataPointer returns the JSON pointer to the representation, or to the items of a list.
func dataPointer(op *spec.Operation) string {
	if op.IsBare() {
		return ""
	}
	return "/" + op.InEnvelope()
}
