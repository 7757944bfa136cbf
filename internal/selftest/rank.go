package selftest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/specs"
)

// Rank writes the order in which a budget is spent: each next case is the one that finds
// most, for what it sends, of what the cases before it do not find. What a fault counts is
// how much it hurts.
func Rank(ctx context.Context, o Options, w io.Writer) error {
	o.Coverage, o.Faults, o.Variants = true, true, false
	o.OneSet, o.Ranking = true, true
	r, err := Run(ctx, o)
	if err != nil {
		return err
	}
	contract, err := spec.Load()
	if err != nil {
		return err
	}
	cost, err := o.costs(ctx, contract)
	if err != nil {
		return err
	}
	first := specs.FirstTurn(contract.ListOf("vastCreative"))
	fmt.Fprintln(w, "# The cases in the order in which a budget is spent, with the requests that each takes.")
	fmt.Fprintln(w, "# Written by: adconform selftest --rank > suites/schedule/ranking.txt")
	order := ranking(r.Outcomes, cost, first)
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

// weights say what a fault counts.
var weights = map[faults.Severity]float64{faults.Critical: 10, faults.Major: 2, faults.Minor: 1}

// ranking is the order of the cases that find something which no case before them does.
// It begins with the requests that every run begins with.
func ranking(outcomes []Outcome, cost map[string]int, first string) (order []string) {
	finds := map[string][]int{} // by case: indices of outcomes
	for i, o := range outcomes {
		if o.Verdict == Caught {
			for _, id := range o.Cases {
				finds[id] = append(finds[id], i)
			}
		}
	}
	found := map[int]bool{}
	take := func(ids ...string) {
		for _, id := range ids {
			order = append(order, id)
			for _, i := range finds[id] {
				found[i] = true
			}
		}
	}
	take(first)
	for {
		var best []string
		most := 0.0
		for _, id := range slices.Sorted(maps.Keys(finds)) {
			with := with(id, order, cost)
			gain, requests, new := 0.0, 0, map[int]bool{}
			for _, id := range with {
				requests += max(1, cost[id])
				for _, i := range finds[id] {
					if !found[i] && !new[i] {
						new[i] = true
						gain += weights[outcomes[i].Severity]
					}
				}
			}
			if value := gain / float64(requests); value > most && !slices.Contains(order, id) {
				best, most = with, value
			}
		}
		if best == nil {
			return order
		}
		take(best...)
	}
}

// with is a case after those that it builds on and that are not in the order yet: the
// combined ones, which find out for few requests how an operation shows state.
func with(id string, order []string, cost map[string]int) []string {
	operation, _, _ := strings.Cut(id, "/")
	var all []string
	for _, name := range []string{"/state/one-turn", "/403/stranger-again", "/text/all-at-once"} {
		before := operation + name
		if before == id {
			break
		}
		if _, planned := cost[before]; planned && !slices.Contains(order, before) {
			all = append(all, before)
		}
	}
	return append(all, id)
}

// costs are the requests that each case sends to the plain reference when it
// runs in a plan; the first of an operation finds out how state is read.
func (o Options) costs(ctx context.Context, contract *spec.Contract) (map[string]int, error) {
	r, err := o.execute(ctx, contract, trial{})
	if err != nil {
		return nil, err
	}
	requests := map[string]int{}
	for _, c := range r.Results {
		requests[c.ID] = c.Requests
	}
	return requests, nil
}
