package selftest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// asRun changes how a run is made; nil leaves it.
type asRun func(*suites.Config)

func lanes(n int) asRun            { return func(c *suites.Config) { c.Target.Limits.Concurrency = n } }
func seed(n uint64) asRun          { return func(c *suites.Config) { c.Seed = n } }
func atDepth(d engine.Depth) asRun { return func(c *suites.Config) { c.Depth = d } }

func runFault(t *testing.T, contract *spec.Contract, f *faults.Fault, b *baseline.Baseline, change ...asRun) *report.Report {
	t.Helper()
	c := suites.NewConfig(faulty(t, contract, f))
	c.Baseline = b
	for _, as := range change {
		as(c)
	}
	r, err := suites.Execute(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// baselineOf bears all that a report found.
func baselineOf(r *report.Report) *baseline.Baseline {
	b := &baseline.Baseline{File: "known.yaml"}
	for _, n := range b.Renewals(r, func(*oracle.Finding) bool { return true }) {
		n.Reason, n.Expires = "ticket 4711", baseline.Date{Time: time.Now().AddDate(1, 0, 0)}
		b.Entries = append(b.Entries, n.Entry)
	}
	return b
}

// uncovered is what a run says that its baseline does not cover.
func uncovered(r *report.Report) []string {
	var all []string
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Known == "" && f.Severity == oracle.Violation {
			all = append(all, fmt.Sprintf("%s: %q is new of %d cases", f.Cause(), f.NewCases, len(f.Cases)))
		}
	}
	for _, k := range r.Baseline.Stale {
		all = append(all, fmt.Sprintf("%s: stale", k.Cause))
	}
	return all
}

func TestExplore(t *testing.T) {
	every, _ := strconv.Atoi(os.Getenv("EVERY"))
	off, _ := strconv.Atoi(os.Getenv("OFF"))
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range faults.All(contract) {
		if i%every != off {
			continue
		}
		b := baselineOf(runFault(t, contract, &f, nil))
		for name, as := range map[string]asRun{"same": lanes(8), "again": lanes(8), "one": lanes(1), "sixteen": lanes(16), "seed2": seed(2), "seed3": seed(77)} {
			if u := uncovered(runFault(t, contract, &f, b, as)); len(u) > 0 {
				for _, l := range u {
					fmt.Printf("%s\t%s\t%s\n", f.ID, name, l)
				}
			}
		}
	}
	_ = slices.Sort[[]string]
}
