package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func TestCompareTellsNewFromGoneFromNotLookedFor(t *testing.T) {
	before, after := made(), made()
	after.Results[2].Clauses = []string{"AUTH-2"} // so that all that aims at AUTH-1 was run
	// Same cause, elsewhere in a list: it remains.
	item := finding("listCreativeMediaFiles")
	item.Clause, item.Pointer = "CREATIVE-1", "/data/0/id"
	before.Findings = append(before.Findings, item)
	item.Pointer = "/data/7/id"
	after.Findings = []oracle.Finding{item}
	fresh := finding("deleteCreative")
	after.Findings = append(after.Findings, fresh)

	d := report.Compare(before, after)
	if len(d.New) != 1 || d.New[0].Operation != "deleteCreative" || d.Remaining != 1 || !d.Worse() {
		t.Errorf("new %v, %d remaining, worse %t", d.New, d.Remaining, d.Worse())
	}
	if len(d.Gone) != 1 || d.Gone[0].Operation != "updateCampaign" || len(d.Unseen) != 0 {
		t.Errorf("gone %v, unseen %v", d.Gone, d.Unseen)
	}

	// The run ended early, or has not the case that found it: that is no fix.
	after.Stopped = "the deadline of 2s passed"
	if d := report.Compare(before, after); len(d.Gone) != 0 || len(d.Unseen) != 1 {
		t.Errorf("stopped: gone %v, unseen %v", d.Gone, d.Unseen)
	}
	after.Stopped = ""
	cases := after.Results
	after.Results = cases[1:]
	if d := report.Compare(before, after); len(d.Gone) != 0 || len(d.Unseen) != 1 {
		t.Errorf("without the case: gone %v, unseen %v", d.Gone, d.Unseen)
	}
	after.Results = cases
	// Likewise when it is not run.
	after.Results[0].Status = judge.NotTested
	d = report.Compare(before, after)
	if len(d.Gone) != 0 || len(d.Unseen) != 1 || len(d.Cases) != 1 ||
		d.Cases[0] != (report.Step[string]{ID: "updateCampaign/401/no-key", Before: "failed", After: "notTested"}) {
		t.Errorf("gone %v, unseen %v, cases %v", d.Gone, d.Unseen, d.Cases)
	}
}

// What showed a finding was sent again and shows nothing: another case that aims at the same
// clause may be left out all the same.
func TestAFindingWhoseCasesWereSentAgainIsGone(t *testing.T) {
	before, after := made(), made()
	before.Results[0].Findings = []oracle.Finding{finding("updateCampaign")}
	after.Findings, after.Results[0].Status = nil, judge.Passed
	after.Results[2].Operation, after.Results[2].Clauses = "updateCampaign", []string{"AUTH-1"}
	after.Results[2].Status = judge.NotTested
	if d := report.Compare(before, after); len(d.Gone) != 1 || len(d.Unseen) != 0 {
		t.Errorf("gone %v, unseen %v", d.Gone, d.Unseen)
	}
	before.Results[1].Findings = before.Results[0].Findings
	after.Results[1].Status = judge.NotTested
	if d := report.Compare(before, after); len(d.Gone) != 0 || len(d.Unseen) != 1 {
		t.Errorf("a case of it is left out: gone %v, unseen %v", d.Gone, d.Unseen)
	}
}

