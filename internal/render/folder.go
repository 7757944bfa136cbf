package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// formats lists the files of a report folder, each with a pattern that only files of adconform match.
var formats = []struct {
	file  string
	mark  *regexp.Regexp
	write func(*View, io.Writer) error
}{
	{"junit.xml", regexp.MustCompile(`<testsuite name="[^"]*" package="adconform"`), (*View).WriteJUnit},
	{
		"findings.sarif", regexp.MustCompile(`(?s)"\$schema": *"[^"]*sarif[^"]*".*"name": *"adconform"`),
		(*View).WriteSARIF,
	},
	{harFile, regexp.MustCompile(`"creator": *\{"name": *"adconform"`), (*View).WriteHAR},
	{"summary.md", regexp.MustCompile(`\A# \S+ adconform: `), (*View).WriteMarkdown},
	{htmlFile, regexp.MustCompile(`<title>[^<]* · adconform</title>`), (*View).WriteHTML},
	{report.JSONFile, regexp.MustCompile(`"schema": *"adconform/report/`), (*View).WriteJSON},
}

// PrepareDir creates a report folder. It checks that files can be written there, so that a run does not end
// without its report, and that it would overwrite no file of others. It removes the report of an earlier
// run, which could be mistaken for that of a run that is killed before it writes its own.
// Errors name the folder and a remedy. "" means no folder.
func PrepareDir(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return dirError(dir, err)
	}
	for _, f := range formats {
		if err := CheckOwn(filepath.Join(dir, f.file), f.mark, "folder"); err != nil {
			return fmt.Errorf("report folder: %w", err)
		}
	}
	if err := WriteFile(filepath.Join(dir, report.JSONFile), 0o644, func(io.Writer) error { return nil }); err != nil {
		return fmt.Errorf("report folder: %w", err)
	}
	for _, f := range formats {
		if err := os.Remove(filepath.Join(dir, f.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return dirError(dir, err)
		}
	}
	return nil
}

// Clear removes the report of an earlier run from a folder, but no file of others and none of those to keep.
func Clear(dir string, keep ...string) {
	if dir == "" {
		return
	}
	for _, f := range formats {
		path := filepath.Join(dir, f.file)
		info, err := os.Stat(path)
		isKept := func(file string) bool {
			other, err := os.Stat(file)
			return err == nil && os.SameFile(info, other)
		}
		if err != nil || !info.Mode().IsRegular() || slices.ContainsFunc(keep, isKept) {
			continue
		}
		if data, err := os.ReadFile(path); err == nil && f.mark.Match(data) {
			_ = os.Remove(path) // the error that led here is reported
		}
	}
}

const writable = "name a writable folder, on a disk with space"

func dirError(dir string, err error) error {
	return fmt.Errorf("report folder %s: %w; %s", dir, wording.WithoutPath(err), writable)
}

// WriteDir writes the view of a report into a folder in every format, and creates the folder if
// necessary. Each file is written completely or not at all.
func WriteDir(dir string, v *View) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return dirError(dir, err)
	}
	for _, f := range formats {
		write := func(w io.Writer) error { return f.write(v, w) }
		if err := WriteFile(filepath.Join(dir, f.file), 0o644, write); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes report.json, which report.schema.json describes.
func (v *View) WriteJSON(w io.Writer) error {
	return WriteJSON(w, v.Report, "  ")
}

// CheckOwn returns an error if a file must not be overwritten, as adconform did not write it. The error asks
// for another one of what the user named: a file or a folder.
func CheckOwn(path string, mark *regexp.Regexp, named string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name another %s, or move it away", path, named)
	case err == nil && !info.Mode().IsRegular(): // a pipe, a device
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w; name another %s, or make it readable", path, wording.WithoutPath(err), named)
	}
	if len(data) > 0 && !mark.Match(data) {
		return fmt.Errorf("%s exists and adconform did not write it; name another %s, or move it away", path, named)
	}
	return nil
}

// WriteFile writes a file by way of a temporary one beside it, so that a reader
// never sees half of it. It writes directly to an existing pipe, /dev/null or other file
// that is not regular: renaming onto it would replace it for everyone.
func WriteFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".adconform-*")
	if err != nil {
		return fmt.Errorf("%s: %w; %s", path, wording.WithoutPath(err),
			writable) // the path would be that of the temporary file
	}
	defer os.Remove(f.Name()) // unless it is renamed
	if err = errors.Join(write(f), f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// WriteJSON writes a value as indented JSON in which every unprintable character is
// escaped, so that text from a target cannot affect a terminal that shows the file, nor
// command the runner of a pipeline. In JSON, such characters occur only within strings.
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w,
		wording.Inert(string(escapeJSON(b.Bytes()))))
	return err
}

// escapeJSON escapes these characters in a JSON text.
func escapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		switch r, n = utf8.DecodeRune(text[i:]); {
		case r < ' ' || unicode.IsPrint(r): // line breaks of the indentation
			out = append(out, text[i:i+n]...)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
	}
	return out
}
