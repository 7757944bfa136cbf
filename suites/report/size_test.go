package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// sizes are those of the files of a report with n findings, in bytes.
func sizes(t testing.TB, n int) map[string]int64 {
	t.Helper()
	dir := t.TempDir()
	if err := report.WriteDir(dir, numerous(n)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sizes[e.Name()] = info.Size()
	}
	return sizes
}

// What a finding costs does not grow with their number, and what people read is
// bounded.
func TestTenThousandFindings(t *testing.T) {
	const few, many = 1_000, 10_000
	small, large := sizes(t, few), sizes(t, many)
	for file, size := range large {
		if size > 11*small[file] {
			t.Errorf("%s: %d bytes for %d findings, %d for %d", file, small[file], few, size, many)
		}
	}
	for _, file := range []string{"summary.md", "badge.svg", "attestation.intoto.json"} {
		if large[file] > 30_000 {
			t.Errorf("%s has %d bytes", file, large[file])
		}
	}
	r := numerous(many)
	if n := len(sarifRun(t, r).Results); n != many {
		t.Errorf("%d results in findings.sarif", n)
	}
	if _, a := archive(t, r); len(a.Log.Entries) != many {
		t.Errorf("%d entries in traffic.har", len(a.Log.Entries))
	}
	if s := ctrf(t, r).Results.Summary; s.Failed != many {
		t.Errorf("%d failures in ctrf.json", s.Failed)
	}
	if _, s := junit(t, r); s.Failures != many {
		t.Errorf("%d failures in junit.xml", s.Failures)
	}
}

func BenchmarkTenThousandFindings(b *testing.B) {
	r := numerous(10_000)
	dir := b.TempDir()
	for b.Loop() {
		if err := report.WriteDir(dir, r); err != nil {
			b.Fatal(err)
		}
	}
}
