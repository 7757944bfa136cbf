package engine_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/report"
)

// first matches only the first request for which a condition holds.
func first(when func(*http.Request) bool) func(*http.Request) bool {
	var met atomic.Bool
	return func(r *http.Request) bool { return when(r) && met.CompareAndSwap(false, true) }
}

// holding returns a server that leaves the first request of a case unanswered until the client gives up.
func holding(t testing.TB, caseID string, held func()) http.Handler {
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
		r = runOn(t, holding(t, inTheMiddle, func() { reached.Store(true) }), func(c *engine.Config) {
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
	for name, breakIt := range map[string]func(*engine.Config){
		"in a case": func(c *engine.Config) {
			c.Select = func(cs *judge.Case) bool {
				if cs.ID == inTheMiddle {
					cs.Steps = session.Steps(func(*session.T) { panic("a slip") })
				}
				return strings.HasPrefix(cs.ID, "updateConnectionProfile/422/")
			}
		},
		"while putting back": func(c *engine.Config) {
			selecting("updateConnectionProfile/success/")(c) // refused updates leave nothing to put back
			c.Record = func(ex *wire.Exchange) {
				if strings.Contains(ex.Case, "/restore/") {
					panic("a slip")
				}
			}
		},
	} {
		c := engine.NewConfig(serve(t, bundled(t)))
		c.AllowInconclusive = true
		breakIt(c)
		r, err := engine.RunGinkgo(t.Context(), c)
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

// Refused requests alone are selected, so only a survey before them shows what they did, and what to put back.
func TestSelectedRefusalsArePutBack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"reset", "422-malformed", "422-coerced", "422-right-fields"} {
		fault := "refused/" + name
		world := fixtures.DefaultWorld()
		broken := reftest.With(t, world, fault+"/updateConnectionProfile")
		r := runOn(t, broken, selecting("updateConnectionProfile/422/"))
		isEffect := func(f report.Finding) bool { return f.Clause == "EFFECT-1" }
		if len(r.Changes) == 0 || !slices.ContainsFunc(r.Findings, isEffect) {
			t.Errorf("%s: %s, changes %v", fault, r.Reason, r.Changes)
		}
		putBack(t, fault, r)
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
			c := engine.NewConfig(serve(t, instead(bundled(t), func(*http.Request) bool { return test.lost(n.Add(1)) }, hangUp)))
			c.Target.Limits.Timeout = 3 * time.Second
			withShort(c)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			takenBack := reportedBy(c, func(done int) {
				if done == test.cancel {
					cancel()
				}
			})
			r, err := engine.Execute(ctx, c)
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

// Two concurrent runs on one target cause no findings in each other, however many cases one is ahead.
func TestTwoRunsAtOnceMakeNoFinding(t *testing.T) {
	t.Parallel()
	noticed := 0
	starts := []int{0, 120, 280, 40, 200, 340}
	if testing.Short() {
		starts = starts[1:3]
	}
	for n, ahead := range starts {
		server := bundled(t)
		if n%2 == 1 { // an update of only the name shows the actions of a profile, but no answer shows a text
			server = choosing(t, func(c *reference.Choices) { c.Required = "name$|regularExpression" })
		}
		for i, r := range runTwice(t, server, ahead) {
			for _, v := range violations(r) {
				t.Errorf("%d cases ahead, run %d: %s (%s)", ahead, i+1, v, r.Verdict)
			}
			if strings.Contains(r.Reason, " at once on this target") {
				noticed++
			}
		}
	}
	if noticed < 2*len(starts)/3 {
		t.Errorf("only %d runs noticed that there was another", noticed)
	}
}

// runTwice runs the suite, and once it is a number of cases ahead, a second time beside that.
func runTwice(t *testing.T, server http.Handler, ahead int) (reports [2]*report.Report) {
	var both sync.WaitGroup
	begin := make(chan struct{})
	for i := range reports {
		c := engine.NewConfig(serve(t, server))
		c.Seed = engine.NewSeed()
		takenBack := reportedBy(c, func(done int) {
			if i == 0 && done == ahead+1 {
				close(begin)
			}
		})
		both.Go(func() {
			if i == 1 {
				<-begin
			}
			reports[i] = execute(t, c)
			for _, f := range takenBack(reports[i]) {
				t.Errorf("%d cases ahead, run %d: reported and taken back: %s", ahead, i+1, f)
			}
		})
	}
	both.Wait()
	return reports
}

// reportedBy collects the findings that a run reports before its end; takenBack returns those that its
// report does not have.
func reportedBy(c *engine.Config, progress func(done int)) (takenBack func(*report.Report) []string) {
	early := map[report.Site]string{}
	note := func(r *judge.Result) {
		for _, f := range r.Findings {
			if f.Severity != report.Notice {
				early[f.Site()] = f.Case + ": " + f.Got
			}
		}
	}
	c.Decided = note
	c.Progress = func(done, _ int, r *judge.Result) {
		if r.Decided() {
			note(r)
		}
		if progress != nil {
			progress(done)
		}
	}
	return func(r *report.Report) []string {
		for _, f := range r.Findings {
			if f.Severity != report.Notice {
				delete(early, f.Site())
			}
		}
		return slices.Collect(maps.Values(early))
	}
}

// A colleague is another client of the target during a run.
type colleague struct {
	path, body string // what the colleague updates, and with what; %d distinguishes the updates
	turn       func(request int64) bool
	seen, sent atomic.Int64
}

// beside serves as server does, and makes the colleague's updates between requests.
func (c *colleague) beside(server http.Handler, key string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(w, r)
		if !strings.HasSuffix(r.URL.Path, c.path) || !c.turn(c.seen.Add(1)) {
			return
		}
		body := strings.ReplaceAll(c.body, "%d", fmt.Sprint(c.sent.Add(1)))
		theirs := httptest.NewRequest(http.MethodPatch, r.URL.Path, strings.NewReader(body))
		theirs.Header.Set("Content-Type", "application/json")
		theirs.Header.Set("X-API-Key", key)
		server.ServeHTTP(httptest.NewRecorder(), theirs)
	})
}

func at(requests ...int64) func(int64) bool {
	return func(n int64) bool { return slices.Contains(requests, n) }
}

func each(k int64) func(int64) bool { return func(n int64) bool { return n%k == 0 } }

// An object that somebody else updates during a run causes no finding; the run reports that and is inconclusive.
func TestWhatAnotherWriterDoesIsNoFinding(t *testing.T) {
	objects := fixtures.DefaultWorld().Target("http://127.0.0.1").Objects
	campaign := fmt.Sprintf("/campaigns/%s", objects["campaign"][0].ID)
	profile := fmt.Sprintf("/connection-profiles/%s", objects["connectionProfile"][0].ID)
	host := fmt.Sprintf("%s/rules/%s/hosts/%s", profile, objects["connectionProfileRule"][0].ID, objects["connectionProfileRuleHost"][0].ID)
	name, address := `{"name": "Summer draft %d"}`, `{"hostname": "intern%d.agency.test", "regularExpression": "^/intern%d/"}`
	for i, c := range []*colleague{
		{path: campaign, body: name, turn: at(20)},
		{path: campaign, body: name, turn: at(9, 31, 60)},
		{path: campaign, body: name, turn: each(17)},
		{path: campaign, body: name, turn: each(5)},
		{path: fmt.Sprintf("/campaigns/%s", objects["otherCampaign"][0].ID), body: name, turn: at(2)},
		{path: profile, body: `{"name": "Autumn draft %d", "withoutCookiesAction": "warn", "withCookiesAction": "fail"}`, turn: at(5)},
		{path: profile, body: name, turn: each(3)},
		{path: host, body: address, turn: at(5)},
		{path: host, body: address, turn: each(3)},
	} {
		if testing.Short() && i%3 != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s %s", c.path, c.body), func(t *testing.T) {
			target := serve(t, http.NotFoundHandler())
			target.BaseURL = reftest.Serve(t, c.beside(bundled(t), target.Credentials.Owner))
			cases := map[bool]string{true: "updateCampaign/", false: "updateConnectionProfile"}[strings.HasPrefix(c.path, "/campaigns/")]
			r := runOf(t, target, selecting(cases))
			for _, v := range violations(r) {
				t.Error(v)
			}
			if r.Verdict != report.Inconclusive || !strings.Contains(r.Reason, "somebody else writes to ") {
				t.Errorf("after %d updates by the colleague: %s: %s", c.sent.Load(), r.Verdict, r.Reason)
			}
		})
	}
}
