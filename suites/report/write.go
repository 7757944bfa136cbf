package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
)

// WriteFile writes a file by way of a temporary one beside it, so that a reader
// never sees half of it. It writes directly to an existing pipe, /dev/null or other file
// that is not regular: renaming onto it would replace it for everyone.
func WriteFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	device := err == nil && !info.Mode().IsRegular() && !info.IsDir()
	var f *os.File
	if device {
		f, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		f, err = os.CreateTemp(filepath.Dir(path), ".adconform-*")
	}
	if err != nil {
		return fmt.Errorf("%s: %w; %s", path, wording.WithoutPath(err), writable) // the path may be that of the temporary file
	}
	err = write(f)
	if !device {
		err = errors.Join(err, f.Chmod(mode))
	}
	if err = errors.Join(err, f.Close()); err == nil && !device {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if !device {
			os.Remove(f.Name())
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// WriteJSON writes a value as indented JSON in which every unprintable character is
// escaped, so that text from a target cannot affect a terminal that shows the file, or
// be a command to a runner of GitHub Actions (##[…]). In JSON, such characters occur
// only within strings.
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeJSON(b.Bytes()))
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
	return bytes.ReplaceAll(out, []byte("##["), []byte(`#\u0023[`))
}
