package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// commanding is a target that answers updates of campaigns with commands to GitHub's
// runner.
func commanding(t *testing.T) string {
	t.Helper()
	bundled := startedReference(t)
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/campaigns/") {
			bundled.ServeHTTP(w, r)
			return
		}
		w.Header().Set("X", "##[add-mask]a")
		answering(http.StatusNotFound, `{"error":{"responseCode":"::stop-commands::x ##[add-mask]a","issues":" ::error::pwned"}}`)(w, r)
	})
}

// commandLines are the lines that GitHub's runner takes for commands.
func commandLines(output string) []string {
	var lines []string
	for line := range strings.Lines(output) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			lines = append(lines, line)
		}
	}
	return lines
}

// What a target or a user says commands nothing, and the page of the job gets the summary.
func TestOnGitHub(t *testing.T) {
	page := filepath.Join(t.TempDir(), "summary")
	write(t, page, "before\n")
	env := map[string]string{"GITHUB_ACTIONS": "true", stepSummary: page}
	code, stdout, stderr := run(t, env, "run", "--depth", "quick", "--target", commanding(t))
	if lines := commandLines(stdout + stderr); code != 1 || len(lines) > 0 {
		t.Errorf("exit code %d, commands %q", code, lines)
	}
	if !strings.Contains(stdout, "## [add-mask]a") || !strings.HasPrefix(stdout, "NONCONFORMING") {
		t.Errorf("what the target sent is not shown in\n%s", stdout)
	}
	if got := mustRead(t, page); !strings.HasPrefix(got, "before\n# ❌ adconform: nonconforming\n") {
		t.Errorf("the page is %.100q", got)
	}
	code, _, stderr = run(t, env, "run", "--target", "nowhere\n::stop-commands::x")
	if lines := commandLines(stderr); code != 2 || len(lines) > 0 {
		t.Errorf("exit code %d, commands %q", code, lines)
	}
}

func TestAPageThatCannotBeWrittenIsOneLine(t *testing.T) {
	env := map[string]string{stepSummary: filepath.Join(t.TempDir(), "none", "page")}
	code, _, stderr := run(t, env, "run", "--depth", "quick", "--case", "updateCampaign/401/no-key", "--allow-inconclusive")
	if code != 0 || strings.Count(stderr, "the page of the job on GitHub has no summary: the file of the variable GITHUB_STEP_SUMMARY: ") != 1 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}
