package flags

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
)

// selection says which cases are wanted. Everything that is given has to hold.
type selection struct {
	focus, skip                []string
	labels                     string
	clauses, cases, operations []string
}

// idFilter keeps the cases to which one of the given ids belongs.
type idFilter struct {
	flag  string
	given *[]string
	usage string
	of    func(*testcase.Case) []string // ids that a case belongs to
	known func(*spec.Contract, []*testcase.Case) []string
}

func (s *selection) byID() []idFilter {
	return []idFilter{
		{
			"case", &s.cases, "only this case (`id`, can be repeated)",
			func(cs *testcase.Case) []string { return []string{cs.ID} },
			func(_ *spec.Contract, every []*testcase.Case) []string { return CaseIDs(every) },
		},
		{
			"operation", &s.operations, "only cases of this operation (`id`, can be repeated)",
			func(cs *testcase.Case) []string { return []string{cs.Operation.ID} },
			func(c *spec.Contract, _ []*testcase.Case) []string {
				return IDs(c.Operations, func(op *spec.Operation) string { return op.ID })
			},
		},
		{
			"clause", &s.clauses, "only cases that judge this clause (`id`, can be repeated)",
			func(cs *testcase.Case) []string { return cs.Clauses },
			func(c *spec.Contract, _ []*testcase.Case) []string { return ClauseIDs(c) },
		},
	}
}

func (f *idFilter) keeps(cs *testcase.Case) bool {
	return len(*f.given) == 0 || slices.ContainsFunc(f.of(cs), func(id string) bool { return slices.Contains(*f.given, id) })
}

// check looks for each id that is given among the cases of every depth.
func (f *idFilter) check(c *suites.Config, every []*testcase.Case) error {
	known := f.known(c.Contract, every)
	for _, id := range *f.given {
		if !slices.Contains(known, id) {
			return fmt.Errorf("--%s %s: there is no such %s%s", f.flag, id, f.flag, wording.DidYouMean(id, known))
		}
		least := slices.IndexFunc(every, func(cs *testcase.Case) bool { return slices.Contains(f.of(cs), id) })
		of := slices.IndexFunc(every, func(cs *testcase.Case) bool { return cs.Depth <= c.Depth && slices.Contains(f.of(cs), id) })
		switch {
		case least < 0:
			return fmt.Errorf("--%s %s: no case of depth %s belongs to it", f.flag, id, c.Depth)
		case of < 0:
			return fmt.Errorf("--%s %s: no case of depth %s belongs to it; try --depth %s", f.flag, id, c.Depth, every[least].Depth)
		}
	}
	return nil
}

// AddSelection adds which cases are wanted.
func (s *selection) AddSelection(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.focus, "focus", nil, "only cases whose id matches this regular `expression`")
	f.StringArrayVar(&s.skip, "skip", nil, "no cases whose id matches this regular `expression`")
	f.StringVar(&s.labels, "label-filter", "", "Ginkgo label `filter`, such as 'basis:stated && !writes'")
	for _, filter := range s.byID() {
		f.StringSliceVar(filter.given, filter.flag, nil, filter.usage)
		CompleteFlag(cmd, filter.flag, func() []string {
			return FromContract(func(c *spec.Contract) []string { return filter.known(c, EveryCase(c)) })
		})
	}
}

// apply sets the filter of a configuration. An id that is unknown, or that
// selects nothing on this target at this depth, is an error.
func (s *selection) apply(c *suites.Config) error {
	for flag, expressions := range map[string][]string{"focus": s.focus, "skip": s.skip} {
		for _, e := range expressions {
			if _, err := regexp.Compile(e); err != nil {
				return fmt.Errorf("--%s %q: %w", flag, e, err)
			}
		}
	}
	if _, err := types.ParseLabelFilter(s.labels); err != nil {
		return fmt.Errorf(
			"--label-filter %q: want labels with &&, ||, !, brackets and /expressions/, such as 'basis:stated && !writes'", s.labels)
	}
	filters := slices.DeleteFunc(s.byID(), func(f idFilter) bool { return len(*f.given) == 0 })
	if len(filters) == 0 {
		return nil
	}
	every := specs.Plan(c.Contract, c.Target, testcase.Deep)
	for _, f := range filters {
		if err := f.check(c, every); err != nil {
			return err
		}
		for _, id := range *f.given {
			c.Filters = append(c.Filters, fmt.Sprintf("--%s %s", f.flag, id))
		}
	}
	c.Select = func(cs *testcase.Case) bool {
		return !slices.ContainsFunc(filters, func(f idFilter) bool { return !f.keeps(cs) })
	}
	return nil
}

func (s *selection) Ginkgo() suites.GinkgoOptions {
	return suites.GinkgoOptions{Focus: s.focus, Skip: s.skip, LabelFilter: s.labels}
}

// Plan lists the selected cases without sending.
func (s *selection) Plan(c *suites.Config) ([]*testcase.Case, error) {
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
		r, err := suites.RunGinkgo(ctx, &still, s.Ginkgo())
		if err != nil {
			return nil, err
		}
		chosen := map[string]bool{}
		for _, result := range r.Results {
			chosen[result.ID] = true
		}
		plan = slices.DeleteFunc(plan, func(cs *testcase.Case) bool { return !chosen[cs.ID] })
	}
	if len(plan) == 0 {
		return nil, &suites.SelectionError{Text: "no case matches the selection"}
	}
	return plan, nil
}

// IDs are those of some things.
func IDs[T any](of []T, id func(T) string) []string {
	all := make([]string, len(of))
	for i, one := range of {
		all[i] = id(one)
	}
	return all
}

// ClauseIDs are those of the contract.
func ClauseIDs(c *spec.Contract) []string {
	return IDs(c.Clauses, func(clause spec.Clause) string { return clause.ID })
}

// CaseIDs are those of a plan.
func CaseIDs(plan []*testcase.Case) []string {
	return IDs(plan, func(cs *testcase.Case) string { return cs.ID })
}

// EveryCase are the cases of the bundled reference, at the greatest depth.
func EveryCase(c *spec.Contract) []*testcase.Case {
	return specs.Plan(c, fixtures.DefaultWorld().Target(ExampleURL), testcase.Deep)
}

// ExampleURL is the base URL of a target to which nothing is sent.
const ExampleURL = "http://127.0.0.1:8080/v2"

// Planned are the cases that the flags ask for, of the bundled reference where they
// name no target. Nothing is sent.
func (o *Options) Planned(t *terminal.Terminal) (*suites.Config, []*testcase.Case, error) {
	target := fixtures.DefaultWorld().Target(ExampleURL)
	target.Name = Bundled
	if o.Target != "" {
		var err error
		if target, err = LoadTarget(t, o.Target, o.Overlay); err != nil {
			return nil, nil, err
		}
	}
	c, err := o.Config(target)
	if err != nil {
		return nil, nil, err
	}
	plan, err := o.Plan(c)
	return c, plan, err
}
