package hostile

import (
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
)

// A row misses its bar for each of these, and for nothing else.
func TestJudge(t *testing.T) {
	m := mode{id: "x/y", says: words("HTTP-2: .*timeout")}
	good := func() (*run, *site) {
		s := &site{mode: &m}
		s.fired.Add(1)
		return &run{exit: 1, memory: 1 << 20, report: &report.Report{Verdict: report.Nonconforming, Findings: []oracle.Finding{
			{Operation: "updateCampaign", Clause: "HTTP-2", Severity: oracle.Transport, Got: "timeout: gave up"},
		}}}, s
	}
	for want, spoil := range map[string]func(*run, *site){
		"":                   func(*run, *site) {},
		"exit code 0":        func(r *run, _ *site) { r.exit = 0 },
		"MiB at the peak":    func(r *run, _ *site) { r.memory = maxMemory + 1 },
		"more than 1m0s":     func(r *run, _ *site) { r.took = 61 * time.Second },
		"never asked":        func(_ *run, s *site) { s.fired.Store(0) },
		"another origin":     func(_ *run, s *site) { s.elsewhere.Add(1) },
		"nothing says":       func(r *run, _ *site) { r.report.Findings[0].Got = "reset: gone" },
		"it had to be ended": func(r *run, _ *site) { r.problem("it had to be ended") },
	} {
		r, s := good()
		spoil(r, s)
		r.judge(s)
		all := strings.Join(r.problems, "\n")
		if (want == "") != (len(r.problems) == 0) || !strings.Contains(all, want) || len(r.problems) > 1 {
			t.Errorf("want %q, got %q", want, all)
		}
	}
}

// A second run that flags what the first one left is a false alarm.
func TestTraces(t *testing.T) {
	skipped := func(reason string) report.Report {
		c := report.Case{ID: "a/b/c", Status: testcase.NotTested, Cause: testcase.ByOperator, Reason: reason}
		return report.Report{Verdict: report.Inconclusive, Results: []report.Case{c}}
	}
	for name, test := range map[string]struct {
		r    report.Report
		want string
	}{
		"conforming":       {report.Report{Verdict: report.Conforming}, ""},
		"finding":          {report.Report{Findings: []oracle.Finding{{Clause: "MEDIA-4"}}}, "a false alarm: MEDIA-4"},
		"not put back":     {report.Report{Changes: []session.Change{{Object: "campaign", Change: "updated"}}}, "campaign was not put back"},
		"put back":         {report.Report{Changes: []session.Change{{Object: "a", Change: "updated", Restored: true}, {Change: "deleted"}}}, ""},
		"used up":          {skipped("disposableCreatives[0] is not there"), ""},
		"for other reason": {skipped("campaign is not there"), "a/b/c was not tested"},
	} {
		got := strings.Join(traces(&test.r), "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
