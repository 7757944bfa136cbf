package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/report"
)

// What costs most comes first, in one line for parts of which the same is to be said.
func TestPreflightSummary(t *testing.T) {
	part := func(need string, id int64, status doctor.CheckStatus, detail string, cost *report.Cost) report.Part {
		return report.Part{Check: doctor.Check{Need: need, ID: id, Status: status, Detail: detail}, Cost: cost, NotShown: "updates"}
	}
	for _, c := range []struct {
		r    report.Preflight
		says string
	}{
		{
			report.Preflight{
				Outcome: report.Incomplete, Cost: report.Cost{Cases: 9, Clauses: []string{"A"}, Stated: 1},
				Disposables: []report.Disposables{{Key: "disposableCreatives", Takes: 8, Named: 2}}, Provisioned: true,
				Parts: []report.Part{
					part("baseURL", 0, doctor.Fine, "answers", nil),
					part("objects.a", 1, doctor.Wrong, "is not there", &report.Cost{Cases: 2}),
					part("objects.b", 0, doctor.Missing, "", &report.Cost{Cases: 7, Clauses: []string{"A"}}),
					part("objects.a.name", 0, doctor.Missing, "", &report.Cost{}),
					part("credentials.owner", 0, doctor.Fine, "is accepted", nil),
				},
			},
			"INCOMPLETE: a run would not test 9 cases and 1 clause, so it would be inconclusive … " +
				"a full run takes 8 of disposableCreatives, of which 2 are named; provision brings them back " +
				"The target file, most costly first " +
				"b: missing; not tested: 7 cases, 1 clause (updates) a 1: wrong: is not there; not tested: 2 cases, 0 clauses (updates) " +
				"a.name: missing; not tested: updates baseURL, credentials.owner: ok",
		},
		{
			report.Preflight{Outcome: report.Ready, Parts: []report.Part{part("objects.a", 1, doctor.Unchecked, "answered 405", nil)}},
			"READY as far as reading tells: all that a run needs is in the target file … " +
				"The target file, most costly first a 1: unchecked: answered 405",
		},
		{
			report.Preflight{Outcome: report.Ready, Cost: report.Cost{Cases: 3}},
			"READY: a run leaves out 3 cases and loses no stated clause; it is partial … ",
		},
		{
			report.Preflight{Outcome: report.Incomplete, Parts: []report.Part{{Check: doctor.Check{Lost: true}}}},
			"INCOMPLETE: the target does not answer … ",
		},
		{report.Preflight{Outcome: report.Incomplete}, "INCOMPLETE: the target file and the target do not fit together … "},
		{report.Preflight{Outcome: report.Broke}, "BROKEN: an answer already broke the contract … "},
		{report.Preflight{Interrupted: true}, "INTERRUPTED … "},
	} {
		var out bytes.Buffer
		err := report.PreflightSummary(&out, &c.r, report.Style{Width: 1000})
		head, rest, _ := strings.Cut(strings.Join(strings.Fields(out.String()), " "), "0 requests, none of which can change anything")
		first, then, _ := strings.Cut(c.says, "… ")
		if err != nil || !strings.HasPrefix(head, first) || !strings.HasPrefix(strings.TrimSpace(rest), then) {
			t.Errorf("%v: %q, want %q", err, out.String(), c.says)
		}
	}
}
