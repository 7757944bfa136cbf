// Package files writes files and JSON, and words what is wrong with a file.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
// never sees half of it.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
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
