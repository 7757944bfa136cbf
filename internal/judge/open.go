package judge

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Observe notes what the target chose at an open point. If the target file pins another choice, that is a violation.
func (t *Test) Observe(point string, choice spec.Choice) {
	field := ""
	if point == t.Case.Open {
		field = t.Case.Field
	}
	t.observeOf(field, point, choice)
}

// observeOf is like Observe, for a field of the body.
func (t *Test) observeOf(field, point string, choice spec.Choice) {
	p := t.Contract.OpenPoint(point)
	switch {
	case p == nil:
		panic(fmt.Sprintf("case %s observes %q, which is not in open.yaml", t.Case.ID, point))
	case choice == "":
		return
	}
	text := t.Presentable(string(choice)) // part of it may be the target's
	choice = spec.Choice(wording.ClipWords(text, maxChoice))
	t.Outcome.observe(point, choice, t.about("PIN-1"), field, t.Case.Probe)
	want, pinned := t.Target.Open[p.Pin]
	if !p.Judged() || !pinned {
		return
	}
	t.Covered("PIN-1")
	if !p.AsPinned(want, choice) {
		t.Find(CheckPinned, Finding{
			Clause: "PIN-1", Pointer: "open:" + point,
			Expected: fmt.Sprintf("%v, as the target file pins %s", want, p.Pin), Got: string(choice),
		})
	}
}

const maxChoice = 200 // characters

// ObserveNull notes whether a null that was sent for a field was refused, accepted or ignored, and if the object held a
// value before, whether the null unset it.
func (t *Test) ObserveNull(point string, f *spec.Field, before any, a *Answer) {
	choice := a.Acceptance()
	if a.Shown == nil {
		t.Observe(point, choice)
		return
	}
	shown := a.Call.Op.Representation().Field(f.Meaning)
	if wasSet := shown != nil && before != nil; wasSet && choice.Is(spec.Accepted) {
		unsets := spec.Reset
		switch got := a.Shown[shown.Name]; {
		case got == nil:
			unsets = spec.Unset
		case oracle.Equal(f, before, got):
			choice = spec.Ignored
			unsets = spec.Kept
		}
		t.observeOf(f.Name, "null-unsets", unsets)
	}
	t.Observe(point, choice)
}

// JudgeConsistency gives a notice for each open point that operations decide differently for the same probe. It does
// not judge a selection: the other cases may have shown that each operation decides both ways.
func (t *Test) JudgeConsistency() {
	if t.Selected {
		return
	}
	for _, o := range t.Outcome.Observations() {
		p := t.Contract.OpenPoint(o.Point)
		for _, probe := range sortedKeys(o.probes) {
			operations := map[string][]string{} // by what they chose
			n := 0
			for _, id := range sortedKeys(o.probes[probe]) {
				if choices := t.comparable(p, id, o.probes[probe][id]); choices != "" {
					operations[choices] = append(operations[choices], id)
					n++
				}
			}
			t.CoveredIf(n > 1, "OPEN-1")
			if len(operations) < 2 {
				continue
			}
			var parts []string
			for _, choices := range sortedKeys(operations) {
				parts = append(parts, choices+" in "+strings.Join(operations[choices], ", "))
			}
			got := strings.Join(parts, "; ")
			if probe != "" {
				got += " (" + probe + ")"
			}
			t.Find(CheckConsistent, Finding{
				Clause: "OPEN-1", Operation: "all", Pointer: "open:" + p.ID,
				Expected: "the same choice in every operation (" + p.Question + ")", Got: got,
			})
			break
		}
	}
}

// comparable returns the choices of an operation that other operations have to make, too, or "".
func (t *Test) comparable(p *spec.OpenPoint, operation string, chosen map[spec.Choice]bool) string {
	op := t.Contract.Operation(operation)
	isUpdate := op == nil || op.Updates()
	switch {
	case p.Alike == "", p.Alike == spec.InUpdates && !isUpdate:
		return ""
	}
	refuses := p.Alike == spec.InLoosening && t.needsFields(op)
	var words []string
	for choice := range chosen {
		if !refuses || !choice.Is(spec.Refused) {
			words = append(words, string(choice))
		}
	}
	return strings.Join(Sorted(words), " and ")
}

// needsFields reports whether an operation refuses a body without some of its fields, as far as is known.
func (t *Test) needsFields(op *spec.Operation) bool {
	if op == nil || op.Body == nil {
		return false
	}
	if o := t.Outcome.observed["required-fields"]; o != nil {
		for choice := range o.probes[""][op.ID] {
			if choice != spec.NoField {
				return true
			}
		}
	}
	return len(op.Body.Fields) == 1
}

// noteDates notes the forms of the dates in an answer, for JudgeForms.
func (t *Test) noteDates(c *Call, a *Answer) {
	switch {
	case !a.OK, !c.isDeclared(), c.Op.Representation() == nil:
		return
	}
	items := []map[string]any{a.Shown}
	if list := PageOf(c.Op, a.Value); list != nil {
		items = list.Items
	}
	for _, item := range items {
		for _, f := range c.Op.Representation().Fields {
			if !f.Date { // a cheap test, unlike that of the form
				continue
			}
			if date, ok := oracle.ReadMoment(item[f.Name]); ok {
				t.observeOf(f.Name, "date-format", spec.Choice(date.Form))
				t.Result.dates++
				t.CoveredIf(t.Result.dates > 1, "OPEN-2") // one date has one form
			}
		}
	}
}

// JudgeForms gives a notice if dates have more than one form.
func (t *Test) JudgeForms() {
	o := t.Outcome.observed["date-format"]
	if o == nil || len(o.At) < 2 {
		return
	}
	var seen []string
	for _, form := range o.Choices() {
		seen = append(seen, string(form)+" in "+wording.Some(sortedKeys(o.At[form]), 3))
	}
	t.Find(CheckDateForm, Finding{
		Clause: "OPEN-2", Operation: "all", Pointer: "open:date-format",
		Expected: "one date form", Got: strings.Join(seen, "; "),
	})
}
