package selftest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// A notice that depends on timing says so, and no exit code depends on it.
func TestWhatDependsOnTimingFailsNoRun(t *testing.T) {
	of := func(clause string) *served {
		all := faults.All(reftest.Contract(t))
		return serving(t, trial{fault: &all[slices.IndexFunc(all, func(f faults.Fault) bool { return f.Clause == clause })]})
	}
	strict := func(c *suites.Config) { c.Bases = spec.Bases() }
	r := ran(t, of("OPEN-7"), strict)
	if len(r.Findings) == 0 || r.ExitCode != report.ExitConforming {
		t.Errorf("%d findings, exit code %d: %s", len(r.Findings), r.ExitCode, r.Reason)
	}
	for _, f := range r.Findings {
		if f.Clause != "OPEN-7" || !f.Timing || !strings.Contains(report.Sentence(&f), "hangs on timing") {
			t.Errorf("%s: %+v", report.Sentence(&f), f)
		}
	}
	if r := ran(t, of("OPEN-1"), strict); r.ExitCode != report.ExitNonconforming {
		t.Errorf("another notice, strictly: exit code %d: %s", r.ExitCode, r.Reason)
	}
	var accepted suites.Baseline
	for _, f := range r.Findings {
		nextYear := suites.Date{Time: time.Now().AddDate(1, 0, 0)}
		accepted.Entries = append(accepted.Entries, &suites.Entry{Cause: f.Cause(), Reason: "known", Expires: nextYear})
	}
	again := ran(t, serving(t, trial{}), strict, known(&accepted))
	if again.ExitCode != report.ExitConforming || len(again.Baseline.Stale) > 0 {
		t.Errorf("not seen again: exit code %d: %s", again.ExitCode, again.Reason)
	}
	before, after := *r, *again
	before.Clauses, after.Clauses = slices.Clone(r.Clauses), slices.Clone(again.Clauses)
	for i := range after.Clauses {
		if after.Clauses[i].ID == "OPEN-7" {
			after.Clauses[i].Status = report.NotTested
		}
	}
	if d := report.Compare(&before, &after); d.Worse() {
		t.Errorf("worse: %v", d.Untested())
	}
}

// {} that is refused where the only field is required is no inconsistency.
func TestOneRequiredFieldIsNoInconsistency(t *testing.T) {
	all := faults.Variants()
	v := slices.IndexFunc(all, func(v faults.Variant) bool { return v.ID == "required/only-field" })
	if v < 0 {
		t.Fatal("no such variant")
	}
	r, run := checked(t, trial{variant: &all[v]})
	for _, f := range r.Findings {
		t.Errorf("check: %s", report.Sentence(&f))
	}
	of := func(f oracle.Finding) bool { return f.Clause == "OPEN-1" }
	if slices.ContainsFunc(run.Findings, of) || run.Verdict != report.Conforming {
		t.Errorf("%s: %+v", run.Reason, run.Findings)
	}
}
