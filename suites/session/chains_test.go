package session_test

import (
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/specs"
)

func divided(t *testing.T) ([]*judge.Case, []*session.Chain) {
	t.Helper()
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	plan := specs.Plan(contract, fixtures.DefaultWorld().Target("http://127.0.0.1"), judge.Deep)
	return plan, session.Chains(plan)
}

// before says whether a chain has to have ended when another begins.
func before(a, b *session.Chain) bool {
	return slices.ContainsFunc(b.After, func(s *session.Chain) bool { return s == a || before(a, s) })
}

func TestChainsHoldEveryCaseOnceAndInOrder(t *testing.T) {
	plan, chains := divided(t)
	seen := map[*judge.Case]bool{}
	for i, s := range chains {
		for _, earlier := range s.After {
			if !slices.Contains(chains[:i], earlier) {
				t.Fatalf("chain %d is after one that comes later, or itself", i)
			}
		}
		last := -1
		for _, c := range s.Cases {
			if seen[c] || c.Place <= last {
				t.Errorf("%s is there twice or out of order", c.ID)
			}
			seen[c], last = true, c.Place
		}
	}
	if len(seen) != len(plan) {
		t.Errorf("%d of %d cases", len(seen), len(plan))
	}
}

// Updates of one kind of object follow one another; those of a profile and its hosts need not.
func TestChainsOfOneKindOfObjectNeverRunAtOnce(t *testing.T) {
	_, chains := divided(t)
	sideBySide := 0
	for i, a := range chains {
		for _, b := range chains[i+1:] {
			if len(a.Cases) == 0 || len(b.Cases) == 0 || before(a, b) || !a.Cases[0].Operation.Updates() || !b.Cases[0].Operation.Updates() {
				continue
			}
			sideBySide++
			if a.Cases[0].Operation.SameObjects(b.Cases[0].Operation) {
				t.Errorf("%s and %s may run at once", a.Cases[0].ID, b.Cases[0].ID)
			}
		}
	}
	if sideBySide != 3 {
		t.Errorf("%d pairs of three kinds of objects may run at once", sideBySide)
	}
}

// What a page is compared with was there before anything was deleted, or is gone: a page that does
// not exist is not asked for beside a delete, nor is a list whose items the target file does not name.
func TestListsThatDeletesShortenAreReadBefore(t *testing.T) {
	unnamed, err := spec.LoadOverlaid([]byte(`
overlay: 1.0.0
info: {title: Nobody says what a list holds, version: 1.0.0}
actions: [{target: $.paths.*.get.x-effects.members, remove: true}]
`), "overlay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, chains := divided(t)
	neverBesideDeletes(t, chains, func(c *judge.Case) bool { return c.Operation.Lists() && slices.Contains(c.Clauses, "MEDIA-4") })
	plan := specs.Plan(unnamed, fixtures.DefaultWorld().Target("http://127.0.0.1"), judge.Deep)
	neverBesideDeletes(t, session.Chains(plan), func(c *judge.Case) bool { return c.Operation.Lists() })
}

func neverBesideDeletes(t *testing.T, chains []*session.Chain, compared func(*judge.Case) bool) {
	t.Helper()
	pairs := 0
	for _, a := range chains {
		for _, b := range chains {
			lists := slices.ContainsFunc(a.Cases, compared)
			if deletes := slices.ContainsFunc(b.Cases, func(c *judge.Case) bool { return c.Once }); !lists || !deletes {
				continue
			}
			pairs++
			if !before(a, b) && !before(b, a) {
				t.Errorf("%s and %s may run at once", a.Cases[0].ID, b.Cases[0].ID)
			}
		}
	}
	if pairs == 0 {
		t.Error("nothing is compared, or nothing deletes")
	}
}
