package suites_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// An object of an object set that is not there, or not the owner's, is the operator's
// mistake: cases are not tested for it, and the target is found no fault with.
func TestAWrongObjectOfALaneIsNoViolation(t *testing.T) {
	const nobodys, strangers = 2500, 92
	tried := 0
	for name, c := range map[string]struct {
		change func(*fixtures.Target)
		named  string // in the reason of what is not tested
	}{
		"campaign that is not there": {
			func(t *fixtures.Target) { t.ObjectSets[0].Campaign = &fixtures.Object{ID: nobodys} }, "lanes[0].campaign",
		},
		"campaign of the stranger": {
			func(t *fixtures.Target) { t.ObjectSets[0].Campaign = &fixtures.Object{ID: strangers} }, "lanes[0].campaign",
		},
		"campaign beside of stranger": {
			func(t *fixtures.Target) { t.ObjectSets[0].OtherCampaign = &fixtures.Object{ID: strangers} },
			"lanes[0].otherCampaign",
		},
		"profile that is not there": {
			func(t *fixtures.Target) { t.ObjectSets[0].ConnectionProfile = &fixtures.Object{ID: nobodys} },
			"lanes[0].connectionProfile",
		},
		"rule of another profile": {func(t *fixtures.Target) {
			a, b := &t.ObjectSets[2], &t.ObjectSets[3]
			a.ConnectionProfileRule, b.ConnectionProfileRule = b.ConnectionProfileRule, a.ConnectionProfileRule
		}, "lanes[2].connectionProfileRuleHost"},
	} {
		if tried++; testing.Short() && tried > 1 { // any one
			break
		}
		t.Run(name, func(t *testing.T) {
			target := serve(t, bundled(t))
			target.Foreign.Campaign = 0
			target.Limits.Concurrency = 16
			c.change(target)
			r := execute(t, suites.NewConfig(target))
			for _, f := range r.Findings {
				t.Errorf("%s %s in %s: expected %s, got %s", f.Severity, f.Clause, f.Case, f.Expected, f.Got)
			}
			if !slices.ContainsFunc(r.Results, func(r report.Case) bool {
				return r.Status == testcase.NotTested && r.Cause == testcase.ByOperator && strings.HasPrefix(r.Reason, c.named+" ")
			}) {
				t.Errorf("no case says what is wrong with %s", c.named)
			}
		})
	}
}

// Sets that are empty, or have one key each, are used as far as they go.
func TestLanesOfAFewObjects(t *testing.T) {
	for name, cut := range reftest.FewOf(1, map[string]func(fixtures.Objects) fixtures.Objects{
		"nothing":   func(fixtures.Objects) fixtures.Objects { return fixtures.Objects{} },
		"campaigns": func(o fixtures.Objects) fixtures.Objects { return fixtures.Objects{Campaign: o.Campaign} },
		"profiles": func(o fixtures.Objects) fixtures.Objects {
			return fixtures.Objects{ConnectionProfile: o.ConnectionProfile}
		},
		"hosts": func(o fixtures.Objects) fixtures.Objects {
			return fixtures.Objects{ConnectionProfileRuleHost: o.ConnectionProfileRuleHost}
		},
	}) {
		target := serve(t, bundled(t))
		for i, o := range target.ObjectSets {
			target.ObjectSets[i] = cut(o)
		}
		target.Limits.Concurrency = 16
		if r := execute(t, suites.NewConfig(target)); r.Verdict != report.Conforming || r.Cases.NotTested > 0 {
			t.Errorf("%s: %s, %d not tested", name, r.Verdict, r.Cases.NotTested)
		}
	}
}
