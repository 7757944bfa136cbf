//go:build unix

package render_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

func TestWriteFileKeepsTheOldFileWhenWritingFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	noError(t, os.WriteFile(path, []byte("old"), 0o600))
	broken := errors.New("disk full")
	err := render.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	})
	if data, _ := os.ReadFile(path); !errors.Is(err, broken) || string(data) != "old" {
		t.Errorf("error %v and a file that holds %q, want %v and what it held before", err, data, broken)
	}
	if got, err := os.ReadDir(dir); err != nil || len(got) != 1 {
		t.Errorf("files %v (%v), want no temporary one", got, err)
	}
}

// A device or pipe is written to, not replaced.
func TestWriteFileWritesIntoWhatIsNoRegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	noError(t, syscall.Mkfifo(pipe, 0o600))
	got := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	err := render.WriteFile(pipe, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "a report")
		return err
	})
	noError(t, err)
	if info, err := os.Stat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe || info.Mode().Perm() != 0o600 {
		t.Fatalf("the pipe is now %v (%v)", info.Mode(), err)
	}
	if text := <-got; text != "a report" {
		t.Errorf("%q came through the pipe", text)
	}
}

// write writes a report into a new folder, and returns the names of its files.
func write(t *testing.T, r *report.Report) (dir string, names []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "new", "folder")
	noError(t, render.WriteDir(dir, render.NewView(r)))
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
				if err := render.PrepareDir(dir); err == nil || err.Error() != want {
					t.Errorf("%s with %.20q: %v", name, text, err)
				}
			}
			put(t, path, string(ours))
		}
		put(t, filepath.Join(dir, "notes.html"), "any other file is nobody's business")
		noError(t, render.PrepareDir(dir))
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%v is left", left)
		}
	}
}

func TestWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	put(t, path, "") // holds nothing
	noError(t, render.PrepareDir(dir))
	put(t, path, "")
	within := t.TempDir()
	noError(t, os.Mkdir(filepath.Join(within, "report.html"), 0o700))
	for no, want := range map[string]string{
		filepath.Join(path, "sub"): "name a writable folder", "/proc/none": "name a writable folder",
		within: filepath.Join(within, "report.html") + " is a folder",
	} {
		if err := render.PrepareDir(no); err == nil || !strings.Contains(err.Error(), want) {
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

type change = func(*report.Report)

// add adds a finding of another cause.
func add(f report.Finding) change {
	f.CauseWords = "another"
	return func(r *report.Report) { r.Findings = append(r.Findings, f) }
}

// mended removes the finding of the made report.
func mended(r *report.Report) {
	r.Findings, r.Results[0].Status, r.Results[0].Findings = nil, report.Passed, nil
}

// wider adds the finding of the made report to a second case, that at index at.
func wider(at int, fails bool) change {
	return func(r *report.Report) {
		f, c := r.Findings[0], &r.Results[at]
		f.Fails = fails
		r.Findings[0].Cases = append(f.Cases, c.ID)
		c.Status, c.Findings = report.Failed, []report.Finding{f}
	}
}

func both(changes ...change) change {
	return func(r *report.Report) {
		for _, c := range changes {
			c(r)
		}
	}
}

func TestCompare(t *testing.T) {
	item, accepted := exampleOf("listCreativeMediaFiles"), exampleOf("deleteCreative")
	item.Clause, item.Pointer = "CREATIVE-1", "/data/0/id"
	item.ID = item.Site().ID()
	elsewhere := item
	elsewhere.Pointer, accepted.Fails, accepted.Known = "/data/7/id", false, "ticket 7"
	itemOnly := func(f report.Finding) change { return func(r *report.Report) { r.Findings = append(r.Findings, f) } }
	quick := func(r *report.Report) { r.Depth, r.Results = "quick", r.Results[:1] }
	lost := func(r *report.Report) { r.Clauses[0].Status = report.NotTested }
	stated := func(r *report.Report) { r.Bases = []spec.Basis{spec.Stated} }
	leftOut := func(r *report.Report) { r.Results[1].Status = report.NotTested }
	none := func(*report.Report) {}
	const unsure = "CANNOT SAY: 0 new findings, 0 gone, "
	const same, less = "NOT WORSE: 0 new findings, 0 gone, ", "1 remaining; the second run did not test "
	for name, c := range map[string]struct {
		before, after change
		want          string
	}{
		"the same":              {none, none, same + "1 remaining"},
		"elsewhere in a list":   {itemOnly(item), itemOnly(elsewhere), same + "2 remaining"},
		"new":                   {none, add(exampleOf("deleteCreative")), "WORSE: 1 new finding, 0 gone, 1 remaining"},
		"new, fails nothing":    {none, add(accepted), "NOT WORSE: 1 new finding, "},
		"gone":                  {none, mended, "NOT WORSE: 0 new findings, 1 gone, 0 remaining"},
		"a case is left out":    {wider(1, true), both(mended, leftOut), unsure + "0 remaining; the second run did not test 1 case"},
		"the run was stopped":   {none, both(mended, func(r *report.Report) { r.Stopped = "so" }), same + "0 remaining"},
		"a lost clause":         {none, lost, unsure + less + "clause AUTH-1 of updateCampaign"},
		"a clause more":         {lost, none, same},
		"failed before, too":    {wider(1, true), wider(1, true), same + "1 remaining"},
		"passes again":          {wider(1, true), none, same + "1 remaining"},
		"in more cases":         {none, wider(1, true), "WORSE: 0 new findings, 0 gone, 1 remaining; 1 case newly failing"},
		"not run before":        {none, wider(3, true), same + "1 remaining"},
		"accepted there":        {none, wider(1, false), same + "1 remaining"},
		"a narrower basis":      {none, stated, unsure + less + "what is published (--basis), nor what is standard (--basis)"},
		"less depth, and worse": {none, both(quick, add(exampleOf("deleteCreative"))), "WORSE: 1 new finding, 0 gone, " + less + "1 case"},
		"more in the second":    {quick, none, same},
	} {
		before, after := made(), made()
		c.before(before)
		c.after(after)
		d := render.Compare(before, after)
		word, _, _ := strings.Cut(c.want, ":")
		want := map[string]int{"WORSE": report.ExitNonconforming, "NOT WORSE": report.ExitConforming, "CANNOT SAY": report.ExitInconclusive}[word]
		if got := d.Sentence(); !strings.HasPrefix(got, c.want) || d.ExitCode() != want {
			t.Errorf("%s: %s, exit code %d", name, got, d.ExitCode())
		}
	}
	after, bad := made(), exampleOf("deleteCreative")
	bad.Got, bad.Pointer = "\x1b[2J\n<script>", "/data"
	both(add(bad), wider(1, true))(after)
	var b strings.Builder
	noError(t, render.Compare(made(), after).WriteText(&b, render.Style{Width: 200}))
	for _, want := range []string{
		"WORSE: 1 new finding", "\nafter:  NONCONFORMING: 1 finding; tested: Acme",
		"\nNew findings\n  AUTH-1 (stated) deleteCreative: another", `\x1b[2J`, "\nNewly failing cases\n  updateCampaign/success/ordinary\n",
	} {
		if text := b.String(); !strings.Contains(text, want) || strings.Contains(text, "\x1b") {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
