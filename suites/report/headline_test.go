package report_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
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
	const nothing = "3 of 5 cases show nothing on this target: it takes no updates, and 1 other reason): 2 clauses held"
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
