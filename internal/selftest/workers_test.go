package selftest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
)

// What a run finds does not hang on how many cases are under way at once.
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
	o := only("^(" + strings.Join(ids, "|") + ")$")
	o.Coverage = true // a run goes on to its end
	said := func(workers int) (lines []string) {
		o.Workers = workers
		for _, outcome := range run(t, o).Outcomes {
			lines = append(lines, fmt.Sprint(outcome.ID, outcome.Verdict, outcome.Findings, outcome.Unshown))
		}
		return lines
	}
	one, many := said(1), said(16)
	if !slices.Equal(one, many) {
		t.Errorf("one by one: %q\nwith 16 workers: %q", one, many)
	}
}
