package selftest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// TestLanesChangeNothing compares the reports of few servers; the command, those of
// all.
func TestLanesChangeNothing(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i, f := range faults.All(contract) {
		if i%250 == 7 {
			ids = append(ids, regexp.QuoteMeta(f.ID))
		}
	}
	for i, v := range faults.Variants() {
		if i%30 == 3 {
			ids = append(ids, regexp.QuoteMeta(v.ID))
		}
	}
	o := Options{Faults: true, Variants: true, Only: regexp.MustCompile("^(" + strings.Join(ids, "|") + ")$")}
	tried, differ, err := CompareLanes(t.Context(), o, 1, 16, nil)
	if err != nil || tried != len(ids) {
		t.Fatalf("%d of %d tried: %v", tried, len(ids), err)
	}
	if len(differ) > tried/4 { // so many faults do not hang on the order of requests
		t.Errorf("%d of %d differ", len(differ), tried)
	}
	for _, d := range differ {
		if !d.Unsteady && !d.Moved {
			t.Errorf("%s: %v with one lane, %v with many", d.ID, d.Few, d.Many)
		}
	}
}

func TestWhatCountsAsADifference(t *testing.T) {
	found := func(clause, of string) report.Report {
		return report.Report{Verdict: report.Nonconforming, Findings: []oracle.Finding{{Clause: clause, Case: of}}, Results: []report.Case{{ID: "a"}, {ID: "b"}}}
	}
	a, clause, of := found("AUTH-1", "a"), found("AUTH-2", "a"), found("AUTH-1", "b")
	order := found("AUTH-1", "a")
	slices.Reverse(order.Results)
	for name, b := range map[string]report.Report{"clause": clause, "case": of, "order": order} {
		if slices.Equal(lines(&a), lines(&b)) {
			t.Errorf("another %s makes no difference", name)
		}
	}
	seen := found("AUTH-1", "a")
	seen.Findings[0].Seen, seen.Findings[0].Got, seen.Requests = 7, "other", 9
	if !slices.Equal(lines(&a), lines(&seen)) {
		t.Error("how often something was seen makes a difference")
	}
	if left := without(lines(&a), lines(&order)); len(left) != 1 || !strings.Contains(left[0], "order") {
		t.Errorf("left %v", left)
	}
}

func TestWhatIsUnsteady(t *testing.T) {
	a, b := said{verdict: "nonconforming", proved: true, lines: []string{"a"}}, said{verdict: "nonconforming", proved: true, lines: []string{"b"}}
	missed, held := said{verdict: "nonconforming", lines: []string{"b"}}, said{verdict: "conforming", proved: true, lines: []string{"b"}}
	for name, c := range map[string]struct {
		few, many []said
		want      bool
	}{
		"each as before":       {[]said{a, a}, []said{b, b}, false},
		"many lanes vary":      {[]said{a, a}, []said{b, a}, true},
		"few lanes vary":       {[]said{a, b}, []said{b, b}, true},
		"not found with many":  {[]said{a, a}, []said{b, missed}, false},
		"another verdict once": {[]said{a, a}, []said{b, held}, false},
	} {
		if got := unsteady(c.few, c.many); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
