package mutants

import (
	"regexp"
	"testing"
)

// A sample of the mutants of the reference is as the table says: those of one operation's
// file. `adconform selftest --mutants` tries all.
func TestSampleOfTheReference(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program again, with mutants; the other tests do so with a small one")
	}
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), root, Options{Only: regexp.MustCompile(`^update_campaign.go/`)})
	if err != nil {
		t.Fatal(err)
	}
	if r.All.Killed == 0 {
		t.Error("none is killed: is the program with the mutants the one that is served?")
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	for _, o := range r.Outcomes {
		if !o.Good() {
			t.Errorf("%s: %s (%s), reason %q, %s", o.ID, o.Verdict, o.After, o.Reason, o.Finding)
		}
	}
}

// Each key of the table is that of a mutant that there is.
func TestTableIsFresh(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	all, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Table()
	if err != nil {
		t.Fatal(err)
	}
	_, problems := listed(table, all)
	for _, p := range problems {
		t.Error(p)
	}
}
