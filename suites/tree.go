package suites

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// ginkgoRun is held during a run, as Ginkgo's tree and console are global.
var ginkgoRun sync.Mutex

const suiteName = "adconform"

// RunGinkgo runs the suite as a Ginkgo suite in this process: a spec for each case, in the containers of its
// operation and class.
func RunGinkgo(ctx context.Context, c *Config) (*report.Report, error) {
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.RandomSeed = int64(c.Seed)
	suite.FocusStrings, suite.SkipStrings, suite.LabelFilter = nil, nil, "" // from an earlier run
	reporter.NoColor, reporter.Succinct = true, true
	defer signal.Reset(os.Interrupt, syscall.SIGTERM)                   // Ginkgo leaves its own handlers behind
	return runTree(ctx, c, new(testing.T), suite, reporter, io.Discard) // the report says why it fails
}

// runTree runs the cases that Ginkgo's filters select. A dry run has no report.
func runTree(
	ctx context.Context, c *Config, t ginkgo.GinkgoTestingT, suite types.SuiteConfig, reporter types.ReporterConfig, console io.Writer,
) (*report.Report, error) {
	if suite.ParallelTotal > 1 {
		return nil, errors.New("the suite sends concurrently by itself and cannot be split across processes: run without -p or --procs")
	}
	if _, err := types.ParseLabelFilter(suite.LabelFilter); err != nil {
		return nil, fmt.Errorf("label filter %q cannot be read", suite.LabelFilter)
	}
	plan, err := c.Sendable()
	if err != nil {
		return nil, err
	}
	contract := c.contract()
	ginkgoRun.Lock()
	defer ginkgoRun.Unlock()
	stdout := formatter.ColorableStdOut
	formatter.ColorableStdOut = wording.InertWriter(console) // it shows texts of the target
	defer func() { formatter.ColorableStdOut = stdout }()

	globals.Reset()
	var run *execution
	var failure error
	ginkgo.BeforeSuite(func() {
		if run, failure = start(ctx, c, plan); failure != nil {
			ginkgo.Fail(failure.Error())
		}
		ginkgo.DeferCleanup(func() { run.wait() }) // until changed objects are restored
	})
	ginkgo.ReportAfterSuite("the report", func(ginkgo.Report) { run.wait() })
	describe(contract, plan, func(id string) *judge.Result { return <-run.results[id] })
	suite.FailOnEmpty = true
	if through := chosen(plan, suite, reporter); len(through) < len(plan) {
		plan = through
		own := *c
		own.Filters = append(slices.Clone(c.Filters), "Ginkgo's filters")
		c = &own
	}
	if len(plan) == 0 {
		return nil, c.noCase()
	}
	ginkgo.RunSpecs(t, suiteName, suite, reporter)
	return run.wait(), failure
}

// chosen returns the cases that Ginkgo's filters select. The tree still has all cases, so that Ginkgo shows
// the others as skipped.
func chosen(plan []*judge.Case, suite types.SuiteConfig, reporter types.ReporterConfig) []*judge.Case {
	through := map[string]bool{}
	for _, r := range ginkgo.PreviewSpecs(suiteName, suite, reporter).SpecReports {
		if r.LeafNodeType == types.NodeTypeIt && r.State == types.SpecStatePassed {
			through[r.LeafNodeText] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(plan), func(cs *judge.Case) bool { return !through[cs.ID] })
}

// describe builds the tree. A spec sends nothing: it awaits the result of its case, which the execution
// runs ahead.
func describe(contract *spec.Contract, plan []*judge.Case, await func(string) *judge.Result) {
	ginkgo.Describe(suiteName, ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
		for _, cs := range plan {
			described := types.CodeLocation{FileName: "spec/openapi.yaml", LineNumber: cs.Operation.Line}
			ginkgo.Describe(cs.Operation.ID, described, ginkgo.Label("operation:"+cs.Operation.ID), func() {
				ginkgo.Describe(cs.Class, described, ginkgo.Label("class:"+cs.Class), func() {
					ginkgo.It(cs.ID, codeLocation(cs.Location), labels(contract, cs), func() {
						ginkgo.AddReportEntry("operation", described.String(), ginkgo.ReportEntryVisibilityNever)
						conclude(await(cs.ID))
					})
				})
			})
		}
	})
}

