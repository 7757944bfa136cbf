package report

import (
	"fmt"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// maxNewCases is how many new cases of a finding are named; report.json has all.
const maxNewCases = 12

// newCases says in which cases a finding is not covered by its entry.
func newCases(f *oracle.Finding) string {
	return fmt.Sprintf("new in %s that the baseline does not list for it: %s",
		wording.Count(len(f.NewCases), "case"), wording.Some(f.NewCases, maxNewCases))
}

// outgrown says of an entry what it does not cover, and what to do.
func (b *Baseline) outgrown(e Known) string {
	text := fmt.Sprintf("%s:%d: %s shows in %s that it does not list", b.File, e.Line, e.Cause, wording.Count(len(e.NewCases), "case"))
	if e.Deeper {
		text += "; the run of the entry had less depth and did not run all cases"
	}
	return text + ": put it right, or take them in with adconform baseline add (where it comes and goes, " +
		"write intermittent: true into the entry)"
}
