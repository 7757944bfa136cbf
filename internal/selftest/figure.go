package selftest

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/adconform/adconform/suites/report"
)

// Published is the result in the four numbers that every report carries.
func (r *Result) Published() report.Figure {
	return report.Figure{
		Faults: r.Faults.Of, Caught: r.Faults.Good, Variants: r.Variants.Of, Flagged: r.Variants.Of - r.Variants.Good,
	}
}

func writeFigure(path string, r *Result) error {
	if r.Faults.Of == 0 || r.Variants.Of == 0 || r.Budget > 0 {
		return fmt.Errorf("--figure wants a whole self-test: without --only, --faults, --variants and --budget")
	}
	return report.WriteFile(path, 0o644, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(r.Published())
	})
}
