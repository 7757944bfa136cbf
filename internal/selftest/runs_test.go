package selftest

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/traffic"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

func known(b *engine.Baseline) func(*engine.Config) {
	return func(c *engine.Config) { c.Baseline = b }
}

// baselineOf returns a baseline that accepts all findings of a report.
func baselineOf(r *report.Report) *engine.Baseline {
	b := &engine.Baseline{File: "known.yaml"}
	b.Update(r, "ticket 4711")
	return b
}

// A baseline accepts the same defect with another seed, whether cases run one at a time or many at once.
func TestWhatWasFoundIsKnownAgain(t *testing.T) {
	// Faults that show only sometimes count requests, as their sentences say, or depend on the order of two requests.
	counted := regexp.MustCompile(`(?i)\b(every|from the) (\d+|second|[a-z]+th)\b|\bsometimes\b|\bnow and then\b`)
	for _, f := range allFaults() {
		if !faults.Sampled(f.ID, min(scarce(60), 1600)) || counted.MatchString(f.Sentence) || strings.HasPrefix(f.ID, "intermittent/") ||
			strings.Contains(f.ID, "mixed-up") || strings.Contains(f.ID, "lost-writer") {
			continue
		}
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			first := ran(t, serving(t, f))
			b := baselineOf(first)
			if len(b.Entries) == 0 {
				t.Fatal("there is no finding")
			}
			for workers, seed := range map[int]uint64{16: engine.DefaultSeed, 1: 77} {
				r := ran(t, serving(t, f), known(b), func(c *engine.Config) { c.Target.Limits.Concurrency, c.Seed = workers, seed })
				if r.ExitCode != report.ExitConforming && r.ExitCode != report.ExitInconclusive || r.Verdict != report.Nonconforming {
					t.Errorf("%d workers: exit code %d, %s: %s: stale %v", workers, r.ExitCode, r.Verdict, r.Reason, r.Baseline.Stale)
				}
			}
		})
	}
}

// operation matches the operation in the id of a fault, or "" if there are several.
var operation = regexp.MustCompile(`(update|list|delete)[A-Z]\w+|$`)

// A baseline that accepts a defect of a clause on an operation never accepts a worse one: neither
// instead of the known defect, nor in addition.
func TestABaselineDoesNotHideAWorseDefect(t *testing.T) {
	for i, p := range reftest.Few(2, [][2]string{
		{"auth/letter-case/updateCampaign", "auth/any-key/updateCampaign"},
		{"permission/not-found-instead/deleteCreative", "permission/stranger-allowed/deleteCreative"},
		{"crash/percent-key/listCreativeMediaFiles", "crash/stranger/listCreativeMediaFiles"},
		{"refused/422-coerced/updateCampaign", "refused/401-any-key/updateCampaign"},
		{"validation/hostname-array-taken/updateConnectionProfileRuleHost", "validation/hostname-any-type-taken/updateConnectionProfileRuleHost"},
		{"updateConnectionProfile/422/status-400", "validation/malformed-taken/updateConnectionProfile"},
		{"updateCampaign/401/error.issues-renamed", "updateCampaign/404/error.issues-renamed"},
		{"value/cut-4096/updateCampaign/name", "value/cut-50/updateCampaign/name"},
		{"list/own-listed", "list/foreign-listed"},
		{"delete/next-too", "delete/paged-too"}, // the first uses up what would show the second
		{"list/first-lost", "list/always-empty"},
	}) {
		before, worse := faultByID(t, p[0]), faultByID(t, p[1])
		shown := func(c *engine.Config) { c.Select = cases(operation.FindString(worse.ID)) }
		t.Run(before.ID+" and "+worse.ID, func(t *testing.T) {
			t.Parallel()
			was := ran(t, serving(t, before), shown)
			if i%2 == 0 { // in addition
				outer := worse.Wrap
				worse.Wrap = func(h http.Handler, env faults.Env) http.Handler { return outer(before.Wrap(h, env), env) }
			}
			is := ran(t, serving(t, worse), shown, known(baselineOf(was)))
			if d := render.Compare(was, is); is.ExitCode != report.ExitNonconforming || d.ExitCode() == report.ExitConforming {
				t.Errorf("accepted: exit code %d: %s; diff: %s", is.ExitCode, is.Reason, d.Sentence())
			}
		})
	}
}

