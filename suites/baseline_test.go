package suites

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const good = `version: 1
findings:
  # the old gateway
  - finding: another type
    at: [updateCampaign CAMPAIGN-2 schema /data/name]
    cases: [x]
    reason: ticket 4711
    expires: 2027-01-31
`

func load(t *testing.T, path string, entries int) *Baseline {
	t.Helper()
	b, err := Load(path, reftest.Contract(t))
	if err != nil || len(b.Entries) != entries {
		t.Fatalf("%v, %+v", err, b)
	}
	return b
}

func save(t *testing.T, path string, entries []*Entry, gone ...string) string {
	t.Helper()
	err := Save(path, entries, gone...)
	data, readErr := os.ReadFile(path)
	if err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	return string(data)
}

func TestLoad(t *testing.T) {
	f := named("schema", "/data/name", "x")
	e := load(t, written(t, good), 1).Entry(&f)
	if e == nil || e.Reason != "ticket 4711" || e.Line != 4 {
		t.Fatalf("entry %+v", e)
	}
	for day, want := range map[string]bool{"2027-01-31T23:59:59Z": false, "2027-02-01T00:00:00Z": true} {
		if now, err := time.Parse(time.RFC3339, day); err != nil || e.Expires.Over(now) != want {
			t.Errorf("%s: expired %t, %v", day, !want, err)
		}
	}
}

func TestLoadSaysWhatIsWrongAndWhere(t *testing.T) {
	emptyAt := strings.Replace(good, "updateCampaign CAMPAIGN-2 schema /data/name", `""`, 1)
	for text, want := range map[string]string{
		"version: 2\n":                                              "known.yaml: version is 2, this version of adconform reads 1",
		"version: 1\nfindigns: []\n":                                "known.yaml: line 2: field findigns is not known here",
		"version: 1\nfindings: [\n":                                 "known.yaml: line ",
		strings.Replace(good, "CAMPAIGN-2", "CAMPAIN-2", 1):         `known.yaml:4: clause "CAMPAIN-2" is not one of the contract's`,
		strings.Replace(good, "updateCampaign", "patchCampaign", 1): `known.yaml:4: operation "patchCampaign" is not one`,
		strings.Replace(good, "    reason: ticket 4711\n", "", 1):   "known.yaml:4: reason is missing",
		strings.Replace(good, "another type", `""`, 1):              "known.yaml:4: finding, at or cases are missing",
		strings.Replace(good, " schema /data/name", "", 1):          `known.yaml:4: at "updateCampaign CAMPAIGN-2": want operation, clause`,
		emptyAt:                          `known.yaml:4: at "": want operation`,
		"version: 1\nfindings: [null]\n": "known.yaml:2: finding, at or cases are missing",
		strings.Replace(good, "    cases: [x]\n", "", 1):           "known.yaml:4: finding, at or cases are missing",
		strings.Replace(good, "    expires: 2027-01-31\n", "", 1):  "known.yaml:4: expires is missing",
		strings.Replace(good, "2027-01-31", "soon", 1):             `known.yaml:4: expires: "soon" is not a date: write it as 2026-12-31`,
		good + "    depth: deep\n":                                 "known.yaml: line 9: field depth is not known here",
		strings.Replace(good, "    at:", "    ad:", 1):             "known.yaml: line 5: field ad is not known here",
		good + strings.TrimPrefix(good, "version: 1\nfindings:\n"): "known.yaml:10: the same finding is in line 4",
	} {
		_, err := Load(written(t, text), reftest.Contract(t))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\ngot %v\nwant %q", text, err, want)
		}
	}
	if _, err := Load("/nowhere/known.yaml", reftest.Contract(t)); err == nil ||
		!strings.Contains(err.Error(), "baseline /nowhere/known.yaml: no such file or directory; adconform baseline add") {
		t.Error(err)
	}
}

// An entry is gone where a run to the end carried out all of its cases and did not find it.
func TestAnEntryIsGoneWhereARunLookedForIt(t *testing.T) {
	for name, c := range map[string]struct {
		cases  string
		change func(*report.Report, *Entry)
		gone   bool
	}{
		"its case ran":                {cases: "passed", gone: true},
		"its case ran and failed":     {cases: "failed", gone: true},
		"one of its cases did not":    {cases: "passed skipped"},
		"its case is not planned":     {cases: "deeper"},
		"a selection":                 {cases: "passed", change: func(r *report.Report, _ *Entry) { r.Selected = true }},
		"an interrupted run":          {cases: "passed", change: func(r *report.Report, _ *Entry) { r.Interrupted = true }},
		"one that may be absent":      {cases: "passed", change: func(_ *report.Report, e *Entry) { e.Intermittent = true }},
		"a run that was stopped, too": {cases: "passed", change: func(r *report.Report, _ *Entry) { r.Stopped = "gone" }},
	} {
		r, e := someRan(), &Entry{Cases: strings.Fields(c.cases)}
		if c.change != nil {
			c.change(r, e)
		}
		if e.Gone(r) != c.gone {
			t.Errorf("%s: gone %t", name, !c.gone)
		}
	}
}

// someRan returns the report of a run of three cases.
func someRan() *report.Report {
	return &report.Report{Results: []report.Case{
		{ID: "passed", Status: judge.Passed}, {ID: "failed", Status: judge.Failed}, {ID: "skipped", Status: judge.NotTested},
	}}
}

