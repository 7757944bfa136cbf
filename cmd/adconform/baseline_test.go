package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// What a baseline excuses is not all that can stop a gate: it says what else does.
func TestBaselineDoesNotHideWhatIsNotTested(t *testing.T) {
	g := newGate(t)
	write(t, g.target, regexp.MustCompile(`(?m)^ +disposable.*\n`).ReplaceAllString(mustRead(t, g.target), ""))
	g.selected = briefly("--depth quick")
	file := filepath.Join(t.TempDir(), "known.yaml")
	_, _, _, before := g.run(t, 403, "401/no-key")
	baselined(t, file, before)
	if entries, depth := mustRead(t, file), readReport(t, before).Depth; !strings.Contains(entries, "    depth: "+depth+"\n") {
		t.Errorf("the depth is not kept\n%s", entries)
	}
	code, out, _, _ := g.run(t, 403, "401/no-key", "--baseline", file, "--quiet")
	if code != report.ExitInconclusive || !strings.Contains(out, ", all in the baseline; ") || !strings.Contains(out, "not tested: DELETE-") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A baseline excuses what it lists, nothing else, and has to be kept up to date.
func TestBaselineIsStrictBothWays(t *testing.T) {
	g := newGate(t)
	g.selected = briefly("--depth quick")
	const wrong, another = "401/no-key", "404/unknown-campaign-1"
	file := filepath.Join(t.TempDir(), "known.yaml")
	_, _, _, before := g.run(t, 403, wrong)
	baselined(t, file, before)
	edited := func(old, with string) string {
		path := filepath.Join(t.TempDir(), "edited.yaml")
		write(t, path, strings.ReplaceAll(mustRead(t, file), old, with))
		return path
	}
	for name, c := range map[string]struct {
		wrong, baseline, more string
		code                  int
		want                  string
	}{
		"known":          {wrong, file, "", 0, "(ticket 4711)"},
		"one more":       {wrong + " " + another, file, "", report.ExitNonconforming, " in the baseline"},
		"expired":        {wrong, edited("2999", "2001"), "", report.ExitNonconforming, "has expired"},
		"fixed":          {"", file, "", report.ExitNonconforming, " no longer"},
		"intermittent":   {"", edited("    reason:", "    intermittent: true\n    reason:"), "", 0, ""},
		"not looked for": {"", file, "--case updateCampaign/" + another, 0, ""},
	} {
		code, out, errs, dir := g.run(t, 403, c.wrong, append(strings.Fields(c.more), "--baseline", c.baseline)...)
		out = strings.Join(strings.Fields(out), " ")
		if code != c.code || !strings.Contains(out, c.want) || strings.Contains(out, ", all in the baseline") != (name == "known") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
		}
		if junit := mustRead(t, filepath.Join(dir, "junit.xml")); name == "known" &&
			(strings.Contains(junit, "<failure") || !strings.Contains(junit, `message="known: ticket 4711"`)) {
			t.Error("junit.xml does not say that the failure is known")
		}
	}
	_, out, _, dir := g.run(t, 403, "")
	if strings.Contains(out, "baseline") {
		t.Errorf("a baseline is told where there is none\n%s", out)
	}
	if code, out, _ := run(t, nil, "baseline", "prune", file, dir); code != 0 || !strings.Contains(out, "removed "+answered403) {
		t.Errorf("prune: exit code %d\n%s", code, out)
	}
	if code, out, _, _ := g.run(t, 403, "", "--baseline", file); code != 0 {
		t.Errorf("pruned: exit code %d\n%s", code, out)
	}
}

// A gate with --basis chosen can bear notices for a time, too.
func TestBaselineOfNotices(t *testing.T) {
	dir := t.TempDir()
	har, file := filepath.Join(dir, "a.har"), filepath.Join(dir, "known.yaml")
	write(t, har,
		`{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-01-02T03:04:05Z","time":1,"request":{"method":"DELETE",`+
			`"url":"http://a.example/v2/creatives/3","headers":[]},"response":{"status":204,"headers":[{"name":"Content-Length",`+
			`"value":"0"}],"content":{"size":0,"text":""}}}]}}`)
	if code, out, errs := run(t, nil, "check", har, "--basis", "standard,chosen", "--report", dir); code != report.ExitNonconforming {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	add := []string{"baseline", "add", file, dir, "--reason", "ticket 4711", "--expires", "2999-01-31"}
	if code, out, _ := run(t, nil, add...); code != 0 || !strings.Contains(out, "nothing to add but 1 notice: give --notices") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if code, out, _ := run(t, nil, append(add, "--notices")...); code != 0 || !strings.Contains(out, "added   a 204 has Content-Length: 0 in 1 case") {
		t.Errorf("exit code %d: %s", code, out)
	}
	code, out, errs := run(t, nil, "check", har, "--basis", "standard,chosen", "--baseline", file)
	if code != report.ExitConforming || !strings.Contains(out, "all in the baseline") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

const answered403 = "a request without a valid key is answered 403 where 401 was expected"

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
	g := &gate{selected: briefly("--case updateCampaign/401/*")}
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
	code, stdout, stderr = run(t, nil, slices.Concat([]string{"run", g.target, "--report", dir}, g.selected, more)...)
	return code, stdout, stderr, dir
}

func baselined(t *testing.T, file, dir string) {
	t.Helper()
	if code, out, errs := run(t, nil, "baseline", "add", file, dir, "--reason", "ticket 4711", "--expires", "2999-01-31"); code != 0 ||
		!strings.Contains(out, "added   "+answered403+" in ") {
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
		":6: " + answered403 + " shows in 2 cases that it does not list: ",
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
		out != "widened "+answered403+" by updateCampaign/401/empty-key, updateCampaign/401/unknown-key\n" {
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
		!strings.Contains(out, "removed from "+answered403+": updateCampaign/401/unknown-key\n") {
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
