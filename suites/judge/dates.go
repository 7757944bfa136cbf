package judge

import (
	"fmt"
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// noteDates notes the form of the dates that an answer shows; a second form on
// one target is a notice, see judgeForms.
func (t *Test) noteDates(c *Call, a *Answer) {
	if !a.OK || c.Method != c.Op.Method || c.Op.Representation() == nil {
		return
	}
	if a.Shown != nil {
		t.noteDateFields(c.Op.Representation(), a.Shown)
		return
	}
	object, _ := a.Value.(map[string]any)
	items, _ := object[c.Op.Success.Field("data").Name].([]any)
	for _, item := range items {
		if shown, ok := item.(map[string]any); ok {
			t.noteDateFields(c.Op.Representation(), shown)
		}
	}
}

func (t *Test) noteDateFields(o *spec.Object, shown map[string]any) {
	for _, f := range o.Fields {
		if !f.Date {
			continue
		}
		_, form, _, ok := oracle.ReadDate(shown[f.Name])
		if !ok {
			continue
		}
		t.Observe("date-format", form)
		if t.Result.Dates++; t.Result.Dates > 1 { // one date has one form
			t.Covered("OPEN-2")
		}
		t.Model.Outcome.NoteForm(form, &DateForm{
			Seen:    fmt.Sprintf("%s in %s", oracle.Show(shown[f.Name]), t.Case.Operation.ID),
			Pointer: "/" + f.Name, Result: t.Result,
		})
	}
}

// JudgeForms gives a notice for each form of dates beside the first one.
func (t *Test) JudgeForms() {
	forms := t.Model.Outcome.Forms()
	for i, f := range forms {
		if i == 0 || f.Told {
			continue
		}
		f.Told = true
		at := *t
		at.Case, at.Result, at.answering, at.shown = f.Result.Case, f.Result, nil, nil
		at.Find("date-form", Finding{
			Clause: "OPEN-2", Pointer: f.Pointer,
			Expected: "one date form, as in " + forms[0].Seen,
			Got:      f.Seen,
		})
	}
}

// noteSuccessStatus observes which 2xx a success has.
func (t *Test) noteSuccessStatus(c *Call, a *Answer) {
	if a.Expected && a.OK && c.Op.Success != nil && a.Status != http.StatusNoContent {
		t.Observe("success-status", a.Choice())
	}
}
