package report_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

func summary(t *testing.T, r *report.Report, s report.Style) string {
	t.Helper()
	var b strings.Builder
	if err := report.NewView(r).Summary(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
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

func TestSummaryShowsEveryFinding(t *testing.T) {
	for _, width := range []int{60, 80, 200} {
		r := many(made(), 100)
		for i := range 30 {
			n := finding("updateCampaign")
			n.Clause, n.Severity, n.Fails = "OPEN-1", oracle.Notice, false
			r.Findings = append(r.Findings, n)
			r.Results = append(r.Results, report.Case{Status: judge.NotTested, Reason: fmt.Sprint("reason ", i)})
			r.Changes = append(r.Changes, session.Change{Object: "campaign", ID: 1, Change: "updated", Reason: "refused", Undo: "curl -X PATCH"})
		}
		got := summary(t, r, report.Style{Width: width, Dir: "out"})
		if n := strings.Count(got, "a name that differs 99"); n == 0 || strings.Contains(got, "more finding") {
			t.Errorf("width %d: not all findings are shown", width)
		}
		for _, want := range []string{"101 findings", "30 notices", "more reasons", "25 more objects"} {
			if !strings.Contains(got, want) {
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
	r.Findings, r.Results = nil, nil
	var cases []string
	for class := range 8 {
		for i := range 40 {
			cases = append(cases, fmt.Sprintf("updateCampaign/class-%d/a-case-of-many-%d", class, i))
		}
	}
	for _, id := range cases {
		r.Results = append(r.Results, report.Case{ID: id})
	}
	f := finding("updateCampaign")
	f.Cases = cases[:len(cases)-1]
	r.Findings = []oracle.Finding{f}
	got := summary(t, r, report.Style{})
	if rows := strings.Count(got, "\n"); rows > 42 {
		t.Errorf("%d rows:\n%s", rows, got)
	}
	if !strings.Contains(got, "updateCampaign/class-6: all 40 cases") || !strings.Contains(got, "a-case-of-many-38") {
		t.Error(got)
	}
}

func TestSummaryUsesColoursOnlyWhenAsked(t *testing.T) {
	if got := summary(t, made(), report.Style{}); strings.Contains(got, "\x1b") {
		t.Errorf("escape sequences in %q", got)
	}
	if got := summary(t, made(), report.Style{Color: true}); !strings.Contains(got, "\x1b[") {
		t.Errorf("no colours in %q", got)
	}
}

func TestSummaryMakesTheTextsOfATargetHarmless(t *testing.T) {
	r := made()
	r.Target.Name = "evil\x1b]0;title\a"
	r.Findings[0].Pointer = "/data"
	r.Findings[0].Got = "\x1b[2J\u202e\u009bgone\r\nCONFORMING"
	got := summary(t, r, report.Style{})
	if strings.ContainsAny(got, "\x1b\a\r\u202e\u009b") || strings.Contains(got, "\nCONFORMING") {
		t.Errorf("%q", got)
	}
	if !strings.Contains(got, `\x1b[2J`) {
		t.Errorf("what was sent is not shown: %s", got)
	}
}

func TestSummaryShowsExpectedAndGotOfABody(t *testing.T) {
	got := summary(t, many(made(), 1), report.Style{})
	for _, want := range []string{"updateCampaign at /data/name of the body", "expected  status 401", `got       "a name that differs 0"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestSummaryTellsWhatWasNotPutBack(t *testing.T) {
	r := made()
	r.Changes = []session.Change{
		{Object: "campaign", ID: 25, Change: "updated", Restored: true},
		{Object: "disposableCreatives[0]", ID: 301, Change: "deleted"},
		{Object: "connectionProfile", ID: 12, Change: "updated", Reason: "the target refused the old values: 422", Undo: "curl -X PATCH undo"},
	}
	got := summary(t, r, report.Style{})
	if !strings.Contains(got, "connectionProfile 12 (updated): the target refused the old values: 422\n    curl -X PATCH undo\n") {
		t.Error(got)
	}
	if strings.Contains(got, "campaign 25") || strings.Contains(got, "301") {
		t.Errorf("tells what was put back, or was there to be deleted:\n%s", got)
	}
}

func TestSummaryLeavesOutARequestThatFillsTheScreen(t *testing.T) {
	r := made()
	r.Results = nil
	r.Findings[0].Curl = "curl " + strings.Repeat("x", 4000)
	if got := summary(t, r, report.Style{Dir: "out/"}); strings.Contains(got, "xxxx") ||
		!strings.Contains(got, "see out/report.html#"+r.Findings[0].ID) ||
		!strings.Contains(got, "\n    adconform replay out/ updateCampaign/401/no-key\n") {
		t.Error(got)
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

func TestSummaryTellsWhatWasWaitedForAndSentAgain(t *testing.T) {
	for want, change := range map[string]func(*report.Report){
		"\nwaited 14.0 s for 12 answers 429 and 1 time for a target that was busy or away (502 to 504,": func(r *report.Report) {
			r.RateLimited, r.Unavailable, r.WaitedSeconds = 12, 1, 14
		},
		"\nwaited 3.0 s for the rate limit of the target\n":                                     func(r *report.Report) { r.WaitedSeconds = 3 },
		"\n2 requests sent again over a new connection, as the target had ended the one before": func(r *report.Report) { r.Resent = 2 },
		"\nINSECURE: certificates are not checked":                                              func(r *report.Report) { r.Insecure = true },
	} {
		r := made()
		plain := summary(t, r, report.Style{Width: 120})
		change(r)
		if changed := summary(t, r, report.Style{Width: 120}); strings.Contains(plain, want) || !strings.Contains(changed, want) {
			t.Errorf("%q is missing in\n%s", want, changed)
		}
	}
}

// What was recorded has no depth and no seed, but what was judged of it.
func TestReportsOfARecordingSayWhatWasJudged(t *testing.T) {
	for name, write := range map[string]func(*report.View, io.Writer) error{
		"summary.md":  (*report.View).WriteMarkdown,
		"report.html": (*report.View).WriteHTML,
		"terminal":    func(v *report.View, w io.Writer) error { return v.Summary(w, report.Style{Width: 200}) },
	} {
		for _, recorded := range []bool{false, true} {
			r := made()
			if recorded {
				r.Depth, r.Seed = "recorded", 0
				r.Recording = &report.Recording{Judged: 3, Skipped: map[string]int{"body not recorded": 2}, Others: 5}
			}
			var b bytes.Buffer
			if err := write(report.NewView(r), &b); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			says := strings.Contains(text, "3 recorded exchanges judged; not judged: 2 body not recorded; 5 of other paths")
			if asks := strings.Contains(text, "seed "); says != recorded || asks == recorded {
				t.Errorf("%s: recorded %t, says it %t, says the seed %t", name, recorded, says, asks)
			}
		}
	}
}
