package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/specs"
)

// selection says which cases are wanted. Everything that is given has to hold.
type selection struct{ cases, skip, clauses []string }

// filter keeps the cases to which one of the given ids belongs, or with skip the others. In the
// id of a case * stands for any characters.
type filter struct {
	flag  string
	given *[]string
	usage string
	skip  bool
	of    func(*judge.Case) []string // ids that a case belongs to
	known func(*spec.Contract, []*judge.Case) []string
}

func (s *selection) filters() []filter {
	id := func(cs *judge.Case) []string { return []string{cs.ID} }
	ids := func(_ *spec.Contract, every []*judge.Case) []string { return caseIDs(every) }
	clauses := func(c *spec.Contract, _ []*judge.Case) []string { return clauseIDs(c) }
	return []filter{
		{"case", &s.cases, "only this case, or with * those alike, such as 'updateCampaign/*' (`id`, can be repeated)", false, id, ids},
		{"skip", &s.skip, "not this case, or with * those alike (`id`, can be repeated)", true, id, ids},
		{
			"clause", &s.clauses, "only cases that judge this clause (`id`, can be repeated)", false,
			func(cs *judge.Case) []string { return cs.Clauses }, clauses,
		},
	}
}

// alike says whether an id is that of a pattern.
func alike(pattern, id string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(id)
}

func (f *filter) meets(pattern string, cs *judge.Case) bool {
	return slices.ContainsFunc(f.of(cs), func(id string) bool { return alike(pattern, id) })
}

// check looks for each id that is given among the cases of every depth.
func (f *filter) check(c *suites.Config, every []*judge.Case) error {
	known := f.known(c.Contract, every)
	for _, id := range *f.given {
		if !slices.ContainsFunc(known, func(k string) bool { return alike(id, k) }) {
			kind := strings.Replace(f.flag, "skip", "case", 1)
			return fmt.Errorf("--%s %s: there is no such %s%s", f.flag, id, kind, wording.DidYouMean(id, known))
		}
		least := slices.IndexFunc(every, func(cs *judge.Case) bool { return f.meets(id, cs) })
		of := slices.IndexFunc(every, func(cs *judge.Case) bool { return cs.Depth <= c.Depth && f.meets(id, cs) })
		switch {
		case f.skip:
		case least < 0:
			return fmt.Errorf("--%s %s: no case of depth %s belongs to it", f.flag, id, c.Depth)
		case of < 0:
			return fmt.Errorf("--%s %s: no case of depth %s belongs to it; try --depth %s", f.flag, id, c.Depth, every[least].Depth)
		}
	}
	return nil
}

// addSelection adds which cases are wanted.
func (s *selection) addSelection(cmd *cobra.Command) {
	for _, f := range s.filters() {
		cmd.Flags().StringSliceVar(f.given, f.flag, nil, f.usage)
		completeFlag(cmd, f.flag, func() []string {
			return fromContract(func(c *spec.Contract) []string { return f.known(c, everyCase(c)) })
		})
	}
}

// apply sets the filter of a configuration. An id that is unknown, or that
// selects nothing on this target at this depth, is an error.
func (s *selection) apply(c *suites.Config) error {
	filters := slices.DeleteFunc(s.filters(), func(f filter) bool { return len(*f.given) == 0 })
	if len(filters) == 0 {
		return nil
	}
	every := specs.Plan(c.Contract, c.Target, judge.Deep)
	for _, f := range filters {
		if err := f.check(c, every); err != nil {
			return err
		}
		for _, id := range *f.given {
			c.Filters = append(c.Filters, fmt.Sprintf("--%s %s", f.flag, id))
		}
	}
	c.Select = func(cs *judge.Case) bool {
		return !slices.ContainsFunc(filters, func(f filter) bool {
			return f.skip == slices.ContainsFunc(*f.given, func(pattern string) bool { return f.meets(pattern, cs) })
		})
	}
	return nil
}

// idsOf are those of some things.
func idsOf[T any](of []T, id func(T) string) []string {
	all := make([]string, len(of))
	for i, one := range of {
		all[i] = id(one)
	}
	return all
}

// clauseIDs are those of the contract.
func clauseIDs(c *spec.Contract) []string {
	return idsOf(c.Clauses, func(clause spec.Clause) string { return clause.ID })
}

// caseIDs are those of a plan.
func caseIDs(plan []*judge.Case) []string {
	return idsOf(plan, func(cs *judge.Case) string { return cs.ID })
}

// everyCase are the cases of the bundled reference, at the greatest depth.
func everyCase(c *spec.Contract) []*judge.Case {
	return specs.Plan(c, fixtures.DefaultWorld().Target(exampleURL), judge.Deep)
}

// exampleURL is the base URL of a target to which nothing is sent.
const exampleURL = "http://127.0.0.1:8080/v2"

// planned are the cases that the flags ask for, of the bundled reference where no target is
// named. Nothing is sent.
func (o *options) planned(a *app) (*suites.Config, []*judge.Case, error) {
	target := fixtures.DefaultWorld().Target(exampleURL)
	target.Name = bundledName
	if o.target != "" {
		var err error
		if target, err = loadTarget(a, o.target, o.overlay); err != nil {
			return nil, nil, err
		}
	}
	c, err := o.config(target)
	if err != nil {
		return nil, nil, err
	}
	plan, err := c.Plan()
	if err == nil && len(plan) == 0 {
		err = errors.New("no case matches the selection")
	}
	return c, plan, err
}
