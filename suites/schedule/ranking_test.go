package schedule

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
)

// The order has every case once, begins with what a run begins with, and leaves those
// that nothing ranks, in the order of the plan, for the end.
func TestRankedIsAnOrderOfThePlan(t *testing.T) {
	g := NewWithT(t)
	contract, err := spec.Load()
	g.Expect(err).NotTo(HaveOccurred())
	plan := specs.PlanWithCombined(contract, fixtures.DefaultWorld().Target("http://127.0.0.1"), testcase.Deep)
	ranked := Ranked(plan)
	g.Expect(ranked).To(ConsistOf(plan))
	g.Expect(ranked[0].ID).To(Equal(specs.FirstTurn(contract.ListOf("vastCreative"))))
	first := slices.IndexFunc(ranked, func(c *testcase.Case) bool { _, known := ranking()[c.ID]; return !known })
	g.Expect(first).To(BeNumerically(">", 300))
	last := -1
	for _, c := range ranked[first:] {
		g.Expect(ranking()).NotTo(HaveKey(c.ID))
		g.Expect(c.Place).To(BeNumerically(">", last))
		last = c.Place
	}
	place := func(id string) int {
		return slices.IndexFunc(ranked, func(c *testcase.Case) bool { return c.ID == id })
	}
	for _, container := range []string{"disposablevastcreatives-0", "disposablevastcreatives-1"} {
		g.Expect(place("deleteCreative/effects/container-"+container)).To(
			BeNumerically(">", place("deleteCreative/effects/media-file-"+container)), "a container goes after its files")
	}
	combined := slices.IndexFunc(ranked, func(c *testcase.Case) bool { return c.Combined })
	g.Expect(combined).To(BeZero(), "what does several things at once comes first")
}