// A run that looked for less cannot be said to be no worse; where it is worse all the same, it is.
func TestARunThatLookedForLessIsNotComparedThere(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *report.Report)
		want   string // how the sentence begins; the same runs the other way round are NOT WORSE
	}{
		"the same": {func(*report.Report) {}, "NOT WORSE: 0 new"},
		"a narrower basis": {
			func(r *report.Report) { r.Bases = []spec.Basis{spec.Stated} },
			"CANNOT SAY: the second run did not look for what is published and standard (--basis); of the rest: 0 new",
		},
		"a selection": {func(r *report.Report) {
			r.Selected, r.Selection, r.Results = true, &report.Selection{Filters: []string{"--case x"}}, r.Results[:1]
		}, "CANNOT SAY: the second run did not look for 1 case (--case x); of the rest: 0 new"},
		"less depth": {
			func(r *report.Report) { r.Depth, r.Results = "quick", r.Results[:1] },
			"CANNOT SAY: the second run did not look for 1 case (depth quick)",
		},
		"less in the target file": {func(r *report.Report) {
			c := &r.Results[1]
			c.Status, c.Cause, c.Reason = judge.NotTested, judge.ByOperator, "objects.campaign is not in the target file"
		}, "CANNOT SAY: the second run did not look for 1 case (objects.campaign is not in the target file)"},
		"another choice": {func(r *report.Report) { r.Results[1].Status, r.Results[1].Cause = judge.NotTested, judge.ByTarget }, "NOT WORSE: "},
		"worse, too": {func(r *report.Report) {
			r.Depth, r.Results = "quick", r.Results[:1]
			f := finding("deleteCreative")
			f.CauseWords = "another"
			r.Findings = append(r.Findings, f)
		}, "WORSE: 1 new finding, 0 gone, 1 remaining, and the second run did not look for 1 case (depth quick)"},
	} {
		before, after := made(), made()
		c.change(after)
		if d := report.Compare(before, after); !strings.HasPrefix(d.Sentence(), c.want) || d.Vague() != strings.HasPrefix(c.want, "CANNOT") {
			t.Errorf("%s: %s", name, d.Sentence())
		}
		if d := report.Compare(after, before); d.Vague() || d.Worse() {
			t.Errorf("%s, the other way round: %s", name, d.Sentence())
		}
	}
}

// Two runs against a server that was not there agree in everything.
func TestWhereNothingWasCarriedOutNothingIsCompared(t *testing.T) {
	none := func() *report.Report {
		r := made()
		r.Cases.Run, r.Findings = 0, nil
		for i := range r.Clauses {
			r.Clauses[i].Status = report.NotTested
		}
		return r
	}
	const empty = "NOTHING COMPARED"
	if d := report.Compare(none(), none()); d.Worse() || !d.Empty() || !strings.HasPrefix(d.Sentence(), empty) {
		t.Errorf("worse %t, empty %t: %s", d.Worse(), d.Empty(), d.Sentence())
	}
	if d := report.Compare(made(), none()); !d.Worse() || d.Empty() || !strings.HasPrefix(d.Sentence(), "WORSE") {
		t.Errorf("after a run that tested: worse %t, empty %t: %s", d.Worse(), d.Empty(), d.Sentence())
	}
	passed := made()
	passed.Findings = nil
	if d := report.Compare(none(), passed); d.Worse() || d.Empty() || !strings.HasPrefix(d.Sentence(), "NOT WORSE") {
		t.Errorf("before a run that tested: worse %t, empty %t: %s", d.Worse(), d.Empty(), d.Sentence())
	}
}

func TestANoticeIsNotWorseButALostClauseIs(t *testing.T) {
	before, after := made(), made()
	notice := finding("updateCampaign")
	notice.Clause, notice.Severity = "OPEN-1", oracle.Notice
	after.Findings = append(after.Findings, notice)
	if d := report.Compare(before, after); d.Worse() || len(d.New) != 1 {
		t.Errorf("worse %t, new %v", d.Worse(), d.New)
	}
	after = made()
	known := finding("deleteCreative")
	known.Known = "ticket 4711"
	after.Findings = append(after.Findings, known)
	if d := report.Compare(before, after); d.Worse() || len(d.New) != 1 {
		t.Errorf("known: worse %t, new %v", d.Worse(), d.New)
	}
	after = made()
	after.Clauses[0].Status = report.NotTested
	if d := report.Compare(before, after); !d.Worse() || !slices.Equal(d.Untested(), []string{"AUTH-1"}) {
		t.Errorf("worse %t, untested %v", d.Worse(), d.Untested())
	}
	if d := report.Compare(after, before); d.Worse() {
		t.Error("a clause that is tested now is worse")
	}
}

