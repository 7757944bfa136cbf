package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites/oracle"
)

// JSONFile is the name of the complete report in a report folder.
const JSONFile = "report.json"

// format is a file of a report folder.
type format struct {
	file  string
	mark  *regexp.Regexp // what only one of ours holds
	write func(io.Writer, *Report) error
}

var formats = []format{
	{"junit.xml", regexp.MustCompile(`<testsuites name="adconform"`), WriteJUnit},
	{"findings.sarif", regexp.MustCompile(`(?s)"\$schema": *"[^"]*sarif[^"]*".*"name": *"adconform"`), WriteSARIF},
	{harFile, regexp.MustCompile(`"creator": *\{"name": *"adconform"`), WriteHAR},
	{"summary.md", regexp.MustCompile(`\A# \S+ adconform: `), WriteMarkdown},
	{htmlFile, regexp.MustCompile(`<title>[^<]* · adconform</title>`), WriteHTML},
	{JSONFile, regexp.MustCompile(`"schema": *"adconform/report/`), WriteJSON},
}

// maxFindings is how many findings of one case a file holds. A list of which
// every item is wrong has thousands; Report.Findings counts them all.
const maxFindings = 50

// What the files of a large report take, in bytes. Those of a standard run on a
// conforming target take 3 MiB.
const (
	chunk      = 1 << 20
	enoughRoom = 16 * chunk
)

// CheckDir makes a report folder and shows that files can be written there, that there is
// room for them, so that a run does not end without its report, and that none is in the
// way which adconform did not write. Errors name folder and remedy. "" is no folder, here and
// for ClearDir.
func CheckDir(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return dirError(dir, err)
	}
	probe, err := os.CreateTemp(dir, ".adconform-*")
	if err != nil {
		return dirError(dir, err)
	}
	defer os.Remove(probe.Name())
	if err := errors.Join(fill(probe), probe.Close()); err != nil {
		return dirError(dir, err)
	}
	for _, f := range formats {
		if err := CheckOwn(filepath.Join(dir, f.file), f.mark); err != nil {
			return fmt.Errorf("report folder: %w", err)
		}
	}
	return nil
}

// fill writes as much as a report may need.
func fill(w io.Writer) error {
	zeros := make([]byte, chunk)
	for range enoughRoom / chunk {
		if _, err := w.Write(zeros); err != nil {
			return err
		}
	}
	return nil
}

// ClearDir removes the report of an earlier run, so that nobody takes it for that
// of a run which is killed before it writes its own.
func ClearDir(dir string) error {
	if dir == "" {
		return nil
	}
	for _, f := range formats {
		if err := os.Remove(filepath.Join(dir, f.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return dirError(dir, err)
		}
	}
	return nil
}

func dirError(dir string, err error) error {
	err = files.WithoutPath(err)
	remedy := "name a folder that can be written"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		remedy = "make room, or name a folder on another disk"
	}
	return fmt.Errorf("report folder %s: %w; %s", dir, err, remedy)
}

// WriteDir writes a report in every format that it has into a folder, which is made
// when it is not there. A file is there whole or not at all.
func WriteDir(dir string, r *Report) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return dirError(dir, err)
	}
	r = bounded(r)
	for _, f := range formats {
		if err := files.Write(filepath.Join(dir, f.file), 0o644, func(w io.Writer) error { return f.write(w, r) }); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes a report as report.json, of the form that SchemaJSON gives.
func WriteJSON(w io.Writer, r *Report) error {
	return files.WriteJSON(w, bounded(r), "  ")
}

// bounded is a copy with at most maxFindings findings a case, and in which lists
// without items are empty, not null.
func bounded(r *Report) *Report {
	b := *r
	b.Clauses, b.Findings, b.Changes = list(b.Clauses), list(b.Findings), list(b.Changes)
	if b.Causes == nil {
		b.Causes = Causes(r, func(*oracle.Finding) bool { return true })
	}
	b.OpenPoints = append([]OpenPoint{}, b.OpenPoints...)
	for i := range b.OpenPoints {
		b.OpenPoints[i].Observed = list(b.OpenPoints[i].Observed)
	}
	b.Results = append([]Case{}, b.Results...)
	for i := range b.Results {
		c := &b.Results[i]
		c.Clauses = list(c.Clauses)
		c.Findings = c.Findings[:min(len(c.Findings), maxFindings)]
	}
	return &b
}

func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
