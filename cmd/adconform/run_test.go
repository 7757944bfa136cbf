package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// A run that is killed does not leave the report of an earlier run in place. A gate must
// not pass if its report cannot be written.
func TestTheReportIsGoneWhileTheNextRunsAndHasToBeWritten(t *testing.T) {
	dir, reference := t.TempDir(), reftest.New(t, fixtures.DefaultWorld(), nil)
	path := filepath.Join(dir, report.JSONFile)
	write(t, path, `{"schema": "adconform/report/1"}`)
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(path); err == nil {
			t.Error("the report of an earlier run is there while the next one runs")
		}
		noError(t, os.MkdirAll(filepath.Join(dir, "junit.xml", "in-the-way"), 0o700))
		reference.ServeHTTP(w, r)
	})
	code, stdout, stderr := run(t, nil, "run", target, "--quiet", "--case", "updateCampaign/401/no-key", "--report", dir)
	if code != report.ExitUsage || !strings.HasPrefix(stdout, "CONFORMING") || !strings.Contains(stderr, "the report could not be written: ") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}
