// Package files writes files and JSON, and words what is wrong with a file.
package files

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
	"unicode/utf8"
)

// WithoutPath is what is wrong with a file, without its name.
func WithoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Write writes a file by way of a temporary one beside it, so that a reader
// never sees half of it. What is there and is no regular file, such as a pipe or
// /dev/null, is written to: renaming onto it would take it from all who use it.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeInto(path, write)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".adconform-*")
	if err != nil {
		return fmt.Errorf("%s: %w", path, WithoutPath(err)) // which is that of the temporary file
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
			os.Remove(f.Name())
		}
	}()
	if err := errors.Join(write(f), f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// writeInto writes to a device or pipe that is there.
func writeInto(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, WithoutPath(err))
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Rewrite writes the text of a file that may be there: with its mode, and where it is a
// symbolic link through the link.
func Rewrite(path string, text []byte) error {
	mode := fs.FileMode(0o644)
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		path = linked
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// WriteJSON writes a value as indented JSON in which every character that is
// not printable stands as an escape: what a target sent cannot act on a terminal
// that shows the file, and is no command to a runner of GitHub Actions (##[…]).
// Such characters occur in JSON within strings only.
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(EscapeJSON(b.Bytes()))
	return err
}

// EscapeJSON escapes these characters in a text of JSON.
func EscapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if c := text[i]; c < 0x7f {
			out = append(out, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case unicode.IsPrint(r):
			out = append(out, text[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return bytes.ReplaceAll(out, []byte("##["), []byte(`#\u0023[`))
}
