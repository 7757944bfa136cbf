package selftest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// tried is the report of a run against a fault, or the reference where it is nil.
func tried(t *testing.T, contract *spec.Contract, f *faults.Fault, change func(*suites.Config)) *report.Report {
	t.Helper()
	tr := trial{fault: f}
	if f == nil {
		tr = trial{variant: &faults.Variant{ID: "none"}}
	}
	s, err := (&Options{}).serve(t.Context(), contract, tr)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	change(s.config)
	r, err := suites.Execute(t.Context(), s.config)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A notice that hangs on timing says so, and no exit code hangs on it.
func TestWhatHangsOnTimingFailsNoRun(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	of := func(clause string) *faults.Fault {
		all := faults.All(contract)
		return &all[slices.IndexFunc(all, func(f faults.Fault) bool { return f.Clause == clause })]
	}
	strict := func(c *suites.Config) { c.Strict = true }
	r := tried(t, contract, of("OPEN-7"), strict)
	if len(r.Findings) == 0 || r.ExitCode != report.ExitConforming {
		t.Errorf("%d findings, exit code %d: %s", len(r.Findings), r.ExitCode, r.Reason)
	}
	for _, f := range r.Findings {
		if f.Clause != "OPEN-7" || !f.Timing || !strings.Contains(report.Sentence(&f), "hangs on timing") {
			t.Errorf("%s: %+v", report.Sentence(&f), f)
		}
	}
	if r := tried(t, contract, of("OPEN-1"), strict); r.ExitCode != report.ExitNonconforming {
		t.Errorf("another notice, strictly: exit code %d: %s", r.ExitCode, r.Reason)
	}
	var known baseline.Baseline
	for _, f := range r.Findings {
		known.Entries = append(known.Entries, &baseline.Entry{Cause: f.Cause(), Reason: "known", Expires: baseline.Date{Time: time.Now().AddDate(1, 0, 0)}})
	}
	again := tried(t, contract, nil, func(c *suites.Config) { c.Strict, c.Baseline = true, &known })
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
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	v := slices.IndexFunc(faults.Variants(), func(v faults.Variant) bool { return v.ID == "required/only-field" })
	if v < 0 {
		t.Fatal("no such variant")
	}
	r, _ := recorded(t, contract, trial{variant: &faults.Variants()[v]})
	for _, f := range r.Findings {
		t.Errorf("check: %s", report.Sentence(&f))
	}
	s, err := (&Options{}).serve(t.Context(), contract, trial{variant: &faults.Variants()[v]})
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	run, err := suites.Execute(t.Context(), s.config)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(run.Findings, func(f oracle.Finding) bool { return f.Clause == "OPEN-1" }) || run.Verdict != report.Conforming {
		t.Errorf("%s: %+v", run.Reason, run.Findings)
	}
}
