package judge

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/value"
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
		t.Model.Outcome.noteForm(form, &dateForm{
			seen:    fmt.Sprintf("%s in %s", value.Show(shown[f.Name]), t.Case.Operation.ID),
			pointer: "/" + f.Name, result: t.Result, turn: t.Result.Dates,
		})
	}
}

// dateForm is where a form of dates was seen first.
type dateForm struct {
	seen    string // the date and the operation, in words
	pointer string
	result  *testcase.Result
	turn    int // among those of one case
	told    bool
}

func (b *Outcome) noteForm(form string, f *dateForm) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if first := b.forms[form]; first == nil || f.result.Case.Place < first.result.Case.Place {
		b.forms[form] = f
	}
}

// JudgeForms gives a notice for each form of dates beside the first one.
func (t *Test) JudgeForms() {
	forms := slices.Sorted(maps.Keys(t.Model.Outcome.forms))
	slices.SortFunc(forms, func(a, b string) int {
		x, y := t.Model.Outcome.forms[a], t.Model.Outcome.forms[b]
		return cmp.Or(x.result.Case.Place-y.result.Case.Place, x.turn-y.turn)
	})
	for i, form := range forms {
		f := t.Model.Outcome.forms[form]
		if i == 0 || f.told {
			continue
		}
		f.told = true
		at := *t
		at.Case, at.Result, at.answering, at.shown = f.result.Case, f.result, nil, nil
		at.Find("date-form", Finding{
			Clause: "OPEN-2", Pointer: f.pointer,
			Expected: "one date form, as in " + t.Model.Outcome.forms[forms[0]].seen,
			Got:      f.seen,
		})
	}
}

// noteSuccessStatus observes which 2xx a success has.
func (t *Test) noteSuccessStatus(c *Call, a *Answer) {
	if a.Expected && a.OK && c.Op.Success != nil && a.Status != http.StatusNoContent {
		t.Observe("success-status", a.Choice())
	}
}
