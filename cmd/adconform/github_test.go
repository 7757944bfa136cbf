package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
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

// What ends a job before anything is tested is an annotation too, of one line.
func TestOnGitHubAnErrorIsAnAnnotation(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "report.json"), `{"schema": "adconform/report/1"}`)
	args := []string{"run", "--target", "nowhere\n::stop-commands::x", "--report", dir}
	code, _, stderr := run(t, map[string]string{"GITHUB_ACTIONS": "true"}, args...)
	lines := commandLines(stderr)
	if code != 2 || len(lines) != 1 || !strings.HasPrefix(lines[0], "::error title=adconform::nowhere") ||
		!strings.Contains(lines[0], "%0Athe report in ") {
		t.Errorf("exit code %d, commands %q", code, lines)
	}
	if _, _, stderr = run(t, nil, args...); len(commandLines(stderr)) > 0 {
		t.Errorf("elsewhere: %s", stderr)
	}
}

func TestOnGitHubARunAnnotatesAndSummarises(t *testing.T) {
	page := filepath.Join(t.TempDir(), "summary")
	write(t, page, "before\n")
	env := map[string]string{"GITHUB_ACTIONS": "true", stepSummary: page}
	target := commanding(t)
	code, stdout, stderr := run(t, env, "run", "--depth", "quick", "--target", target)
	lines := commandLines(stdout)
	if code != 1 || len(lines) == 0 || len(commandLines(stderr)) != 0 {
		t.Errorf("exit code %d, %d commands, on standard error %q", code, len(lines), commandLines(stderr))
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "::error title=") && !strings.HasPrefix(line, "::notice title=") {
			t.Errorf("a command of the target: %q", line)
		}
	}
	if !strings.Contains(stdout, "## [add-mask]a") || !strings.HasPrefix(stdout, "NONCONFORMING") {
		t.Errorf("what the target sent is not shown in\n%s", stdout)
	}
	if got := mustRead(t, page); !strings.HasPrefix(got, "before\n# ❌ adconform: nonconforming\n") {
		t.Errorf("the page is %.100q", got)
	}
}

func TestOnGitHubTheOutputStaysJSON(t *testing.T) {
	code, stdout, stderr := run(t, map[string]string{"GITHUB_ACTIONS": "true"}, "run", "--depth", "quick", "--format", "json",
		"--target", commanding(t))
	if !json.Valid([]byte(stdout)) || code != 1 || len(commandLines(stdout)) != 0 {
		t.Errorf("exit code %d, commands %q", code, commandLines(stdout))
	}
	if !strings.Contains(stderr, "\n::error title=") {
		t.Error("no annotations on standard error")
	}
}

func TestQuietAndOtherPlacesHaveNoAnnotations(t *testing.T) {
	target := commanding(t)
	actions := map[string]string{"GITHUB_ACTIONS": "true"}
	if _, stdout, _ := run(t, actions, "run", "--quiet", "--depth", "quick", "--target", target); strings.Count(stdout, "\n") != 1 {
		t.Errorf("quiet: %q", stdout)
	}
	if _, stdout, _ := run(t, nil, "run", "--depth", "quick", "--target", target); strings.Contains(stdout, "::error title=") {
		t.Errorf("not on GitHub:\n%s", stdout)
	}
}

func TestAPageThatCannotBeWrittenIsOneLine(t *testing.T) {
	env := map[string]string{"GITHUB_ACTIONS": "true", stepSummary: filepath.Join(t.TempDir(), "none", "page")}
	code, _, stderr := run(t, env, "run", "--depth", "quick", "--case", "updateCampaign/401/no-key", "--allow-inconclusive")
	if code != 0 || strings.Count(stderr, "the job on GitHub was not annotated: the file of the variable GITHUB_STEP_SUMMARY: ") != 1 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

func TestSubjectOfTheAttestation(t *testing.T) {
	dir := t.TempDir()
	image := "registry.example/ads@sha256:" + strings.Repeat("0a", 32)
	if code, _, stderr := run(t, nil, "run", "--quiet", "--depth", "quick", "--report", dir, "--subject", image); code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	if got := mustRead(t, filepath.Join(dir, "attestation.intoto.json")); !strings.Contains(got, `"name": "registry.example/ads"`) ||
		!strings.Contains(got, `"result": "PASSED"`) {
		t.Error(got)
	}
	for _, file := range []string{report.JSONFile, report.HTMLFile, "summary.md"} {
		got := mustRead(t, filepath.Join(dir, file))
		if !strings.Contains(got, "registry.example/ads") || !strings.Contains(got, strings.Repeat("0a", 32)) {
			t.Errorf("%s does not name the artifact", file)
		}
	}
	if code, stdout, stderr := run(t, nil, "run", "--format", "json", "--depth", "quick", "--subject", image); code != 0 ||
		!strings.Contains(stdout, `"sha256": "`+strings.Repeat("0a", 32)) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for args, want := range map[string]string{
		"--report " + dir + " --subject registry.example/ads": `--subject "registry.example/ads": want NAME@sha256:`,
		"--subject " + image: "--subject stands in the report: give a folder for it with --report, or --format json",
	} {
		refuses(t, nil, append([]string{"run"}, strings.Fields(args)...), want)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) < 8 {
		t.Errorf("%d files (%v)", len(entries), err)
	}
}
