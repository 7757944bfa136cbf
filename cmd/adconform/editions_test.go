package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// madeUp are an older edition and a newest one that has all that the suite has. The older
// one lacks some ids, and has more lines.
func madeUp(t *testing.T, without map[string]bool, more string) spec.Editions {
	t.Helper()
	newest := spec.NewestEdition()
	text := mustRead(t, "../../spec/editions/"+newest.Name+".yaml")
	named := func(name, text string) string {
		return strings.Replace(text, fmt.Sprintf("edition: %q", newest.Name), fmt.Sprintf("edition: %q", name), 1)
	}
	var left []string
	for line := range strings.Lines(text) {
		id := strings.TrimSuffix(strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "- ") + " .")[0], ":")
		if !without[id] {
			left = append(left, line)
		}
	}
	old := named("2001-01", strings.Join(left, ""))
	if more != "" {
		old = strings.Replace(old, more[:strings.Index(more, ":")]+": {}", more, 1)
	}
	all, err := spec.ReadEditions(fstest.MapFS{
		"2001-01.yaml": {Data: []byte(old)}, "2001-02.yaml": {Data: []byte(named("2001-02", text))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// runBy carries out a command line with other editions.
func runBy(t *testing.T, all spec.Editions, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, errs := newBuffer(), newBuffer()
	a := newApp(out, errs, nil, make(chan os.Signal))
	a.editions = all
	code = a.run(args)
	return code, out.String(), errs.String()
}

// judgedBy is the report of a run by an edition.
func judgedBy(t *testing.T, all spec.Editions, edition string, args ...string) *report.Report {
	t.Helper()
	code, stdout, stderr := runBy(t, all, append(briefly("--depth quick", "run", "--format", "json", "--edition", edition), args...)...)
	var r report.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%q: exit code %d (%v)\n%s", args, code, err, stderr)
	}
	if code != r.ExitCode || r.Edition != edition {
		t.Errorf("%q: exit code %d, in the report %d; edition %q", args, code, r.ExitCode, r.Edition)
	}
	return &r
}

// weighty are the findings that fail a run, and the ids of what found them.
func weighty(r *report.Report) (found []oracle.Finding, cases, clauses, checks map[string]bool) {
	cases, clauses, checks = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range r.Findings {
		if f.Severity == oracle.Notice {
			continue
		}
		found = append(found, f)
		clauses[f.Clause], checks[f.Check] = true, true
		for _, id := range f.Cases {
			cases[id] = true
		}
	}
	return found, cases, clauses, checks
}

// faultsOfKinds are faults whose findings are of different kinds: a status, a field of an
// answer, an effect, a delete, a list, framing.
var faultsOfKinds = []string{
	"refused/401-any-key/updateCampaign", "state/previous-user/updateConnectionProfile", "PROFILE-6", "DELETE-3", "MEDIA-4", "HTTP-1",
}

// faultNamed is the fault with an id, or the first of a clause.
func faultNamed(t *testing.T, name string) string {
	t.Helper()
	_, stdout, _ := run(t, nil, "selftest", "--list")
	for line := range strings.Lines(stdout) {
		if f := strings.Fields(line); f[0] == name || slices.Contains(f, name) {
			return f[0]
		}
	}
	return ""
}

// What only later cases, clauses or checks find fails no run of the older edition, and is
// shown there; by the newest edition it fails.
func TestWhatCameLaterFailsNoRunOfAnEdition(t *testing.T) {
	t.Parallel()
	for i, name := range faultsOfKinds {
		if testing.Short() && i >= 3 {
			break
		}
		fault := faultNamed(t, name)
		if fault == "" {
			continue
		}
		all := madeUp(t, nil, "")
		r := judgedBy(t, all, "2001-02", "--fault", fault)
		found, cases, clauses, checks := weighty(r)
		if r.Verdict != report.Nonconforming || len(found) == 0 {
			t.Errorf("%s: %s by the newest edition", fault, r.Verdict)
			continue
		}
		for what, later := range map[string]map[string]bool{"case": cases, "clause": clauses, "check": checks} {
			if what != []string{"case", "clause", "check"}[i%3] && (what != "case" || testing.Short()) {
				continue
			}
			all := madeUp(t, later, "")
			r := judgedBy(t, all, "2001-01", "--fault", fault)
			shown := 0
			for _, f := range r.Findings {
				if f.Severity != oracle.Notice {
					t.Errorf("%s without each %s that finds it: %s %s in %s fails the run", fault, what, f.Severity, f.Clause, f.Cases)
				}
				if strings.HasPrefix(f.Provisional, "since 2001-02 ("+what+" ") {
					shown++
				}
			}
			if r.Verdict != report.Conforming || r.Level != report.Complete || shown == 0 {
				t.Errorf("%s without each %s that finds it: %s (%s), %s; %d findings shown", fault, what, r.Verdict, r.Level, r.Reason, shown)
			}
			if r := judgedBy(t, all, "2001-02", "--fault", fault); r.Verdict != report.Nonconforming {
				t.Errorf("%s, by the newest edition again: %s", fault, r.Verdict)
			}
		}
	}
}

// A contested clause is a notice, with reason and link, and still said to be broken.
func TestContestedClausesFailNoRun(t *testing.T) {
	t.Parallel()
	const fault = "refused/401-any-key/updateCampaign"
	_, _, clauses, _ := weighty(judgedBy(t, madeUp(t, nil, ""), "2001-01", "--fault", fault))
	more := "contested:"
	for id := range clauses {
		more += "\n  " + id + ": {reason: read in two ways, link: https://tracker.test/7}"
	}
	all := madeUp(t, nil, more)
	dir := t.TempDir()
	r := judgedBy(t, all, "2001-01", "--fault", fault, "--report", dir, "--strict")
	if r.Verdict != report.Conforming || r.ExitCode != 0 || len(r.Findings) == 0 {
		t.Fatalf("%s, %s", r.Verdict, r.Reason)
	}
	for _, f := range r.Findings {
		if f.Severity != oracle.Notice || f.Contested != "read in two ways (https://tracker.test/7)" {
			t.Errorf("%s %s: contested %q", f.Severity, f.Clause, f.Contested)
		}
	}
	for _, c := range r.Clauses {
		if clauses[c.ID] && c.Operation == "updateCampaign" && (c.Status != report.Broken || c.Contested == "") {
			t.Errorf("%s: %s, contested %q", c.Subject(), c.Status, c.Contested)
		}
	}
	for file, words := range map[string]string{
		"junit.xml":                  "edition\" value=\"2001-01\"",
		"summary.md":                 "Edition 2001-01; the newest is 2001-02",
		"badge.svg":                  "contract 2001-01",
		"attestation.intoto.json":    `"edition": "2001-01"`,
		"findings.sarif":             "contested: read in two ways",
		"ctrf.json":                  `"edition": "2001-01"`,
		"report.html":                `"edition":"2001-01"`,
		filepath.Base("report.json"): `"newestEdition": "2001-02"`,
	} {
		if text := mustRead(t, filepath.Join(dir, file)); !strings.Contains(text, words) {
			t.Errorf("%s: %q is missing", file, words)
		}
	}
	if !strings.Contains(mustRead(t, filepath.Join(dir, "attestation.intoto.json")), `"WARNED"`) {
		t.Error("a contested clause is broken, and the statement does not say WARNED")
	}
	if r := judgedBy(t, all, "2001-02", "--fault", fault); r.Verdict != report.Nonconforming {
		t.Errorf("by the newest edition, which nobody contests: %s", r.Verdict)
	}
}

// A run that could not fail is none: only provisional cases were selected.
func TestARunOfProvisionalCasesAloneIsNoPass(t *testing.T) {
	t.Parallel()
	const id = "updateCampaign/401/no-key"
	all := madeUp(t, map[string]bool{id: true}, "")
	if r := judgedBy(t, all, "2001-01", "--case", id); r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive {
		t.Errorf("%s, %s", r.Verdict, r.Reason)
	}
	if r := judgedBy(t, all, "2001-02", "--case", id); r.Verdict != report.Conforming {
		t.Errorf("by the newest: %s, %s", r.Verdict, r.Reason)
	}
}

// A clause of which only provisional cases tell is not held: nothing that counts showed it.
func TestProvisionalCasesHoldNoClause(t *testing.T) {
	t.Parallel()
	later := map[string]bool{}
	for _, cs := range flags.EveryCase(must(spec.Load())) {
		later[cs.ID] = slices.Contains(cs.Clauses, "DELETE-5")
	}
	r := judgedBy(t, madeUp(t, later, ""), "2001-01")
	for _, c := range r.Clauses {
		if c.ID == "DELETE-5" && c.Status != report.NotTested {
			t.Errorf("%s is %s in %d cases", c.Subject(), c.Status, c.Cases)
		}
	}
	if r.Verdict != report.Conforming {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// What a later case needs of the target file makes no run of the older edition partial.
func TestALaterCaseAsksForNoMoreOfATargetFile(t *testing.T) {
	t.Parallel()
	later := map[string]bool{}
	for _, cs := range flags.EveryCase(must(spec.Load())) {
		later[cs.ID] = slices.Contains(cs.Needs, "objects.pagedVastCreatives[0]")
	}
	all := madeUp(t, later, "")
	for edition, level := range map[string]report.Level{"2001-01": report.Complete, "2001-02": report.Partial} {
		target, _, _ := startServe(t, "--control")
		target.Objects.PagedVastCreatives = nil
		file := filepath.Join(t.TempDir(), "target.yaml")
		if err := flags.WriteTarget(file, target); err != nil {
			t.Fatal(err)
		}
		args := []string{"--target", file}
		if level == report.Complete {
			args = append(args, "--require", "complete")
		}
		if r := judgedBy(t, all, edition, args...); r.Level != level || r.Verdict != report.Conforming {
			t.Errorf("by %s: %s (%s): %s", edition, r.Verdict, r.Level, r.Reason)
		}
	}
}

// What is seen in a case that counts and in one that does not is the finding of the first;
// a baseline asks for no other.
func TestAFindingOfBothKindsOfCasesCounts(t *testing.T) {
	t.Parallel()
	const fault = "refused/401-any-key/updateCampaign"
	faulty := briefly("--operation updateCampaign", "--depth", "standard", "--fault", fault)
	found, _, _, _ := weighty(judgedBy(t, madeUp(t, nil, ""), "2001-02", faulty...))
	ids := found[0].Cases
	if len(ids) < 2 {
		t.Fatalf("%q", ids)
	}
	later := map[string]bool{ids[0]: true}
	r := judgedBy(t, madeUp(t, later, ""), "2001-01", faulty...)
	now, _, _, _ := weighty(r)
	if r.Verdict != report.Nonconforming || len(now) != 1 || !slices.Equal(now[0].Cases, ids[1:]) {
		t.Errorf("%s, %d findings, in %q", r.Verdict, len(now), now[0].Cases)
	}
}

// A name that no edition has is told with those that there are.
func TestUnknownEditions(t *testing.T) {
	newest := spec.NewestEdition().Name
	refuses(t, nil, []string{"run", "--edition", newest + "1"}, "want one of "+newest, "did you mean "+newest)
	refuses(t, map[string]string{"ADCONFORM_EDITION": "1999-01"}, []string{"run"}, "ADCONFORM_EDITION", "want one of "+newest)
	refuses(t, nil, []string{"editions", "diff", newest, "1999-01"}, "want one of "+newest)
	refuses(t, nil, []string{"editions", "diff", newest}, "an edition is missing")
}

func TestEditionsAreListedAndCompared(t *testing.T) {
	newest := spec.NewestEdition().Name
	if _, stdout, _ := run(t, nil, "editions"); !strings.HasPrefix(stdout, newest+" (newest): ") {
		t.Errorf("%q", stdout)
	}
	if code, stdout, _ := run(t, nil, "editions", "diff", newest, newest); code != 0 || !strings.HasPrefix(stdout, "No difference") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	all := madeUp(t, map[string]bool{"updateCampaign/401/no-key": true, "MEDIA-9": true, "list-repeat": true}, "")
	all[1].Cases["updateCampaign/401/empty-key"] = "another"
	all[1].Clauses["AUTH-4"] = spec.Stated
	all[1].Contested = map[string]spec.Contest{"ERR-10": {Reason: "unclear", Link: "https://tracker.test/8"}}
	_, stdout, _ := runBy(t, all, "editions", "diff", "2001-01", "2001-02")
	for _, want := range []string{
		"From edition 2001-01 to edition 2001-02", "Clauses added (1):\n\n- MEDIA-9\n",
		"Clauses changed (1):\n\n- AUTH-4: stated, was published\n",
		"Checks added (1):\n\n- list-repeat\n", "Cases added (1):\n\n- updateCampaign/401/no-key\n",
		"- updateCampaign/401/empty-key: another, was ",
		"Newly contested (1):\n\n- ERR-10: unclear (https://tracker.test/8)\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	_, stdout, _ = runBy(t, all, "editions", "diff", "2001-02", "2001-01", "--json")
	var d spec.EditionDiff
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || !slices.Equal(d.Cases.Removed, []string{"updateCampaign/401/no-key"}) {
		t.Errorf("%v\n%s", err, stdout)
	}
}

// explain says of a clause, a case and a check since when it counts, or why it does not.
func TestExplainSaysSinceWhichEdition(t *testing.T) {
	all := madeUp(t, map[string]bool{"AUTH-2": true}, "")
	all[1].Provisional = map[string]string{"updateCampaign/401/no-key": "2001-02-03"}
	all[1].Contested = map[string]spec.Contest{"ERR-10": {Reason: "unclear", Link: "https://tracker.test/8"}}
	for word, want := range map[string]string{
		"AUTH-1": "edition:   since 2001-01\n", "AUTH-2": "edition:   since 2001-02\n", "json-names": "edition:   since 2001-01\n",
		"updateCampaign/401/no-key": "edition:   provisional since 2001-02-03; it fails no run\n",
		"ERR-10":                    "edition:   contested: unclear (https://tracker.test/8); it fails no run\n",
	} {
		if _, stdout, _ := runBy(t, all, "explain", word); !strings.Contains(stdout, want) {
			t.Errorf("%s: %q is missing in\n%s", word, want, stdout)
		}
	}
}

// A vendor's own operation, field or second container is of no edition, and counts; a case
// of a renamed field is that of its meaning.
func TestWhatNoEditionKnowsCounts(t *testing.T) {
	contract := must(spec.LoadOverlaid([]byte(mustRead(t, "../../docs/dialect.yaml")), "dialect.yaml"))
	op := contract.Operation("updateCampaign")
	e := madeUp(t, map[string]bool{"updateCampaign/422/name-is-array": true}, "")[0]
	for id, counts := range map[string]bool{
		"readBudget/401/no-key": true, "updateCampaign/422/colour-is-array": true,
		"listCreativeMediaFiles/success/walk-pagedvastcreatives-7": true,
		"updateCampaign/422/title-is-array":                        false, "updateCampaign/422/title-is-object": true,
	} {
		if got := e.Case(op, id); got.Counts() != counts {
			t.Errorf("%s: %q", id, got.Why())
		}
	}
	ids := slices.Collect(maps.Keys(e.Cases))
	if slices.Contains(ids, "updateCampaign/422/title-is-object") {
		t.Error("the edition lists a name of the dialect")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
