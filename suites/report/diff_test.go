package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

type change = func(*report.Report)

// add adds a finding, which shows in a case of its own.
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

// nothing is a run of which no case was carried out.
func nothing(r *report.Report) {
	r.Cases.Run, r.Findings = 0, nil
	for i := range r.Clauses {
		r.Clauses[i].Status = report.NotTested
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
	item.Clause, item.Pointer, item.CauseWords = "CREATIVE-1", "/data/0/id", ""
	elsewhere, notice, known := item, finding("updateCampaign"), finding("deleteCreative")
	elsewhere.Pointer, notice.Severity, notice.Clause, known.Known = "/data/7/id", oracle.Notice, "OPEN-1", "ticket 7"
	itemOnly := func(f oracle.Finding) change { return func(r *report.Report) { r.Findings = append(r.Findings, f) } }
	quick := func(r *report.Report) { r.Depth, r.Results = "quick", r.Results[:1] }
	const less, unseen = "CANNOT SAY: 0 new findings, 0 gone, 1 remaining; the second run did not look for ", "1 not looked for again"
	const same = "NOT WORSE: 0 new findings, 0 gone, "
	const worse = "WORSE: 0 new findings, 0 gone, 1 remaining, "
	lost := func(r *report.Report) { r.Clauses[0].Status = report.NotTested }
	stopped := func(r *report.Report) { r.Stopped = "so" }
	withoutIt := func(r *report.Report) { r.Results = r.Results[1:] }
	narrow := func(r *report.Report) { r.Bases = []spec.Basis{spec.Stated} }
	for name, c := range map[string]struct {
		before, after change
		want          string
	}{
		"the same":            {nil, nil, same + "1 remaining"},
		"elsewhere in a list": {itemOnly(item), itemOnly(elsewhere), same + "2 remaining"},
		"new":                 {nil, add(finding("deleteCreative")), "WORSE: 1 new finding, 0 gone, 1 remaining"},
		"a new notice":        {nil, add(notice), "NOT WORSE: 1 new finding"},
		"new, and accepted":   {nil, add(known), "NOT WORSE: 1 new finding"},
		"gone":                {nil, mended, "NOT WORSE: 0 new findings, 1 gone, 0 remaining"},
		"a case is left out":  {wider(1, ""), both(mended, skip(1, judge.ByTarget)), same + "0 remaining, " + unseen},
		"the run was stopped": {nil, both(mended, stopped), same + "0 remaining, " + unseen},
		"its case is not run": {nil, both(mended, withoutIt), same + "0 remaining, " + unseen},
		"a lost clause":       {nil, lost, worse + "1 clauses not tested any more"},
		"a clause more":       {lost, nil, same},
		"failed before, too":  {wider(1, ""), wider(1, ""), same + "1 remaining"},
		"passes again":        {wider(1, ""), nil, same + "1 remaining"},
		"in more cases":       {nil, wider(1, ""), worse + "1 of them in more cases"},
		"not run before":      {nil, wider(3, ""), same + "1 remaining"},
		"accepted there":      {nil, wider(1, "ticket 7"), same + "1 remaining"},
		"another choice":      {chose("404 Not Found", nil), chose("422 No", nil), same},
		"one that was pinned": {chose("404 No", 404.0), chose("422 No", nil), worse + "1 open points no longer as pinned"},
		"now as pinned":       {chose("422 No", nil), chose("404 Not Found", 404.0), same},
		"nothing, twice":      {nothing, nothing, "NOTHING COMPARED"},
		"nothing any more":    {nil, nothing, "WORSE"},
		"nothing before":      {nothing, mended, "NOT WORSE"},
		"a narrower basis":    {nil, narrow, less + "what is published and standard (--basis)"},
		"less depth":          {nil, quick, less + "1 case (depth quick)"},
		"less in the file":    {nil, skip(1, judge.ByOperator), less + "1 case (objects.campaign is not in the target file)"},
		"the target's choice": {nil, skip(1, judge.ByTarget), same},
		"less, and worse":     {nil, both(quick, add(finding("deleteCreative"))), "WORSE: 1 new finding, 0 gone, 1 remaining; the second"},
		"more in the second":  {quick, nil, same},
		"a selection": {nil, func(r *report.Report) {
			r.Selected, r.Selection, r.Results = true, &report.Selection{Filters: []string{"--case x"}}, r.Results[:1]
		}, less + "1 case (--case x)"},
	} {
		before, after := made(), made()
		if c.before != nil {
			c.before(before)
		}
		if c.after != nil {
			c.after(after)
		}
		d := report.Compare(before, after)
		code := map[byte]int{'W': report.ExitNonconforming, 'C': report.ExitInconclusive}[c.want[0]]
		if strings.HasPrefix(c.want, "NOTHING") {
			code = report.ExitInconclusive
		}
		if got := d.Sentence(); !strings.HasPrefix(got, c.want) || d.ExitCode() != code {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestDifferenceInWords(t *testing.T) {
	after := made()
	bad := finding("deleteCreative")
	bad.Got, bad.Pointer = "\x1b[2J\n<script>", "/data"
	both(add(bad), wider(1, ""), skip(2, judge.ByOperator), chose("404", nil))(after)
	after.Target.BaseURL = "http://127.0.0.1:2/v2"
	d := report.Compare(made(), after)
	var text strings.Builder
	if err := d.WriteText(&text, report.Style{Width: 200}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"WORSE: 1 new finding, 0 gone, 1 remaining", "malformed-id: none → 404", "deleteCreative at", `\x1b[2J`,
		"newly fails in 1 case: updateCampaign/success/ordinary\n",
		"after   nonconforming (1 finding): http://127.0.0.1:2/v2, depth standard, seed 1",
	} {
		if !strings.Contains(text.String(), want) || strings.Contains(text.String(), "\x1b") {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	want := []report.Step{{ID: "updateCampaign/success/ordinary", Before: "passed", After: "failed"}}
	if diff := cmp.Diff(want, d.Cases); diff != "" {
		t.Error(diff)
	}
}
