package specs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/specs"
)

// planOf returns the plan of the small document.
func planOf(depth judge.Depth) []*judge.Case {
	return specs.Plan(small(), fixtures.DefaultWorld().Target("http://a"), depth)
}

// small is a document of two operations.
func small() *spec.Contract {
	c := spec.Load()
	c.Operations = []*spec.Operation{c.Operation("updateCampaign"), c.Operation("deleteCreative")}
	return c
}

func ids(plan []*judge.Case) (all []string) {
	for _, c := range plan {
		all = append(all, c.ID)
	}
	return all
}

// The plan of a small document at depth quick. The first success shows the owner's key; a delete that must be refused
// comes before one that is accepted.
func TestPlanOfASmallDocument(t *testing.T) {
	want := strings.Fields(`
		updateCampaign/success/ordinary
		updateCampaign/401/no-key updateCampaign/401/last-third-key updateCampaign/401/sql-key
		updateCampaign/401/user-headers
		updateCampaign/403/stranger updateCampaign/403/owner-on-foreign
		updateCampaign/404/unknown-campaign-1 updateCampaign/422/name-is-array
		updateCampaign/text/name-many updateCampaign/text/name-length-65536
		deleteCreative/403/strangers
		deleteCreative/401/no-key deleteCreative/401/last-third-key deleteCreative/401/sql-key
		deleteCreative/401/user-headers
		deleteCreative/404/unknown-creative-1
		deleteCreative/success/ordinary deleteCreative/effects/gone`)
	if diff := cmp.Diff(want, ids(planOf(judge.Quick))); diff != "" {
		t.Error(diff)
	}
}

// The same document, target and depth make the same plan, deeper ones hold the cases of shallower ones, and each case
// is whole.
func TestPlans(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://a")
	var before []string
	for _, depth := range []judge.Depth{judge.Quick, judge.Standard, judge.Deep} {
		plan := specs.Plan(small(), target, depth)
		got := ids(plan)
		if diff := cmp.Diff(got, ids(specs.Plan(small(), target, depth))); diff != "" {
			t.Errorf("%s: another plan: %s", depth, diff)
		}
		for _, id := range before {
			if !slices.Contains(got, id) {
				t.Errorf("%s lacks %s", depth, id)
			}
		}
		before = got
		for i, c := range plan {
			switch {
			case c.Place != i, c.Title == "", c.Steps == nil, !strings.HasPrefix(c.Location, "suites/specs/"):
				t.Errorf("%s is not whole: %+v", c.ID, c)
			case !strings.HasPrefix(c.ID, c.Operation.ID+"/"+c.Class+"/"), slices.Index(got, c.ID) != i:
				t.Errorf("%s does not name its operation and class, or is there twice", c.ID)
			case c.Writes && c.Needs == nil, c.Open == "" && c.Clauses == nil:
				t.Errorf("%s writes without an object, or judges nothing", c.ID)
			}
		}
	}
}

// Cases that must be refused come in stretches, without a success between them, and cases that look at what all others
// left come last.
func TestOrderOfAPlan(t *testing.T) {
	last := false
	stretches := map[string]int{}
	for i, plan := 0, planOf(judge.Standard); i < len(plan); i++ {
		c := plan[i]
		if last && !c.Last {
			t.Errorf("%s comes after the last cases", c.ID)
		}
		if last = c.Last; c.Stretch && (i == 0 || !plan[i-1].Stretch || plan[i-1].Operation != c.Operation) {
			stretches[c.Operation.ID]++
		}
	}
	for id, n := range stretches {
		if n > 4 {
			t.Errorf("%s has %d stretches", id, n)
		}
	}
	if len(stretches) != 2 {
		t.Errorf("stretches %v", stretches)
	}
}
