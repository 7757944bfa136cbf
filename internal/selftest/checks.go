package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// CheckProof says which fault slips through when a check does not judge.
type CheckProof struct {
	Check string `json:"check"`
	Fault string `json:"fault,omitempty"` // "" when every fault is caught without it
	Tried int    `json:"tried"`           // faults until then
}

// Proofs are those of all checks.
type Proofs []CheckProof

// ProveChecks takes each check out in turn and looks for a fault that then
// slips through; Options.Only selects checks. A check that no fault needs is no
// use, or wants a fault.
func ProveChecks(ctx context.Context, o Options) (Proofs, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	only := o.Only // means checks here
	o.Faults, o.Variants, o.Only = true, false, nil
	all := o.trials(contract)
	var proofs Proofs
	for _, check := range slices.Concat(oracle.Checks(), judge.Checks) {
		if only != nil && !only.MatchString(check.ID) {
			continue
		}
		p, err := o.prove(ctx, contract, check, candidates(check, all))
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

// candidates are the faults that a check may be what finds: those whose clauses it can find broken;
// all of them where it names none. First come those of which it names the very clause, and of them
// those with no other way to be right; within that they are mixed, so that the first are of all kinds.
func candidates(check oracle.Check, all []trial) []trial {
	may := slices.DeleteFunc(slices.Clone(all), func(t trial) bool {
		return len(check.Clauses) > 0 && !slices.ContainsFunc(check.Clauses, t.fault.Cites)
	})
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(may), func(i, j int) { may[i], may[j] = may[j], may[i] })
	rank := func(t trial) int {
		if slices.Contains(check.Clauses, t.fault.Clause) {
			return min(len(t.fault.Also), 1)
		}
		return 2
	}
	slices.SortStableFunc(may, func(a, b trial) int { return rank(a) - rank(b) })
	return may
}

// batch is how many faults are tried before looking whether one slipped through.
const batch = 8

func (o Options) prove(ctx context.Context, contract *spec.Contract, check oracle.Check, trials []trial) (CheckProof, error) {
	p := CheckProof{Check: check.ID}
	with, without := o, o
	without.Disabled = append(slices.Clone(o.Disabled), check.ID)
	with.Progress, without.Progress = nil, nil
	for part := range slices.Chunk(trials, batch) {
		outcomes, err := without.run(ctx, contract, part)
		if err != nil {
			return p, err
		}
		p.Tried += len(part)
		for i, outcome := range outcomes {
			if outcome.Verdict == Caught || outcome.Verdict == Inert {
				continue
			}
			// It slipped through; was it ever caught?
			before, err := with.run(ctx, contract, part[i:i+1])
			if err != nil {
				return p, err
			}
			if before[0].Verdict == Caught {
				p.Fault = outcome.ID
				return p, nil
			}
		}
	}
	return p, nil
}

// WriteText writes one line for each check.
func (all Proofs) WriteText(w io.Writer) error {
	var err error
	for _, p := range all {
		if p.Fault != "" {
			_, err = fmt.Fprintf(w, "%s: needed, or %s slips through\n", p.Check, p.Fault)
		} else {
			_, err = fmt.Fprintf(w, "%s: NOT NEEDED by any of %d faults; give it one or remove it\n", p.Check, p.Tried)
		}
	}
	return err
}

// Good says whether some fault needs each of the checks.
func (all Proofs) Good() bool {
	return !slices.ContainsFunc(all, func(p CheckProof) bool { return p.Fault == "" })
}
