package hostile

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
)

// killedAfter are the requests on whose arrival a run is killed: ten moments,
// spread over a standard run.
var killedAfter = []int{1, 30, 100, 200, 300, 400, 500, 540, 560, 585}

// killedTargets conform. Their first run is killed; it may not spoil the second.
func killedTargets() []Target {
	var all []Target
	for _, n := range killedAfter {
		all = append(all, Target{
			ID: fmt.Sprintf("kill/at-request-%d/provisioned", n), Sentence: fmt.Sprintf("conforms; a run was killed at request %d, its traces are provisioned away", n),
			Says: words(`^CONFORMING`), Exits: []int{report.ExitConforming}, Arms: arms{kill: n, provision: true},
			Full: n < 500,
		}, Target{
			ID: fmt.Sprintf("kill/at-request-%d/as-left", n), Sentence: fmt.Sprintf("conforms; a run was killed at request %d, its traces are still there", n),
			Says: words(`^(CONFORMING|INCONCLUSIVE)`), Exits: []int{report.ExitConforming, report.ExitInconclusive}, Arms: arms{kill: n},
		})
	}
	return all
}

// tryKilled kills a run and lets a second one follow against the same server.
func (t *Target) tryKilled(ctx context.Context, program string, s *site, dir string) (Outcome, error) {
	if t.Arms.provision {
		if err := s.openProvisioning(ctx); err != nil {
			return Outcome{}, err
		}
	}
	killed, err := t.runAndKill(ctx, program, s, filepath.Join(dir, "killed"))
	if err != nil {
		return Outcome{}, err
	}
	second := filepath.Join(dir, "second")
	if err := os.Mkdir(second, 0o700); err != nil {
		return Outcome{}, err
	}
	run, err := s.run(ctx, program, second, t.timeout())
	if err != nil {
		return Outcome{}, err
	}
	o := run.outcome(t)
	for _, p := range killed.problems {
		o.problem("the killed run: %s", p)
	}
	if killed.exit >= 0 {
		o.problem("the first run ended with exit code %d before it was killed", killed.exit)
	}
	if !t.expects(run.exit) {
		o.problem("exit code %d, want one of %v: %s", run.exit, t.exits(), lastLine(run.stderr))
	}
	if run.report != nil {
		o.First = "second run: " + report.VerdictLine(run.report)
		o.Problems = append(o.Problems, traces(run.report)...)
	}
	if left := s.differences(ctx); left != "" {
		o.problem("after the second run %s", left)
	}
	return o, nil
}

// runAndKill kills a run on the arrival of a request.
func (t *Target) runAndKill(ctx context.Context, program string, s *site, dir string) (*childRun, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	var arrived atomic.Int64
	due, started := make(chan struct{}), make(chan struct{})
	s.arrived = func() {
		if arrived.Add(1) == int64(t.Arms.kill) {
			close(due)
			<-started // the request that is under way when the run dies
		}
	}
	c, err := s.start(ctx, program, dir, t.timeout())
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(started)
		select {
		case <-due:
			c.cmd.Process.Kill() //nolint:errcheck // when it has ended already, the exit code tells
		case <-ended:
		}
	}()
	run := c.wait(s)
	close(ended)
	<-started
	return run, nil
}

// openProvisioning opens the address that brings the world back.
func (s *site) openProvisioning(ctx context.Context) error {
	l, err := loopback()
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := s.reset(ctx); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})}
	s.closers = append(s.closers, func() { server.Close() })
	go server.Serve(l)
	s.arms.target = func(_ *site, t *fixtures.Target) {
		t.Provision = &fixtures.Provision{Post: "http://" + l.Addr().String() + "/reset"}
	}
	return nil
}

// traces are the false alarms of a second run: a conforming server gets no
// finding, and what the first run changed is put back.
func traces(r *report.Report) []string {
	var problems []string
	for i := range r.Findings {
		problems = append(problems, "a false alarm: "+r.Findings[i].Clause+": "+report.Sentence(&r.Findings[i]))
	}
	for _, c := range r.Changes {
		if !c.Restored && c.Change == "updated" {
			problems = append(problems, fmt.Sprintf("%s was not put back: %s", c.Object, c.Reason))
		}
	}
	if r.Verdict == report.Inconclusive {
		for _, c := range r.Results {
			if c.Status == engine.NotTested && c.Cause == engine.ByOperator && !strings.Contains(c.Reason, "isposable") {
				problems = append(problems, fmt.Sprintf("%s was not tested: %s", c.ID, c.Reason))
			}
		}
	}
	return problems
}
