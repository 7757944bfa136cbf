package suites

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
)

var (
	newEdition = flag.String("new-edition", "", "write spec/editions/`NAME`.yaml of what there is, unless that is frozen")
	freeze     = flag.Bool("freeze", false, "with -new-edition: it is published, and is frozen from now on")
)

const editionsDir = "../spec/editions"

// frozenFile holds the digest of each edition that was published, a line each.
const frozenFile = editionsDir + "/frozen.txt"

// allCases are the cases of a complete target, at the greatest depth.
func allCases(t *testing.T) []*testcase.Case {
	t.Helper()
	contract := reftest.Contract(t)
	return specs.Plan(contract, fixtures.DefaultWorld().Target("http://127.0.0.1"), testcase.Deep)
}

func allChecks() (ids []string) {
	for _, c := range slices.Concat(oracle.Checks(), judge.Checks) {
		ids = append(ids, c.ID)
	}
	return ids
}

// meaning is a digest of what a case asks for, as far as that is data: clauses that an
// edition does not have are none of its business.
func meaning(cs *testcase.Case, clauses map[string]spec.Basis) string {
	judged := slices.DeleteFunc(slices.Sorted(slices.Values(cs.Clauses)), func(id string) bool { return clauses[id] == "" })
	data, err := json.Marshal([]any{cs.ID, cs.Operation.Method, cs.Class, cs.Title, judged, cs.Open, cs.Field, cs.Depth.String(), false})
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))[:12]
}

// digest is of what is frozen of an edition.
func digest(e *spec.Edition) string {
	data, err := json.Marshal([]any{e.Name, e.Clauses, slices.Sorted(slices.Values(e.Checks)), e.Cases})
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// frozen are the digests by edition.
func frozen(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(frozenFile)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] != "#" {
			sums[f[0]] = f[1]
		}
	}
	return sums
}

// Each edition that was published is as it was: a vendor who passed it still passes.
func TestEditionsAreFrozen(t *testing.T) {
	all := spec.LoadEditions()
	sums := frozen(t)
	for _, e := range all {
		switch sum := sums[e.Name]; {
		case sum == "" && !e.IsNewest():
			t.Errorf("edition %s is not frozen, and there is a later one", e.Name)
		case sum != "" && sum != digest(e):
			t.Errorf("edition %s was published and has changed: put it back as it was, and write a new one with "+
				"make edition EDITION=…", e.Name)
		}
		delete(sums, e.Name)
	}
	for name := range sums {
		t.Errorf("edition %s was published and is gone", name)
	}
}

// No case of any edition disappears or changes its meaning, nor a clause or a check.
func TestCasesOfEditionsStay(t *testing.T) {
	there := map[string]*testcase.Case{}
	for _, cs := range allCases(t) {
		there[cs.ID] = cs
	}
	contract, _ := spec.Load()
	for _, e := range spec.LoadEditions() {
		for id, want := range e.Cases {
			cs := there[id]
			if cs == nil {
				t.Errorf("edition %s: the case %s is gone", e.Name, id)
			} else if got := meaning(cs, e.Clauses); got != want {
				t.Errorf("edition %s: the case %s means something else (%s, was %s): title, class, clauses, open point, "+
					"field and depth stay; give what is new another id", e.Name, id, got, want)
			}
		}
		for id := range e.Clauses {
			if contract.Clause(id) == nil {
				t.Errorf("edition %s: the clause %s is gone", e.Name, id)
			}
		}
		for _, id := range e.Checks {
			if !slices.Contains(allChecks(), id) {
				t.Errorf("edition %s: the check %s is gone", e.Name, id)
			}
		}
	}
}

// What came since the newest edition is listed there as provisional, with the day, so that
// it fails no run until an edition counts it.
func TestWhatIsNewIsListed(t *testing.T) {
	newest := spec.NewestEdition()
	contract := reftest.Contract(t)
	ids := allChecks()
	for i := range contract.Clauses {
		ids = append(ids, contract.Clauses[i].ID)
	}
	for _, cs := range allCases(t) {
		ids = append(ids, cs.ID)
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
		if spec.LoadEditions().Since(id) == "" && newest.Provisional[id] == "" {
			t.Errorf("%s is in no edition: as long as %s is not frozen, make edition EDITION=%[2]s; then add it under provisional in "+
				"spec/editions/%[2]s.yaml, with the day", id, newest.Name)
		}
	}
	for id := range newest.Provisional {
		if !known[id] {
			t.Errorf("edition %s: there is no %s that could be provisional", newest.Name, id)
		}
	}
	for id, c := range newest.Contested {
		if contract.Clause(id) == nil || c.Reason == "" || !strings.HasPrefix(c.Link, "https://") {
			t.Errorf("edition %s: contested %s: want a clause, with a reason and a link", newest.Name, id)
		}
	}
}

// It writes an edition only where it is told to.
func TestNewEdition(t *testing.T) {
	name := *newEdition
	if name == "" {
		t.Skip("only with -new-edition: make edition")
	}
	if frozen(t)[name] != "" {
		t.Fatalf("edition %s was published: it stays as it is", name)
	}
	contract := reftest.Contract(t)
	clauses, cases := map[string]spec.Basis{}, map[string]string{}
	for i := range contract.Clauses {
		clauses[contract.Clauses[i].ID] = contract.Clauses[i].Basis
	}
	for _, cs := range allCases(t) {
		cases[cs.ID] = meaning(cs, clauses)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `# What counts in edition %s, written by: make edition EDITION=%[1]s
# It is frozen once it is published; only provisional and contested may grow then:
#   provisional: {id of a clause, check or case: day since when}
#   contested: {clause: {reason: …, link: …}}
# Cases are those of a complete target, each with a digest of what it means. One that ends in
# a number stands for all that a larger target has of it.
edition: %[1]q
provisional: {}
contested: {}
clauses:
`, name)
	for i := range contract.Clauses {
		fmt.Fprintf(&b, "  %s: %s\n", contract.Clauses[i].ID, contract.Clauses[i].Basis)
	}
	b.WriteString("checks:\n")
	for _, id := range allChecks() {
		fmt.Fprintf(&b, "  - %s\n", id)
	}
	b.WriteString("cases: |\n")
	for _, id := range slices.Sorted(maps.Keys(cases)) {
		fmt.Fprintf(&b, "  %s %s\n", id, cases[id])
	}
	if err := os.WriteFile(filepath.Join(editionsDir, name+".yaml"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if !*freeze {
		return
	}
	all, err := spec.ReadEditions(os.DirFS(editionsDir))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(frozenFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(frozenFile, fmt.Appendf(data, "%s %s\n", name, digest(all.Find(name))), 0o644); err != nil {
		t.Fatal(err)
	}
}
