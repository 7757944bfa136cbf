package suites

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func contract(t *testing.T) *spec.Contract {
	t.Helper()
	c := reftest.Contract(t)
	return c
}

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
  - operation: updateCampaign
    clause: CAMPAIGN-2
    check: schema
    place: /data/name
    cases: [x]
    reason: ticket 4711
    expires: 2027-01-31
`

func TestLoad(t *testing.T) {
	b, err := Load(written(t, good), contract(t))
	if err != nil {
		t.Fatal(err)
	}
	f := named("schema", "/data/name", "x")
	e := b.Entry(f.Cause())
	if e == nil || e.Reason != "ticket 4711" || e.Line != 4 {
		t.Fatalf("entry %+v", e)
	}
	f.Pointer = "/data/id"
	if b.Entry(f.Cause()) != nil {
		t.Error("another place is known too")
	}
	for day, want := range map[string]bool{"2027-01-31T23:59:59Z": false, "2027-02-01T00:00:00Z": true} {
		now, err := time.Parse(time.RFC3339, day)
		if err != nil {
			t.Fatal(err)
		}
		if e.Expired(now) != want {
			t.Errorf("%s: expired %t", day, !want)
		}
	}
}

func TestLoadSaysWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"version: 2\n":                                              "known.yaml: version is 2, this version of adconform reads 1",
		"version: 1\nfindigns: []\n":                                "known.yaml: line 2: field findigns is not known here",
		"version: 1\nfindings: [\n":                                 "known.yaml: line ",
		strings.Replace(good, "CAMPAIGN-2", "CAMPAIN-2", 1):         `known.yaml:4: clause "CAMPAIN-2" is not one of the contract's`,
		strings.Replace(good, "updateCampaign", "patchCampaign", 1): `known.yaml:4: operation "patchCampaign" is not one`,
		strings.Replace(good, "    reason: ticket 4711\n", "", 1):   "known.yaml:4: reason is missing",
		strings.Replace(good, "    check: schema\n", "", 1):         "known.yaml:4: check or cases are missing",
		strings.Replace(good, "    cases: [x]\n", "", 1):            "known.yaml:4: check or cases are missing",
		strings.Replace(good, "    expires: 2027-01-31\n", "", 1):   "known.yaml:4: expires is missing",
		strings.Replace(good, "2027-01-31", "soon", 1):              `known.yaml:4: expires: "soon" is not a date: write it as 2026-12-31`,
		good + "    depth: deeper\n":                                `known.yaml:4: depth "deeper": want one of quick, standard, deep`,
		strings.Replace(good, "place:", "plaice:", 1):               "known.yaml:4: field plaice is not known here",
		good + strings.TrimPrefix(good, "version: 1\nfindings:\n"):  "known.yaml:12: the same finding is in line 4",
	} {
		_, err := Load(written(t, text), contract(t))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\ngot %v\nwant %q", text, err, want)
		}
	}
	if _, err := Load("/nowhere/known.yaml", contract(t)); err == nil ||
		!strings.Contains(err.Error(), "baseline /nowhere/known.yaml: no such file or directory; adconform baseline add") {
		t.Error(err)
	}
}

// A run of less depth may lack the case that shows a finding.
func TestAShallowerRunDoesNotLookForAnEntry(t *testing.T) {
	cause := oracle.Cause{Operation: "updateCampaign", Clause: "CAMPAIGN-2", Place: "/data/name"}
	r := &report.Report{
		Clauses: []report.Clause{{ID: cause.Clause, Status: report.Held}},
		Results: []report.Case{{Operation: cause.Operation, Status: judge.Passed, Clauses: []string{cause.Clause}}},
	}
	for _, c := range []struct {
		entry, run string
		gone       bool
	}{
		{"", "quick", true},
		{"standard", "quick", false},
		{"standard", "standard", true},
		{"standard", "deep", true},
		{"deep", "standard", false},
		{"recorded", "deep", false},
	} {
		r.Depth = c.run
		e := Entry{Cause: cause, Depth: c.entry}
		if e.Gone(r) != c.gone {
			t.Errorf("entry %q, run %s: gone %t", c.entry, c.run, !c.gone)
		}
		e.Intermittent = true
		if e.Gone(r) {
			t.Error("an intermittent finding may be absent")
		}
	}
}

func TestAddAndRemoveKeepTheRest(t *testing.T) {
	path := written(t, good)
	day, err := ParseDate("2026-12-31")
	if err != nil {
		t.Fatal(err)
	}
	one := oracle.Cause{Operation: "deleteCreative", Clause: "DELETE-3", Check: "schema"}
	if err := Save(path, []*Entry{{Cause: one, Cases: []string{"a"}, Reason: "a: b # c", Expires: day}}); err != nil {
		t.Fatal(err)
	}
	b, err := Load(path, contract(t))
	if err != nil || len(b.Entries) != 2 || b.Entry(one).Reason != "a: b # c" || !b.Entry(one).Expires.Equal(day.Time) {
		t.Fatalf("%v %+v", err, b)
	}
	if err := Save(path, nil, one); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != good {
		t.Errorf("%v\n%s", err, data)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.yaml")
	if err := Save(fresh, []*Entry{{Cause: one, Cases: []string{"a"}, Reason: "r", Expires: day}}); err != nil {
		t.Fatal(err)
	}
	if b, err := Load(fresh, contract(t)); err != nil || len(b.Entries) != 1 {
		t.Errorf("%v %+v", err, b)
	}
}
