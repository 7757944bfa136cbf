package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/specs"
)

func divided(t *testing.T) ([]*judge.Case, []*session.Chain) {
	t.Helper()
	contract := spec.Load()
	plan := specs.Plan(contract, fixtures.DefaultWorld().Target("http://127.0.0.1"), judge.Deep)
	return plan, session.Chains(plan)
}

func TestChainsHoldEveryCaseOnceAndInOrder(t *testing.T) {
	plan, chains := divided(t)
	seen := map[*judge.Case]bool{}
	for i, s := range chains {
		if i > 0 && s.Phase < chains[i-1].Phase {
			t.Fatalf("chain %d is of an earlier phase than the one before", i)
		}
		last := -1
		for _, c := range s.Cases {
			if seen[c] || c.Place <= last {
				t.Errorf("%s occurs twice or is out of order", c.ID)
			}
			seen[c], last = true, c.Place
		}
	}
	if len(seen) != len(plan) {
		t.Errorf("%d of %d cases", len(seen), len(plan))
	}
}

// Updates of one kind of object run one after another; those of a profile and of its hosts need not.
func TestChainsOfOneKindOfObjectNeverRunAtOnce(t *testing.T) {
	_, chains := divided(t)
	sideBySide := 0
	for i, a := range chains {
		for _, b := range chains[i+1:] {
			if a.Phase != b.Phase || !a.Cases[0].Operation.Updates() || !b.Cases[0].Operation.Updates() {
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

// A delete may shorten a list, so lists are read in the chain of the deletes, and before them.
func TestListsAndDeletesAreOneChain(t *testing.T) {
	_, chains := divided(t)
	var kinds []string
	for _, chain := range chains {
		var of string
		for _, c := range chain.Cases {
			kind := map[bool]string{true: "list", false: "delete"}[c.Operation.Lists()]
			if !c.Last && (c.Operation.Lists() || c.Operation.Deletes()) && !strings.HasSuffix(of, kind) {
				of += " " + kind
			}
		}
		if of != "" {
			kinds = append(kinds, of)
		}
	}
	if !slices.Equal(kinds, []string{" list delete"}) {
		t.Errorf("the chains with lists or deletes have%s", strings.Join(kinds, ","))
	}
}
