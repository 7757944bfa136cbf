package suites_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

const listed = `- finding: another id
  reason: 'a: b # c'
  at:
    - updateCampaign CAMPAIGN-2 identity /data/*/id
  cases:
    - a
    - b
`

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.yaml")
	noError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// named returns a finding at a place, in cases.
func named(words, place string, cases ...string) oracle.Finding {
	f := oracle.Finding{
		Operation: "updateCampaign", Clause: "CAMPAIGN-2", Check: "identity", Pointer: place, Cases: cases,
		Severity: oracle.Violation, CauseWords: words, Title: words, Fails: true,
	}
	f.At = []oracle.Cause{f.Cause()}
	return f
}

func TestLoadSaysWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\nfindings: []\n": "known.yaml: line 1: not a list of entries with finding, reason, at and cases, " +
			"as adconform baseline",
		"- finding: [\n":                                   "known.yaml: line ",
		listed + "  expires: 2027-01-31\n":                 "known.yaml: line 8: field expires is not known here",
		"- null\n":                                         "known.yaml: entry 1 lacks finding, at or reason",
		listed + "- finding: x\n":                          "known.yaml: entry 2 lacks finding, at or reason",
		strings.Replace(listed, "'a: b # c'", "' '", 1):    "known.yaml: entry 1 lacks finding, at or reason",
		strings.Replace(listed, "another id", "[a]", 1):    "known.yaml: line 1: not a list of entries",
		listed + listed:                                    `known.yaml: entry 2 is a second one for "another id"`,
		strings.Replace(listed, "  at:\n    - ", "  x", 1): "known.yaml: line ",
	} {
		if _, err := suites.Load(written(t, text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\ngot %v\nwant %q", text, err, want)
		}
	}
}

// An entry accepts its finding at its places, in its cases, and is gone if a whole run carried out all these cases
// and did not have the finding.
func TestAnEntryIsStrictBothWays(t *testing.T) {
	for name, tc := range map[string]struct {
		found                  oracle.Finding
		comesAndGoes, selected bool
		hidden                 string // cases in which the target shows nothing
		fresh                  string // new cases
		becomes                string // gone, or accepted
	}{
		"the same":                      {found: named("another id", "/data/17/id", "a", "b"), becomes: "accepted"},
		"a case less":                   {found: named("another id", "/data/3/id", "b"), becomes: "accepted"},
		"a case more":                   {found: named("another id", "/data/3/id", "a", "c", "b", "d"), fresh: "c d"},
		"another place":                 {found: named("another id", "/data/3/name", "a"), fresh: "a"},
		"another finding":               {found: named("another type", "/data/3/id", "a"), becomes: "gone"},
		"and one case shows nothing":    {found: named("another type", "/data/3/id", "a"), hidden: "b", becomes: "gone"},
		"and no case shows anything":    {found: named("another type", "/data/3/id", "a"), hidden: "a b"},
		"and a selection":               {found: named("another type", "/data/3/id", "a"), selected: true},
		"comes and goes":                {found: named("another id", "/data/3/id", "c"), comesAndGoes: true, becomes: "accepted"},
		"comes and goes, and is away":   {found: named("another type", "/data/3/id", "c"), comesAndGoes: true},
		"comes and goes, now elsewhere": {found: named("another id", "/data/3/name", "c"), comesAndGoes: true, fresh: "c"},
	} {
		b, err := suites.Load(written(t, listed))
		noError(t, err)
		if tc.comesAndGoes {
			b.Entries[0].Cases = nil
		}
		r := &report.Report{Findings: []oracle.Finding{tc.found}, Selected: tc.selected}
		for _, id := range []string{"a", "b", "c", "d"} {
			c := report.Case{ID: id, Status: judge.Passed}
			if strings.Contains(tc.hidden, id) {
				c = report.Case{ID: id, Status: judge.NotTested, Cause: judge.ByTarget, Requests: 1}
			}
			r.Results = append(r.Results, c)
		}
		b.Apply(r)
		f := r.Findings[0]
		if strings.Join(f.NewCases, " ") != tc.fresh || (f.Known != "") != (tc.becomes == "accepted") ||
			(len(r.Baseline.Stale) > 0) != (tc.becomes == "gone") {
			t.Errorf("%s: known %q, new cases %q, %+v", name, f.Known, f.NewCases, r.Baseline)
		}
		f.Fails = f.Known == ""
		before := len(b.Entries)
		b.Update(r, "")
		if len(b.Entries) > before || (len(b.Entries) < before) != (tc.becomes == "gone") {
			t.Errorf("%s: without a reason: %d entries", name, len(b.Entries))
		}
		b.Update(r, "ticket 4711")
		if b.Apply(r); r.Findings[0].Known == "" || len(r.Baseline.Stale) > 0 {
			t.Errorf("%s: not accepted after the update: %+v", name, r.Findings[0])
		}
		noError(t, b.Save())
		again, err := suites.Load(b.File)
		if err != nil || len(again.Entries) != len(b.Entries) || !slices.Equal(again.Entries[0].Cases, b.Entries[0].Cases) {
			t.Errorf("%s: %v: %+v", name, err, again)
		}
	}
}
