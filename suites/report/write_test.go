package report_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteDirWritesEveryFormatAndNothingElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if err := report.WriteDir(dir, report.NewView(made())); err != nil {
		t.Fatal(err)
	}
	if got, want := files(t, dir), []string{
		"findings.sarif", "junit.xml", "report.html", "report.json", "summary.md", "traffic.har",
	}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var back report.Report
	if err := json.Unmarshal(data, &back); err != nil || back.Verdict != report.Nonconforming || len(back.Results) != 4 {
		t.Errorf("report.json reads back as %v with %d results (%v)", back.Verdict, len(back.Results), err)
	}
}

func TestCheckDirNamesAFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := report.CheckDir(filepath.Join(file, "sub"))
	if err == nil || !strings.Contains(err.Error(), "report folder "+file) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line that names the folder", err)
	}
}

func TestCheckDirLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	if err := report.CheckDir(dir); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); len(got) > 0 {
		t.Errorf("files %v, want none", got)
	}
}

func TestWriteJSONBoundsTheFindingsOfACase(t *testing.T) {
	r := made()
	for range 5000 {
		r.Results[0].Findings = append(r.Results[0].Findings, finding("updateCampaign"))
	}
	var b strings.Builder
	if err := report.NewView(r).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 50_000 {
		t.Errorf("report.json has %d bytes", b.Len())
	}
	if len(r.Results[0].Findings) != 5001 {
		t.Error("the report itself was changed")
	}
}
