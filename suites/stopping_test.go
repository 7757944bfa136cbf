package suites_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// first matches only the first request for which a condition holds.
func first(when func(*http.Request) bool) func(*http.Request) bool {
	var met atomic.Bool
	return func(r *http.Request) bool { return when(r) && met.CompareAndSwap(false, true) }
}

// holding returns a server that leaves the first request of a case unanswered until the client gives up.
func holding(t *testing.T, caseID string, held func()) http.Handler {
	return instead(bundled(t), first(ofCase(caseID)), func(_ http.ResponseWriter, r *http.Request) {
		bodyOf(r) // or net/http would not notice the end of the connection
		held()
		<-r.Context().Done()
	})
}

const inTheMiddle = "updateConnectionProfile/422/name-is-number"

func TestDeadlineStopsTheRunAndPutsBack(t *testing.T) {
	t.Parallel()
	var r *report.Report
	deadline, reached := time.Second, new(atomic.Bool)
	for !reached.Load() { // a busy machine takes longer to get to the middle
		deadline *= 2
		r = runOn(t, holding(t, inTheMiddle, func() { reached.Store(true) }), func(c *suites.Config) {
			c.Deadline, c.AllowInconclusive = deadline, true
			selecting("updateConnectionProfile/")(c)
		})
	}
	if r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive || r.Interrupted ||
		r.Reason != fmt.Sprintf("the deadline of %s passed", deadline) || r.Stopped != r.Reason {
		t.Errorf("%s, exit %d, interrupted %t: %s (%s)", r.Verdict, r.ExitCode, r.Interrupted, r.Reason, r.Stopped)
	}
	if r.Cases.NotTested == 0 || r.Lost != 0 || len(r.Changes) == 0 {
		t.Errorf("%d cases not tested, %d answers lost, %d changes", r.Cases.NotTested, r.Lost, len(r.Changes))
	}
	putBack(t, "after the deadline", r)
}

func TestADefectOfOursIsNeverConforming(t *testing.T) {
	for name, breakIt := range map[string]func(*suites.Config){
		"in a case": func(c *suites.Config) {
			c.Select = func(cs *judge.Case) bool {
				if cs.ID == inTheMiddle {
					cs.Steps = session.Steps(func(*session.T) { panic("a slip") })
				}
				return strings.HasPrefix(cs.ID, "updateConnectionProfile/422/")
			}
		},
		"while putting back": func(c *suites.Config) {
			selecting("updateConnectionProfile/422/")(c)
			c.Record = func(ex *wire.Exchange) {
				if strings.Contains(ex.Case, "/restore/") {
					panic("a slip")
				}
			}
		},
	} {
		c := suites.NewConfig(serve(t, bundled(t)))
		c.AllowInconclusive = true
		breakIt(c)
		r, err := suites.RunGinkgo(t.Context(), c)
		noError(t, err)
		if r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive || len(r.Defects) == 0 ||
			!strings.Contains(r.Reason, "a defect of adconform, please report it: a slip at ") {
			t.Errorf("%s: %s, exit %d, defects %q: %s", name, r.Verdict, r.ExitCode, r.Defects, r.Reason)
		}
		if len(r.Results) != r.Cases.Planned || r.Cases.NotTested > 1 {
			t.Errorf("%s: the run did not go on: %+v", name, r.Cases)
		}
	}
}

// Whatever happens to a target, every finding that is reported early is in the report, and every finding of the
// report fails a case.
func TestNothingIsReportedAndTakenBack(t *testing.T) {
	t.Parallel()
	began, from := sync.OnceValue(time.Now), reftest.Of[int64](150, 60) // with -short of a run at depth quick
	for name, test := range reftest.FewOf(3, map[string]struct {
		lost    func(n int64) bool // reports whether the connection ends instead of the n-th answer
		cancel  int                // the number of cases after which the run is interrupted
		verdict report.Verdict
	}{
		"gone for good": {func(n int64) bool { return n >= from }, 0, report.Inconclusive},
		"gone for a while": {
			func(n int64) bool { return n >= from && time.Since(began()) < 500*time.Millisecond }, 0, report.Conforming,
		},
		"gone for ten requests": {func(n int64) bool { return n >= from && n < from+10 }, 0, report.Conforming},
		"one answer lost":       {func(n int64) bool { return n == from }, 0, report.Conforming},
		"interrupted":           {func(int64) bool { return false }, reftest.Of(120, 20), report.Inconclusive},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := new(atomic.Int64)
			c := suites.NewConfig(serve(t, instead(bundled(t), func(*http.Request) bool { return test.lost(n.Add(1)) }, hangUp)))
			c.Target.Limits.Timeout = 3 * time.Second
			withShort(c)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			takenBack := reportedBy(c, func(done int) {
				if done == test.cancel {
					cancel()
				}
			})
			r, err := suites.Execute(ctx, c)
			noError(t, err)
			for _, f := range append(takenBack(r), violations(r)...) {
				t.Error(f)
			}
			if failed := r.Cases.Failed; r.Verdict != test.verdict || failed > 0 {
				t.Errorf("%s, %d cases failed: %s", r.Verdict, failed, r.Reason)
			}
		})
	}
}
