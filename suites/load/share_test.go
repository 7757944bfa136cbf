package load

import (
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
)

func TestTurnedKeepsTheOrderOfAnOperation(t *testing.T) {
	a, b, c := operation("a"), operation("b"), operation("c")
	share := []*testcase.Case{
		{ID: "a1", Operation: a},
		{ID: "a2", Operation: a},
		{ID: "b1", Operation: b},
		{ID: "c1", Operation: c},
		{ID: "a9", Operation: a, Last: true},
	}
	for by, want := range []string{"a1 a2 b1 c1 a9", "b1 c1 a1 a2 a9", "c1 a1 a2 b1 a9", "a1 a2 b1 c1 a9"} {
		var ids []string
		for _, c := range turned(share, by) {
			ids = append(ids, c.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("by %d: %s, want %s", by, got, want)
		}
	}
}

func operation(id string) *spec.Operation { return &spec.Operation{ID: id} }

func TestWhyALaneLeavesACaseOut(t *testing.T) {
	contract := reftest.Contract(t)
	target := fixtures.WorldWithObjectSets(1).Target("http://127.0.0.1/v2")
	r := &run{Options: Options{Contract: contract, Target: target, Plan: specs.Plan(contract, target, testcase.Standard)}}
	for _, c := range []struct {
		id   string
		want [3]string // virtual user with everything, with a set of its own, with none
	}{
		{"updateCampaign/success/ordinary", [3]string{"", "", onlyReads}},
		{"updateCampaign/403/owner-on-foreign", [3]string{"", foreignFirst, onlyReads}},
		{"listCreativeMediaFiles/success/ordinary", [3]string{}},
		{"listCreativeMediaFiles/403/owner-on-foreign", [3]string{}},
		{"deleteCreative/401/no-key", [3]string{"", mayDelete, onlyReads}},
		{"deleteCreative/success/ordinary", [3]string{usesUp, mayDelete, usesUp}},
	} {
		for _, planned := range r.Plan {
			for user := range c.want {
				if planned.ID == c.id && r.why(user, planned) != c.want[user] {
					t.Errorf("lane %d, %s: %q, want %q", user, c.id, r.why(user, planned), c.want[user])
				}
			}
		}
		if !slices.ContainsFunc(r.Plan, func(p *testcase.Case) bool { return p.ID == c.id }) {
			t.Errorf("there is no case %s", c.id)
		}
	}
	target.Foreign, r.Plan = fixtures.Foreign{}, r.Plan[:0:0]
	if why := r.why(0, &testcase.Case{Operation: contract.Operations[0], Needs: []string{"foreign.campaign"}}); why != lacking {
		t.Errorf("what the target file lacks: %q", why)
	}
}
