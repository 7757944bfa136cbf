package engine

import (
	"fmt"
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// noteDates notes the form of the dates that an answer shows; a second form on
// one target is a notice.
func (t *T) noteDates(c *Call, a *Answer) {
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

func (t *T) noteDateFields(o *spec.Object, shown map[string]any) {
	for _, f := range o.Fields {
		text, ok := shown[f.Name].(string)
		if !f.Date || !ok {
			continue
		}
		_, form, _, ok := oracle.ParseDate(text)
		if !ok {
			continue
		}
		t.judge("OPEN-2")
		t.Observe("date-format", form)
		if _, known := t.forms[form]; known {
			continue
		}
		t.forms[form] = fmt.Sprintf("%s in %s", Show(text), t.Case.Operation.ID)
		for _, other := range sortedKeys(t.forms) {
			if other != form {
				t.find("date-form", Finding{Clause: "OPEN-2", Pointer: "/" + f.Name, Expected: "one date form, as in " + t.forms[other], Got: t.forms[form]})
				break
			}
		}
	}
}

// noteSuccessStatus observes which 2xx a success has.
func (t *T) noteSuccessStatus(c *Call, a *Answer) {
	if a.Expected && a.OK && c.Op.Success != nil && a.Status != http.StatusNoContent {
		t.Observe("success-status", a.StatusText())
	}
}
