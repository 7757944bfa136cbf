package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// gate is a target in which some cases on campaigns are answered with another status,
// and runs of the suite against it.
type gate struct {
	target   string
	bundled  http.Handler
	status   int
	wrong    []string // ends of case ids
	selected []string // flags: the cases on campaigns, unless a test wants all
}

func newGate(t *testing.T) *gate {
	g := &gate{selected: briefly("--label-filter class:401", "--operation", "updateCampaign")}
	g.target = serving(t, func(w http.ResponseWriter, r *http.Request) {
		for _, end := range g.wrong {
			if strings.HasPrefix(r.URL.Path, "/campaigns/") && strings.HasSuffix(r.Header.Get("X-Adconform-Case"), end) {
				answering(g.status, fmt.Sprintf(`{"error":{"responseCode":%d,"issues":[]}}`, g.status))(w, r)
				return
			}
		}
		g.bundled.ServeHTTP(w, r)
	})
	return g
}

func (g *gate) run(t *testing.T, status int, wrong string, more ...string) (code int, stdout, stderr, dir string) {
	t.Helper()
	g.bundled, g.status, g.wrong, dir = startedReference(t), status, strings.Fields(wrong), t.TempDir()
	code, stdout, stderr = run(t, nil, slices.Concat([]string{"run", "--target", g.target, "--report", dir}, g.selected, more)...)
	return code, stdout, stderr, dir
}

func baselined(t *testing.T, file, dir string) {
	t.Helper()
	if code, out, errs := run(t, nil, "baseline", "add", file, dir, "--reason", "ticket 4711", "--expires", "2999-01-31"); code != 0 ||
		!strings.Contains(out, "added   updateCampaign AUTH-1 expected-status in ") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
}

