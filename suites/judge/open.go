package judge

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Observe notes what the target chose at an open point. A choice that the
// target file pins otherwise is a finding with the weight of a stated clause.
func (t *Test) Observe(point, choice string) {
	if t.Model.Contract.OpenPoint(point) == nil {
		panic(fmt.Sprintf("case %s observes %q, which is not in open.yaml", t.Case.ID, point))
	}
	if choice == "" {
		return
	}
	field := ""
	if point == t.Case.Open {
		field = t.Case.Field
	}
	t.observeOf(field, point, choice)
}

// observeOf is Observe for a field of the body.
func (t *Test) observeOf(field, point, choice string) {
	choice = t.Model.choice(choice)
	t.Model.Outcome.Observe(point, choice, t.about("PIN-1"), field)
	t.judgePin(point, choice)
}

// judgePin compares a choice with what the target file pins.
func (t *Test) judgePin(point, choice string) {
	pin := t.Model.Contract.OpenPoint(point).Pin
	want, pinned := t.Model.Target.Open[pin]
	if pin == "" || !pinned || pin == "pageParameter" {
		return
	}
	t.Covered("PIN-1")
	if !AsPinned(want, choice) {
		t.Find("pinned", Finding{
			Clause: "PIN-1", Pointer: "open:" + point, Expected: fmt.Sprintf("%v, as the target file pins %s", want, pin), Got: choice,
		})
	}
}

// AsPinned says whether a choice is what a pin says. A choice is the word or number of a
// pin, or begins with it: 404 Not Found, refused (422). A field that is accepted and
// unknown is ignored; the names of forms are RFC 3339 and rfc3339 alike.
func AsPinned(pin any, choice string) bool {
	want := pinWord(fmt.Sprint(pin))
	if want == "ignored" {
		want = "accepted"
	}
	first, _, _ := strings.Cut(choice, " ")
	return pinWord(choice) == want || pinWord(first) == want
}

func pinWord(text string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(text))
}

// consistent are the open points at which a target that decides differently
// from operation to operation gets a notice.
var consistent = map[string]bool{
	"success-status": true, "empty-object": true, "empty-body": true, "unknown-fields": true,
	"malformed-id": true, "required-fields": true, "trailing-text": true, "omitted-fields": true, "related-field-form": true,
}

// JudgeConsistency gives a notice for each open point that the target decides
// differently in different operations.
func (t *Test) JudgeConsistency() {
	for _, o := range t.Model.Outcome.Observations() {
		byOperation := t.comparable(o)
		if !consistent[o.Point] || len(byOperation) < 2 {
			continue
		}
		t.Covered("OPEN-1")
		groups := map[string]bool{}
		var parts []string
		for _, op := range slices.Sorted(maps.Keys(byOperation)) {
			choices := strings.Join(byOperation[op], " and ")
			if !groups[choices] {
				groups[choices] = true
				parts = append(parts, choices+" in "+strings.Join(alike(byOperation, choices), ", "))
			}
		}
		if len(groups) < 2 {
			continue
		}
		sort.Strings(parts)
		t.Find("consistent", Finding{
			Clause: "OPEN-1", Operation: "all", Pointer: "open:" + o.Point,
			Expected: "the same choice in every operation: " + t.Model.Contract.OpenPoint(o.Point).Question,
			Got:      strings.Join(parts, "; "),
		})
	}
}

// alike are the operations that made these choices.
func alike(byOperation map[string][]string, choices string) []string {
	other := func(op string) bool { return strings.Join(byOperation[op], " and ") != choices }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(byOperation)), other)
}

// comparable are the choices by operation, without those of which another than
// elsewhere is no inconsistency: an update of one field that is required refuses a
// body without it, whatever updates of several fields do, and the status of a read is
// not that of an update.
func (t *Test) comparable(o *Observation) map[string][]string {
	byOperation := map[string][]string{}
	for _, choice := range o.Choices() {
		for id := range o.Seen[choice] {
			op := t.Model.Contract.Operation(id)
			single := op != nil && op.Body != nil && len(op.Body.Fields) == 1
			if o.Point == "success-status" && op != nil && !op.Updates() {
				continue
			}
			if single && withoutFields[o.Point] && strings.HasPrefix(choice, "refused") {
				continue
			}
			byOperation[id] = append(byOperation[id], choice)
		}
	}
	return byOperation
}

// withoutFields are the open points at which a body sets no field.
var withoutFields = map[string]bool{"empty-object": true, "empty-body": true}
