package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// CheckOwn finds out, before anything is sent or written, whether a file may be written:
// one that is there and that adconform did not write stays as it is.
func CheckOwn(path string, mark *regexp.Regexp) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name another, or move it away", path)
	case err == nil && !info.Mode().IsRegular(): // a pipe, a device
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; name another, or make it readable", err)
	}
	if len(data) > 0 && !mark.Match(data) {
		return fmt.Errorf("%s is there, and adconform did not write it; name another, or move it away", path)
	}
	return nil
}

// Holds says whether a folder holds a report of ours.
func Holds(dir string) bool {
	path := filepath.Join(dir, JSONFile)
	_, err := os.Stat(path)
	json := slices.IndexFunc(formats, func(f format) bool { return f.file == JSONFile })
	return err == nil && CheckOwn(path, formats[json].mark) == nil
}
