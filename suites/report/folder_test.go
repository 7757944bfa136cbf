package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// write writes a report into a new folder, and returns the names of its files.
func write(t *testing.T, r *report.Report) (dir string, names []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "new", "folder")
	noError(t, report.WriteDir(dir, report.NewView(r)))
	entries, err := os.ReadDir(dir)
	noError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return dir, names
}

func put(t *testing.T, path, text string) {
	t.Helper()
	noError(t, os.WriteFile(path, []byte(text), 0o600))
}

// The files of an earlier report are overwritten, but no file of the same name that is not part of a
// report, whatever its name and content.
func TestOnlyFilesOfAReportAreWrittenOver(t *testing.T) {
	for _, r := range []*report.Report{made(), hostile()} {
		dir, names := write(t, r)
		want := []string{"findings.sarif", "junit.xml", "report.html", "report.json", "summary.md", "traffic.har"}
		if !slices.Equal(names, want) {
			t.Errorf("files %v, want %v", names, want)
		}
		for i, name := range names {
			path := filepath.Join(dir, name)
			ours, _ := os.ReadFile(path)
			theirs, _ := os.ReadFile(filepath.Join(dir, names[(i+1)%len(names)]))
			for _, text := range []string{"our own notes on adconform\n", "{}", string(theirs)} {
				put(t, path, text)
				want := "report folder: " + path + " exists and adconform did not write it; name another folder, or move it away"
				if err := report.PrepareDir(dir); err == nil || err.Error() != want {
					t.Errorf("%s with %.20q: %v", name, text, err)
				}
			}
			put(t, path, string(ours))
		}
		put(t, filepath.Join(dir, "notes.html"), "any other file is nobody's business")
		if err := report.PrepareDir(dir); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%v is left", left)
		}
	}
}

func TestWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	put(t, path, "") // holds nothing
	if err := report.PrepareDir(dir); err != nil {
		t.Error(err)
	}
	put(t, path, "")
	within := t.TempDir()
	noError(t, os.Mkdir(filepath.Join(within, "report.html"), 0o700))
	for no, want := range map[string]string{
		filepath.Join(path, "sub"): "name a writable folder", "/proc/none": "name a writable folder",
		within: filepath.Join(within, "report.html") + " is a folder",
	} {
		if err := report.PrepareDir(no); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want one line with %s", no, err, want)
		}
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	dir, _ := write(t, made())
	for _, path := range []string{dir, filepath.Join(dir, report.JSONFile)} {
		if r, err := report.Read(path); err != nil || r.Reason != "1 finding" || len(r.Results) != 4 {
			t.Errorf("%s: %v, %v", path, r, err)
		}
	}
	for text, want := range map[string]string{
		"{\n\"a\":\n]":                        "bad.json: invalid character",
		`{"schema": "other"}`:                 `its schema is "other", this version reads "adconform/report/v1.1"`,
		"[]":                                  `its schema is ""`,
		`{"schema": "` + report.Schema + `"}`: "it has no clauses; name a complete report.json",
		`{"schema": "` + report.Schema + `", "requests": "x"}`: "bad.json: json: cannot unmarshal string into Go struct field Report.requests",
	} {
		path := filepath.Join(t.TempDir(), "bad.json")
		put(t, path, text)
		if _, err := report.Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
