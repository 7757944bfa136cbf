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

// mended removes the finding of the made report.
func mended(r *report.Report) {
	r.Findings, r.Results[0].Status, r.Results[0].Findings = nil, judge.Passed, nil
}

// wider adds the finding of the made report to a second case, that at index at.
func wider(at int, fails bool) change {
	return func(r *report.Report) {
		f, c := r.Findings[0], &r.Results[at]
		f.Fails = fails
		r.Findings[0].Cases = append(f.Cases, c.ID)
		c.Status, c.Findings = judge.Failed, []oracle.Finding{f}
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
	item, accepted := finding("listCreativeMediaFiles"), finding("deleteCreative")
	item.Clause, item.Pointer = "CREATIVE-1", "/data/0/id"
	item.ID = item.Cause().ID()
	elsewhere := item
	elsewhere.Pointer, accepted.Fails, accepted.Known = "/data/7/id", false, "ticket 7"
	itemOnly := func(f oracle.Finding) change { return func(r *report.Report) { r.Findings = append(r.Findings, f) } }
	quick := func(r *report.Report) { r.Depth, r.Results = "quick", r.Results[:1] }
	lost := func(r *report.Report) { r.Clauses[0].Status = report.NotTested }
	stated := func(r *report.Report) { r.Bases = []spec.Basis{spec.Stated} }
	leftOut := func(r *report.Report) { r.Results[1].Status = judge.NotTested }
	none := func(*report.Report) {}
	const unsure = "CANNOT SAY: 0 new findings, 0 gone, "
	const same, less = "NOT WORSE: 0 new findings, 0 gone, ", "1 remaining; the second run did not test "
	for name, c := range map[string]struct {
		before, after change
		want          string
	}{
		"the same":              {none, none, same + "1 remaining"},
		"elsewhere in a list":   {itemOnly(item), itemOnly(elsewhere), same + "2 remaining"},
		"new":                   {none, add(finding("deleteCreative")), "WORSE: 1 new finding, 0 gone, 1 remaining"},
		"new, fails nothing":    {none, add(accepted), "NOT WORSE: 1 new finding (1 in the baseline), "},
		"gone":                  {none, mended, "NOT WORSE: 0 new findings, 1 gone, 0 remaining"},
		"a case is left out":    {wider(1, true), both(mended, leftOut), unsure + "0 remaining; the second run did not test 1 case"},
		"the run was stopped":   {none, both(mended, func(r *report.Report) { r.Stopped = "so" }), same + "0 remaining"},
		"a lost clause":         {none, lost, unsure + less + "AUTH-1 of updateCampaign"},
		"a clause more":         {lost, none, same},
		"failed before, too":    {wider(1, true), wider(1, true), same + "1 remaining"},
		"passes again":          {wider(1, true), none, same + "1 remaining"},
		"in more cases":         {none, wider(1, true), "WORSE: 0 new findings, 0 gone, 1 remaining; 1 case newly failing"},
		"not run before":        {none, wider(3, true), same + "1 remaining"},
		"accepted there":        {none, wider(1, false), same + "1 remaining"},
		"a narrower basis":      {none, stated, unsure + less + "what is published (--basis), nor what is standard (--basis)"},
		"less depth, and worse": {none, both(quick, add(finding("deleteCreative"))), "WORSE: 1 new finding, 0 gone, " + less + "1 case"},
		"more in the second":    {quick, none, same},
	} {
		before, after := made(), made()
		c.before(before)
		c.after(after)
		d := report.Compare(before, after)
		word, _, _ := strings.Cut(c.want, ":")
		want := map[string]int{"WORSE": report.ExitNonconforming, "NOT WORSE": report.ExitConforming, "CANNOT SAY": report.ExitInconclusive}[word]
		if got := d.Sentence(); !strings.HasPrefix(got, c.want) || d.ExitCode() != want {
			t.Errorf("%s: %s, exit code %d", name, got, d.ExitCode())
		}
	}
	after, bad := made(), finding("deleteCreative")
	bad.Got, bad.Pointer = "\x1b[2J\n<script>", "/data"
	both(add(bad), wider(1, true))(after)
	var b strings.Builder
	noError(t, report.Compare(made(), after).WriteText(&b, report.Style{Width: 200}))
	for _, want := range []string{
		"WORSE: 1 new finding", "\nafter:  NONCONFORMING: 1 finding; tested: Acme",
		"\nNew findings\n  AUTH-1 (stated) deleteCreative: another", `\x1b[2J`, "\nNewly failing cases\n  updateCampaign/success/ordinary\n",
	} {
		if text := b.String(); !strings.Contains(text, want) || strings.Contains(text, "\x1b") {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
