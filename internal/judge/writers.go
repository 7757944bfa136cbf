package judge

import (
	"slices"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// JudgeWriters checks, after several updates of one field each at the same time, that the object shows what each of
// them set, as far as it could be read. answers has the answers to the updates of the first fields. JudgeWriters
// reports whether the object does not.
func (t *Test) JudgeWriters(o *Object, sent map[string]any, read []*spec.Field, answers []*Answer) (isLost bool) {
	t.Covered("OPEN-7")
	for i, a := range answers {
		f := o.Op.Body.Fields[i]
		shown, _ := o.Last(f.Name)
		if !slices.Contains(read, f) || oracle.Equal(f, sent[f.Name], shown) {
			continue
		}
		isLost = true
		t.FindIn(a.Exchange, CheckConcurrentWriters, Finding{
			Clause: "OPEN-7", Pointer: Pointer(o.Op, o.Op.Representation().Field(f.Meaning)),
			Expected: f.Name + " " + oracle.Show(sent[f.Name]) + " beside the other writer's field",
			Got:      oracle.Show(shown) + "; this depends on timing, so another run may not see it",
		})
	}
	return isLost
}
