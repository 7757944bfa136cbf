package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// The files of a former report are written over; a file of the same name that is not of a
// report is not, whichever it is and whatever it holds.
func TestOnlyFilesOfAReportAreWrittenOver(t *testing.T) {
	r := made()
	r.Selection, r.Selected = nil, false
	for _, made := range []*report.Report{r, hostile()} {
		dir := t.TempDir()
		if err := report.WriteDir(dir, made); err != nil {
			t.Fatal(err)
		}
		if err := report.CheckDir(dir); err != nil {
			t.Errorf("a former report: %v", err)
		}
		names := files(t, dir)
		for i, name := range names {
			path := filepath.Join(dir, name)
			ours, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(dir, names[(i+1)%len(names)])
			theirs, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"our own notes on adconform\n", "{}", string(theirs)} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				want := "report folder: " + path + " is there, and adconform did not write it; name another, or move it away"
				if err := report.CheckDir(dir); err == nil || err.Error() != want {
					t.Errorf("%s with %.20q: %v", name, text, err)
				}
			}
			if err := os.WriteFile(path, ours, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := report.CheckDir(dir); err != nil {
		t.Errorf("an empty file holds nothing: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := report.CheckDir(dir); err == nil || !strings.Contains(err.Error(), path+" is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if report.Holds(dir) {
		t.Error("the folder holds no report")
	}
	other := filepath.Join(dir, "notes.html") // any other file is nobody's business
	if err := os.WriteFile(other, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := report.CheckDir(dir); err != nil {
		t.Error(err)
	}
}
