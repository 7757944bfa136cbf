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
