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

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
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
	_, err := inParallel(t.Context(), trials, func(ctx context.Context, trial trial) (fixtures.Pins, error) {
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
	noError(t, err)
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

// withoutObjects is what is tested of a target that is given by its URL.
func withoutObjects(t *fixtures.Target) {
	t.Objects, t.Foreign = fixtures.Objects{}, fixtures.Foreign{}
}

// What needs no objects is judged as with them: a key that identifies nobody has two
// faults where the id is unknown too, and no variant is flagged.
func TestWithoutObjectsNoVariantIsFlagged(t *testing.T) {
	o := Options{Variants: true, Target: withoutObjects}
	if testing.Short() {
		o.Only = regexp.MustCompile(`^(auth/(key-as|missing-before)|path/malformed-id-400|wire/(429-often|reversed|etag$|http-1.0))`)
	}
	r := run(t, o)
	for _, v := range r.Outcomes {
		if len(v.Findings) != 1 || v.Requests < 80 { // the one is its headline
			t.Errorf("%s: %d requests, %q", v.ID, v.Requests, v.Findings)
		}
	}
}

// Refusals are judged without objects, too. What hangs on them is not: whoever takes a
// wrong key for a right one answers 404, as who looks at the id first does.
func TestWithoutObjectsFaultsAreFound(t *testing.T) {
	o := only(`^(auth/no-key/updateCampaign|updateCampaign/401/(status-(200|403|404|500)|body-html|error.issues-dropped)|` +
		`updateConnectionProfileRuleHost/404/(status-400|error-dropped)|deleteCreative/404/status-(200|403))$`)
	o.Target, o.Variants = withoutObjects, false
	r := run(t, o)
	for _, f := range r.Outcomes {
		open := f.ID == "updateCampaign/401/status-404" || f.ID == "auth/no-key/updateCampaign"
		if (f.Verdict == Caught) == open {
			t.Errorf("%s: %s, %q", f.ID, f.Verdict, f.Findings)
		}
	}
	if len(r.Outcomes) != 11 {
		t.Errorf("%d faults", len(r.Outcomes))
	}
}

// What a run finds does not hang on how many cases are under way at once.
func TestWorkersChangeNothing(t *testing.T) {
	var ids []string
	for _, f := range faults.All(reftest.Contract(t)) {
		if faults.Sampled(f.ID, min(scarce(250), 1600)) {
			ids = append(ids, regexp.QuoteMeta(f.ID))
		}
	}
	for _, v := range faults.Variants() {
		if faults.Sampled(v.ID, min(scarce(25), 400)) {
			ids = append(ids, regexp.QuoteMeta(v.ID))
		}
	}
	o := only("^(" + strings.Join(ids, "|") + ")$")
	said := func(workers int) (lines []string) {
		o.Target = func(t *fixtures.Target) { t.Limits.Concurrency = workers }
		for _, outcome := range run(t, o).Outcomes {
			lines = append(lines, fmt.Sprint(outcome.ID, outcome.Verdict, outcome.Findings, outcome.Unshown))
		}
		return lines
	}
	one, many := said(1), said(16)
	if !slices.Equal(one, many) {
		t.Errorf("one by one: %q\nwith 16 workers: %q", one, many)
	}
}

// What a run found in a case shows again when the case is sent again to a
// server with the same fault, and not to one without.
func TestReplayTellsStillFailingFromFixed(t *testing.T) {
	replayed := 0
	for _, f := range faults.All(reftest.Contract(t)) { // some three thousand
		if !faults.Sampled(f.ID, min(scarce(400), 1600)) {
			continue
		}
		var failed []report.Case
		for _, c := range ran(t, serving(t, trial{fault: &f})).Results {
			if c.Status == judge.Failed && len(failed) < 2 {
				failed = append(failed, c)
			}
		}
		for s, want := range map[*served]suites.ReplayStatus{
			serving(t, trial{fault: &f}): suites.StillFailing, serving(t, trial{}): suites.Fixed,
		} {
			all, err := suites.Replay(t.Context(), s.config, failed)
			noError(t, err)
			for _, got := range all {
				replayed++
				if got.Status != want {
					t.Errorf("%s: %s is %s after %d tries, not %s: %s", f.ID, got.Case, got.Status, got.Tries, want, got.Reason)
				}
			}
		}
	}
	if replayed*scarce(1) < 10 {
		t.Errorf("only %d cases were replayed", replayed)
	}
}
