package selftest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func workers(n int) func(*suites.Config) {
	return func(c *suites.Config) { c.Target.Limits.Concurrency = n }
}

func seed(n uint64) func(*suites.Config) { return func(c *suites.Config) { c.Seed = n } }

func known(b *suites.Baseline) func(*suites.Config) {
	return func(c *suites.Config) { c.Baseline = b }
}

// baselineOf accepts all that a report found.
func baselineOf(r *report.Report) *suites.Baseline {
	b := &suites.Baseline{File: "known.yaml"}
	for _, n := range b.Renewals(r, func(*oracle.Finding) bool { return true }) {
		n.Reason, n.Expires = "ticket 4711", suites.Date("2099-01-01")
		b.Entries = append(b.Entries, n.Entry)
	}
	return b
}

// uncovered is what a run says that its baseline does not cover.
func uncovered(r *report.Report) []string {
	var all []string
	for i := range r.Findings {
		if f := &r.Findings[i]; (f.Known == "" || len(f.NewCases) > 0) && f.Severity == oracle.Violation {
			all = append(all, fmt.Sprintf("%s: %q is new of %d cases", f.CauseWords, f.NewCases, len(f.Cases)))
		}
	}
	for _, k := range r.Baseline.Stale {
		all = append(all, k.Finding+": stale")
	}
	return all
}

// nowAndThen says whether a fault counts requests, as its sentence says, or depends on
// which of two comes first: it shows in other cases each time, and wants intermittent: true.
func nowAndThen(f *faults.Fault) bool {
	return strings.HasPrefix(f.ID, "intermittent/") || counted.MatchString(f.Sentence) ||
		strings.Contains(f.ID, "mixed-up") || strings.Contains(f.ID, "lost-writer")
}

var counted = regexp.MustCompile(`(?i)\b(every|from the) (\d+|second|[a-z]+th)\b|\bsometimes\b|\bnow and then\b`)

// A baseline covers what it was made of: in the same run again, with another seed, with
// one case at a time and with many.
func TestABaselineCoversTheSameDefect(t *testing.T) {
	tried := 0
	for _, f := range faults.All(reftest.Contract(t)) { // some three thousand
		if !faults.Sampled(f.ID, min(scarce(60), 1600)) || nowAndThen(&f) {
			continue
		}
		tried++
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			b := baselineOf(ran(t, serving(t, trial{fault: &f})))
			if len(b.Entries) == 0 {
				t.Fatal("nothing is found")
			}
			for name, as := range map[string][]func(*suites.Config){
				"again, sixteen workers": {workers(16)}, "another seed, one worker": {seed(77), workers(1)},
			} {
				r := ran(t, serving(t, trial{fault: &f}), append(as, known(b))...)
				if r.ExitCode != report.ExitConforming && r.ExitCode != report.ExitInconclusive || r.Verdict != report.Nonconforming {
					t.Errorf("%s: exit code %d, %s: %s: %q", name, r.ExitCode, r.Verdict, r.Reason, uncovered(r))
				}
			}
		})
	}
	if tried*scarce(1) < 25 {
		t.Errorf("only %d faults were tried", tried)
	}
}

// worsePairs are two faults of one clause and operation each, of which the second is worse.
func worsePairs() (all [][2]string) {
	for _, op := range []string{
		"updateCampaign", "updateConnectionProfile", "updateConnectionProfileRuleHost", "deleteCreative", "listCreativeMediaFiles",
	} {
		for _, p := range [][2]string{
			{"auth/letter-case/", "auth/any-key/"},
			{"permission/not-found-instead/", "permission/stranger-allowed/"},
			{"crash/percent-key/", "crash/stranger/"},
		} {
			all = append(all, [2]string{p[0] + op, p[1] + op})
		}
	}
	for _, of := range [][2]string{
		{"name", "updateCampaign"}, {"name", "updateConnectionProfile"}, {"hostname", "updateConnectionProfileRuleHost"},
	} {
		field, op := of[0], of[1]
		all = append(
			all,
			[2]string{"validation/malformed-is-400/" + op, "validation/malformed-taken/" + op},
			[2]string{"validation/" + field + "-array-taken/" + op, "validation/" + field + "-any-type-taken/" + op},
			[2]string{"refused/422-coerced/" + op, "refused/401-any-key/" + op},
			[2]string{op + "/401/error.issues-renamed", op + "/404/error.issues-renamed"},
		)
	}
	return append(
		all,
		[2]string{"value/cut-4096/updateCampaign/name", "value/cut-16/updateCampaign/name"},
		[2]string{"delete/again-422", "delete/again-204"},
		[2]string{"delete/again-204", "delete/without-effect"},
		[2]string{"delete/last-too", "delete/paged-too"},
		[2]string{"list/first-lost", "list/always-empty"},
		[2]string{"list/own-in-large", "list/own-listed"},
		[2]string{"list/own-listed", "list/foreign-listed"},
		[2]string{"list/twice-unpaged", "list/twice"},
		[2]string{"list/changing-name", "list/sometimes-empty"},
	)
}

// A worse defect of a clause that a baseline accepts for an operation is never accepted:
// neither in the place of the one that is known, nor beside it.
func TestABaselineDoesNotHideAWorseDefect(t *testing.T) {
	for i, p := range worsePairs() {
		if i%(scarce(1)/4+1) != 0 { // with -short two
			continue
		}
		before, worse := faultByID(t, p[0]), faultByID(t, p[1])
		if before.Clause != worse.Clause {
			t.Errorf("%s breaks %s, %s %s", before.ID, before.Clause, worse.ID, worse.Clause)
		}
		t.Run(before.ID+" and "+worse.ID, func(t *testing.T) {
			t.Parallel()
			was := ran(t, serving(t, trial{fault: &before}))
			if i%2 == 0 { // beside it
				wrap := worse.Wrap
				worse.Wrap = func(h http.Handler, env faults.Env) http.Handler { return wrap(before.Wrap(h, env), env) }
			}
			is := ran(t, serving(t, trial{fault: &worse}), known(baselineOf(was)), workers(1))
			if is.ExitCode != report.ExitNonconforming || len(uncovered(is)) == 0 {
				t.Errorf("accepted: exit code %d: %s", is.ExitCode, is.Reason)
			}
			if d := report.Compare(was, is); !d.Worse() {
				t.Errorf("diff: %s", d.Sentence())
			}
		})
	}
}
