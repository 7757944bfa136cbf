package report_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

type change = func(*report.Report)

// add adds a finding of another cause.
func add(f oracle.Finding) change {
	f.CauseWords = "another"
	return func(r *report.Report) { r.Findings = append(r.Findings, f) }
}

// mended takes the finding of the made report away.
func mended(r *report.Report) {
	r.Findings, r.Results[0].Status = nil, judge.Passed
}

// wider shows the finding of the made report in a second case, as number at has it.
func wider(at int, known string) change {
	return func(r *report.Report) {
		f := &r.Findings[0]
		f.Cases, f.Known, r.Results[at].Status = append(f.Cases, r.Results[at].ID), known, judge.Failed
	}
}

func skip(at int, cause judge.Cause) change {
	return func(r *report.Report) {
		r.Results[at].Status, r.Results[at].Cause, r.Results[at].Reason = judge.NotTested, cause, "objects.campaign is not in the target file"
	}
}

func chose(choice string, pin any) change {
	return func(r *report.Report) {
		r.OpenPoints = []report.OpenPoint{{ID: "malformed-id", Observed: []string{choice}, Pinned: pin}}
	}
}

func both(changes ...change) change {
	return func(r *report.Report) {
		for _, c := range changes {
			c(r)
		}
	}
}

func TestCompare(t *testing.T) {
	item := finding("listCreativeMediaFiles")
	item.Clause, item.Pointer = "CREATIVE-1", "/data/0/id"
	elsewhere, notice, known := item, finding("updateCampaign"), finding("deleteCreative")
	elsewhere.Pointer, notice.Severity, notice.Clause, known.Known = "/data/7/id", oracle.Notice, "OPEN-1", "ticket 7"
	itemOnly := func(f oracle.Finding) change { return func(r *report.Report) { r.Findings = append(r.Findings, f) } }
	quick := func(r *report.Report) { r.Depth, r.Results = "quick", r.Results[:1] }
	lost := func(r *report.Report) { r.Clauses[0].Status = report.NotTested }
	nothing := func(r *report.Report) { // no case was carried out
		r.Cases.Run, r.Findings, r.Clauses[0].Status = 0, nil, report.NotTested
	}
	none := func(*report.Report) {}
	const less, unseen = "CANNOT SAY: 0 new findings, 0 gone, 1 remaining; the second run did not look for ", "1 not looked for again"
	const same = "NOT WORSE: 0 new findings, 0 gone, "
	const worse = "WORSE: 0 new findings, 0 gone, 1 remaining, "
	for name, c := range map[string]struct {
		before, after change
		want          string
	}{
		"the same":            {none, none, same + "1 remaining"},
		"elsewhere in a list": {itemOnly(item), itemOnly(elsewhere), same + "2 remaining"},
		"new":                 {none, add(finding("deleteCreative")), "WORSE: 1 new finding, 0 gone, 1 remaining"},
		"a new notice":        {none, add(notice), "NOT WORSE: 1 new finding"},
		"new, and accepted":   {none, add(known), "NOT WORSE: 1 new finding"},
		"gone":                {none, mended, "NOT WORSE: 0 new findings, 1 gone, 0 remaining"},
		"a case is left out":  {wider(1, ""), both(mended, skip(1, judge.ByTarget)), same + "0 remaining, " + unseen},
		"the run was stopped": {none, both(mended, func(r *report.Report) { r.Stopped = "so" }), same + "0 remaining, " + unseen},
		"a lost clause":       {none, lost, worse + "1 clauses not tested any more"},
		"a clause more":       {lost, none, same},
		"failed before, too":  {wider(1, ""), wider(1, ""), same + "1 remaining"},
		"passes again":        {wider(1, ""), none, same + "1 remaining"},
		"in more cases":       {none, wider(1, ""), worse + "1 of them in more cases"},
		"not run before":      {none, wider(3, ""), same + "1 remaining"},
		"accepted there":      {none, wider(1, "ticket 7"), same + "1 remaining"},
		"another choice":      {chose("404 Not Found", nil), chose("422 No", nil), same},
		"one that was pinned": {chose("404 No", 404.0), chose("422 No", nil), worse + "1 open points no longer as pinned"},
		"now as pinned":       {chose("422 No", nil), chose("404 Not Found", 404.0), same},
		"nothing, twice":      {nothing, nothing, "NOTHING COMPARED"},
		"nothing any more":    {none, nothing, "WORSE"},
		"nothing before":      {nothing, mended, "NOT WORSE"},
		"a narrower basis": {
			none, func(r *report.Report) { r.Bases = []spec.Basis{spec.Stated} },
			less + "what is published and standard (--basis)",
		},
		"less depth":          {none, quick, less + "1 case (depth quick)"},
		"less in the file":    {none, skip(1, judge.ByOperator), less + "1 case (objects.campaign is not in the target file)"},
		"the target's choice": {none, skip(1, judge.ByTarget), same},
		"less, and worse":     {none, both(quick, add(finding("deleteCreative"))), "WORSE: 1 new finding, 0 gone, 1 remaining; the second"},
		"more in the second":  {quick, none, same},
		"a selection": {none, func(r *report.Report) {
			r.Selected, r.Selection, r.Results = true, &report.Selection{Filters: []string{"--case x"}}, r.Results[:1]
		}, less + "1 case (--case x)"},
	} {
		before, after := made(), made()
		c.before(before)
		c.after(after)
		d := report.Compare(before, after)
		word, _, _ := strings.Cut(c.want, ":")
		code := map[string]int{"WORSE": report.ExitNonconforming, "NOT WORSE": report.ExitConforming}
		want, definite := code[word]
		if !definite {
			want = report.ExitInconclusive
		}
		if got := d.Sentence(); !strings.HasPrefix(got, c.want) || d.ExitCode() != want {
			t.Errorf("%s: %s, exit code %d", name, got, d.ExitCode())
		}
	}
}

func TestDifferenceInWords(t *testing.T) {
	after, bad := made(), finding("deleteCreative")
	bad.Got, bad.Pointer = "\x1b[2J\n<script>", "/data"
	both(add(bad), wider(1, ""), skip(2, judge.ByOperator), chose("404", nil))(after)
	after.Target.BaseURL = "http://127.0.0.1:2/v2"
	var b strings.Builder
	if err := report.Compare(made(), after).WriteText(&b, report.Style{Width: 200}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"WORSE: 1 new finding, 0 gone, 1 remaining", "malformed-id: none → 404", "deleteCreative at", `\x1b[2J`,
		"newly fails in 1 case: updateCampaign/success/ordinary\n", "\nCases\n  updateCampaign/success/ordinary: passed → failed\n\n",
		"after   nonconforming (1 finding): http://127.0.0.1:2/v2, depth standard, seed 1",
	} {
		if !strings.Contains(text, want) || strings.Contains(text, "\x1b") {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