// checked returns the report of the command check on the traffic of a run. It may have only findings that the
// run has, too: in the case of the request or, as an answer may show the effect of another request, of the
// same clause.
func checked(t *testing.T, tr faults.Server) *report.Report {
	t.Helper()
	s := serving(t, tr)
	run := ran(t, s, func(c *engine.Config) { c.Exchanges, c.Depth = true, reftest.Of(judge.Standard, judge.Quick) })
	file, err := os.Create(filepath.Join(t.TempDir(), "traffic.har"))
	noError(t, err)
	noError(t, render.NewView(run).WriteHAR(file))
	file.Close()
	a, err := traffic.Open(file.Name(), s.config.Contract)
	noError(t, err)
	base, err := a.Base("")
	noError(t, err)
	c := engine.NewConfig(&fixtures.Target{BaseURL: base})
	c.Contract = s.config.Contract
	alone, err := engine.Check(c, a)
	noError(t, err)
	for i := range alone.Findings {
		f := &alone.Findings[i]
		sent := run.Exchanges[f.Exchange-1]["_case"].(string)
		if !slices.ContainsFunc(run.Findings, func(g report.Finding) bool {
			return g.Clause == f.Clause && g.Operation == f.Operation || slices.Contains(g.Cases, sent)
		}) {
			t.Errorf("%s: found by check, and not by the run: %s of %s: %s", sent, f.Clause, f.Operation, f.Sentence())
		}
	}
	return alone
}

// Traffic of a conforming server has no finding, and traffic of a fault that a single answer shows has one of
// the same clause.
func TestCheckFindsWhatASingleAnswerShowsAndNothingElse(t *testing.T) {
	trials := []faults.Server{{}}
	for _, v := range faults.Variants() {
		if faults.Sampled(v.ID, scarce(1)) && !v.Ends {
			trials = append(trials, v)
		}
	}
	for _, id := range reftest.Few(3, []string{
		"updateCampaign/success/data.name-dropped", "deleteCreative/404/error.responseCode-as-array",
		"shown/foreign-object/updateConnectionProfileRuleHost", "page/count-one-more",
		"crash/scalar/updateConnectionProfileRuleHost", "updateCampaign/401/status-204",
		"validation/withoutCookiesAction-unlisted-taken/updateConnectionProfile", "listCreativeMediaFiles/422/text-cut-off",
	}) {
		trials = append(trials, faultByID(t, id))
	}
	for _, tr := range trials {
		t.Run(tr.ID, func(t *testing.T) {
			t.Parallel()
			r := checked(t, tr)
			found := slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return isProof(f.Clause, f.Severity, &tr) })
			if tr.Clause == "" && r.Verdict != report.Conforming || tr.Clause != "" && !found || r.Recording.Judged < reftest.Of(300, 80) {
				t.Errorf("%s: %s: %q", r.Verdict, r.Reason, breaches(r))
			}
		})
	}
}

// Bases only decide what fails a run: it sends the same requests, and finds, holds and breaks the same, whatever they
// are.
func TestBasesDecideOnlyWhatFails(t *testing.T) {
	ids := []string{
		"auth/any-key/updateCampaign", "crash/no-key/updateCampaign",
		"updateCampaign/success/data.adspecId-as-string", "connection/5th-broken-off/updateCampaign",
	}
	for _, id := range ids[:reftest.Of(len(ids), 2)] {
		t.Run(id, func(t *testing.T) {
			f := faultByID(t, id)
			all, whole := judgedBy(t, f)
			for _, basis := range spec.Bases() {
				texts, r := judgedBy(t, f, basis)
				if diff := cmp.Diff(all, texts); diff != "" {
					t.Errorf("if only %s counts:\n%s", basis, diff)
				}
				hasFailed := r.ExitCode == report.ExitNonconforming
				mustFail := spec.Load().Clause(f.Clause).Basis == basis
				if hasFailed != mustFail || r.Level != report.Selected || r.Verdict != report.Nonconforming {
					t.Errorf("if only %s counts: %s", basis, render.VerdictLine(r))
				}
			}
			_, r := judgedBy(t, f, spec.Bases()...)
			isComplete := whole.Level == report.Complete && r.Level == report.Complete
			if !isComplete || r.ExitCode != report.ExitNonconforming {
				t.Errorf("all bases, %s; before, %s", render.VerdictLine(r), render.VerdictLine(whole))
			}
		})
	}
}

