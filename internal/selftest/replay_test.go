package selftest

import (
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

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
			if err != nil {
				t.Fatal(err)
			}
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
