package suites_test

import (
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/oracle"
)

// What an update of the object itself set before is no trace of a refused request, and
// of no other object: the answer is stale. Nor is an update lost that the next look shows.
func TestAStaleAnswerIsToldAsOne(t *testing.T) {
	contract := reftest.Contract(t)
	world := fixtures.DefaultWorld()
	lax := func(c *reference.Choices) { c.ScalarCoercion, c.EmptyNames = reference.Accept, reference.Accept }
	for id, checks := range map[string][]string{
		"effect/old-representation/": {"shows-sent", "updated-at"},
		"effect/two-processes/":      {"stale", "shows-sent", "updated-at"},
	} {
		for _, op := range contract.Operations {
			if !op.Updates() || testing.Short() && op.ID != "updateCampaign" {
				continue
			}
			f, err := faults.ByID(contract, id+op.ID)
			if err != nil {
				t.Fatal(err)
			}
			r := runOn(t, f.Wrap(reftest.New(t, world, lax), faults.NewEnv(contract, world)))
			if len(violations(r)) == 0 {
				t.Error(f.ID, "is not found")
			}
			for _, v := range r.Findings {
				if v.Severity == oracle.Violation && !slices.Contains(checks, v.Check) {
					t.Errorf("%s: %s (%s) in %s: expected %s, got %s", f.ID, v.CauseWords, v.Clause, v.Case, v.Expected, v.Got)
				}
			}
		}
	}
}
