package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// folder is what is in the files of a report with n findings.
func folder(t *testing.T, n int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := report.WriteDir(dir, report.NewView(numerous(n))); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range files(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(data)
	}
	return texts
}

// What a finding costs does not grow with their number, and what people read is
// bounded.
func TestTenThousandFindings(t *testing.T) {
	few, many := reftest.Of(1_000, 300), reftest.Of(10_000, 3_000)
	small, large := folder(t, few), folder(t, many)
	for file, text := range large {
		if len(text) > 11*len(small[file]) {
			t.Errorf("%s: %d bytes for %d findings, %d for %d", file, len(small[file]), few, len(text), many)
		}
	}
	if n := len(large["summary.md"]); n > 70_000 {
		t.Errorf("summary.md has %d bytes", n)
	}
	for file, each := range map[string]string{
		"findings.sarif": `"ruleId":`, "traffic.har": `"_seq":`, "junit.xml": "<failure ",
	} {
		if n := strings.Count(large[file], each); n != many {
			t.Errorf("%s: %d times %s", file, n, each)
		}
	}
}
