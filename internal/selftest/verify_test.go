package selftest

import (
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/verify"
)

// What a run reports follows from what it recorded, whatever the server does.
func TestHonestReportsAreVerified(t *testing.T) {
	o := Options{Faults: true, Variants: true}
	for _, tr := range o.trials(reftest.Contract(t)) {
		if tr.variant != nil && !sampled(tr.id(), 1) || tr.fault != nil && !sampled(tr.id(), 20) {
			continue
		}
		t.Run(tr.id(), func(t *testing.T) {
			t.Parallel()
			verified(t, tr)
		})
	}
}

func verified(t *testing.T, tr trial, change ...func(*suites.Config)) {
	t.Helper()
	change = append(slices.Clone(change), func(c *suites.Config) { c.Exchanges, c.Mark = true, suites.NewMark() })
	r := ran(t, serving(t, tr), change...)
	dir := t.TempDir()
	if err := report.WriteDir(dir, r); err != nil {
		t.Fatal(err)
	}
	found, err := verify.Report(dir)
	if err != nil {
		t.Fatal(err)
	}
	if found.Status == verify.Unknown && strings.Contains(found.Reasons[0], "got lost first") {
		return // which of several workers saw it first is not recorded
	}
	if found.Status != verify.Verified {
		t.Errorf("%s (%s): %s: %q", r.Verdict, r.Reason, found.Status, found.Reasons[:min(len(found.Reasons), 5)])
	}
}
