package compare

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites/report"
)

//go:embed compare.schema.json
var schemaJSON []byte

// formats are the files of a comparison, each with what tells it from a file of others.
var formats = []struct {
	name  string
	mark  *regexp.Regexp
	write func(io.Writer, *Comparison) error
}{
	{"index.html", regexp.MustCompile(`<title>[^<]* compared: [^<]* · adconform</title>`), WriteHTML},
	{"compare.md", regexp.MustCompile(`\A# adconform: \d+ targets? compared`), WriteMarkdown},
	{"compare.json", regexp.MustCompile(`"schema": *"adconform/compare/`), WriteJSON},
}

// CheckDir makes a folder for a comparison and finds out whether it may be written there.
func CheckDir(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%s: %w; name a folder that can be written", dir, files.WithoutPath(err))
	}
	for _, f := range formats {
		if err := report.CheckOwn(filepath.Join(dir, f.name), f.mark); err != nil {
			return err
		}
	}
	return nil
}

// WriteDir writes index.html, compare.md and compare.json into a folder. Each is there whole or
// not at all.
func WriteDir(dir string, c *Comparison) error {
	for _, f := range formats {
		err := files.Write(filepath.Join(dir, f.name), 0o644, func(w io.Writer) error { return f.write(w, c) })
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes a comparison as compare.json, of the form that SchemaJSON gives.
func WriteJSON(w io.Writer, c *Comparison) error { return files.WriteJSON(w, c, " ") }

// SchemaJSON returns the JSON Schema (2020-12) of compare.json.
func SchemaJSON() []byte { return schemaJSON }
