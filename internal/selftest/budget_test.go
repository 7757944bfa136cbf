package selftest

import (
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
)

// TestABudgetFindsWhatHurts: 60 requests find most of what is seeded, what is critical
// among it, and flag no variant: a sample, as make verify runs all with adconform selftest
// --budget 60.
func TestABudgetFindsWhatHurts(t *testing.T) {
	const requests, margin = 60, 0.15 // of a sample
	o := Options{Faults: true, Variants: true, Budget: requests}
	contract := reftest.Contract(t)
	fewer := 1
	if testing.Short() {
		fewer = 10
	}
	var trials []trial
	for _, tr := range o.trials(contract) {
		critical := tr.fault != nil && tr.fault.Severity == faults.Critical
		if critical && faults.Sampled(tr.id(), fewer*4) || faults.Sampled(tr.id(), fewer*40) {
			trials = append(trials, tr)
		}
	}
	outcomes, err := o.run(t.Context(), contract, trials)
	if err != nil {
		t.Fatal(err)
	}
	r := newResult(contract, outcomes)
	for _, o := range outcomes {
		if o.Sent > requests {
			t.Errorf("%s: %d requests were sent of %d", o.ID, o.Sent, requests)
		}
		if o.Kind == "variant" && !o.Good() {
			t.Errorf("%s is flagged: %s", o.ID, o.Findings)
		}
	}
	others := Count{Of: r.Faults.Of, Good: r.Faults.Good}
	for _, g := range r.Severities {
		if g.ID == string(faults.Critical) {
			others.Of, others.Good = others.Of-g.Of, others.Good-g.Good
		}
	}
	if share(others) < BudgetShare-margin || r.critical() < CriticalShare-margin {
		t.Errorf("a sample: %d of %d faults that are not critical, %.0f %% of the critical ones", others.Good, others.Of, 100*r.critical())
	}
}
