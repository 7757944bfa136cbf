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

// What the file pins by now is left out, whatever the run of the report knew of it.
func TestPinAsksTheFileWhatItPins(t *testing.T) {
	file, dir := bundledTarget(t), t.TempDir()
	plain := withoutOpen(mustRead(t, file))
	write(t, file, plain)
	run(t, nil, "run", file, "--quiet", "--report", dir, "--operation", "updateCampaign")
	for byHand, says := range map[string]string{
		"":                                     "",
		"open: {malformedID: 404}":             "left out malformedID: the file pins it as 404\n",
		"open:\n  malformedID: 404\n":          "left out malformedID: the file pins it as 404\n",
		"open: {malformedID: 422}":             "left out malformedID: is pinned as 422, and the run saw 404 Not Found: change it by hand",
		"open: {pageParameter: null}":          "",
		"open: null # ours":                    "",
		"open: {emptyObject: accepted} # ours": "left out emptyObject: the file pins it as accepted\n",
	} {
		write(t, file, plain+"\n"+byHand)
		code, stdout, stderr := run(t, nil, "pin", dir, "--yes")
		if code != 0 || !strings.Contains(stdout, says) || !strings.Contains(stdout, " pins ") || strings.Contains(stdout, "nothing to pin") {
			t.Errorf("%q: exit code %d, %s%s", byHand, code, stdout, stderr)
		}
		pinned := mustRead(t, file)
		if !strings.Contains(pinned, "\n  dateFormat: RFC 3339 # ") { // as people write it
			t.Errorf("%q: written\n%s", byHand, pinned)
		}
		code, stdout, stderr = run(t, nil, "pin", dir, "--yes")
		if code != 0 || mustRead(t, file) != pinned || !strings.Contains(stdout, "nothing to pin in "+file) ||
			!strings.Contains(stdout, "left out successStatus: the file pins it as 200\n") {
			t.Errorf("%q, again: exit code %d, %s%s", byHand, code, stdout, stderr)
		}
		write(t, file, strings.Replace(pinned, "  successStatus: 200", "  # successStatus: 200", 1)) // and taken out again
		if code, stdout, stderr = run(t, nil, "pin", dir, "--yes"); code != 0 || !strings.Contains(stdout, "pins 1 more open point now") {
			t.Errorf("%q, taken out: exit code %d, %s%s", byHand, code, stdout, stderr)
		}
	}
}

// withoutOpen is a target file without what it says of open points.
func withoutOpen(text string) string {
	before, _, _ := strings.Cut(text, "\nopen:")
	return before + "\n"
}
