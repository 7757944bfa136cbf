package selftest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http/httptest"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites"
)

// Rank writes the order in which cases are worth their requests, for runs with a
// budget: each next case is the one that finds most, for what it sends, of what
// the cases before it do not find.
//
// A fault weighs the less the more faults break its clause, so that the order
// follows from the kinds of breach that a case reveals and not from how many
// faults were seeded of one kind.
func Rank(ctx context.Context, o Options, w io.Writer) error {
	o.Coverage, o.Faults, o.Variants = true, true, false
	o.OneSet, o.Lanes = true, 1 // as a budget is spent
	r, err := Run(ctx, o)
	if err != nil {
		return err
	}
	cost, err := costs(ctx)
	if err != nil {
		return err
	}
	ranked := map[string]bool{}
	byClause := map[string]float64{}
	for _, outcome := range r.Outcomes {
		byClause[outcome.Clause]++
	}
	type found struct {
		weight float64
		cases  []string
	}
	var left []found
	for _, outcome := range r.Outcomes {
		if outcome.Verdict == Caught {
			left = append(left, found{1 / math.Sqrt(byClause[outcome.Clause]), outcome.Cases})
		}
	}
	fmt.Fprintln(w, "# The cases in the order in which a budget is spent, with the requests that each takes.")
	fmt.Fprintln(w, "# Written by: adconform selftest --rank > suites/specs/ranking.txt")
	for len(left) > 0 {
		gain := map[string]float64{}
		for _, f := range left {
			for _, id := range f.cases {
				gain[id] += f.weight
			}
		}
		best, bestValue := "", 0.0
		for id, g := range gain {
			value := g / float64(max(1, cost[id]))
			if value > bestValue || value == bestValue && id < best {
				best, bestValue = id, value
			}
		}
		if best == "" {
			break
		}
		fmt.Fprintf(w, "%s %d\n", best, cost[best])
		ranked[best] = true
		left = slices.DeleteFunc(left, func(f found) bool { return slices.Contains(f.cases, best) })
	}
	for _, id := range slices.Sorted(maps.Keys(cost)) { // found by others, too: lanes are levelled by what they cost
		if !ranked[id] {
			fmt.Fprintf(w, "%s %d\n", id, cost[id])
		}
	}
	return nil
}

// costs are the requests that each case sends to the plain reference when it
// runs in a plan; the first of an operation finds out how state is read.
func costs(ctx context.Context) (map[string]int, error) {
	world := fixtures.WorldWithLanes(0)
	server, err := reference.New(ctx, reference.Options{World: world})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	listener := httptest.NewServer(server)
	defer listener.Close()
	r, err := suites.Execute(ctx, suites.NewConfig(world.Target(listener.URL+"/v2")))
	if err != nil {
		return nil, err
	}
	requests := map[string]int{}
	for _, c := range r.Results {
		requests[c.ID] = c.Requests
	}
	return requests, nil
}
