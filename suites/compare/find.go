package compare

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites/report"
)

// maxReports bounds a comparison: its page has a column for each target.
const maxReports = 2000

// source is a report.json and the folder that was named, in which it was found.
type source struct{ path, root string }

// shown is the path as others may see it, who do not know this machine: from the folder on that
// was named.
func (s source) shown() string {
	rel, err := filepath.Rel(s.root, s.path)
	if err != nil {
		rel = filepath.Base(s.path)
	}
	if base := filepath.Base(s.root); base != "." && base != ".." && base != string(filepath.Separator) {
		rel = filepath.Join(base, rel)
	}
	return sentence(filepath.ToSlash(rel))
}

// find finds the reports at paths, each once and in order.
func find(paths []string) ([]source, error) {
	var all []source
	var problems []error
	for _, path := range paths {
		found, err := findAt(path)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%s: no %s in it or below it; %s", path, report.JSONFile, nameOne)
		}
		if err != nil {
			problems = append(problems, err)
		}
		all = append(all, found...)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	slices.SortStableFunc(all, func(a, b source) int { return strings.Compare(a.path, b.path) })
	all = slices.CompactFunc(all, func(a, b source) bool { return a.path == b.path })
	if len(all) > maxReports {
		return nil, fmt.Errorf("%d reports are more than the %d that one page compares; name fewer", len(all), maxReports)
	}
	return all, nil
}

const nameOne = "name a " + report.JSONFile + ", the folder that holds one, or one that holds such folders"

// findAt finds the reports at a path. Below a folder no link is followed, and no hidden folder
// looked into.
func findAt(path string) (found []source, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", path, files.WithoutPath(err), nameOne)
	}
	if !info.IsDir() {
		return []source{{filepath.Clean(path), filepath.Dir(path)}}, nil
	}
	err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w; make it readable", at, files.WithoutPath(err))
		case entry.IsDir() && at != path && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.Name() == report.JSONFile && !entry.IsDir():
			found = append(found, source{filepath.Clean(at), path})
		}
		return nil
	})
	return found, err
}

// noneReadable is what is wrong where no report could be taken.
func noneReadable(left []LeftOut) error {
	var all []error
	for _, l := range left {
		all = append(all, fmt.Errorf("%s: %s", l.at, l.Problem))
	}
	return errors.Join(all...)
}
