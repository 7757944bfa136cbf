package suites_test

import (
	"slices"
	"testing"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// knowTheirChecks fails the test where a finding does not name a check that can find
// its clause, or where the list of findings leaves out a case that has it.
func knowTheirChecks(t *testing.T, r *report.Report) {
	t.Helper()
	checks := slices.Concat(oracle.Checks(), judge.Checks)
	cases := map[oracle.Cause][]string{}
	for _, res := range r.Results {
		for i := range res.Findings {
			f := &res.Findings[i]
			cause := f.Cause()
			if !slices.Contains(cases[cause], f.Case) {
				cases[cause] = append(cases[cause], f.Case)
			}
			at := slices.IndexFunc(checks, func(c oracle.Check) bool { return c.ID == f.Check })
			if at < 0 || !slices.Contains(checks[at].Clauses, f.Clause) {
				t.Errorf("%s in %s: check %q is none that finds its clause", f.Clause, f.Case, f.Check)
			}
			if f.ID != cause.ID() || f.Case != res.ID {
				t.Errorf("%s in %s: id %q, case %q", cause, res.ID, f.ID, f.Case)
			}
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if want := cases[f.Cause()]; f.Case != f.Cases[0] || !slices.Equal(f.Cases, want) {
			t.Errorf("%s: cases %q, want %q", f.Cause(), f.Cases, want)
		}
	}
	if len(r.Findings) != len(cases) {
		t.Errorf("%d findings of %d causes", len(r.Findings), len(cases))
	}
}
