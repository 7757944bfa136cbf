package selftest

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// What a variant chose is written into its target file, and judged in another run: it
// chooses the same, and is as conforming as before.
func TestWhatIsPinnedStaysConforming(t *testing.T) {
	contract := loaded(t)
	o := Options{Variants: true}
	if testing.Short() {
		o.Only = regexp.MustCompile(`^(choice|list|path|missing|delete)/[a-h]|^value/trimmed$`)
	}
	pinned := map[string]int{}
	trials := o.trials(contract)
	for _, trial := range trials {
		first, _ := runOnce(t, o, trial, nil)
		pins := fixtures.Pins{}
		for _, p := range report.Pins(first, contract) {
			if p.Value != nil {
				pins[p.Key] = p.Value
				pinned[p.Key]++
			}
		}
		again, target := runOnce(t, o, trial, pins)
		if again.Verdict != report.Conforming || again.Level != first.Level || len(again.Findings) != len(first.Findings) {
			t.Errorf("%s with %v: %s; before: %s\n%+v", trial.id(), pins, report.VerdictLine(again), report.VerdictLine(first), again.Findings)
		}
		if left := report.Pins(again, contract); len(pins) == 0 || len(left) > len(report.Pins(first, contract))-len(pins) {
			t.Errorf("%s: %d pins, and then %+v is left, %v", trial.id(), len(pins), left, target.Open)
		}
	}
	if len(trials) < 8 || pinned["malformedID"] < len(trials)/2 || pinned["unknownFields"] == 0 || pinned["dateFormat"] == 0 {
		t.Errorf("%d variants, pinned %v", len(trials), pinned)
	}
}

// runOnce runs the suite against a trial whose target file pins what it did and more.
func runOnce(t *testing.T, o Options, trial trial, more fixtures.Pins) (*report.Report, *fixtures.Target) {
	t.Helper()
	s, err := o.serve(t.Context(), loaded(t), trial)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	if len(more) > 0 {
		var file bytes.Buffer
		if err := fixtures.WriteTarget(&file, s.config.Target, fixtures.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		text, edits, err := fixtures.AddPins(file.Bytes(), "target.yaml", more)
		if err != nil || len(edits) != len(more) {
			t.Fatalf("%s: %d edits, %v", trial.id(), len(edits), err)
		}
		if s.config.Target, err = fixtures.Parse(text, "target.yaml", nil); err != nil {
			t.Fatal(err)
		}
	}
	r, err := suites.Execute(t.Context(), s.config)
	if err != nil {
		t.Fatal(err)
	}
	return r, s.config.Target
}
