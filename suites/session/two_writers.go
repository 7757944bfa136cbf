package session

import (
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// TwoWriters updates two different fields of one object at the same instant.
// Where the target keeps omitted fields both values should be there afterwards;
// the document does not say so, so it is a notice.
func (t *T) TwoWriters(o *judge.Object) {
	fields := o.Op.Body.Fields[:2]
	var calls []judge.Call
	for _, f := range fields {
		text := t.OrdinaryValue(f, 0)
		if last, ok := o.Last(f.Name); ok && len(f.Enum) > 0 && text == last {
			text = t.OrdinaryValue(f, 1)
		}
		calls = append(calls, judge.Call{
			Op: o.Op, Object: o, As: t.Known().Owner(), Body: oracle.ObjectBody(o.Op.Body, map[string]any{f.Name: text}), Loose: true,
		})
	}
	all := judge.FieldNames(o.Op)
	if !t.Known().Readable(o.Op, "", all) && !t.Known().Mode(o.Op, fields[0].Name).KeepsAll(all[1:]) {
		t.Test.NotTested(judge.ByTarget, "the target was not seen to keep omitted fields")
		return
	}
	answers := t.SendTogether(calls...)
	for _, a := range answers {
		t.judge(a, judge.Expect{Success: true, Statuses: []int{400, 409, 422}, Clause: o.Op.Clause})
	}
	o.Uncertain = true // which one came last is unknown
	t.Known().Followed(o, false)
	if len(t.Read(o)) == 0 || !answers[0].OK || !answers[1].OK {
		t.Test.NotTested(judge.ByTarget, "the target shows no way to read the object back")
		return
	}
	t.Test.Covered("OPEN-7")
	choice := "both get their way"
	for i, f := range fields {
		want := calls[i].Body.Fields[f.Name]
		if got, _ := o.Last(f.Name); !oracle.Equal(f, want, got) {
			choice = "one overwrites the other"
			t.Test.FindIn(answers[i].Exchange, "concurrent-writers", judge.Finding{
				Clause: "OPEN-7", Pointer: judge.Pointer(o.Op, o.Op.Representation().Field(f.Meaning)),
				Expected: f.Name + " " + oracle.Show(want) + " beside the other writer's field",
				Got:      oracle.Show(got) + "; this hangs on timing, another run may not see it",
			})
		}
	}
	t.Test.Observe("concurrent-writers", choice)
}
