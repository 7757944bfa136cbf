package report_test

import (
	"slices"
	"testing"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// failing is made, and passing the report of a round that found nothing.
func failing() *report.Report {
	r := made()
	r.Clauses[0].Operation = "updateCampaign"
	return r
}

func passing() *report.Report {
	r := failing()
	r.Verdict, r.Reason, r.Findings = report.Conforming, "1 clause held", nil
	r.Results[0].Status, r.Results[0].Findings = testcase.Passed, nil
	r.Clauses[0].Status, r.Clauses[0].Times = report.Held, 9
	return r
}

// A finding, a case and a clause of several rounds: seen in one, in each, in other cases, in
// the only one that ran the case.
func TestMergeSaysInWhichRounds(t *testing.T) {
	elsewhere := failing()
	f := &elsewhere.Findings[0]
	f.Case, f.Cases = "updateCampaign/success/ordinary", []string{"updateCampaign/success/ordinary"}
	elsewhere.Results[0].Status, elsewhere.Results[0].Findings = testcase.Passed, nil
	elsewhere.Results[1].Status, elsewhere.Results[1].Findings = testcase.Failed, []oracle.Finding{*f}
	without := passing()
	without.Results = without.Results[1:]
	for name, c := range map[string]struct {
		rounds []*report.Report
		seen   []int
		of     int
		steady bool
		times  int // that the clause could have been broken
	}{
		"in one":         {[]*report.Report{passing(), failing(), passing()}, []int{2}, 3, false, 27},
		"in each":        {[]*report.Report{failing(), failing()}, []int{1, 2}, 2, true, 18},
		"in other cases": {[]*report.Report{failing(), elsewhere}, []int{1, 2}, 2, false, 18},
		"in the only":    {[]*report.Report{failing(), without}, []int{1}, 1, true, 18},
	} {
		m := report.Merge(4, c.rounds, make([]int, len(c.rounds)))
		got := m.Findings[0].Rounds
		if len(m.Findings) != 1 || !slices.Equal(got.Seen, c.seen) || got.Of != c.of || got.Steady != c.steady || m.Findings[0].Of != c.times {
			t.Errorf("%s: %d findings, %+v, of %d", name, len(m.Findings), *got, m.Findings[0].Of)
		}
		if m.Clauses[0].Status != report.Broken || m.Cases.Failed == 0 || m.Cases.Planned != 4 || m.Requests != 7*len(c.rounds) {
			t.Errorf("%s: clause %s, cases %+v, %d requests", name, m.Clauses[0].Status, m.Cases, m.Requests)
		}
	}
}

func TestAMergedReportMatchesTheSchema(t *testing.T) {
	real := realReport(t)
	m := report.Merge(5, []*report.Report{real, real, real}, []int{0, 3, 3})
	m.Repeat.Ended, m.Verdict, m.Reason, m.ExitCode = "the run was interrupted", real.Verdict, real.Reason, real.ExitCode
	if err := schema(t).Validate(asJSON(t, m)); err != nil {
		t.Error(err)
	}
	for _, f := range m.Findings {
		if !f.Rounds.Steady || len(f.Rounds.Seen) != 3 {
			t.Errorf("%s: %+v", f.Cause(), *f.Rounds)
		}
	}
}
