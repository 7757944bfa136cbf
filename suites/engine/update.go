package engine

import (
	"fmt"
	"net/http"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// noteUpdate judges what an answer to an update shows and remembers what the
// object holds now.
func (t *T) noteUpdate(c *Call, a *Answer) {
	o := c.Object
	if o != nil && c.Body != nil && a.Status >= 500 {
		o.touched = true // it may have been made all the same
	}
	if o == nil || c.Body == nil || c.Expect.OnlyCrash && !a.OK {
		return
	}
	switch {
	case a.OK && a.Shown != nil:
		t.judgeRepresentation(c, a)
	case a.OK:
		t.accept(o, c.Body.Fields)
		o.uncertain = true
	case refused(a.Status):
		if c.Expect.Part && a.Status == http.StatusUnprocessableEntity {
			t.mode(c.Op, modeOf(c.Body)).refused = true
		}
		o.refused = append(o.refused, t.newRefusal(a, c.Body.Fields))
	case a.Status >= 500:
		o.uncertain = true
	}
}

// refused are the statuses after which nothing may have changed.
func refused(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// judgeRepresentation compares a representation with the path, with what was
// sent, and with what was seen before.
func (t *T) judgeRepresentation(c *Call, a *Answer) {
	o, op := c.Object, c.Op
	if c.Expect.OnlyCrash { // what came back may be damaged as the request was
		t.accept(o, c.Body.Fields)
		o.uncertain = true
		return
	}
	if !t.judgeIdentity(o, a) {
		if a.Expected {
			t.accept(o, c.Body.Fields)
		}
		return
	}
	rep := op.Representation()
	changing := false
	shown := map[string]any{}
	for _, f := range op.Body.Fields {
		r := rep.Field(f.Meaning)
		if r == nil {
			continue
		}
		got := a.Shown[r.Name]
		sent, ok := c.Body.Fields[f.Name]
		if !ok {
			t.judgeOmitted(c, f, r, got)
			continue
		}
		if old, known := o.last[f.Name]; known && !equalValue(f, old, sent) {
			changing = true
		}
		shown[f.Name] = got
		if a.Expected && sent != nil && !c.Expect.Loose {
			t.judgeShown(c, f, r, sent, got)
			if !equalValue(f, sent, got) && !altered(sent, got) {
				shown[f.Name] = sent // what the target has to hold from now on
			}
		}
	}
	t.accept(o, shown)
	o.uncertain = false
	if len(shown) == len(op.Body.Fields) {
		o.refused = nil // overwritten: what was refused before can no longer be seen
	}
	t.judgeConstant(c.Op, o, a)
	t.judgeUpdatedAt(o, a, changing && a.Expected)
}

func (t *T) judgeIdentity(o *Object, a *Answer) bool {
	id := o.Op.Representation().Field("id")
	clause := o.Op.Effects["identity"]
	if id == nil || clause == "" {
		return true
	}
	got, ok := Integer(a.Shown[id.Name])
	if !ok {
		return true // the schema's business
	}
	t.judge(clause)
	if got == o.ID() {
		return true
	}
	t.find("identity", Finding{
		Clause: clause, Pointer: pointer(o.Op, id), Expected: fmt.Sprintf("%s %d, the id in the path", id.Name, o.ID()), Got: fmt.Sprint(got),
	})
	return false
}

// judgeShown compares a field that was sent with what the answer shows.
func (t *T) judgeShown(c *Call, f, r *spec.Field, sent, got any) {
	clause := c.Op.Effects["shows"]
	if clause == "" {
		return
	}
	t.judge(clause)
	switch {
	case equalValue(f, sent, got):
		t.judge(f.Clause)
		t.judgeIf(alterable(sent), "OPEN-6")
	case altered(sent, got):
		t.judge("OPEN-6")
		t.Observe("trimming", "trimmed or normalised")
		t.find("text-altered", Finding{
			Clause: "OPEN-6", Pointer: pointer(c.Op, r), Expected: fmt.Sprintf("%s as sent, %s", f.Name, Show(sent)), Got: Show(got),
		})
	default:
		t.find("shows-sent", Finding{
			Clause: clause, Pointer: pointer(c.Op, r), Expected: fmt.Sprintf("%s %s, as sent", r.Name, Show(sent)), Got: Show(got) + t.whence(c.Object, got),
		})
	}
}

// whence says where a shown value was sent, when it is one of ours.
func (t *T) whence(o *Object, got any) string {
	text, _ := got.(string)
	from, ok := t.sent[text]
	switch {
	case !ok:
		return ""
	case from.object != o:
		return from.where()
	default:
		return fmt.Sprintf(", which was sent for %s in %s", from.field, from.caseID)
	}
}

// judgeConstant compares what no request can change with what was first seen,
// or with what the target file says.
func (t *T) judgeConstant(op *spec.Operation, o *Object, a *Answer) {
	clause := op.Effects["stays"]
	if clause == "" {
		return
	}
	for _, f := range op.Representation().Fields {
		got, ok := a.Shown[f.Name]
		if !f.Stays || !ok {
			continue
		}
		want, known := o.constant[f.Name]
		if !known {
			o.constant[f.Name] = got
			continue
		}
		t.judge(clause)
		if equalValue(f, want, got) || f.Date && sameDate(want, got) {
			continue
		}
		t.find("stays", Finding{
			Clause: clause, Pointer: pointer(op, f), Expected: fmt.Sprintf("%s %s, as before", f.Name, Show(want)), Got: Show(got),
		})
	}
}

// sameDate says whether two dates are the same at the coarser granularity: a
// target file may give the day only.
func sameDate(a, b any) bool {
	x, xok := a.(string)
	y, yok := b.(string)
	if !xok || !yok {
		return false
	}
	at, _, ag, aok := oracle.ParseDate(x)
	bt, _, bg, bok := oracle.ParseDate(y)
	grain := max(ag, bg)
	return aok && bok && at.Truncate(grain).Equal(bt.Truncate(grain))
}

// tolerance lets the clocks of a target's machines differ.
const tolerance = 5 * time.Second

// judgeUpdatedAt looks at updatedAt after a real change.
func (t *T) judgeUpdatedAt(o *Object, a *Answer, changed bool) {
	f := o.Op.Representation().Field("updatedAt")
	clause := o.Op.Effects["updatedAt"]
	if f == nil || clause == "" {
		return
	}
	text, isText := a.Shown[f.Name].(string)
	at, _, grain, ok := oracle.ParseDate(text)
	if !changed {
		if ok && o.updated.IsZero() {
			o.updated, o.grain = at, grain
		}
		return
	}
	t.judge(clause)
	broken := func(expected string) {
		t.find("updated-at", Finding{Clause: clause, Pointer: pointer(o.Op, f), Expected: expected, Got: Show(a.Shown[f.Name])})
	}
	if !isText {
		broken("updatedAt is a date after a change")
		return
	}
	if !ok {
		return // the schema check reports it
	}
	if !o.updated.IsZero() && earlier(at, grain, o.updated, o.grain) {
		broken(fmt.Sprintf("updatedAt not before its earlier value, %s", o.updated.Format(time.RFC3339Nano)))
	}
	if created := o.Op.Representation().Field("createdAt"); created != nil {
		text, _ := a.Shown[created.Name].(string)
		if c, _, g, ok := oracle.ParseDate(text); ok && earlier(at, grain, c, g) {
			broken("updatedAt not before createdAt, " + text)
		}
	}
	o.updated, o.grain = at, grain
}

// earlier says whether a is before b, by more than the tolerance, at the
// coarser of the two granularities.
func earlier(a time.Time, ag time.Duration, b time.Time, bg time.Duration) bool {
	grain := max(ag, bg)
	return a.Truncate(grain).Add(tolerance).Before(b.Truncate(grain))
}

// pointer is where a field of the representation stands in the body.
func pointer(op *spec.Operation, f *spec.Field) string {
	return "/" + op.Success.Field("data").Name + "/" + f.Name
}
