package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/adconform/adconform/internal/files"
)

// Read reads a report.json, or the one of a report folder.
func Read(path string) (*Report, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, JSONFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a %s or the folder that holds one", path, files.WithoutPath(err), JSONFile)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	var kind *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &head); err != nil && !errors.As(err, &kind) {
		return nil, fmt.Errorf("%s%s: not JSON: %w", path, lineOf(data, err), err)
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("%s: its schema is %q, this version reads %q; name a %s of adconform run --report",
			path, head.Schema, Schema, JSONFile)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s%s: %w", path, lineOf(data, err), err)
	}
	if !slices.Contains([]Verdict{Conforming, Nonconforming, Inconclusive}, r.Verdict) || len(r.Clauses) == 0 {
		return nil, fmt.Errorf("%s: it has no verdict or no clauses: name a whole %s, as adconform run --report writes it", path, JSONFile)
	}
	return &r, nil
}

// lineOf is ":12" where an error says at which byte it is.
func lineOf(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(0)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return ""
	}
	n := 1
	for _, b := range data[:min(offset, int64(len(data)))] {
		if b == '\n' {
			n++
		}
	}
	return fmt.Sprintf(":%d", n)
}
