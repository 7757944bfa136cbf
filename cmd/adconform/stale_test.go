package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// What a run leaves that is killed is not the report of the run before; one that
// cannot begin says whose it is.
func TestTheReportOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, report.JSONFile)
	const earlier = `{"schema": "adconform/report/1"}`
	put := func() {
		t.Helper()
		if err := os.WriteFile(path, []byte(earlier), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const told = "is that of an earlier run"

	put()
	var once sync.Once
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			if _, err := os.Stat(path); err == nil {
				t.Error("it is there while the next one runs")
			}
		})
		answering(500, "{}")(w, r)
	})
	if code, _, errs := run(t, nil, "run", "--depth", "quick", "--target", target, "--report", dir); code != report.ExitNonconforming ||
		len(mustRead(t, path)) <= len(earlier) {
		t.Errorf("exit code %d\n%s", code, errs)
	}

	put()
	for _, args := range [][]string{
		{"run", "--target", filepath.Join(dir, "none.yaml")},
		{"run", "--target", target, "--focus", "nonesuch"},
		{"run", "--target", target, "--label-filter", "nonesuch"},
		{"run", "--target", target, "--skip", "."},
		{"check", filepath.Join(dir, "none.har")},
	} {
		code, _, errs := run(t, nil, append(args, "--report", dir)...)
		if code != report.ExitUsage || strings.Count(errs, told) != 1 || strings.Count(errs, "\n") != 2 {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
		_, _, errs = run(t, nil, append(args, "--report", t.TempDir())...)
		if strings.Contains(errs, told) {
			t.Errorf("%v: there is none, and yet: %s", args, errs)
		}
	}
	if mustRead(t, path) != earlier {
		t.Error("a run that did not begin removed it")
	}
}
