package selftest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// TestWorkersChangeNothing compares the reports of few servers; the command, those of
// all.
func TestWorkersChangeNothing(t *testing.T) {
	var ids []string
	for _, f := range faults.All(reftest.Contract(t)) {
		if faults.Sampled(f.ID, min(scarce(250), 1600)) {
			ids = append(ids, regexp.QuoteMeta(f.ID))
		}
	}
	for _, v := range faults.Variants() {
		if faults.Sampled(v.ID, min(scarce(25), 400)) {
			ids = append(ids, regexp.QuoteMeta(v.ID))
		}
	}
	o := Options{Faults: true, Variants: true, Only: regexp.MustCompile("^(" + strings.Join(ids, "|") + ")$")}
	c, err := CompareWorkers(t.Context(), o, 1, 16)
	if err != nil || c.Tried != len(ids) {
		t.Fatalf("%d tried: %v", len(ids), err)
	}
	if len(c.Differ) > c.Tried/4 { // so many faults do not depend on the order of requests
		t.Errorf("%d of %d differ", len(c.Differ), c.Tried)
	}
	if _, _, other := c.Count(); other > 0 {
		var text strings.Builder
		c.WriteText(&text)
		t.Error(text.String())
	}
}

func TestWhatCountsAsADifference(t *testing.T) {
	found := func(clause, of string) report.Report {
		return report.Report{
			Verdict: report.Nonconforming, Findings: []oracle.Finding{{Clause: clause, Case: of}}, Results: []report.Case{{ID: "a"}, {ID: "b"}},
		}
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
	a := said{verdict: "nonconforming", proved: true, lines: []string{"a"}}
	b := said{verdict: "nonconforming", proved: true, lines: []string{"b"}}
	missed, held := said{verdict: "nonconforming", lines: []string{"b"}}, said{verdict: "conforming", proved: true, lines: []string{"b"}}
	for name, c := range map[string]struct {
		few, many []said
		want      bool
	}{
		"each as before":       {[]said{a, a}, []said{b, b}, false},
		"many workers vary":    {[]said{a, a}, []said{b, a}, true},
		"few workers vary":     {[]said{a, b}, []said{b, b}, true},
		"not found with many":  {[]said{a, a}, []said{b, missed}, false},
		"another verdict once": {[]said{a, a}, []said{b, held}, false},
	} {
		if got := unsteady(c.few, c.many); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
