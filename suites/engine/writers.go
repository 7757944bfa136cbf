package engine

import "github.com/adconform/adconform/suites/oracle"

// TwoWriters updates two different fields of one object at the same instant.
// Where the target keeps omitted fields both values should be there afterwards;
// the document does not say so, so it is a notice.
func (t *T) TwoWriters(o *Object) {
	fields := o.Op.Body.Fields[:2]
	var calls []Call
	for _, f := range fields {
		value := t.OrdinaryValue(f, 0)
		if last, ok := o.Last(f.Name); ok && len(f.Enum) > 0 && value == last {
			value = t.OrdinaryValue(f, 1)
		}
		calls = append(calls, Call{
			Op: o.Op, Object: o, As: t.Test.Model.Owner(), Body: ObjectBody(o.Op.Body, map[string]any{f.Name: value}), Loose: true,
		})
	}
	all := fieldNames(o.Op)
	if !t.Test.readable(o.Op, "", all) && !t.Test.Model.mode(o.Op, fields[0].Name).keepsAll(all[1:]) {
		t.Test.NotTested(ByTarget, "the target was not seen to keep omitted fields")
		return
	}
	answers := t.SendTogether(calls...)
	for _, a := range answers {
		t.judge(a, Expect{Success: true, Statuses: []int{400, 409, 422}, Clause: o.Op.Clause})
	}
	o.uncertain = true // which one came last is unknown
	t.Test.followed(o, false)
	if len(t.Read(o)) == 0 || !answers[0].OK || !answers[1].OK {
		t.Test.NotTested(ByTarget, "the target shows no way to read the object back")
		return
	}
	t.Test.covered("OPEN-7")
	choice := "both get their way"
	for i, f := range fields {
		want := calls[i].Body.Fields[f.Name]
		if got, _ := o.Last(f.Name); !oracle.Equal(f, want, got) {
			choice = "one overwrites the other"
			t.Test.find("concurrent-writers", Finding{
				Clause: "OPEN-7", Pointer: pointer(o.Op, o.Op.Representation().Field(f.Meaning)), Expected: f.Name + " " + Show(want) + " beside the other writer's field", Got: Show(got) + "; this hangs on timing, another run may not see it", Curl: answers[i].Exchange.Curl(), Exchange: answers[i].Exchange.Seq,
			})
		}
	}
	t.Test.Observe("concurrent-writers", choice)
}

func (m *mode) keepsAll(fields []string) bool {
	for _, f := range fields {
		if !m.keeps(f) {
			return false
		}
	}
	return true
}
