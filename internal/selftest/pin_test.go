package selftest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// What a variant chose is written into its target file, and judged in another run: it
// chooses the same, and is as conforming as before.
func TestWhatIsPinnedStaysConforming(t *testing.T) {
	contract := reftest.Contract(t)
	o := Options{Variants: true}
	if testing.Short() {
		o.Only = regexp.MustCompile(`^(list/beyond-404|value/trimmed)$`)
	}
	pinned := map[string]int{}
	trials := slices.DeleteFunc(o.trials(contract), func(tr trial) bool { return !testing.Short() && !sampled(tr.id(), 1) })
	_, err := parallel.Map(t.Context(), 0, trials, func(ctx context.Context, trial trial) (fixtures.Pins, error) {
		first, err := o.runOnce(ctx, contract, trial, nil)
		if err != nil {
			return nil, err
		}
		given, pins := fixtures.Pins(trial.variant.Pins), fixtures.Pins{}
		for _, p := range report.Pins(first, contract, given) {
			if p.Value != nil {
				pins[p.Key] = p.Value
			}
		}
		again, err := o.runOnce(ctx, contract, trial, pins)
		if err != nil {
			return nil, err
		}
		if again.Verdict != report.Conforming || again.Level != first.Level || len(again.Findings) != len(first.Findings) {
			t.Errorf("%s with %v: %s; before: %s\n%+v", trial.id(), pins, report.VerdictLine(again), report.VerdictLine(first), again.Findings)
		}
		by := maps.Clone(pins)
		maps.Copy(by, given)
		left := slices.DeleteFunc(report.Pins(again, contract, by), func(p report.Pin) bool {
			return strings.HasPrefix(p.Left, "the file pins it as ")
		})
		if len(pins) == 0 || len(left) > len(report.Pins(first, contract, given))-len(pins) {
			t.Errorf("%s: %d pins, and then %+v is left", trial.id(), len(pins), left)
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

// runOnce runs the suite against a trial whose target file pins what it did and more.
func (o *Options) runOnce(ctx context.Context, contract *spec.Contract, trial trial, more fixtures.Pins) (*report.Report, error) {
	s, err := o.serve(ctx, contract, trial)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if len(more) > 0 {
		var file bytes.Buffer
		if err := fixtures.WriteTarget(&file, s.config.Target, fixtures.WriteOptions{}); err != nil {
			return nil, err
		}
		text, edits, err := fixtures.AddPins(file.Bytes(), "target.yaml", more)
		if err != nil || len(edits) != len(more) {
			return nil, fmt.Errorf("%s: %d edits, %w", trial.id(), len(edits), err)
		}
		if s.config.Target, err = fixtures.Parse(text, "target.yaml", nil); err != nil {
			return nil, err
		}
	}
	return suites.Execute(ctx, s.config)
}