// judgedBy runs the suite on a fault with some bases, and returns a text for each request, clause, finding and case.
func judgedBy(t *testing.T, f faults.Server, bases ...spec.Basis) (texts []string, r *report.Report) {
	t.Helper()
	add := func(values ...any) { texts = append(texts, fmt.Sprintln(values...)) }
	r = ran(t, serving(t, f), func(c *engine.Config) {
		c.Target.Limits.Concurrency = 1
		c.Bases = bases
		c.Record = func(ex *wire.Exchange) {
			sent := ex.Request
			add(sent.Method, sent.Path, sent.Credential.Name, string(sent.Body))
		}
	})
	for _, cl := range r.Clauses {
		add(cl.ID, cl.Operation, cl.Status, cl.Reason)
	}
	for _, found := range r.Findings {
		add(found.Title, found.Severity, found.Impact, found.Cases)
	}
	for _, res := range r.Results {
		add(res.ID, res.Status)
	}
	return texts, r
}

// A check that is switched off is named, and its run is never complete.
func TestSwitchedOffChecksAreNamed(t *testing.T) {
	off := func(c *engine.Config) { c.Disabled = []string{oracle.Row("server-error").ID} }
	for _, id := range []string{"crash/no-key/updateCampaign", "auth/any-key/updateCampaign"} {
		r := ran(t, serving(t, faultByID(t, id)), off, func(c *engine.Config) { c.Require = report.Complete })
		line := render.VerdictLine(r)
		if r.Level != report.Partial || r.ExitCode == report.ExitConforming || !strings.Contains(line, "what the check server-error would find") {
			t.Errorf("%s: %s", id, line)
		}
	}
}

// Whether null is accepted, ignored or refused is one choice, and whether it unsets the field another.
func TestNullIsObserved(t *testing.T) {
	const name, action = "updateCampaign.name", "updateConnectionProfile.withCookiesAction"
	const expression = "updateConnectionProfileRuleHost.regularExpression"
	for id, want := range map[string]map[string]map[string]spec.Choice{
		"body/null-ignored": {
			"null-fields": {name: spec.Ignored, action: spec.Ignored}, "null-optional": {expression: spec.Ignored},
			"null-unsets": {name: spec.Kept, action: spec.Kept, expression: spec.Kept},
		},
		"body/null-resets": {
			"null-fields": {name: spec.Accepted, action: spec.Accepted}, "null-optional": {expression: spec.Accepted},
			"null-unsets": {name: spec.Reset, action: spec.Reset, expression: spec.Unset},
		},
		"body/numbers-taken": {
			"null-fields": {name: "refused (422)", action: "refused (422)"}, "null-optional": {expression: spec.Accepted},
			"null-unsets": {name: "", expression: spec.Unset},
		},
	} {
		v, err := faults.ByID(faults.Variants(), id)
		noError(t, err)
		r := ran(t, serving(t, v), func(c *engine.Config) {
			c.Select = func(cs *judge.Case) bool { return cs.Class == judge.ClassSuccess || strings.HasSuffix(cs.ID, "-null") }
		})
		seen := map[string]map[string]spec.Choice{}
		for _, o := range r.OpenPoints {
			seen[o.ID] = map[string]spec.Choice{}
			for _, answer := range o.Answers {
				for _, at := range answer.At {
					seen[o.ID][at] = spec.Choice(answer.Observed[0])
				}
			}
		}
		for point, places := range want {
			for at, choice := range places {
				if got := seen[point][at]; got != choice {
					t.Errorf("%s: %s of %s is %q, want %q", id, point, at, got, choice)
				}
			}
		}
	}
}

// A notice that depends on timing says so, and no exit code depends on it.
func TestWhatDependsOnTimingFailsNoRun(t *testing.T) {
	strict := func(c *engine.Config) { c.Bases = spec.Bases() }
	updates := func(c *engine.Config) { c.Select = cases("updateConnectionProfile/") }
	r := ran(t, serving(t, faultByID(t, "open/lost-writer/updateConnectionProfile")), strict, updates)
	for _, f := range r.Findings {
		if f.Clause != "OPEN-7" || !f.Timing || !strings.Contains(f.Sentence(), "depends on timing") {
			t.Errorf("%s: %+v", f.Sentence(), f)
		}
	}
	if len(r.Findings) == 0 || r.ExitCode != report.ExitConforming || len(baselineOf(r).Entries) > 0 {
		t.Errorf("%d findings, exit code %d: %s", len(r.Findings), r.ExitCode, r.Reason)
	}
	if r := ran(t, serving(t, faultByID(t, "open/malformed-ids-differ")), strict); r.ExitCode != report.ExitNonconforming {
		t.Errorf("another notice, if notices count: exit code %d: %s", r.ExitCode, r.Reason)
	}
}

