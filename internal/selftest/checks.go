package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// ProveChecks disables each check that Options.Only selects in turn and searches for a fault that the suite then misses.
// A check that no fault needs is useless, or lacks a fault. It writes a line per check and reports whether all are needed.
func ProveChecks(ctx context.Context, o Options, w io.Writer) (good bool, err error) {
	only := o.Only // means checks here
	o.Faults, o.Variants, o.Only, o.Progress = true, false, nil, nil
	all, err := o.trials()
	if err != nil {
		return false, err
	}
	checks := slices.DeleteFunc(slices.Concat(oracle.Checks(), judge.Checks), func(check oracle.Check) bool {
		return only != nil && !only.MatchString(check.ID)
	})
	if len(checks) == 0 {
		return false, errors.New("--only matches no check")
	}
	good = true
	for _, check := range checks {
		fault, err := o.prove(ctx, check, all)
		switch {
		case err != nil:
			return false, err
		case fault != "":
			fmt.Fprintf(w, "%s: needed, or %s slips through\n", check.ID, fault)
		default:
			good = false
			fmt.Fprintf(w, "%s: NOT NEEDED by any fault; give it one or remove it\n", check.ID)
		}
	}
	return good, nil
}

// batch is the number of faults that are tried before their verdicts are examined.
const batch = 8

// prove returns a fault that the suite misses without a check, or "". It tries those that the check may find: those that
// break one of its clauses, or all where it names none. Faults of its own clauses come first, shuffled, so that the first
// ones are of all kinds. The self-test shows that all are caught with the check.
func (o Options) prove(ctx context.Context, check oracle.Check, all []faults.Server) (fault string, err error) {
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
