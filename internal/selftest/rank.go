package selftest

import (
	"context"
	"encoding/json"
	"os"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
)

// rankedOf is of how many faults that are not critical one is tried for a ranking.
const rankedOf = 10

// Rank writes the order in which cases are worth their requests, for runs with a
// budget: each next case is the one that finds most, for what it sends, of what
// the cases before it do not find.
//
// A fault weighs the less the more faults break its clause, so that the order
// follows from the kinds of breach that a case reveals and not from how many
// faults were seeded of one kind.
func Rank(ctx context.Context, o Options, w io.Writer) error {
	o.Coverage, o.Faults, o.Variants = true, true, false
	o.OneSet, o.Ranking = true, true
	r, err := Run(ctx, o)
	if err != nil {
		return err
	}
	cost, err := o.costs(ctx)
	if err != nil {
		return err
	}
	if path := os.Getenv("RANK_DUMP"); path != "" { b, _ := json.Marshal(map[string]any{"outcomes": r.Outcomes, "cost": cost}); os.WriteFile(path, b, 0o644) }
	fmt.Fprintln(w, "# The cases in the order in which a budget is spent, with the requests that each takes.")
	fmt.Fprintln(w, "# Written by: adconform selftest --rank > suites/schedule/ranking.txt")
	order := ranking(r.Outcomes, cost)
	for _, id := range slices.Sorted(maps.Keys(cost)) {
		if !slices.Contains(order, id) { // found by others, too: workers are levelled by what they cost
			order = append(order, id)
		}
	}
	for _, id := range order {
		fmt.Fprintf(w, "%s %d\n", id, cost[id])
	}
	return nil
}

// ranking is the order of the cases that find something which no case before them does.
func ranking(outcomes []Outcome, cost map[string]int) (order []string) {
	byClause := map[string]float64{}
	for _, o := range outcomes {
		byClause[o.Clause]++
	}
	left := slices.Clone(outcomes)
	for {
		left = slices.DeleteFunc(left, func(o Outcome) bool {
			return o.Verdict != Caught || slices.ContainsFunc(o.Cases, func(id string) bool { return slices.Contains(order, id) })
		})
		gain := map[string]float64{}
		for _, o := range left {
			for _, id := range o.Cases {
				gain[id] += 1 / math.Sqrt(byClause[o.Clause])
			}
		}
		best, most := "", 0.0
		for id, g := range gain {
			value := g / float64(max(1, cost[id]))
			if value > most || value == most && id < best {
				best, most = id, value
			}
		}
		if best == "" {
			return order
		}
		order = append(order, best)
	}
}

// costs are the requests that each case sends to the plain reference when it
// runs in a plan; the first of an operation finds out how state is read.
func (o Options) costs(ctx context.Context) (map[string]int, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	s, err := o.serve(ctx, contract, trial{})
	if err != nil {
		return nil, err
	}
	r, err := suites.Execute(ctx, s.config)
	if err := errors.Join(err, s.stop()); err != nil {
		return nil, err
	}
	requests := map[string]int{}
	for _, c := range r.Results {
		requests[c.ID] = c.Requests
	}
	return requests, nil
}
