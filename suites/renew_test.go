package suites

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// named is a finding of a check at a place, in cases.
func named(check, place string, cases ...string) oracle.Finding {
	return oracle.Finding{
		Operation: "updateCampaign", Clause: "CAMPAIGN-2", Check: check, Pointer: place, Case: cases[0], Cases: cases,
		Severity: oracle.Violation,
	}
}

func reported(depth string, findings ...oracle.Finding) *report.Report {
	return &report.Report{Depth: depth, Findings: findings}
}

const listed = `version: 1
findings:
  # the old gateway
  - operation: updateCampaign # of the campaign
    clause: CAMPAIGN-2
    check: identity
    place: /data/*/id
    cases: [a, b]
    reason: ticket 4711 # a link
    expires: 2027-01-31
    depth: quick
`

func TestAnEntryCoversItsCheckPlaceAndCases(t *testing.T) {
	b, err := Load(written(t, listed), contract(t))
	if err != nil {
		t.Fatal(err)
	}
	e := b.Entries[0]
	for name, c := range map[string]struct {
		finding oracle.Finding
		entry   *Entry
		fresh   []string
	}{
		"the same":      {named("identity", "/data/3/id", "a", "b"), e, nil},
		"another index": {named("identity", "/data/17/id", "a", "b"), e, nil},
		"a case less":   {named("identity", "/data/3/id", "b"), e, nil},
		"a case more":   {named("identity", "/data/3/id", "a", "c", "b", "d"), e, []string{"c", "d"}},
		"one case of a list": {
			oracle.Finding{Operation: "updateCampaign", Clause: "CAMPAIGN-2", Check: "identity", Pointer: "/data/3/id", Case: "c"},
			e,
			[]string{"c"},
		},
		"another check": {named("schema", "/data/3/id", "a"), nil, nil},
		"another place": {named("identity", "/data/3/name", "a"), nil, nil},
		"no index":      {named("identity", "/data/id", "a"), nil, nil},
	} {
		if got := b.Entry(c.finding.Cause()); got != c.entry {
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
	b, err := Load(path, contract(t))
	if err != nil {
		t.Fatal(err)
	}
	if r := b.Renewals(reported("quick", named("identity", "/data/0/id", "b")), all); len(r) != 0 {
		t.Errorf("covered and renewed: %+v", r[0])
	}
	renewals := b.Renewals(reported("standard",
		named("identity", "/data/0/id", "b", "c"), named("schema", "/data/name", "x"), named("schema", "/data/id", "v")), all)
	if len(renewals) != 2 || renewals[1].Before != nil {
		t.Fatalf("%d renewals", len(renewals))
	}
	var entries []*Entry
	for _, n := range renewals[:1] {
		if n.Before == nil || n.Reason != n.Before.Reason || !n.Expires.Equal(n.Before.Expires.Time) || n.Depth != "standard" {
			t.Errorf("%+v", n.Entry)
		}
		entries = append(entries, n.Entry)
	}
	if err := Save(path, entries); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  # the old gateway\n", "# of the campaign\n", "reason: ticket 4711 # a link\n"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is lost in\n%s", want, data)
		}
	}
	b, err = Load(path, contract(t))
	if err != nil || len(b.Entries) != 2 {
		t.Fatalf("%v\n%s", err, data)
	}
	for check, cases := range map[string]string{"identity": "a b c", "schema": "x"} {
		i := slices.IndexFunc(b.Entries, func(e *Entry) bool { return e.Check == check })
		if got := strings.Join(b.Entries[i].Cases, " "); got != cases {
			t.Errorf("%s: cases %s, want %s", check, got, cases)
		}
	}
}

// The cases that an entry gets from a run stay with the deepest one.
func TestTheDepthOfARenewedEntry(t *testing.T) {
	for _, c := range []struct{ entry, run, want string }{
		{"quick", "standard", "standard"},
		{"standard", "quick", "standard"},
		{"recorded", "quick", "quick"},
		{"deep", "recorded", "deep"},
		{"", "quick", "quick"},
	} {
		e := &Entry{
			Cause: oracle.Cause{Operation: "updateCampaign", Clause: "CAMPAIGN-2", Check: "identity", Place: "/data/id"},
			Cases: []string{"a"}, Depth: c.entry,
		}
		b := &Baseline{Entries: []*Entry{e}}
		r := b.Renewals(reported(c.run, named("identity", "/data/id", "b")), func(*oracle.Finding) bool { return true })
		if len(r) != 1 || r[0].Depth != c.want {
			t.Errorf("%s by %s: %+v", c.entry, c.run, r)
		}
	}
}

func TestPassedCasesAreThoseThatAWholeRunCarriedOut(t *testing.T) {
	e := &Entry{Cases: []string{"passed", "failed", "skipped", "unknown"}}
	r := &report.Report{Results: []report.Case{
		{ID: "passed", Status: judge.Passed},
		{ID: "failed", Status: judge.Failed},
		{ID: "skipped", Status: judge.NotTested},
		{ID: "other", Status: judge.Passed},
	}}
	if got := e.Passed(r); !slices.Equal(got, []string{"passed"}) {
		t.Errorf("%q", got)
	}
	e.Intermittent = true
	if got := e.Passed(r); got != nil {
		t.Errorf("intermittent: %q", got)
	}
	e.Intermittent, r.Selected = false, true
	if got := e.Passed(r); got != nil {
		t.Errorf("selected: %q", got)
	}
}