// codeLocation parses a line such as suites/specs/authentication.go:41.
func codeLocation(line string) types.CodeLocation {
	file, number, _ := strings.Cut(line, ":")
	n, _ := strconv.Atoi(number) // 0 for none
	return types.CodeLocation{FileName: file, LineNumber: n}
}

// conclude turns a result into the outcome of its spec, with the findings as entries of Ginkgo's report.
func conclude(r *judge.Result) {
	for _, f := range r.Findings {
		ginkgo.AddReportEntry(f.Clause+" "+f.Check, codeLocation(f.Location), ginkgo.ReportEntryVisibilityNever, f)
	}
	switch {
	case r.Status == judge.Failed:
		ginkgo.Fail(explain(r))
	case r.Cause == judge.BySuite:
		ginkgo.Fail(r.Reason)
	case r.Status == judge.NotTested:
		ginkgo.Skip(r.Reason)
	}
}

// explain describes what a failed case found. A retry may have shown the same.
func explain(r *judge.Result) string {
	text := r.Case.Title
	for _, f := range r.Findings {
		if told := report.Describe(f); f.Severity != oracle.Notice && !strings.Contains(text, told) {
			text += "\n" + told
		}
	}
	return wording.Inert(text)
}

// labels returns the labels by which a case can be selected: basis, clause, writes.
func labels(contract *spec.Contract, cs *judge.Case) ginkgo.Labels {
	var all ginkgo.Labels
	for _, id := range cs.Clauses {
		all = append(all, "clause:"+id)
	}
	for _, basis := range contract.BasesOf(cs.Clauses) {
		all = append(all, "basis:"+string(basis))
	}
	if cs.Writes {
		all = append(all, "writes")
	}
	return all
}

// Run runs the standard suite against a target in a Go test, and fails the test if the target does not
// conform or the run is inconclusive. Ginkgo's flags (-ginkgo.focus, -ginkgo.label-filter,
// -ginkgo.dry-run, …) work. go test does not cache the result, as it cannot know whether the target
// changed.
//
// Ginkgo's tree is global: call Run in a package that has no other Ginkgo specs.
func Run(t *testing.T, target *fixtures.Target, options ...func(*Config)) *report.Report {
	t.Helper()
	c := NewConfig(target)
	c.Seed = NewSeed()
	neverCached()
	for _, o := range options {
		o(c)
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	suite, reporter := ginkgo.GinkgoConfiguration()
	r, err := runTree(ctx, c, t, suite, reporter, os.Stdout)
	if err != nil {
		t.Fatalf("adconform: %v", err)
	}
	for _, w := range target.Warnings {
		t.Log(wording.Inert(w.Error()))
	}
	if r == nil {
		return nil
	}
	fmt.Println(wording.Inert(report.VerdictLine(r))) // below Ginkgo's summary: how much was tested, and on which target
	if r.ExitCode != report.ExitConforming {
		text := fmt.Sprintf("adconform: %s: %s", r.Verdict, r.Reason)
		for _, f := range r.Findings {
			if f.Fails {
				text += fmt.Sprintf("\n  %s [%s]", f.Title, strings.Join(f.Clauses, ", "))
			}
		}
		t.Error(wording.Inert(text))
	}
	return r
}

// neverCached prevents go test from caching the result of the package's tests. go test caches a result
// only with the list of files and variables that the test used, which the testing package writes at its
// end into the file that this flag names.
func neverCached() {
	const list = "test.testlogfile"
	if f := flag.Lookup(list); f != nil && f.Value.String() != "" {
		_ = os.Remove(f.Value.String()) // on systems where an open file cannot be removed, its missing end has the same effect
		_ = flag.Set(list, "")
	}
}
