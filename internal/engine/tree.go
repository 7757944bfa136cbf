package engine

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

const suiteName = "adconform"

// Describe registers a spec for each case in the caller's Ginkgo suite, see suites.Describe. It reads the configuration
// when the tree is built, and again when the first of its specs begins. at is the line that registers them.
func Describe(config func() (*Config, error), at types.CodeLocation) bool {
	background := func() (context.Context, func()) { return untilSignal(context.Background()) }
	return (&tree{config: config, context: background, at: at}).describe()
}

// RunGinkgo runs the suite as the only Ginkgo suite of this process: it drops all that others have registered.
func RunGinkgo(ctx context.Context, c *Config) (r *report.Report, err error) {
	if _, err := c.Sendable(); err != nil {
		return nil, err
	}
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.RandomSeed, suite.FailOnEmpty = int64(c.Seed), true
	suite.FocusStrings, suite.SkipStrings, suite.LabelFilter = nil, nil, "" // of go test, in our own tests
	reporter.NoColor, reporter.Succinct = true, true

	ginkgoRun.Lock()
	defer ginkgoRun.Unlock()
	stdout := formatter.ColorableStdOut
	formatter.ColorableStdOut = io.Discard // the report says why it fails
	defer func() { formatter.ColorableStdOut = stdout }()
	defer signal.Reset(os.Interrupt, syscall.SIGTERM) // Ginkgo leaves its own handlers behind

	globals.Reset()
	given := func() (context.Context, func()) { return ctx, func() {} }
	config := func() (*Config, error) { return c, nil }
	t := &tree{config: config, context: given, at: types.NewCodeLocation(0)}
	t.describe()
	ginkgo.RunSpecs(new(testing.T), suiteName, suite, reporter)
	return t.run.wait(), t.failure
}

// ginkgoRun is held during RunGinkgo, as Ginkgo's tree and console are global.
var ginkgoRun sync.Mutex

// A tree is the specs of a configuration in Ginkgo's tree.
type tree struct {
	config  func() (*Config, error)
	context func() (context.Context, func()) // of the run
	at      types.CodeLocation               // the call that registers the tree

	specs   []treeSpec
	last    string     // the id of the last spec that Ginkgo selects
	run     *execution // nil until the first spec begins
	release func()     // after the run
	failed  bool       // a spec says what the run found
	failure error      // why there is no run
}

// treeSpec is what Ginkgo's filters see of a spec, below the containers of the caller.
type treeSpec struct {
	id     string
	text   string
	labels []string
	at     []types.CodeLocation // in the document, and of its spec
}

// describe registers the container. Its closure runs each time that Ginkgo builds the tree, as for a preview.
func (t *tree) describe() bool {
	decorators := []any{ginkgo.Ordered, ginkgo.ContinueOnFailure, ginkgo.Serial}
	if inOrdered() { // Ginkgo accepts the others only on the outermost ordered container
		decorators = []any{ginkgo.Ordered}
	}
	return ginkgo.Describe(suiteName, append(decorators, t.at, func() {
		t.specs = nil
		c, plan, err := t.planned()
		if err != nil {
			ginkgo.It("has cases", func() { ginkgo.Fail(wording.Inert(err.Error())) })
			return
		}
		ginkgo.BeforeAll(t.begin)
		ginkgo.ReportAfterEach(func(ctx ginkgo.SpecContext, s ginkgo.SpecReport) {
			if t.run != nil && s.LeafNodeText == t.last {
				t.finish(ctx, s)
			}
		}, ginkgo.GracePeriod(c.restoreTime(false)+reportTime))
		for _, cs := range plan {
			t.add(c.contract(), cs)
		}
	})...)
}

// inOrdered reports whether a container that is being built is in an ordered one. At the top level Ginkgo, which builds
// no tree yet, panics.
func inOrdered() (in bool) {
	defer func() { _ = recover() }()
	return ginkgo.CurrentTreeConstructionNodeReport().IsInOrderedContainer
}

// noTarget stands for the target that a configuration does not have yet.
var noTarget = new(fixtures.Target)

// planned returns the configuration as it is now, and its plan.
func (t *tree) planned() (*Config, []*judge.Case, error) {
	given, err := t.config()
	if err != nil {
		return nil, nil, err
	}
	c := *given
	c.Target = cmp.Or(c.Target, noTarget)
	plan, err := c.Sendable()
	return &c, plan, err
}

// add registers the spec of a case. It sends nothing: it awaits the result of its case, which the execution runs ahead.
func (t *tree) add(contract *spec.Contract, cs *judge.Case) {
	s := newTreeSpec(contract, cs)
	t.specs = append(t.specs, s)
	ginkgo.Describe(cs.Operation.ID, s.at[0], func() {
		ginkgo.Describe(cs.Class, s.at[0], func() {
			ginkgo.It(cs.ID, s.at[1], ginkgo.Labels(s.labels), func(ctx ginkgo.SpecContext) {
				ginkgo.AddReportEntry("operation", s.at[0].String(), ginkgo.ReportEntryVisibilityNever)
				t.conclude(ctx, cs.ID)
			})
		})
	})
}

// newTreeSpec returns the spec of a case. Its labels name operation, class, clauses and their bases, and whether it
// writes.
func newTreeSpec(contract *spec.Contract, cs *judge.Case) treeSpec {
	described := types.CodeLocation{FileName: "spec/openapi.yaml", LineNumber: cs.Operation.Line}
	s := treeSpec{
		id: cs.ID, text: strings.Join([]string{cs.Operation.ID, cs.Class, cs.ID}, " "),
		labels: []string{"operation:" + cs.Operation.ID, "class:" + cs.Class},
		at:     []types.CodeLocation{described, codeLocation(cs.Location)},
	}
	for _, id := range cs.Clauses {
		s.labels = append(s.labels, "clause:"+id)
	}
	for _, basis := range contract.BasesOf(cs.Clauses) {
		s.labels = append(s.labels, "basis:"+string(basis))
	}
	if cs.Writes {
		s.labels = append(s.labels, "writes")
	}
	return s
}

