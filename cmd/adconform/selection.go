package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/specs"
)

// selection selects cases: those that match any of cases, none of skip, and any of clauses. In
// the id of a case, * matches any characters.
type selection struct{ cases, skip, clauses []string }

// apply sets the filter of a configuration. It fails if an id is unknown, or selects nothing
// on this target at this depth.
func (s *selection) apply(c *suites.Config) error {
	if len(s.cases)+len(s.skip)+len(s.clauses) == 0 {
		return nil
	}
	every := specs.Plan(c.Contract, c.Target, judge.Deep)
	byID := func(cs *judge.Case) []string { return []string{cs.ID} }
	byClause := func(cs *judge.Case) []string { return cs.Clauses }
	for _, f := range []struct {
		flag, kind   string
		given, known []string
		idsOf        func(*judge.Case) []string
	}{
		{"case", "case", s.cases, caseIDs(every), byID},
		{"skip", "case", s.skip, caseIDs(every), byID},
		{"clause", "clause", s.clauses, idsOf(c.Contract.Clauses, func(clause spec.Clause) string { return clause.ID }), byClause},
	} {
		for _, given := range f.given {
			c.Filters = append(c.Filters, fmt.Sprintf("--%s %s", f.flag, given))
			ids, least := pattern(given), judge.Depth(math.MaxInt) // the least depth of the cases that it selects
			if !slices.ContainsFunc(f.known, ids.MatchString) {
				return fmt.Errorf("--%s %s: there is no such %s%s", f.flag, given, f.kind, wording.Alike(strings.TrimSuffix(given, "*"), f.known))
			}
			for _, cs := range every {
				if slices.ContainsFunc(f.idsOf(cs), ids.MatchString) {
					least = min(least, cs.Depth)
				}
			}
			try := fmt.Sprintf("; try --depth %s", least)
			if least > judge.Deep {
				try = ""
			}
			if f.flag != "skip" && least > c.Depth {
				return fmt.Errorf("--%s %s: no case of depth %s belongs to it%s", f.flag, given, c.Depth, try)
			}
		}
		if before, ids := c.Select, pattern(f.given...); len(f.given) > 0 {
			c.Select = func(cs *judge.Case) bool {
				return (before == nil || before(cs)) && slices.ContainsFunc(f.idsOf(cs), ids.MatchString) != (f.flag == "skip")
			}
		}
	}
	return nil
}

// pattern returns an expression that matches the ids that one of the texts matches, in which * is any text.
func pattern(texts ...string) *regexp.Regexp {
	var all []string
	for _, text := range texts {
		all = append(all, strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*"))
	}
	return regexp.MustCompile("^(?:" + strings.Join(all, "|") + ")$")
}

// idsOf returns the id of each item.
func idsOf[T any](of []T, id func(T) string) []string {
	all := make([]string, len(of))
	for i, one := range of {
		all[i] = id(one)
	}
	return all
}

func caseIDs(plan []*judge.Case) []string {
	return idsOf(plan, func(cs *judge.Case) string { return cs.ID })
}

// everyCase returns the cases of the bundled reference at the greatest depth.
func everyCase(c *spec.Contract) []*judge.Case {
	return specs.Plan(c, fixtures.DefaultWorld().Target(exampleURL), judge.Deep)
}

// exampleURL is the base URL of a target to which nothing is sent.
const exampleURL = "http://127.0.0.1:8080/v2"

// planned returns the cases that the flags select, on the bundled reference if no target is
// named. It sends nothing.
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
	plan, err := c.Sendable()
	return c, plan, err
}
