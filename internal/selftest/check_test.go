package selftest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/passive"
	"github.com/adconform/adconform/suites/report"
)

// checked is what check says of the traffic of a run against a server with a fault or variant, and
// the report of that run. Nothing may be held against the server that the run does not: neither in
// the case of the request nor, as an answer may show what another request did, by the same clause.
func checked(t *testing.T, tr trial) (alone, run *report.Report) {
	t.Helper()
	run = ran(t, serving(t, tr), func(c *suites.Config) { c.Exchanges = true })
	file, err := os.Create(filepath.Join(t.TempDir(), "traffic.har"))
	noError(t, err)
	noError(t, run.WriteHAR(file))
	file.Close()
	a, err := passive.Open(file.Name(), reftest.Contract(t))
	noError(t, err)
	base, err := a.Base("")
	noError(t, err)
	if alone, err = suites.Check(suites.NewConfig(&fixtures.Target{BaseURL: base}), a); err != nil {
		t.Fatal(err)
	}
	if alone.Recording.Judged < 300 {
		t.Errorf("%s: %s", tr.id(), alone.Recording)
	}
	for i := range alone.Findings {
		f := &alone.Findings[i]
		sent := run.Exchanges[f.Exchange-1].Case
		if !slices.ContainsFunc(run.Findings, func(g oracle.Finding) bool {
			return g.Clause == f.Clause && g.Operation == f.Operation || slices.Contains(g.Cases, sent)
		}) {
			t.Errorf("%s, %s: found by check, and not by the run: %s of %s at %q: expected %s, got %s\n%s",
				tr.id(), sent, f.Clause, f.Operation, f.Pointer, f.Expected, f.Got, f.Curl)
		}
	}
	return alone, run
}

// The traffic of what conforms holds no finding, whatever the target chose where the contract is
// silent.
func TestCheckFlagsNothingThatConforms(t *testing.T) {
	trials := []trial{{}}
	for _, v := range faults.Variants() {
		if sampled(v.ID, 1) {
			trials = append(trials, trial{variant: &v})
		}
	}
	for _, tr := range trials {
		t.Run(tr.id(), func(t *testing.T) {
			t.Parallel()
			if r, _ := checked(t, tr); r.Verdict != report.Conforming {
				t.Errorf("%s: %s: %q", r.Verdict, r.Reason, breaches(r))
			}
		})
	}
}

// A fault that a single answer shows is found in the traffic of a run by the same clause.
func TestCheckFindsWhatASingleAnswerShows(t *testing.T) {
	for _, id := range []string{
		"updateCampaign/success/data.name-dropped", "page/count-one-more", "crash/array/updateConnectionProfileRuleHost",
		"deleteCreative/404/error.responseCode-as-object", "updateConnectionProfile/401/code-422",
		"listCreativeMediaFiles/422/text-trailing-comma",
		"shown/foreign-object/updateConnectionProfileRuleHost", "value/quotes-doubled/updateConnectionProfile/name",
		"validation/withoutCookiesAction-unlisted-taken/updateConnectionProfile", "updateCampaign/401/status-204",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			f := faultByID(t, id)
			if r, _ := checked(t, trial{fault: &f}); !cites(&f, r, reftest.Contract(t).Clause(f.Clause).Basis) {
				t.Errorf("%s is not found: %q", f.Clause, breaches(r))
			}
		})
	}
}

// A notice that depends on timing says so, and no exit code depends on it.
func TestWhatDependsOnTimingFailsNoRun(t *testing.T) {
	of := func(id string) *served {
		f, err := faults.ByID(reftest.Contract(t), id)
		if err != nil {
			t.Fatal(err)
		}
		return serving(t, trial{fault: &f})
	}
	strict := func(c *suites.Config) { c.Bases = spec.Bases() }
	r := ran(t, of("open/lost-writer/updateConnectionProfile"), strict)
	if len(r.Findings) == 0 || r.ExitCode != report.ExitConforming {
		t.Errorf("%d findings, exit code %d: %s", len(r.Findings), r.ExitCode, r.Reason)
	}
	for _, f := range r.Findings {
		if f.Clause != "OPEN-7" || !f.Timing || !strings.Contains(report.Sentence(&f), "hangs on timing") {
			t.Errorf("%s: %+v", report.Sentence(&f), f)
		}
	}
	if r := ran(t, of("open/malformed-ids-differ"), strict); r.ExitCode != report.ExitNonconforming {
		t.Errorf("another notice, strictly: exit code %d: %s", r.ExitCode, r.Reason)
	}
	var accepted suites.Baseline
	for _, f := range r.Findings {
		e := suites.Entry{Finding: f.CauseWords, At: []string{f.Cause().String()}, Cases: f.Cases, Reason: "known", Expires: "2099-01-01"}
		accepted.Entries = append(accepted.Entries, &e)
	}
	again := ran(t, serving(t, trial{}), strict, known(&accepted))
	if again.ExitCode != report.ExitConforming || len(again.Baseline.Stale) > 0 {
		t.Errorf("not seen again: exit code %d: %s", again.ExitCode, again.Reason)
	}
	before, after := *r, *again
	before.Clauses, after.Clauses = slices.Clone(r.Clauses), slices.Clone(again.Clauses)
	for i := range after.Clauses {
		if after.Clauses[i].ID == "OPEN-7" {
			after.Clauses[i].Status = report.NotTested
		}
	}
	if d := report.Compare(&before, &after); d.Worse() {
		t.Errorf("worse: %v", d.Untested())
	}
}

// {} that is refused where the only field is required is no inconsistency.
func TestOneRequiredFieldIsNoInconsistency(t *testing.T) {
	all := faults.Variants()
	v := slices.IndexFunc(all, func(v faults.Variant) bool { return v.ID == "required/only-field" })
	if v < 0 {
		t.Fatal("no such variant")
	}
	r, run := checked(t, trial{variant: &all[v]})
	for _, f := range r.Findings {
		t.Errorf("check: %s", report.Sentence(&f))
	}
	of := func(f oracle.Finding) bool { return f.Clause == "OPEN-1" }
	if slices.ContainsFunc(run.Findings, of) || run.Verdict != report.Conforming {
		t.Errorf("%s: %+v", run.Reason, run.Findings)
	}
}
