package selftest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Without any one of its checks the suite misses some fault. A check that no fault needs is useless, or lacks a fault.
func TestEachCheckIsNeeded(t *testing.T) {
	of, checks := Options{Faults: true}, slices.Concat(oracle.Checks(), judge.Checks)
	if testing.Short() {
		of.Select = cases("listCreativeMediaFiles/")
		checks = slices.DeleteFunc(checks, func(c oracle.Check) bool { return c.ID != "page-count" })
	}
	all, err := of.trials()
	noError(t, err)
	for _, check := range checks {
		t.Run(check.ID, func(t *testing.T) {
			fault, err := of.missed(t.Context(), check, all)
			noError(t, err)
			if fault == "" {
				t.Error("no fault needs it; give it one or remove it")
			}
			t.Logf("without it %s slips through", fault)
		})
	}
	count := slices.DeleteFunc(all, func(f faults.Server) bool { return f.ID != "page/count-one-more" })
	if fault, err := of.missed(t.Context(), oracle.Check{ID: "content-type"}, count); err != nil || fault != "" {
		t.Errorf("a check that it does not need: got %s, %v", fault, err)
	}
}

// batch is the number of faults that are tried before their verdicts are examined.
const batch = 8

// missed returns a fault that the suite misses without a check, or "". It tries those that the check may find: those that
// break one of its clauses, or all where it names none. Faults of its own clauses come first, shuffled, so that the first
// ones are of all kinds. The self-test shows that all are caught with the check.
func (o Options) missed(ctx context.Context, check oracle.Check, all []faults.Server) (fault string, err error) {
	o.Disabled = []string{check.ID}
	may := slices.DeleteFunc(slices.Clone(all), func(t faults.Server) bool {
		return len(check.Clauses) > 0 && !slices.ContainsFunc(check.Clauses, t.Cites)
	})
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(may), func(i, j int) { may[i], may[j] = may[j], may[i] })
	rank := func(t faults.Server) int {
		if slices.Contains(check.Clauses, t.Clause) {
			return min(len(t.Also), 1) // first those that only one clause can prove
		}
		return 2
	}
	slices.SortStableFunc(may, func(a, b faults.Server) int { return rank(a) - rank(b) })
	for part := range slices.Chunk(may, batch) {
		outcomes, err := o.run(ctx, part)
		if err != nil {
			return "", err
		}
		if i := slices.IndexFunc(outcomes, func(is Outcome) bool { return is.Verdict != Caught }); i >= 0 {
			return outcomes[i].ID, nil
		}
	}
	return "", nil
}
