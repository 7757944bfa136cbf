package main

import (
	"errors"
	"fmt"
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
		meets := func(cs *judge.Case, patterns ...string) bool {
			return slices.ContainsFunc(f.idsOf(cs), func(id string) bool { return matchesAny(id, patterns) })
		}
		for _, pattern := range f.given {
			c.Filters = append(c.Filters, fmt.Sprintf("--%s %s", f.flag, pattern))
			if !slices.ContainsFunc(f.known, func(id string) bool { return matchesAny(id, []string{pattern}) }) {
				return fmt.Errorf("--%s %s: there is no such %s%s", f.flag, pattern, f.kind, wording.Alike(strings.TrimSuffix(pattern, "*"), f.known))
			}
			var has []judge.Depth // depths of the cases that the pattern selects
			for _, cs := range every {
				if meets(cs, pattern) {
					has = append(has, cs.Depth)
				}
			}
			if f.flag != "skip" && (len(has) == 0 || slices.Min(has) > c.Depth) {
				try := ""
				if len(has) > 0 {
					try = fmt.Sprintf("; try --depth %s", slices.Min(has))
				}
				return fmt.Errorf("--%s %s: no case of depth %s belongs to it%s", f.flag, pattern, c.Depth, try)
			}
		}
		if before := c.Select; len(f.given) > 0 {
			c.Select = func(cs *judge.Case) bool {
				return (before == nil || before(cs)) && meets(cs, f.given...) != (f.flag == "skip")
			}
		}
	}
	return nil
}

// matchesAny reports whether an id matches one of the patterns.
func matchesAny(id string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		start, _, wild := strings.Cut(pattern, "*") // most ids need no regular expression
		return id == pattern || wild && strings.HasPrefix(id, start) &&
			regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")+"$").MatchString(id)
	})
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
	plan, err := c.Plan()
	if err == nil && len(plan) == 0 {
		err = errors.New("no case matches the selection")
	}
	return c, plan, err
}