// If the choices of a variant are pinned in its target file, another run judges them: the variant makes the
// same choices and still conforms.
func TestWhatIsPinnedStaysConforming(t *testing.T) {
	pinsOf := func(r *report.Report) fixtures.Pins {
		pins := fixtures.Pins{}
		noError(t, yaml.Unmarshal([]byte(render.PinBlock(r)), &pins))
		return pins
	}
	depth := func(c *engine.Config) { c.Depth = reftest.Of(judge.Standard, judge.Quick) }
	for _, v := range faults.Variants() {
		always := v.ID == "list/beyond-404" || v.ID == "value/trimmed"
		sampled := !testing.Short() && faults.Sampled(v.ID, scarce(1))
		if v.Ends || !always && !sampled {
			continue
		}
		first := ran(t, serving(t, v), depth)
		s, pins := serving(t, v), pinsOf(first)
		open := s.config.Target.Open
		s.config.Target.Open = maps.Clone(pins)
		maps.Copy(s.config.Target.Open, open)
		var file bytes.Buffer
		noError(t, fixtures.WriteTarget(&file, s.config.Target))
		target, err := fixtures.Parse(file.Bytes(), "target.yaml", nil, s.config.Contract.Keys()...)
		noError(t, err)
		target.Credentials.Renew = s.config.Target.Credentials.Renew // which no file holds
		again := ran(t, s, depth, func(c *engine.Config) { c.Target = target })
		if again.Verdict != report.Conforming || again.Level != first.Level || len(again.Findings) != len(first.Findings) {
			t.Errorf("%s with %v: %s; before: %s\n%+v", v.ID, pins, render.VerdictLine(again), render.VerdictLine(first), again.Findings)
		}
		if left := pinsOf(again); len(pins) < reftest.Of(5, 4) || len(left) > 0 {
			t.Errorf("%s: %d pins, and then %v is left", v.ID, len(pins), left)
		}
	}
}

// Cases that need no objects judge the same without them, with one exception that depends on objects: a server
// that accepts a wrong key answers 404, like one that looks at the id first.
func TestWithoutObjects(t *testing.T) {
	without := func(t *fixtures.Target) { t.Objects, t.Foreign = fixtures.Objects{}, fixtures.Foreign{} }
	variants := Options{Variants: true, Target: without}
	if testing.Short() {
		variants.Only = regexp.MustCompile(`^(auth/missing-before|path/malformed-id-400|wire/(429-often|http-1.0))`)
	}
	for _, v := range run(t, variants).Outcomes {
		if len(v.Findings) != 1 || v.Requests < 80 { // the only one is its headline
			t.Errorf("%s: %d requests, %q", v.ID, v.Requests, v.Findings)
		}
	}
	o := only(`^(auth/no-key/updateCampaign|updateCampaign/401/(status-(200|404)|body-html|error.issues-dropped)|` +
		`updateConnectionProfileRuleHost/404/(status-400|error-dropped)|deleteCreative/404/status-(200|403))$`)
	o.Target, o.Variants = without, false
	outcomes := run(t, o).Outcomes
	for _, f := range outcomes {
		if open := f.ID == "updateCampaign/401/status-404" || f.ID == "auth/no-key/updateCampaign"; (f.Verdict == Caught) == open {
			t.Errorf("%s: %s, %q", f.ID, f.Verdict, f.Findings)
		}
	}
	if len(outcomes) != 9 {
		t.Errorf("%d faults", len(outcomes))
	}
}

type wrap = func(http.Handler, faults.Env) http.Handler

// changed returns a wrapper that changes answers.
func changed(change func(r *http.Request, status int, body string) (int, string)) wrap {
	return func(h http.Handler, _ faults.Env) http.Handler {
		return reftest.Altered(h, func(r *http.Request, a *httptest.ResponseRecorder) {
			status, body := change(r, a.Code, a.Body.String())
			if a.Code, a.Body = status, bytes.NewBufferString(body); body != "" {
				a.Header().Set("Content-Type", "application/json")
			}
		})
	}
}

// when returns a wrapper that answers with an error if a condition holds.
func when(holds func(r *http.Request, status int) bool, status int) wrap {
	return changed(func(r *http.Request, is int, body string) (int, string) {
		if holds(r, is) {
			return status, fmt.Sprintf(`{"error":{"responseCode":%d,"issues":[{"type":"x","message":"no","relatedField":null}]}}`, status)
		}
		return is, body
	})
}

// always returns a wrapper that answers requests of a method with a status, except those without a key.
func always(method string, status int) wrap {
	return when(func(r *http.Request, _ int) bool { return r.Method == method && r.Header.Get("X-API-Key") != "" }, status)
}

