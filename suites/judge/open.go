package judge

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
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
	t.Model.Outcome.observe(point, choice, t.about("PIN-1"), field, t.Case.Probe)
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
		t.Find(CheckPinned, Finding{
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
	"malformed-id": true, "trailing-text": true, "omitted-fields": true, "related-field-form": true,
}

// JudgeConsistency gives a notice for each open point that the target decides
// differently in different operations. Of a selection it says nothing: what was left out may
// have shown that each operation decides both ways.
func (t *Test) JudgeConsistency() {
	if t.Model.selected {
		return
	}
	for _, o := range t.Model.Outcome.Observations() {
		if consistent[o.Point] {
			t.judgeConsistent(o)
		}
	}
}

// judgeConsistent compares what operations chose where they were sent the same, up to the first
// difference.
func (t *Test) judgeConsistent(o *Observation) {
	for _, probe := range sortedKeys(o.probes) {
		byOperation := t.comparable(o.Point, o.probes[probe])
		if len(byOperation) < 2 {
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
		of := ""
		if probe != "" {
			of = " (" + probe + ")"
		}
		t.Find(CheckConsistent, Finding{
			Clause: "OPEN-1", Operation: "all", Pointer: "open:" + o.Point,
			Expected: "the same choice in every operation: " + t.Model.Contract.OpenPoint(o.Point).Question,
			Got:      strings.Join(parts, "; ") + of,
		})
		return
	}
}

// alike are the operations that made these choices.
func alike(byOperation map[string][]string, choices string) []string {
	other := func(op string) bool { return strings.Join(byOperation[op], " and ") != choices }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(byOperation)), other)
}

// comparable are the choices by operation, without those of which another than
// elsewhere is no inconsistency: an update that requires a field refuses a body without it,
// whatever others do, and the status of a read is not that of an update.
func (t *Test) comparable(point string, chosen map[string][]string) map[string][]string {
	byOperation := map[string][]string{}
	for id, choices := range chosen {
		op := t.Model.Contract.Operation(id)
		requires := op != nil && op.Body != nil && (len(op.Body.Fields) == 1 || t.Model.Outcome.requires(id))
		if point == "success-status" && op != nil && !op.Updates() {
			continue
		}
		for _, choice := range choices {
			if !requires || !withoutFields[point] || !strings.HasPrefix(choice, "refused") {
				byOperation[id] = append(byOperation[id], choice)
			}
		}
	}
	return byOperation
}

// requires says whether an update was seen to require a field.
func (b *Outcome) requires(operation string) bool {
	o := b.observed["required-fields"]
	return o != nil && slices.ContainsFunc(o.probes[""][operation], func(choice string) bool { return choice != "none" })
}

// withoutFields are the open points at which a body sets no field.
var withoutFields = map[string]bool{"empty-object": true, "empty-body": true}

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
		if t.Result.dates++; t.Result.dates > 1 { // one date has one form
			t.Covered("OPEN-2")
		}
		t.Model.Outcome.noteForm(form, &DateForm{
			Seen:    fmt.Sprintf("%s in %s", oracle.Show(shown[f.Name]), t.Case.Operation.ID),
			Pointer: "/" + f.Name, result: t.Result,
		})
	}
}

// JudgeForms gives a notice for each form of dates beside the first one.
func (t *Test) JudgeForms() {
	forms := t.Model.Outcome.Forms()
	for i, f := range forms {
		if i == 0 || f.told {
			continue
		}
		f.told = true
		at := *t
		at.Case, at.Result, at.answering, at.shown = f.result.Case, f.result, nil, nil
		at.Find(CheckDateForm, Finding{
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

// DateForm is where a form of dates was seen first.
type DateForm struct {
	Seen    string // the date and the operation, in words
	Pointer string
	result  *Result
	told    bool
	turn    int // among those of one case
}

// noteForm notes where a form of dates was seen.
func (b *Outcome) noteForm(form string, f *DateForm) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.turn = f.result.dates
	if first := b.forms[form]; first == nil || f.result.Case.Place < first.result.Case.Place {
		b.forms[form] = f
	}
}

// Forms are the forms of dates, in the order of the plan.
func (b *Outcome) Forms() []*DateForm {
	var all []*DateForm
	for _, form := range slices.Sorted(maps.Keys(b.forms)) {
		all = append(all, b.forms[form])
	}
	slices.SortFunc(all, func(x, y *DateForm) int {
		return cmp.Or(x.result.Case.Place-y.result.Case.Place, x.turn-y.turn)
	})
	return all
}