func TestAddAndRemoveKeepTheRest(t *testing.T) {
	path, fresh := written(t, good), filepath.Join(t.TempDir(), "fresh.yaml")
	one := Entry{
		Finding: "what is deleted comes back", At: []string{"deleteCreative DELETE-3 schema"}, Cases: []string{"a"},
		Reason: "a: b # c", Expires: "2026-12-31",
	}
	save(t, path, []*Entry{&one})
	if e := load(t, path, 2).Entries[1]; e.Reason != one.Reason || e.Expires != one.Expires {
		t.Errorf("%+v", e)
	}
	if text := save(t, path, nil, one.Finding); text != good {
		t.Error(text)
	}
	save(t, fresh, []*Entry{&one})
	load(t, fresh, 1)
}

// named returns a finding of a check at a place, in cases, with the cause of good or of listed.
func named(check, place string, cases ...string) oracle.Finding {
	f := oracle.Finding{
		Operation: "updateCampaign", Clause: "CAMPAIGN-2", Check: check, Pointer: place, Case: cases[0], Cases: cases,
		Severity: oracle.Violation, CauseWords: map[string]string{"schema": "another type", "identity": "another id"}[check],
	}
	f.At = []oracle.Cause{f.Cause()}
	return f
}

const listed = `version: 1
findings:
  # the old gateway
  - finding: another id # of the campaign
    at: [updateCampaign CAMPAIGN-2 identity /data/*/id]
    cases: [a, b]
    reason: ticket 4711 # a link
    expires: 2027-01-31
`

func TestAnEntryCoversItsCheckPlaceAndCases(t *testing.T) {
	b := load(t, written(t, listed), 1)
	e, other := b.Entries[0], named("identity", "/data/3/id", "a")
	other.CauseWords = "another id, sometimes"
	for name, c := range map[string]struct {
		finding oracle.Finding
		entry   *Entry
		fresh   []string
	}{
		"the same":      {named("identity", "/data/3/id", "a", "b"), e, nil},
		"another index": {named("identity", "/data/17/id", "a", "b"), e, nil},
		"a case less":   {named("identity", "/data/3/id", "b"), e, nil},
		"a case more":   {named("identity", "/data/3/id", "a", "c", "b", "d"), e, []string{"c", "d"}},
		"what one case saw": {
			oracle.Finding{
				Operation: "updateCampaign", Clause: "CAMPAIGN-2", Check: "identity", Pointer: "/data/3/id", Case: "c", CauseWords: e.Finding,
			},
			e,
			[]string{"c"},
		},
		"in other words": {other, e, nil},
		"another cause":  {named("schema", "/data/3/id", "a"), nil, nil},
		"another place":  {named("identity", "/data/3/name", "a"), e, []string{"a"}},
	} {
		if got := b.Entry(&c.finding); got != c.entry {
			t.Errorf("%s: entry %+v", name, got)
		}
		if got := e.NewCases(&c.finding); c.entry != nil && !slices.Equal(got, c.fresh) {
			t.Errorf("%s: new cases %q, want %q", name, got, c.fresh)
		}
	}
	e.Intermittent = true
	if f := named("identity", "/data/3/id", "c"); e.NewCases(&f) != nil {
		t.Error("an intermittent finding may show in any case")
	}
}

func TestRenewals(t *testing.T) {
	all := func(*oracle.Finding) bool { return true }
	path := written(t, listed+strings.TrimPrefix(good, "version: 1\nfindings:\n"))
	b := load(t, path, 2)
	if r := b.Renewals(&report.Report{Findings: []oracle.Finding{named("identity", "/data/0/id", "b")}}, all); len(r) != 0 {
		t.Errorf("covered and renewed: %+v", r[0])
	}
	renewals := b.Renewals(&report.Report{Findings: []oracle.Finding{
		named("identity", "/data/0/id", "b", "c"), named("schema", "/data/name", "x"), named("missing", "/data/id", "v"),
	}}, all)
	if len(renewals) != 2 || renewals[1].Before != nil || renewals[0].Before == nil {
		t.Fatalf("%d renewals", len(renewals))
	}
	n := renewals[0]
	if n.Reason != n.Before.Reason || n.Expires != n.Before.Expires {
		t.Errorf("%+v", n.Entry)
	}
	text := save(t, path, []*Entry{n.Entry})
	for _, want := range []string{"  # the old gateway\n", "# of the campaign\n", "reason: ticket 4711 # a link\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is lost in\n%s", want, text)
		}
	}
	for _, e := range load(t, path, 2).Entries {
		if want := map[string]string{"another id": "a b c", "another type": "x"}[e.Finding]; strings.Join(e.Cases, " ") != want {
			t.Errorf("%s: cases %s, want %s", e.Finding, e.Cases, want)
		}
	}
}

func TestPassedCasesAreThoseThatAWholeRunCarriedOut(t *testing.T) {
	r, e := someRan(), &Entry{Cases: []string{"passed", "failed", "skipped", "unknown"}}
	if got := e.Passed(r); !slices.Equal(got, []string{"passed"}) {
		t.Errorf("%q", got)
	}
	if e.Intermittent = true; e.Passed(r) != nil {
		t.Errorf("intermittent: %q", e.Passed(r))
	}
	if e.Intermittent, r.Selected = false, true; e.Passed(r) != nil {
		t.Errorf("selected: %q", e.Passed(r))
	}
}