// never returns a wrapper that answers 400 instead of a status.
func never(status int) wrap {
	return when(func(_ *http.Request, is int) bool { return is == status }, 400)
}

// becomes returns a wrapper that answers with 200 and a body instead of a status.
func becomes(from int, with string) wrap {
	return changed(func(_ *http.Request, status int, body string) (int, string) {
		if status == from {
			return 200, with
		}
		return status, body
	})
}

func isPage(r *http.Request, status int) bool { return r.URL.RawQuery != "" && status == http.StatusOK }

const noItems = `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1}},"data":[]}`

// A clause whose premise a target does not meet does not count as held. (CLAUSE- stands for all clauses with that
// prefix.)
func TestNoClauseHoldsWithoutItsPremise(t *testing.T) {
	const lists, deletes, updates = "listCreativeMediaFiles", "deleteCreative", "update"
	const noUpdate = "PROFILE- HOST- CAMPAIGN- EFFECT-"
	for _, tc := range reftest.Few(2, []struct {
		name    string
		wrap    wrap
		clauses string
		of      string // prefix of the operations
	}{
		{"updates are 422", always(http.MethodPatch, 422), noUpdate + " AUTH-2 AUTH-4 ERR-1 ERR-2 OPEN-6 OPEN-7", updates},
		{"deletes are 404", always(http.MethodDelete, 404), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-2 AUTH-4", deletes},
		{"every page refused", when(isPage, 400), "MEDIA-6 MEDIA-7 MEDIA-8", lists},
		{"deletes are 403", always(http.MethodDelete, 403), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-4", deletes},
		{"deletes are 422", always(http.MethodDelete, 422), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-2 AUTH-4 ERR-1", deletes},
		{"no answer is 204", becomes(204, "{}"), "DELETE- OPEN-4", deletes},
		{"updates are 403", always(http.MethodPatch, 403), noUpdate + " AUTH-4 ERR-1 ERR-2 ERR-3 ERR-4 ERR-5 ERR-10", updates},
		{"updates are 500", always(http.MethodPatch, 500), noUpdate + " AUTH-2 AUTH-4 ERR-1 ERR-3 ERR-4 ERR-5 ERR-10", updates},
		{"lists are empty", becomes(200, noItems), "CREATIVE- MEDIA-7 MEDIA-8 MEDIA-9", lists},
		{"lists are 404", always(http.MethodGet, 404), "CREATIVE- MEDIA- AUTH-4 EFFECT-3", lists},
		{"no answer is 422", never(422), "ERR-3 ERR-4 ERR-5 ERR-10", updates},
		{"no answer is 403", never(403), "AUTH-2", ""},
		{"no answer is 401", never(401), "AUTH-1", ""},
		{"no answer is 404", never(404), "ERR-1 ERR-2 DELETE-3", ""},
		{"no answer shows updatedAt", changed(func(_ *http.Request, status int, body string) (int, string) {
			return status, strings.ReplaceAll(body, `"updatedAt":`, `"changed":`)
		}), "PROFILE-8 PROFILE-12 HOST-9 HOST-11 CAMPAIGN-8 CAMPAIGN-14 CREATIVE-5", ""},
	}) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, faults.Server{ID: tc.name, Wrap: tc.wrap})
			seen := record(s.config)
			r := ran(t, s, func(c *engine.Config) { c.Select = cases(tc.of) })
			expectUnheld(t, r, tc.of, strings.Fields(tc.clauses))
			for _, line := range seen.unshownClauses(r) {
				t.Error(line)
			}
		})
	}
}

// expectUnheld fails the test for each of these clauses that a report calls held, or not tested for no reason.
func expectUnheld(t *testing.T, r *report.Report, operations string, clauses []string) {
	t.Helper()
	isMeant := func(id string) bool {
		return slices.ContainsFunc(clauses, func(c string) bool {
			isPrefix := strings.HasSuffix(c, "-")
			return c == id || isPrefix && strings.HasPrefix(id, c)
		})
	}
	states := 0
	for _, cl := range r.Clauses {
		if !strings.HasPrefix(cl.Operation, operations) || !isMeant(cl.ID) {
			continue
		}
		states++
		hasNoReason := cl.Status == report.NotTested && cl.Reason == ""
		if hasNoReason || cl.Status == report.Held {
			t.Errorf("%s is %s, judged in %d cases: %q", cl.Subject(), cl.Status, cl.Cases, cl.Reason)
		}
	}
	if states < len(clauses) {
		t.Errorf("only %d clause states of %s", states, clauses)
	}
}
