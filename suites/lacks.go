package suites

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// Cost is what a run goes without.
type Cost struct {
	Cases   int      `json:"cases"`   // that cannot be run
	Clauses []string `json:"clauses"` // that no other case judges
	Stated  int      `json:"stated"`  // of these clauses: each makes a run inconclusive
}

// Lack is something that cases need and the target file does not give, or gives
// wrongly.
type Lack struct {
	Need string `json:"need"` // credentials.stranger, objects.campaign, foreign.campaign
	Cost
}

// Lacks lists, for a plan, what the target file does not give, in the order in
// which cases need it, and the cost of all of it together. Needs for which wrong
// is true (nil: none) count as not given. Nothing is sent.
func (c *Config) Lacks(wrong func(need string) bool) (lacks []Lack, total Cost, err error) {
	contract, err := c.contract()
	if err != nil {
		return nil, Cost{}, err
	}
	plan, err := c.Plan()
	if err != nil {
		return nil, Cost{}, err
	}
	given := func(need string) bool {
		return engine.Has(c.Target, need) && (wrong == nil || !wrong(need))
	}
	short := func(cs *engine.Case) bool {
		return slices.ContainsFunc(cs.Needs, func(need string) bool { return !given(need) })
	}
	var needs []string
	for _, cs := range plan {
		for _, need := range cs.Needs {
			container, isList := strings.CutSuffix(need, ".mediaFiles")
			if !given(need) && !slices.Contains(needs, need) && (!isList || given(container)) {
				needs = append(needs, need)
			}
		}
	}
	for _, need := range needs {
		lacks = append(lacks, Lack{need, costOf(contract, plan, short, func(cs *engine.Case) bool { return slices.Contains(cs.Needs, need) })})
	}
	return lacks, costOf(contract, plan, short, short), nil
}

// costOf is the cost of the cases that are lost; all that cannot be run are short.
func costOf(contract *spec.Contract, plan []*engine.Case, short, lost func(*engine.Case) bool) Cost {
	cost := Cost{Clauses: []string{}}
	judged, gone := map[string]bool{}, map[string]bool{}
	for _, cs := range plan {
		if lost(cs) {
			cost.Cases++
		}
		for _, id := range cs.Clauses {
			judged[id] = judged[id] || !short(cs)
			gone[id] = gone[id] || lost(cs)
		}
	}
	for _, cl := range contract.Clauses {
		if gone[cl.ID] && !judged[cl.ID] {
			cost.Clauses = append(cost.Clauses, cl.ID)
			if cl.Basis == spec.Stated {
				cost.Stated++
			}
		}
	}
	return cost
}