// codeLocation parses a line such as suites/specs/authentication.go:41.
func codeLocation(line string) types.CodeLocation {
	file, number, _ := strings.Cut(line, ":")
	n, _ := strconv.Atoi(number) // 0 for none
	return types.CodeLocation{FileName: file, LineNumber: n}
}

// begin starts the run before the first spec.
func (t *tree) begin() {
	neverCached()
	if t.failure = t.start(); t.failure != nil {
		ginkgo.Fail(wording.Inert(t.failure.Error()))
	}
}

func (t *tree) start() error {
	c, plan, err := t.planned()
	if err != nil {
		return err
	}
	if plan, err = t.selected(c, plan); err != nil {
		return err
	}
	if c.Target == noTarget {
		return errors.New("the Config of suites.Describe has no Target: set it before the specs run, as in BeforeSuite")
	}
	c.end = testEnd(nil)
	ctx, release := t.context()
	if t.run, err = start(ctx, c, plan); err != nil {
		release()
	}
	t.release = release
	return err
}

// selected returns the cases to send: those that Ginkgo selects, and those that have no spec, unless there is a
// selection.
func (t *tree) selected(c *Config, plan []*judge.Case) ([]*judge.Case, error) {
	suite, _ := ginkgo.GinkgoConfiguration()
	chosen, err := choose(suite, t.specs, ginkgo.CurrentSpecReport())
	if err != nil {
		return nil, err
	}
	for _, s := range t.specs {
		if chosen[s.id] {
			t.last = s.id
		}
	}
	if len(chosen) < len(t.specs) {
		c.Filters = append(slices.Clone(c.Filters), ginkgosFilters)
	}
	return slices.DeleteFunc(plan, func(cs *judge.Case) bool {
		return !chosen[cs.ID] && (t.describes(cs.ID) || len(chosen) < len(t.specs))
	}), nil
}

// conclude turns the result of a case into the outcome of its spec, with the findings as entries of Ginkgo's report.
func (t *tree) conclude(ctx context.Context, id string) {
	f := t.run.results[id]
	if f == nil {
		t.unsent(id)
	}
	select {
	case <-f.known:
	case <-ctx.Done(): // interrupted, or Ginkgo's time is over
		t.run.stop()
		return
	}
	r := &f.result
	fail := func(text string) {
		t.failed = true
		ginkgo.Fail(wording.Inert(text))
	}
	var fails []string
	accepted := ""
	for _, found := range r.Findings {
		entry, at := found.Clause+" "+found.Check, codeLocation(found.Location)
		ginkgo.AddReportEntry(entry, at, ginkgo.ReportEntryVisibilityNever, found)
		if told := render.Describe(&found); found.Fails && !slices.Contains(fails, told) {
			fails = append(fails, told)
		}
		accepted = cmp.Or(accepted, found.Known, found.Ignored)
	}
	switch {
	case len(fails) > 0:
		fail(r.Title + "\n" + strings.Join(fails, "\n"))
	case r.Cause == judge.BySuite:
		fail(r.Reason)
	case r.Status == judge.NotTested:
		ginkgo.Skip(wording.Inert(r.Reason))
	case accepted != "":
		ginkgo.Skip(wording.Inert("does not fail the run: " + accepted))
	}
}

// unsent ends a spec whose case is not in the run.
func (t *tree) unsent(id string) {
	if slices.ContainsFunc(t.run.config.Plan(), func(cs *judge.Case) bool { return cs.ID == id }) {
		ginkgo.Fail(unforeseen)
	}
	ginkgo.Skip("the configuration has no such case since the tree was built")
}

// finish waits after the last spec, even if that is skipped, until changed objects are restored. It fails that spec
// if the run fails although no spec does.
func (t *tree) finish(ctx context.Context, last ginkgo.SpecReport) {
	if isCutOff(last) {
		t.run.stop()
	}
	select {
	case <-t.run.finished:
	case <-ctx.Done(): // interrupted, or Ginkgo's time is over
		t.run.stop()
		<-t.run.finished
	}
	t.release()
	r := t.run.report
	verdict := wording.Inert(render.VerdictLine(r))
	if r.ExitCode != report.ExitConforming && !t.failed {
		ginkgo.Fail(verdict)
	}
	ginkgo.AddReportEntry(suiteName, verdict, t.at) // how much was tested, and on which target
}

// isCutOff reports whether an interrupt or the end of its time kept Ginkgo from running a spec to its end. Other specs
// are skipped for a reason.
func isCutOff(s ginkgo.SpecReport) bool {
	return s.State.Is(types.SpecStateInterrupted|types.SpecStateAborted|types.SpecStateTimedout) ||
		s.State == types.SpecStateSkipped && s.Failure.Message == ""
}

// describes reports whether a case has a spec.
func (t *tree) describes(id string) bool {
	return slices.ContainsFunc(t.specs, func(s treeSpec) bool { return s.id == id })
}

// untilSignal returns a context that an interrupt ends: Ctrl-C, the SIGTERM of a CI system, or the SIGHUP of a closed
// terminal, unless nohup ignores it.
func untilSignal(ctx context.Context) (context.Context, func()) {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, all...)
}
