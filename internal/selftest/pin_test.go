package selftest

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// What a variant chose is pasted into its target file, and judged in another run: it
// chooses the same, and is as conforming as before.
func TestWhatIsPinnedStaysConforming(t *testing.T) {
	contract := reftest.Contract(t)
	o := Options{Variants: true}
	if testing.Short() {
		o.Only = regexp.MustCompile(`^(list/beyond-404|value/trimmed)$`)
	}
	pinned := map[string]int{}
	trials := slices.DeleteFunc(o.trials(contract), func(tr trial) bool { return !testing.Short() && !sampled(tr.id(), 1) })
	_, err := Map(t.Context(), 0, trials, func(ctx context.Context, trial trial) (fixtures.Pins, error) {
		first, err := o.runOnce(ctx, contract, trial, nil)
		if err != nil {
			return nil, err
		}
		pins := pinsOf(t, first)
		again, err := o.runOnce(ctx, contract, trial, pins)
		if err != nil {
			return nil, err
		}
		if again.Verdict != report.Conforming || again.Level != first.Level || len(again.Findings) != len(first.Findings) {
			t.Errorf("%s with %v: %s; before: %s\n%+v", trial.id(), pins, report.VerdictLine(again), report.VerdictLine(first), again.Findings)
		}
		if left := pinsOf(t, again); len(pins) == 0 || len(left) > 0 {
			t.Errorf("%s: %d pins, and then %v is left", trial.id(), len(pins), left)
		}
		return pins, nil
	}, func(_, _ int, pins fixtures.Pins) {
		for key := range pins {
			pinned[key]++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) < reftest.Of(8, 2) || pinned["malformedID"] < len(trials)/2 || pinned["unknownFields"] == 0 || pinned["dateFormat"] == 0 {
		t.Errorf("%d variants, pinned %v", len(trials), pinned)
	}
}

// pinsOf are the lines that a report gives to be pasted.
func pinsOf(t *testing.T, r *report.Report) fixtures.Pins {
	t.Helper()
	pins := fixtures.Pins{}
	if err := yaml.Unmarshal([]byte(report.PinBlock(r)), &pins); err != nil {
		t.Errorf("%v in\n%s", err, report.PinBlock(r))
	}
	return pins
}

// runOnce runs the suite against a trial whose target file pins what it did and more.
func (o *Options) runOnce(ctx context.Context, contract *spec.Contract, trial trial, more fixtures.Pins) (*report.Report, error) {
	s, err := o.serve(ctx, contract, trial)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if len(more) > 0 {
		target := s.config.Target
		target.Open = maps.Clone(target.Open)
		if target.Open == nil {
			target.Open = fixtures.Pins{}
		}
		maps.Copy(target.Open, more)
		var file bytes.Buffer
		if err := fixtures.WriteTarget(&file, target); err != nil {
			return nil, err
		}
		if s.config.Target, err = fixtures.Parse(file.Bytes(), "target.yaml", nil); err != nil {
			return nil, err
		}
	}
	return suites.Execute(ctx, s.config)
}
