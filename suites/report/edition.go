package report

import (
	"fmt"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// outside says whether a finding is about something that does not count in the edition of
// the run.
func outside(f *oracle.Finding) bool { return !f.Counts() }

// byEdition names the edition in the headline where that is not the newest, or where it
// lets something pass.
func (r *Report) byEdition() string {
	if r.Edition == "" || r.NewestEdition == "" && len(pick(r, outside)) == 0 {
		return ""
	}
	return " by edition " + r.Edition
}

// editionLine is the edition of a report, for those who did not make it.
func (r *Report) editionLine() string {
	switch {
	case r.Edition == "":
		return ""
	case r.NewestEdition != "":
		return fmt.Sprintf("Edition %s; the newest is %s", r.Edition, r.NewestEdition)
	}
	return "Edition " + r.Edition
}

// outsideTitle is above the findings that do not count.
func (r *Report) outsideTitle(n int) string {
	does := "do"
	if n == 1 {
		does = "does"
	}
	return fmt.Sprintf("%s that %s not count in edition %s", wording.Count(n, "finding"), does, r.Edition)
}
