package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// Each exit code of verify, and a line that says why.
func TestVerifySaysWhetherAReportFollows(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := run(t, nil, "run", "--depth", "quick", "--quiet", "--report", dir); code != 0 {
		t.Fatal(stderr)
	}
	file, archive := filepath.Join(dir, report.JSONFile), filepath.Join(dir, report.HARFile)
	verify := func(want int, says string, args ...string) {
		t.Helper()
		code, stdout, stderr := run(t, nil, append([]string{"verify"}, args...)...)
		if text := strings.Join(strings.Fields(stdout+stderr), " "); code != want || !strings.Contains(text, says) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s%s", args, code, want, says, stdout, stderr)
		}
	}
	verify(0, "VERIFIED: conforming (complete) follows from the recorded traffic", dir)
	verify(0, `"status": "verified"`, file, "--format", "json")
	verify(0, "VERIFIED", dir, "--max-age", "1d")
	verify(2, "want a number of days such as 90d", dir, "--max-age", "2h")
	verify(2, "name a report.json or the folder that holds one", filepath.Join(dir, "nowhere"))
	verify(2, "name a report.json of adconform run --report", archive)

	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	forge := func(from, to string) {
		t.Helper()
		text := strings.Replace(string(whole), from, to, 1)
		if text == string(whole) {
			t.Fatalf("no %s", from)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	forge(`"verdict": "conforming"`, `"verdict": "inconclusive"`)
	verify(1, `verdict: the report says "inconclusive", its traffic gives "conforming"`, dir)
	forge(`"adconform/report/v1"`, `"adconform/report/v9"`)
	verify(3, "CANNOT BE SAID", dir)
	forge(`"started": "2`, `"started": "1`)
	verify(1, "age: it was made on 1", dir, "--max-age", "90d")
	err = errors.Join(os.Remove(archive), os.Remove(filepath.Join(dir, report.AttestationFile)), os.WriteFile(file, whole, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	verify(3, "traffic.har is not beside report.json", file)
}
