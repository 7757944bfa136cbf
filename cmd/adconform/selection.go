package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/specs"
)

// selection says which cases are wanted. Everything that is given has to hold.
type selection struct {
	focus, skip                []string
	labels                     string
	clauses, cases, operations []string
}

func (s *selection) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.focus, "focus", nil, "only cases whose id matches this regular `expression`")
	f.StringArrayVar(&s.skip, "skip", nil, "no cases whose id matches this regular `expression`")
	f.StringVar(&s.labels, "label-filter", "", "Ginkgo label `filter`, such as 'basis:stated && !writes'")
	f.StringSliceVar(&s.clauses, "clause", nil, "only cases that judge this clause (`id`, can be repeated)")
	f.StringSliceVar(&s.cases, "case", nil, "only this case (`id`, can be repeated)")
	f.StringSliceVar(&s.operations, "operation", nil, "only cases of this operation (`id`, can be repeated)")
	for flag, complete := range map[string]func() []string{"clause": clauseIDs, "case": caseIDs, "operation": operationIDs} {
		completeFlag(cmd, flag, complete)
	}
}

// apply sets the filter of a configuration. An id that is unknown, or that
// selects nothing on this target at this depth, is an error.
func (s *selection) apply(c *suites.Config) error {
	for _, given := range []struct {
		flag        string
		expressions []string
	}{{"focus", s.focus}, {"skip", s.skip}} {
		for _, e := range given.expressions {
			if _, err := regexp.Compile(e); err != nil {
				return fmt.Errorf("--%s %q: %w", given.flag, e, err)
			}
		}
	}
	if _, err := types.ParseLabelFilter(s.labels); err != nil {
		return fmt.Errorf("--label-filter %q: want labels with &&, ||, !, brackets and /expressions/, such as 'basis:stated && !writes'", s.labels)
	}
	if len(s.clauses)+len(s.operations)+len(s.cases) > 0 {
		if err := s.check(c); err != nil {
			return err
		}
	}
	for _, given := range []struct {
		flag string
		ids  []string
	}{{"case", s.cases}, {"operation", s.operations}, {"clause", s.clauses}} {
		for _, id := range given.ids {
			c.Filters = append(c.Filters, fmt.Sprintf("--%s %s", given.flag, id))
		}
	}
	c.Select = func(cs *engine.Case) bool {
		return (len(s.cases) == 0 || slices.Contains(s.cases, cs.ID)) &&
			(len(s.operations) == 0 || slices.Contains(s.operations, cs.Operation.ID)) &&
			(len(s.clauses) == 0 || slices.ContainsFunc(s.clauses, func(id string) bool { return slices.Contains(cs.Clauses, id) }))
	}
	return nil
}

// check looks for each id that is given among the cases of every depth.
func (s *selection) check(c *suites.Config) error {
	every := specs.Plan(c.Contract, c.Target, engine.Deep)
	for _, given := range []struct {
		flag   string
		wanted []string
		known  []string
		of     func(*engine.Case) []string
	}{
		{"clause", s.clauses, idsOfClauses(c.Contract), func(cs *engine.Case) []string { return cs.Clauses }},
		{"operation", s.operations, idsOfOperations(c.Contract), func(cs *engine.Case) []string { return []string{cs.Operation.ID} }},
		{"case", s.cases, idsOfCases(every), func(cs *engine.Case) []string { return []string{cs.ID} }},
	} {
		for _, id := range given.wanted {
			if !slices.Contains(given.known, id) {
				return fmt.Errorf("--%s %s: there is no such %s%s", given.flag, id, given.flag, wording.DidYouMean(id, given.known))
			}
			if !slices.ContainsFunc(every, func(cs *engine.Case) bool { return cs.Depth <= c.Depth && slices.Contains(given.of(cs), id) }) {
				return fmt.Errorf("--%s %s: no case of depth %s belongs to it%s", given.flag, id, c.Depth, deeper(every, func(cs *engine.Case) bool { return slices.Contains(given.of(cs), id) }))
			}
		}
	}
	return nil
}

// deeper says at which depth there is such a case, if at any.
func deeper(every []*engine.Case, wanted func(*engine.Case) bool) string {
	i := slices.IndexFunc(every, wanted)
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("; try --depth %s", every[i].Depth)
}

func (s *selection) ginkgo() suites.GinkgoOptions {
	return suites.GinkgoOptions{Focus: s.focus, Skip: s.skip, LabelFilter: s.labels}
}

// plan lists the selected cases without sending.
func (s *selection) plan(c *suites.Config) ([]*engine.Case, error) {
	plan, err := c.Plan()
	if err != nil {
		return nil, err
	}
	if len(s.focus)+len(s.skip)+len(s.labels) > 0 {
		// Ginkgo's filters are Ginkgo's to apply: a run that is over before it
		// begins sends nothing and reports the cases it would have had.
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		still := *c
		target := *c.Target
		target.Provision = nil
		still.Target = &target
		r, err := suites.RunGinkgo(ctx, &still, s.ginkgo())
		if err != nil {
			return nil, err
		}
		chosen := map[string]bool{}
		for _, result := range r.Results {
			chosen[result.ID] = true
		}
		plan = slices.DeleteFunc(plan, func(cs *engine.Case) bool { return !chosen[cs.ID] })
	}
	if len(plan) == 0 {
		return nil, &suites.SelectionError{Text: "no case matches the selection"}
	}
	return plan, nil
}

func idsOfClauses(c *spec.Contract) (ids []string) {
	for _, clause := range c.Clauses {
		ids = append(ids, clause.ID)
	}
	return ids
}

func idsOfOperations(c *spec.Contract) (ids []string) {
	for _, op := range c.Operations {
		ids = append(ids, op.ID)
	}
	return ids
}

func idsOfCases(plan []*engine.Case) (ids []string) {
	for _, cs := range plan {
		ids = append(ids, cs.ID)
	}
	return ids
}

// everyCase are the cases of the bundled reference, at the greatest depth.
func everyCase(c *spec.Contract) []*engine.Case {
	return specs.Plan(c, fixtures.DefaultWorld().Target(exampleURL), engine.Deep)
}

// exampleURL is the base URL of a target to which nothing is sent.
const exampleURL = "http://127.0.0.1:8080" + basePath
