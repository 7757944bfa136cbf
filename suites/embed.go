package suites

import (
	"fmt"
	"os"
	"os/signal"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// Run runs the standard suite against a target in a Go test, and fails the test
// when the target does not conform or the run is inconclusive. Ginkgo's flags
// (-ginkgo.focus, -ginkgo.label-filter, -ginkgo.dry-run, …) work.
//
// Ginkgo's tree is global: call Run in a package that has no other Ginkgo specs.
func Run(t *testing.T, target *fixtures.Target, options ...func(*Config)) *report.Report {
	t.Helper()
	c := NewConfig(target)
	c.Mark = NewMark()
	for _, o := range options {
		o(c)
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	suite, reporter := ginkgo.GinkgoConfiguration()
	run, err := runTree(ctx, c, t, suite, reporter, os.Stdout)
	if err != nil {
		t.Fatalf("adconform: %v", err)
	}
	r := run.reported()
	for _, w := range target.Warnings {
		t.Log(w.Error())
	}
	if r != nil {
		fmt.Println(report.VerdictLine(r)) // beneath Ginkgo's summary: how much was tested, and of what
	}
	if r != nil && r.ExitCode != report.ExitConforming {
		t.Errorf("adconform: %s: %s%s", r.Verdict, r.Reason, report.CauseLines(r))
	}
	return r
}