func TestDifferenceInWords(t *testing.T) {
	before, after := made(), made()
	hostile := finding("deleteCreative")
	hostile.Got = "\x1b[2J\n<script>"
	hostile.Pointer = "/data"
	after.Findings = append(after.Findings, hostile)
	after.OpenPoints = []report.OpenPoint{{ID: "malformed-id", Observed: []string{"404"}}}
	d := report.Compare(before, after)
	var text strings.Builder
	if err := d.WriteText(&text, report.Style{Width: 60}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"WORSE: 1 new finding, 0 gone, 1 remaining", "malformed-id: not observed → 404", "deleteCreative at"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), "\x1b") {
		t.Errorf("an escape sequence in %q", &text)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if err := report.WriteDir(dir, report.NewView(made())); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, report.JSONFile)} {
		if r, err := report.Read(path); err != nil || r.Reason != "1 finding" {
			t.Errorf("%s: %v, %v", path, r, err)
		}
	}
	for text, want := range map[string]string{
		"{\n\"a\":\n]":                        "bad.json:3: not JSON: ",
		`{"schema": "other"}`:                 `its schema is "other", this version reads "adconform/report/v1.1"`,
		"[]":                                  `its schema is ""`,
		`{"schema": "` + report.Schema + `"}`: "it has no verdict or no clauses: name a whole report.json",
		`{"schema": "` + report.Schema + `", "requests": "x"}`: "bad.json: json: cannot unmarshal string into Go struct field Report.requests",
	} {
		path := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := report.Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := report.Read(filepath.Join(dir, "none")); err == nil ||
		!strings.Contains(err.Error(), "none: no such file or directory; name a report.json") {
		t.Error(err)
	}
}

// A finding that remains is worse where it shows in a case that passed before; in one
// that was not carried out before nobody knows, and what a baseline bears is no worse.
func TestAFindingInMoreCasesIsWorse(t *testing.T) {
	const passed, skipped = 1, 3
	wider := func(at int, known string) *report.Report {
		r := made()
		f := finding("updateCampaign")
		f.Case, f.Cases, f.Known = r.Results[at].ID, nil, known
		r.Results[at].Status, r.Results[at].Findings = judge.Failed, []oracle.Finding{f}
		r.Findings[0].Cases = append(r.Findings[0].Cases, f.Case)
		return r
	}
	severe := wider(passed, "")
	severe.Findings[0].Severity = oracle.Notice
	for name, c := range map[string]struct {
		before, after *report.Report
		worse         bool
		cases         []string
	}{
		"passed before":      {made(), wider(passed, ""), true, []string{"updateCampaign/success/ordinary"}},
		"not run before":     {made(), wider(skipped, ""), false, nil},
		"known there":        {made(), wider(passed, "ticket 7"), false, nil},
		"failed before, too": {wider(passed, ""), wider(passed, ""), false, nil},
		"passes again":       {wider(passed, ""), made(), false, nil},
		"notice":             {made(), severe, false, []string{"updateCampaign/success/ordinary"}},
	} {
		d := report.Compare(c.before, c.after)
		var cases []string
		for _, f := range d.Wider {
			cases = append(cases, f.NewCases...)
		}
		if d.Worse() != c.worse || !slices.Equal(cases, c.cases) || len(d.New) != 0 || d.Remaining != 1 {
			t.Errorf("%s: worse %t, new cases %q, %d new, %d remaining", name, d.Worse(), cases, len(d.New), d.Remaining)
		}
		var text strings.Builder
		if err := d.WriteText(&text, report.Style{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "newly fails in 1 case: updateCampaign/success/ordinary") != (c.cases != nil) {
			t.Errorf("%s:\n%s", name, &text)
		}
	}
}

// A choice that no finding is about, as only the first target file pins it.
func TestAChangedChoiceIsWorseWhereItWasPinned(t *testing.T) {
	with := func(pin any, choice string) *report.Report {
		return &report.Report{OpenPoints: []report.OpenPoint{{ID: "malformed-id", Observed: []string{choice}, Pinned: pin}}}
	}
	for _, c := range []struct {
		before, after *report.Report
		worse         bool
	}{
		{with(nil, "404 Not Found"), with(nil, "422 Unprocessable Entity"), false},
		{with(404.0, "404 Not Found"), with(nil, "422 Unprocessable Entity"), true},
		{with(nil, "422 Unprocessable Entity"), with(404.0, "404 Not Found"), false},
		{with(404.0, "404 Not Found"), with(404.0, "404 Not Found"), false},
	} {
		d := report.Compare(c.before, c.after)
		if d.Worse() != c.worse || strings.Contains(d.Sentence(), "no longer as pinned") != c.worse {
			t.Errorf("%+v to %+v: %s", c.before.OpenPoints, c.after.OpenPoints, d.Sentence())
		}
	}
}
