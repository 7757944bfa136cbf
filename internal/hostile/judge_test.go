package hostile

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// A row misses its bar for each of these, and for nothing else.
func TestJudge(t *testing.T) {
	target := Target{ID: "x/y", Says: words("HTTP-2: .*timeout")}
	good := func() (*childRun, *site) {
		s := new(site)
		s.fired.Add(1)
		return &childRun{exit: 1, memory: 1 << 20, report: &report.Report{Verdict: report.Nonconforming, Findings: []oracle.Finding{
			{Operation: "updateCampaign", Clause: "HTTP-2", Severity: oracle.Transport, Got: "timeout: gave up"},
		}}}, s
	}
	for want, spoil := range map[string]func(*childRun, *site){
		"":                         func(*childRun, *site) {},
		"exit code 0":              func(r *childRun, _ *site) { r.exit = 0 },
		"MiB at the peak":          func(r *childRun, _ *site) { r.memory = MaxMemory + 1 },
		"more than 1m0s":           func(r *childRun, _ *site) { r.seconds = 61 },
		"never asked":              func(_ *childRun, s *site) { s.fired.Store(0) },
		"another origin":           func(_ *childRun, s *site) { s.elsewhere.Add(1) },
		"nothing says":             func(r *childRun, _ *site) { r.report.Findings[0].Got = "reset: gone" },
		"it had to be ended":       func(r *childRun, _ *site) { r.note("it had to be ended") },
		"defect\\x1b of adconform": func(r *childRun, _ *site) { r.note("defect\x1b of adconform") },
	} {
		r, s := good()
		spoil(r, s)
		o := target.judge(r, s)
		all := strings.Join(o.Problems, "\n")
		if (want == "") != (len(o.Problems) == 0) || !strings.Contains(all, want) || len(o.Problems) > 1 {
			t.Errorf("want %q, got %q", want, all)
		}
	}
}

// A second run that flags what the first one left is a false alarm.
func TestTraces(t *testing.T) {
	skipped := func(reason string) report.Report {
		return report.Report{Verdict: report.Inconclusive, Results: []report.Case{{ID: "a/b/c", Status: engine.NotTested, Cause: engine.ByOperator, Reason: reason}}}
	}
	for name, test := range map[string]struct {
		r    report.Report
		want string
	}{
		"conforming":       {report.Report{Verdict: report.Conforming}, ""},
		"finding":          {report.Report{Findings: []oracle.Finding{{Clause: "MEDIA-4"}}}, "a false alarm: MEDIA-4"},
		"not put back":     {report.Report{Changes: []engine.Change{{Object: "campaign", Change: "updated"}}}, "campaign was not put back"},
		"put back":         {report.Report{Changes: []engine.Change{{Object: "campaign", Change: "updated", Restored: true}, {Change: "deleted"}}}, ""},
		"used up":          {skipped("disposableCreatives[0] is not there"), ""},
		"for other reason": {skipped("campaign is not there"), "a/b/c was not tested"},
	} {
		got := strings.Join(traces(&test.r), "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
