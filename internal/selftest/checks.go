package selftest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Proof says which fault the suite misses without a check.
type Proof struct {
	Check string `json:"check"`
	Fault string `json:"fault,omitempty"` // "" when every fault is caught without it
	Tried int    `json:"tried"`           // faults until then
}

// ProveChecks takes each check out in turn and looks for a fault that the suite then misses; Options.Only selects checks.
// A check that no fault needs is useless, or lacks a fault.
func ProveChecks(ctx context.Context, o Options) (proofs []Proof, err error) {
	only := o.Only // means checks here
	o.Faults, o.Variants, o.Only, o.Progress = true, false, nil, nil
	all, err := o.trials()
	if err != nil {
		return nil, err
	}
	for _, check := range slices.Concat(oracle.Checks(), judge.Checks) {
		if only != nil && !only.MatchString(check.ID) {
			continue
		}
		p, err := o.prove(ctx, check, all)
		if err != nil {
			return proofs, err
		}
		proofs = append(proofs, p)
	}
	if len(proofs) == 0 {
		return nil, errors.New("--only matches no check")
	}
	return proofs, nil
}

// batch is how many faults are tried before their verdicts are looked at.
const batch = 8

// prove tries the faults that a check may find: those that break one of its clauses, or all where it names none. Faults of
// its own clauses come first, shuffled, so that the first ones are of all kinds. The self-test shows that
// all are caught with the check.
func (o Options) prove(ctx context.Context, check oracle.Check, all []faults.Server) (Proof, error) {
	p := Proof{Check: check.ID}
	o.Disabled = []string{check.ID}
	may := slices.DeleteFunc(slices.Clone(all), func(t faults.Server) bool {
		return len(check.Clauses) > 0 && !slices.ContainsFunc(check.Clauses, t.Cites)
	})
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(may), func(i, j int) { may[i], may[j] = may[j], may[i] })
	rank := func(t faults.Server) int {
		if slices.Contains(check.Clauses, t.Clause) {
			return min(len(t.Also), 1) // first those with no other way to be right
		}
		return 2
	}
	slices.SortStableFunc(may, func(a, b faults.Server) int { return rank(a) - rank(b) })
	for part := range slices.Chunk(may, batch) {
		outcomes, err := o.run(ctx, part)
		if err != nil {
			return p, err
		}
		p.Tried += len(part)
		if i := slices.IndexFunc(outcomes, func(is Outcome) bool { return is.Verdict != Caught }); i >= 0 {
			p.Fault = outcomes[i].ID
			break
		}
	}
	return p, nil
}
