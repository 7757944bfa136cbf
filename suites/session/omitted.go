package session

import (
	"fmt"

	"github.com/adconform/adconform/suites/judge"
)

// confirmDefault looks at a second object when {} shows a value on the first
// that is not the last one: a fixed default shows there too, an old value of the
// first object need not.
func (t *T) confirmDefault(o, other *judge.Object) {
	asked := false
	for _, f := range o.Op.Body.Fields {
		how := t.Test.Model.Mode(o.Op, "")
		if len(how.Defaults[f.Name]) == 0 || other == nil || other.Changed || !other.MayWrite() {
			continue
		}
		if !asked && !t.Patch(other) {
			return
		}
		asked = true
		shown, known := other.Last(f.Name)
		if !known {
			return
		}
		t.Test.Covered(o.Op.Effects["persists"])
		if !how.Defaults[f.Name][judge.Show(shown)] {
			found := t.Test.Find("stale", judge.Finding{
				Clause: o.Op.Effects["persists"], Pointer: judge.Pointer(o.Op, o.Op.Representation().Field(f.Meaning)), Expected: fmt.Sprintf("for %s the value that the last successful update set, or one fixed default for every object", f.Name),
				Got: fmt.Sprintf("%s, which is neither: %s shows %s", judge.SortedKeys(how.Defaults[f.Name])[0], other.Name(), judge.Show(shown)),
			})
			for _, text := range judge.SortedKeys(o.Unknown) {
				if how.Defaults[f.Name][judge.Show(text)] {
					t.Test.MayBeAnothers(found, t.Test.Result, o, f, text)
				}
			}
		}
	}
}
