package suites

import (
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// Lacks lists, for a plan, what the target file does not give, in the order in
// which cases need it, then what no case needs and a run judges by, and the cost of all
// of it together. Needs for which wrong is true (nil: none) count as not given. Nothing
// is sent.
func (c *Config) Lacks(wrong func(need string) bool) (lacks []Lack, total report.Cost, err error) {
	contract, err := c.LoadContract()
	if err != nil {
		return nil, report.Cost{}, err
	}
	plan, err := c.Plan()
	if err != nil {
		return nil, report.Cost{}, err
	}
	lacks, total = c.coverage(contract, plan).Lacks(wrong)
	return lacks, total, nil
}

// coverage is a plan as package coverage looks at it.
func (c *Config) coverage(contract *spec.Contract, plan []*judge.Case) *Plan {
	return &Plan{
		Contract: contract, Target: c.Target, Depth: c.Depth, Cases: plan,
	}
}

// ForGood are the objects that a run of this configuration changes and of which the
// target file does not give all that is changed: fields by key. They can be put back
// only where the target shows them.
func (c *Config) ForGood() ([]judge.Unnamed, error) {
	contract, err := c.LoadContract()
	if err != nil || c.ReadOnly {
		return nil, err
	}
	plan, err := c.Plan()
	if err != nil {
		return nil, err
	}
	var all []judge.Unnamed
	for _, u := range judge.UnnamedOf(contract, c.Target) {
		if slices.ContainsFunc(plan, func(cs *judge.Case) bool { return cs.Operation == u.Operation && cs.Writes }) {
			all = append(all, u)
		}
	}
	return all, nil
}
