package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

func TestPinShowsTheChangeAndAsks(t *testing.T) {
	file, dir := bundledTarget(t), t.TempDir()
	tested := func(dir string) int {
		code, _, _ := run(t, nil, "run", file, "--quiet", "--report", dir, "--operation", "updateCampaign")
		return code
	}
	if code := tested(dir); code != report.ExitConforming {
		t.Fatalf("exit code %d", code)
	}
	before := mustRead(t, file)
	code, stdout, stderr := run(t, nil, "pin", dir)
	if code != report.ExitUsage || mustRead(t, file) != before || !strings.Contains(stdout, "\n+   malformedID: 404 # ") ||
		strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "nothing is written, as nobody can be asked: --yes writes it") {
		t.Errorf("nobody to ask: exit code %d, %s%s", code, stdout, stderr)
	}
	code, shown := typing(t, "perhaps\n\n", 100, nil, "pin", dir)
	if code == 0 || mustRead(t, file) != before || !strings.Contains(shown, "want yes or no") {
		t.Errorf("refused: exit code %d, %s", code, shown)
	}
	if code, shown := typing(t, "y\n", 100, nil, "pin", dir); code != 0 || !strings.Contains(mustRead(t, file), "\n  malformedID: 404 #") {
		t.Errorf("agreed: exit code %d, %s", code, shown)
	}
	again := t.TempDir()
	tested(again)
	if code, stdout, _ := run(t, nil, "diff", dir, again); code != 0 {
		t.Errorf("worse on the same server: %s", stdout)
	}
	if code, stdout, _ := run(t, nil, "pin", again, "--yes"); code != 0 || !strings.Contains(stdout, "nothing to pin in "+file) {
		t.Errorf("again: exit code %d, %s", code, stdout)
	}
	write(t, file, strings.Replace(mustRead(t, file), "\n  malformedID: 404 #", "\n  malformedID: 422 #", 1))
	changed := t.TempDir()
	tested(changed)
	if code, stdout, _ := run(t, nil, "diff", again, changed); code != report.ExitNonconforming || !strings.Contains(stdout, "PIN-1") {
		t.Errorf("another choice than pinned: exit code %d, %s", code, stdout)
	}
	if code, stdout, _ := run(t, nil, "pin", changed, "--yes"); code != 0 ||
		!strings.Contains(stdout, "left out malformedID: is pinned as 422, and the run saw 404 Not Found: change it by hand") {
		t.Errorf("pinned otherwise: exit code %d, %s", code, stdout)
	}
}

func TestPinRefusesAReportOfAnotherTarget(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "run", "--quiet", "--report", dir, "--case", "updateCampaign/401/no-key")
	other := filepath.Join(t.TempDir(), "target.yaml")
	write(t, other, "baseURL: http://127.0.0.1:1/v2\ncredentials: {owner: {env: NOT_SET}}\n")
	for want, args := range map[string][]string{
		"is not about a target file":                        {"pin", dir},
		"is about another target: http://127.0.0.1:":        {"pin", dir, "--target", other},
		"no such file or directory; name the target file":   {"pin", dir, "--target", "nowhere.yaml"},
		"the report is missing":                             {"pin"},
		"nowhere: no such file or directory; name a report": {"pin", "nowhere"},
	} {
		refuses(t, nil, args, want)
	}
}
