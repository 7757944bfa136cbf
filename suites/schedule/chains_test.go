package schedule

import (
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
)

func divided(t *testing.T, objectSets int) (*fixtures.Target, []*testcase.Case, []*Chain) {
	t.Helper()
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	target := fixtures.WorldWithObjectSets(objectSets).Target("http://127.0.0.1")
	plan := specs.Plan(contract, target, testcase.Deep)
	return target, plan, Chains(plan, target)
}

// before says whether a chain has to have ended when another begins.
func before(a, b *Chain) bool {
	return slices.ContainsFunc(b.After, func(s *Chain) bool { return s == a || before(a, s) })
}

func TestChainsHoldEveryCaseOnceAndInOrder(t *testing.T) {
	for objectSets := range 6 {
		target, plan, chains := divided(t, objectSets)
		seen := map[*testcase.Case]bool{}
		for i, s := range chains {
			for _, earlier := range s.After {
				if !slices.Contains(chains[:i], earlier) {
					t.Fatalf("%d lanes: chain %d is after one that comes later, or itself", objectSets, i)
				}
			}
			last := -1
			for _, c := range s.Cases {
				if seen[c] || c.Place <= last {
					t.Errorf("%d lanes: %s is there twice or out of order", objectSets, c.ID)
				}
				seen[c], last = true, c.Place
				for _, need := range c.Needs {
					if !testcase.Has(target.ObjectSet(s.ObjectSet), need) {
						t.Errorf("%d lanes: %s needs %s, which lane %d has not", objectSets, c.ID, need, s.ObjectSet)
					}
				}
			}
		}
		if len(seen) != len(plan) {
			t.Errorf("%d lanes: %d of %d cases", objectSets, len(seen), len(plan))
		}
	}
}

// Chains on one tree of objects follow one another.
func TestChainsOfOneTreeNeverRunAtOnce(t *testing.T) {
	for objectSets := range 6 {
		_, _, chains := divided(t, objectSets)
		for i, a := range chains {
			for _, b := range chains[i+1:] {
				if len(a.Cases) == 0 || len(b.Cases) == 0 || a.ObjectSet != b.ObjectSet || treeOf(a) != treeOf(b) {
					continue
				}
				if !before(a, b) {
					t.Errorf("%d lanes: %s and %s may run at once", objectSets, a.Cases[0].ID, b.Cases[0].ID)
				}
			}
		}
	}
}

// What a page is compared with was there before anything was deleted, or is gone: a list
// whose items the target file does not name is not asked for beside a delete.
func TestListsThatDeletesShortenAreReadBefore(t *testing.T) {
	contract, err := spec.LoadOverlaid([]byte(`
overlay: 1.0.0
info: {title: Nobody says what a list holds, version: 1.0.0}
actions: [{target: $.paths.*.get.x-effects.members, remove: true}]
`), "overlay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	target := fixtures.WorldWithObjectSets(1).Target("http://127.0.0.1")
	chains := Chains(specs.Plan(contract, target, testcase.Deep), target)
	compared := 0
	for _, a := range chains {
		for _, b := range chains {
			lists := slices.ContainsFunc(a.Cases, func(c *testcase.Case) bool { return c.Operation.Lists() })
			if deletes := slices.ContainsFunc(b.Cases, func(c *testcase.Case) bool { return c.Once }); !lists || !deletes {
				continue
			}
			compared++
			if !before(a, b) && !before(b, a) {
				t.Errorf("%s and %s may run at once", a.Cases[0].ID, b.Cases[0].ID)
			}
		}
	}
	if compared == 0 {
		t.Error("nothing lists, or nothing deletes")
	}
}

func treeOf(s *Chain) string { return s.Cases[0].Operation.Params[0].Object }

// What object sets are for: with more of them the longest chain of requests is shorter,
// until what cannot be spread is all that is left.
func TestLanesShortenTheLongestChain(t *testing.T) {
	chain := func(objectSets int) int {
		_, _, chains := divided(t, objectSets)
		longest, ends := 0, map[*Chain]int{}
		for _, s := range chains {
			begin := 0
			for _, earlier := range s.After {
				begin = max(begin, ends[earlier])
			}
			ends[s] = begin + Requests(s.Cases)
			longest = max(longest, ends[s])
		}
		return longest
	}
	one, four := chain(0), chain(4)
	if 3*four > one {
		t.Errorf("the longest chain has %d requests with 4 lanes and %d without", four, one)
	}
}

// An object that the target file does not name is not replaced by one of an object set.
func TestLanesAreNoSubstitute(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	target := fixtures.WorldWithObjectSets(3).Target("http://127.0.0.1")
	target.Objects.Campaign = nil
	for _, s := range Chains(specs.Plan(contract, target, testcase.Standard), target) {
		for _, c := range s.Cases {
			if c.Operation.ID == "updateCampaign" && s.ObjectSet > 0 {
				t.Errorf("%s is in lane %d", c.ID, s.ObjectSet)
			}
		}
	}
}