// A case that newly fails is covered by no entry, and is worse; taken in, it is accepted.
func TestANewlyFailingCaseIsNotCovered(t *testing.T) {
	const one, two, three = "401/no-key", "401/no-key 401/empty-key", "401/no-key 401/empty-key 401/unknown-key"
	g := newGate(t)
	file := filepath.Join(t.TempDir(), "known.yaml")
	_, _, _, before := g.run(t, 403, one)
	baselined(t, file, before)
	if code, out, errs, _ := g.run(t, 403, one, "--baseline", file); code != 0 {
		t.Fatalf("the same: exit code %d\n%s%s", code, out, errs)
	}
	code, out, _, after := g.run(t, 403, three, "--baseline", file)
	for _, want := range []string{
		"new in 2 cases that the baseline does not list for it: updateCampaign/401/empty-key, updateCampaign/401/unknown-key",
		":6: updateCampaign AUTH-1 expected-status shows in 2 cases that it does not list: ",
	} {
		if got := strings.Join(strings.Fields(out), " "); code != report.ExitNonconforming || !strings.Contains(got, want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, out)
		}
	}
	if junit := mustRead(t, filepath.Join(after, "junit.xml")); strings.Count(junit, "<failure") != 2 ||
		strings.Count(junit, `message="known: ticket 4711"`) != 1 {
		t.Error("junit.xml does not fail the two new cases alone")
	}
	for file, want := range map[string]string{
		"summary.md": "AUTH\\-1", "report.html": "that the baseline does not list for it", "findings.sarif": `"newCases"`,
		"report.json": `"outgrown": [`,
	} {
		if text := mustRead(t, filepath.Join(after, file)); !strings.Contains(text, want) &&
			!strings.Contains(text, strings.ReplaceAll(want, `\`, "")) {
			t.Errorf("%s does not tell the new cases", file)
		}
	}
	code, out, _ = run(t, nil, "diff", before, after)
	if got := strings.Join(strings.Fields(out), " "); code != report.ExitNonconforming ||
		!strings.Contains(got, "WORSE: 0 new findings, 0 gone, 1 remaining, 1 of them in more cases") ||
		!strings.Contains(got, "2 cases newly fail: updateCampaign/401/empty-key, updateCampaign/401/unknown-key") {
		t.Errorf("diff: exit code %d\n%s", code, out)
	}
	if code, out, _ := run(t, nil, "diff", after, before); code != 0 {
		t.Errorf("diff back: exit code %d\n%s", code, out)
	}
	if code, out, errs := run(t, nil, "baseline", "add", file, after); code != 0 ||
		out != "widened updateCampaign AUTH-1 expected-status by updateCampaign/401/empty-key, updateCampaign/401/unknown-key\n" {
		t.Errorf("add: exit code %d\n%s%s", code, out, errs)
	}
	for _, wrong := range []string{three, two, one, "401/unknown-key"} { // a case that no longer fails is no harm
		if code, out, _, _ := g.run(t, 403, wrong, "--baseline", file); code != 0 {
			t.Errorf("%s: exit code %d\n%s", wrong, code, out)
		}
	}
	if testing.Short() {
		return // what a run did not look for is not pruned: the rest takes whole runs
	}
	g.selected = nil
	_, _, _, after = g.run(t, 403, two, "--baseline", file)
	if code, out, _ := run(t, nil, "baseline", "prune", file, after); code != 0 ||
		!strings.Contains(out, "removed from updateCampaign AUTH-1 expected-status: updateCampaign/401/unknown-key\n") {
		t.Errorf("prune: exit code %d\n%s", code, out)
	}
	if code, out, _, _ := g.run(t, 403, three, "--baseline", file); code != report.ExitNonconforming {
		t.Errorf("pruned: exit code %d\n%s", code, out)
	}
}

// Another error in place of the right one is bearable; that a request without a key is
// carried out is not the same, though case, clause and place are.
func TestASuccessIsNotCoveredByAnotherError(t *testing.T) {
	g := newGate(t)
	file := filepath.Join(t.TempDir(), "known.yaml")
	_, _, _, before := g.run(t, 403, "401/no-key")
	baselined(t, file, before)
	code, out, _, after := g.run(t, 200, "401/no-key", "--baseline", file)
	if code != report.ExitNonconforming || !strings.Contains(strings.Join(strings.Fields(out), " "), " check not-refused,") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out, _ := run(t, nil, "diff", before, after); code != report.ExitNonconforming {
		t.Errorf("diff: exit code %d\n%s", code, out)
	}
}

// A run of more depth has cases that the baseline's did not run: they are not covered,
// and the message says why.
func TestABaselineOfLessDepth(t *testing.T) {
	g := newGate(t)
	file := filepath.Join(t.TempDir(), "known.yaml")
	const wrong = "401/no-key 401/unknown-key 401/empty-key"
	_, _, _, before := g.run(t, 403, wrong, "--depth", "quick")
	baselined(t, file, before)
	code, out, _, after := g.run(t, 403, wrong, "--baseline", file)
	if got := strings.Join(strings.Fields(out), " "); code != report.ExitNonconforming ||
		!strings.Contains(got,
			"the run of the entry had less depth and did not run all cases: put it right, or take them in with adconform baseline add") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out, _ := run(t, nil, "baseline", "add", file, after); code != 0 || !strings.HasPrefix(out, "widened ") {
		t.Errorf("add: exit code %d\n%s", code, out)
	}
	for _, depth := range []string{"quick", "standard"} {
		if code, out, _, _ := g.run(t, 403, wrong, "--baseline", file, "--depth", depth); code != 0 {
			t.Errorf("%s: exit code %d\n%s", depth, code, out)
		}
	}
	// The first run did not carry the other cases out: diff cannot say that they fail newly.
	if code, out, _ := run(t, nil, "diff", before, after); code != 0 || !strings.Contains(out, "not planned → failed") {
		t.Errorf("diff: exit code %d\n%s", code, out)
	}
}

// A file of an earlier version holds, each run warns of it, and add renews it.
func TestABaselineOfAnEarlierVersion(t *testing.T) {
	g := newGate(t)
	file := filepath.Join(t.TempDir(), "known.yaml")
	_, _, _, before := g.run(t, 403, "401/no-key")
	baselined(t, file, before)
	write(t, file, regexp.MustCompile(`(?m)^    (check|cases):.*\n(      - .*\n)*`).ReplaceAllString(mustRead(t, file), ""))
	const warning = " of an earlier version cannot tell a worse defect of the same clause from the known one, " +
		"as they name neither check nor cases: renew with adconform baseline add "
	code, out, _, after := g.run(t, 403, "401/no-key 401/empty-key", "--baseline", file)
	if got := strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(got, "1 entry (line 6)"+warning) {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out, errs, _ := g.run(t, 403, "401/no-key", "--baseline", file, "--quiet"); code != 0 ||
		strings.Count(out, "\n") != 1 || !strings.Contains(errs, "1 entry (line 6)"+warning) {
		t.Errorf("quiet: exit code %d\n%s%s", code, out, errs)
	}
	if code, out, errs := run(t, nil, "baseline", "add", file, after); code != 0 ||
		out != "renewed updateCampaign AUTH-1 expected-status in 2 cases\n" {
		t.Errorf("add: exit code %d\n%s%s", code, out, errs)
	}
	if text := mustRead(t, file); strings.Count(text, "ticket 4711") != 1 || strings.Count(text, "2999-01-31") != 1 {
		t.Errorf("reason and day are not kept\n%s", text)
	}
	if code, out, errs, _ := g.run(t, 403, "401/no-key 401/empty-key", "--baseline", file); code != 0 ||
		strings.Contains(out+errs, "earlier version") {
		t.Errorf("renewed: exit code %d\n%s%s", code, out, errs)
	}
	if code, _, _, _ := g.run(t, 403, "401/no-key 401/unknown-key", "--baseline", file); code != report.ExitNonconforming {
		t.Errorf("renewed, and worse: exit code %d", code)
	}
}

// What a report of an earlier version does not say, nobody makes up.
func TestAReportOfAnEarlierVersion(t *testing.T) {
	g := newGate(t)
	_, _, _, before := g.run(t, 403, "401/no-key")
	old := filepath.Join(before, "report.json")
	var r map[string]any
	if err := json.Unmarshal([]byte(mustRead(t, old)), &r); err != nil {
		t.Fatal(err)
	}
	lists := []any{r["findings"]}
	for _, c := range r["results"].([]any) {
		lists = append(lists, c.(map[string]any)["findings"])
	}
	for _, list := range lists {
		findings, _ := list.([]any)
		for _, f := range findings {
			for _, name := range []string{"id", "check", "cases"} {
				delete(f.(map[string]any), name)
			}
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	write(t, old, string(text))
	file := filepath.Join(t.TempDir(), "known.yaml")
	for _, args := range [][]string{
		{"baseline", "add", file, before, "--reason", "r", "--expires", "2999-01-31"}, {"diff", before, before},
	} {
		if code, out, errs := run(t, nil, args...); code != report.ExitUsage ||
			!strings.Contains(errs, "its findings name no check and no cases; run again") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s%s", args[0], code, out, errs)
		}
	}
}

// A finding that shows now and then shows in other cases each time.
func TestAnIntermittentEntryHoldsInOtherCases(t *testing.T) {
	g := newGate(t)
	file := filepath.Join(t.TempDir(), "known.yaml")
	_, _, _, before := g.run(t, 403, "401/no-key")
	baselined(t, file, before)
	write(t, file, strings.ReplaceAll(mustRead(t, file), "    reason:", "    intermittent: true\n    reason:"))
	for _, wrong := range []string{"401/empty-key", ""} {
		if code, out, _, _ := g.run(t, 403, wrong, "--baseline", file); code != 0 {
			t.Errorf("%q: exit code %d\n%s", wrong, code, out)
		}
	}
	if code, out, _, _ := g.run(t, 200, "401/no-key", "--baseline", file); code != report.ExitNonconforming {
		t.Errorf("another check: exit code %d\n%s", code, out)
	}
}
