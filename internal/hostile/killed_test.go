package hostile

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// killedAfter are the requests on whose arrival a run is killed: ten moments,
// spread over a standard run.
var killedAfter = []int{1, 30, 100, 200, 300, 400, 500, 540, 560, 585}

// killedModes conform. Their first run is killed; it may not spoil the second.
func killedModes() (all []mode) {
	for _, n := range killedAfter {
		does := fmt.Sprintf("conforms; a run was killed at request %d", n)
		all = append(all, mode{
			id: fmt.Sprintf("kill/at-request-%d/provisioned", n), does: does + ", its traces are provisioned away",
			says: words(`^CONFORMING`), exits: []int{report.ExitConforming}, kill: n, provision: true,
		}, mode{
			id: fmt.Sprintf("kill/at-request-%d/as-left", n), does: does + ", its traces are still there", short: n == 540,
			says: words(`^(CONFORMING|INCONCLUSIVE)`), exits: []int{report.ExitConforming, report.ExitInconclusive}, kill: n,
		})
	}
	return all
}

// tryKilled kills a run and lets a second one follow against the same server.
func tryKilled(t *testing.T, program string, s *site) *run {
	if s.mode.provision {
		l := listen(t)
		go http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.restart(t) }))
		s.mode.target = func(target *fixtures.Target) {
			target.Provision = &fixtures.Provision{Post: "http://" + l.Addr().String() + "/reset"}
		}
	}
	killed := runAndKill(t, program, s)
	r := start(t, program, s).wait()
	r.bounds(s.mode)
	for _, p := range killed.problems {
		r.problem("the killed run: %s", p)
	}
	if killed.exit >= 0 {
		r.problem("the first run ended with exit code %d before it was killed", killed.exit)
	}
	if r.report != nil {
		r.headline = "second run: " + report.VerdictLine(r.report)
		r.problems = append(r.problems, traces(r.report)...)
	}
	r.problems = append(r.problems, s.differences(t)...)
	return r
}

// runAndKill kills a run on the arrival of a request.
func runAndKill(t *testing.T, program string, s *site) *run {
	var arrived atomic.Int64
	due, started, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s.arrived = func() {
		if arrived.Add(1) == int64(s.mode.kill) {
			close(due)
			<-started // the request that is under way when the run dies
		}
	}
	c := start(t, program, s)
	go func() {
		defer close(started)
		select {
		case <-due:
			c.cmd.Process.Kill() //nolint:errcheck // when it has ended already, the exit code tells
		case <-ended:
		}
	}()
	r := c.wait()
	close(ended)
	<-started
	return r
}

// differences are the fields of which the reference holds another value than the target
// file says. The reference is asked with the empty update, which changes nothing there.
func (s *site) differences(t *testing.T) (all []string) {
	t.Helper()
	o := s.world.Target(s.baseURL).Objects
	host := func(rule, host *fixtures.Object) string {
		return fmt.Sprintf("/connection-profiles/%d/rules/%d/hosts/%d", o.ConnectionProfile.ID, rule.ID, host.ID)
	}
	for path, object := range map[string]*fixtures.Object{
		fmt.Sprintf("/campaigns/%d", o.Campaign.ID):                          o.Campaign,
		fmt.Sprintf("/campaigns/%d", o.OtherCampaign.ID):                     o.OtherCampaign,
		fmt.Sprintf("/connection-profiles/%d", o.ConnectionProfile.ID):       o.ConnectionProfile,
		fmt.Sprintf("/connection-profiles/%d", o.OtherConnectionProfile.ID):  o.OtherConnectionProfile,
		host(o.ConnectionProfileRule, o.ConnectionProfileRuleHost):           o.ConnectionProfileRuleHost,
		host(o.ConnectionProfileOtherRule, o.ConnectionProfileOtherRuleHost): o.ConnectionProfileOtherRuleHost,
		host(o.ConnectionProfileRule, o.ConnectionProfileRuleOtherHost):      o.ConnectionProfileRuleOtherHost,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, basePath+path, strings.NewReader("{}"))
		r.Header.Set(fixtures.DefaultKeyHeader, s.world.Users[0].Key)
		r.Header.Set("Content-Type", "application/json")
		var answer struct{ Data map[string]any }
		if err := json.Unmarshal(record(r, s.reference.Load()).Body.Bytes(), &answer); err != nil {
			t.Error(err)
		}
		for _, field := range []string{"name", "withoutCookiesAction", "withCookiesAction", "hostname", "regularExpression"} {
			if want, got := fmt.Sprint(object.Values[field]), fmt.Sprint(answer.Data[field]); want != got {
				all = append(all, fmt.Sprintf("after the second run %s of %s is %q, the target file says %q", field, path, got, want))
			}
		}
	}
	return all
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
			if c.Status == testcase.NotTested && c.Cause == testcase.ByOperator && !strings.Contains(c.Reason, "isposable") {
				problems = append(problems, fmt.Sprintf("%s was not tested: %s", c.ID, c.Reason))
			}
		}
	}
	return problems
}
