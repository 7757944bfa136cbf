package report_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// conforming is a small report without findings, of which planned cases were run
// but for left.
func conforming(level report.Level, planned, left int) *report.Report {
	r := made()
	r.Verdict, r.Reason, r.Level, r.ExitCode = report.Conforming, "2 clauses held", level, report.ExitConforming
	r.Findings, r.Results = nil, nil
	for i := range planned {
		c := report.Case{ID: "updateCampaign/401/no-key", Operation: "updateCampaign", Status: judge.Passed}
		if i < left {
			c.Status, c.Cause = judge.NotTested, judge.ByOperator
		}
		r.Results = append(r.Results, c)
	}
	r.Cases = report.Counts{Planned: planned, Run: planned - left, Passed: planned - left, NotTested: left}
	return r
}

func TestTheHeadlineSaysHowMuchTheVerdictIsAbout(t *testing.T) {
	selected := func(r *report.Report, of int) *report.Report {
		r.Selection = &report.Selection{Filters: []string{"--case x"}, Cases: r.Cases.Planned, Of: of}
		return r
	}
	with := func(r *report.Report, change func(*report.Report)) *report.Report {
		change(r)
		return r
	}
	hidden := func(r *report.Report) {
		for i, why := range []string{"it shows none", "it takes no updates", "it takes no updates"} {
			r.Results[i].Status, r.Results[i].Cause, r.Results[i].Reason = judge.NotTested, judge.ByTarget, why
		}
	}
	const nothing = "3 of 5 cases show nothing on this target: it takes no updates and 1 more): 2 clauses held"
	quick := func(r *report.Report) { r.Depth = "quick" }
	broken := func(r *report.Report) { r.Verdict, r.Reason = report.Nonconforming, "1 finding" }
	for want, r := range map[string]*report.Report{
		"CONFORMING (complete): 2 clauses held":                             conforming(report.Complete, 5, 0),
		"CONFORMING (complete at depth quick): 2 clauses held":              with(conforming(report.Complete, 5, 0), quick),
		"CONFORMING (partial, 3 of 5 cases): 2 clauses held":                conforming(report.Partial, 5, 2),
		"CONFORMING (partial, 3 of 5 cases at depth quick): 2 clauses held": with(conforming(report.Partial, 5, 2), quick),
		"CONFORMING (complete; " + nothing:                                  with(conforming(report.Complete, 5, 0), hidden),
		"CONFORMING (partial, 4 of 5 cases; " + nothing: with(with(conforming(report.Partial, 5, 1), hidden), func(r *report.Report) {
			r.Results[4].Status, r.Results[4].Cause = judge.NotTested, judge.ByOperator
		}),
		"NONCONFORMING: 1 finding; ":                                          with(with(conforming(report.Complete, 5, 0), hidden), broken),
		"CONFORMING (partial): 2 clauses held":                                conforming(report.Partial, 5, 0),
		"CONFORMING in the 1 case selected, of 354: 2 clauses held":           selected(conforming(report.Selected, 1, 0), 354),
		"CONFORMING in 3 of the 5 cases selected, of 354: 2 clauses held":     selected(conforming(report.Selected, 5, 2), 354),
		"CONFORMING in the 2 cases selected, of 54 at depth quick: 2 clauses": with(selected(conforming(report.Selected, 2, 0), 54), quick),
		"NONCONFORMING: 1 finding":                                            with(conforming(report.Complete, 5, 0), broken),
		"NONCONFORMING (partial, 3 of 5 cases): 1 finding":                    with(conforming(report.Partial, 5, 2), broken),
		"NONCONFORMING in the 1 case selected, of 354: 1 finding":             with(selected(conforming(report.Selected, 1, 0), 354), broken),
		"NOTHING WRONG SEEN 2 clauses held":                                   conforming(report.Observed, 1, 0),
		"CONFORMING (complete): 2 clauses held; tested: the target at http://": with(conforming(report.Complete, 5, 0),
			func(r *report.Report) { r.Target.Name = "" }),
	} {
		if got := report.VerdictLine(r); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " at http://127.0.0.1:1/v2") {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLevelsAreInOrder(t *testing.T) {
	for i, l := range report.Levels() {
		for j, other := range report.Levels() {
			if l.Below(other) != (i > j) {
				t.Errorf("%s below %s: %v", l, other, l.Below(other))
			}
		}
		if l.Below("") || !report.Level("").Below(l) {
			t.Errorf("%s and none", l)
		}
	}
}

func summary(t *testing.T, r *report.Report, s report.Style) string {
	t.Helper()
	return written(t, r, func(v *report.View, w io.Writer) error { return v.Summary(w, s) })
}

func TestSummaryTellsWhatIsWrongToSomeoneNew(t *testing.T) {
	got := summary(t, made(), report.Style{})
	want := `NONCONFORMING: 1 finding; tested: Acme at http://127.0.0.1:1/v2
4 cases: 1 passed, 1 failed, 2 not tested; 7 requests in 1.5 s (depth standard,
seed 1)

1 finding
updateCampaign answered 200 where 401 was expected
  clause    AUTH-1 (stated, critical) A request whose user cannot be
            authenticated is answered 401.
  expected  status 401
  got       status 200
  cases     updateCampaign/401/no-key
  check     expected-status, seen 2 of 9 times, see adconform explain
            expected-status
    curl -i http://127.0.0.1/campaigns/25

Not tested
  without credentials.stranger: 2 cases, clause AUTH-2
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// All findings are shown, of the rest the first of each kind, and nothing is wider than the screen.
func TestSummaryShowsEveryFinding(t *testing.T) {
	r := made()
	for i := range 100 {
		f := finding("updateCampaign")
		f.Clause, f.Pointer, f.Got = fmt.Sprintf("CAMPAIGN-%d", i+1), "/data/name", fmt.Sprintf(`"a name that differs %d"`, i)
		r.Findings = append(r.Findings, f)
	}
	for i := range 30 {
		n := finding("updateCampaign")
		n.Clause, n.Severity, n.Fails = "OPEN-1", oracle.Notice, false
		r.Findings = append(r.Findings, n)
		r.Results = append(r.Results, report.Case{Status: judge.NotTested, Reason: fmt.Sprint("reason ", i)})
		r.Changes = append(r.Changes, session.Change{Object: "campaign", ID: 1, Change: "updated", Reason: "refused", Undo: "curl -X PATCH"})
	}
	for _, width := range []int{60, 80, 200} {
		got := summary(t, r, report.Style{Width: width, Dir: "out"})
		for _, want := range []string{"101 findings", "a name that differs 99", "30 notices", "… and 26 more, see out/report.html"} {
			if !strings.Contains(got, want) || strings.Contains(got, "more finding") {
				t.Errorf("width %d: %q is missing in\n%s", width, want, got)
			}
		}
		for line := range strings.Lines(got) {
			if len([]rune(line))-1 > width && !strings.Contains(line, "curl") {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

// A server that fails always breaks a clause in hundreds of cases; their list is whole,
// and takes no more than a screen.
func TestSummaryOfACauseFitsOnAScreen(t *testing.T) {
	r := made()
	r.Results, r.Findings[0].Cases = nil, nil
	for i := range 8 * 40 {
		id := fmt.Sprintf("updateCampaign/class-%d/a-case-of-many-%d", i/40, i%40)
		r.Results = append(r.Results, report.Case{ID: id})
		if i < 8*40-1 {
			r.Findings[0].Cases = append(r.Findings[0].Cases, id)
		}
	}
	got := summary(t, r, report.Style{})
	if rows := strings.Count(got, "\n"); rows > 42 || !strings.Contains(got, "updateCampaign/class-6: all 40 cases") ||
		!strings.Contains(got, "a-case-of-many-38") {
		t.Errorf("%d rows:\n%s", rows, got)
	}
}

func TestSummaryUsesColoursOnlyWhenAsked(t *testing.T) {
	if got := summary(t, made(), report.Style{}); strings.Contains(got, "\x1b") {
		t.Errorf("escape sequences in %q", got)
	}
	var b strings.Builder
	if err := report.NewView(made()).Summary(&b, report.Style{Color: true}); err != nil || !strings.Contains(b.String(), "\x1b[") {
		t.Errorf("%v; no colours in %q", err, b.String())
	}
}

// What is said of a run beside its findings, each where there is something to say.
func TestSummarySaysWhatToKnow(t *testing.T) {
	for want, change := range map[string]func(*report.Report){
		"\nwaited 14.0 s for the target: 12 answers 429, 1 time busy or away (502 to 504, or no": func(r *report.Report) {
			r.RateLimited, r.Unavailable, r.WaitedSeconds = 12, 1, 14
		},
		"\n2 requests sent again over a new connection, as the target had ended the one before": func(r *report.Report) { r.Resent = 2 },
		"\nINSECURE: certificates are not checked":                                              func(r *report.Report) { r.Insecure = true },
		"connectionProfile 12 (updated): the target refused the old values: 422\n    curl -X PATCH undo\n": func(r *report.Report) {
			r.Changes = []session.Change{
				{Object: "campaign", ID: 25, Change: "updated", Restored: true},
				{Object: "disposableCreatives[0]", ID: 301, Change: "deleted"},
				{Object: "connectionProfile", ID: 12, Change: "updated", Reason: "the target refused the old values: 422", Undo: "curl -X PATCH undo"},
			}
		},
		"\n    adconform replay out/ updateCampaign/401/no-key\n": func(r *report.Report) { // its request fills the screen
			r.Findings[0].Curl = "curl " + strings.Repeat("x", 4000)
		},
		"401 was expected (ticket 7)\n  b.yaml:3: another no longer occurs: ": func(r *report.Report) {
			r.Findings[0].Known, r.Findings[0].Fails = "ticket 7", false
			r.Baseline = &report.Baseline{File: "b.yaml", Known: 1, Stale: []report.Known{{Finding: "another", Line: 3}}}
		},
		"\n  b.yaml:9: a cause shows in 2 cases that it does not list; the run of the entry had less depth": func(r *report.Report) {
			entry := report.Known{Finding: "a cause", Line: 9, NewCases: []string{"a", "b"}, Deeper: true}
			r.Baseline = &report.Baseline{File: "b.yaml", Outgrown: []report.Known{entry}}
		},
		"\n  malformed-id Which?\n    404: updateCampaign\n": func(r *report.Report) {
			r.OpenPoints = []report.OpenPoint{{
				ID: "malformed-id", Question: "Which?", Answers: []report.Answer{{Answer: "404", At: []string{"updateCampaign"}}},
				Observed: []string{"404 Not Found"}, Pin: "malformedID",
			}}
		},
		"\n  sent      name in the path: 7, a number for a text\n": func(r *report.Report) {
			r.Findings[0].Sent = &oracle.Sent{At: "path:name", What: "a number for a text", Value: "7"}
		},
		"\n  1. answered 200:\n    curl -i one\n": func(r *report.Report) {
			r.Findings[0].Requests = []oracle.Request{{Curl: "curl -i one", Then: "200"}}
		},
	} {
		r, style := made(), report.Style{Width: 120, Dir: "out/", All: true}
		plain := summary(t, r, style)
		change(r)
		got := summary(t, r, style)
		if strings.Contains(plain, want) || !strings.Contains(got, want) || strings.Contains(got, "campaign 25 ") ||
			strings.Contains(got, "xxxx") {
			t.Errorf("%q is missing in\n%s", want, got)
		}
		if strings.Contains(want, "malformed-id") != strings.Contains(got, "\n    malformedID: 404\n") {
			t.Errorf("lines for the target file:\n%s", got)
		}
	}
}

func TestSentence(t *testing.T) {
	for want, f := range map[string]oracle.Finding{
		"updateCampaign answered 200 where 401 was expected": {
			Operation: "updateCampaign", Expected: "status 401", Got: "status 200",
		},
		"updateCampaign answered 200 where 403 or 404 was expected": {
			Operation: "updateCampaign", Expected: "status 403 or status 404", Got: "status 200",
		},
		"deleteCreative answered 204; expected was 404 for X, which was deleted": {
			Operation: "deleteCreative", Expected: "status 404 for X, which was deleted", Got: "status 204",
		},
		"updateCampaign at /data/id of the body: expected an integer, got \"1\"": {
			Operation: "updateCampaign", Pointer: "/data/id", Expected: "an integer", Got: `"1"`,
		},
		"updateCampaign gave no complete answer: timeout: gave up": {
			Operation: "updateCampaign", Severity: oracle.Transport, Got: "timeout: gave up",
		},
		"the operations differ at the open point malformed-id: 404 here, 422 there": {
			Operation: "all", Pointer: "open:malformed-id", Expected: "the same choice", Got: "404 here, 422 there",
		},
		"updateCampaign answered 500 (Internal Server Error) where a status below 500 was expected": {
			Operation: "updateCampaign", Expected: "a status below 500", Got: "status 500 (Internal Server Error)",
		},
		"updateCampaign answered 200 where 404, 422 or 400 was expected": {
			Operation: "updateCampaign", Expected: "status 404, status 422 or status 400", Got: "status 200",
		},
		"deleteCreative answered 404: it is gone; expected was 204 for X: a delete removes nothing": {
			Operation: "deleteCreative", Expected: "status 204 for X: a delete removes nothing", Got: "status 404: it is gone",
		},
	} {
		if got := report.Sentence(&f); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestShortCurlIsShort(t *testing.T) {
	got := report.ShortCurl("curl " + strings.Repeat("日", 2_000))
	if len(got) > 1_300 || !strings.HasPrefix(got, "curl 日") || strings.Contains(got, "\ufffd") {
		t.Error(got)
	}
}
