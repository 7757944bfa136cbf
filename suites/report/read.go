package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adconform/adconform/internal/wording"
)

// JSONFile is the name of the complete report in a report folder.
const JSONFile = "report.json"

// Read reads a report.json, or the one in a report folder.
func Read(path string) (*Report, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, JSONFile)
	}
	data, err := wording.ReadText(path, 256)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a %s or the folder that contains one", path, err, JSONFile)
	}
	var r Report
	err = json.Unmarshal(data, &r)
	if r.Schema != Schema && !errors.As(err, new(*json.SyntaxError)) {
		err = fmt.Errorf("its schema is %q, this version reads %q", r.Schema, Schema)
	}
	if err == nil && len(r.Clauses) > 0 {
		return &r, nil
	}
	return nil, fmt.Errorf("%s: %w; name a complete %s, as adconform run --report writes it", path,
		cmp.Or(err, errors.New("it has no clauses")), JSONFile)
}
