package engine

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// Run makes a run in a Go test, whatever Ginkgo suite the package has, see suites.Run.
func Run(t testing.TB, c *Config) *report.Report {
	t.Helper()
	c.end = testEnd(t)
	if testing.Verbose() && c.Progress == nil {
		c.Progress = func(_, _ int, r *judge.Result) { t.Logf("%s %s", r.Status, r.Case.ID) }
	}
	neverCached()
	for _, w := range c.Target.Warnings {
		t.Log(wording.Inert(w.Error()))
	}
	suite, _ := ginkgo.GinkgoConfiguration()
	if suite.ParallelProcess > 1 {
		t.Skip("process 1 of ginkgo -p runs the suite")
	}
	plan, err := c.flagged(suite)
	if err != nil {
		t.Fatalf("%s", wording.Inert("adconform: "+err.Error()))
	}
	if suite.DryRun {
		t.Logf("a dry run: %d cases are selected, and none is sent", len(plan))
		return nil
	}
	ctx, release := untilSignal(t.Context())
	defer release()
	e, err := start(ctx, c, plan)
	if err != nil {
		t.Fatalf("%s", wording.Inert("adconform: "+err.Error()))
	}
	r := e.wait()
	fmt.Println(wording.Inert(render.VerdictLine(r))) // if the test passes, too: how much was tested, and where
	if r.ExitCode != report.ExitConforming {
		t.Error(wording.Inert(failureText(r)))
	}
	return r
}

// flagged returns the plan as far as Ginkgo's flags select it.
func (c *Config) flagged(suite types.SuiteConfig) ([]*judge.Case, error) {
	plan, err := c.Sendable()
	if err != nil {
		return nil, err
	}
	f, err := newFilter(suite)
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(slices.Clone(plan), func(cs *judge.Case) bool {
		s := newTreeSpec(c.contract(), cs)
		s.text = suiteName + " " + s.text
		return !f.selects(&s, false)
	})
	if len(chosen) < len(plan) {
		c.Filters = append(slices.Clone(c.Filters), ginkgosFilters)
	}
	if len(chosen) == 0 {
		return nil, c.noCase()
	}
	return chosen, nil
}

// failureText says why a run fails a test: the verdict, what was not restored, and each finding with what to do.
func failureText(r *report.Report) string {
	v := render.NewView(r)
	text := fmt.Sprintf("adconform: %s: %s", v.VerdictWords(), r.Reason)
	for _, c := range v.Left {
		object := strings.TrimSpace(fmt.Sprintf("%s %s", c.Object, c.ID))
		text += strings.TrimRight(fmt.Sprintf("\nnot restored: %s: %s\n  %s", object, c.Reason, c.Undo), "\n ")
	}
	for _, f := range v.Failing {
		text += "\n\n" + render.Describe(f)
	}
	return text
}

// processStart precedes the moment from which go test counts its -timeout.
var processStart = time.Now()

// testEnd returns when go test's -timeout ends the process, or zero. Only a *testing.T knows; for others, the time is
// counted from the start of the process, which is earlier.
func testEnd(t testing.TB) (end time.Time) {
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		end, _ = t.Deadline()
		return end
	}
	if f := flag.Lookup("test.timeout"); f != nil {
		if most, ok := f.Value.(flag.Getter).Get().(time.Duration); ok && most > 0 {
			end = processStart.Add(most)
		}
	}
	return end
}

// neverCached prevents go test from caching the result of the package's tests. go test caches a result
// only with the list of files and variables that the test used, which the testing package writes at its
// end into the file that this flag names.
func neverCached() {
	const list = "test.testlogfile"
	if f := flag.Lookup(list); f != nil && f.Value.String() != "" {
		_ = os.Remove(f.Value.String()) // where an open file cannot be removed, its missing end has the same effect
		_ = flag.Set(list, "")
	}
}
