package report

import (
	"fmt"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// outside says whether a finding does not count: in the edition of the run, or as its basis is
// not asked for.
func outside(f *oracle.Finding) bool { return !f.Counts() }

// outsideEdition says whether it does not count in the edition.
func outsideEdition(f *oracle.Finding) bool { return outside(f) && f.Ignored == "" }

// byEdition names the edition in the headline where that is not the newest, or where it
// lets something pass.
func (r *Report) byEdition() string {
	if r.Edition == "" || r.NewestEdition == "" && len(pick(r, outsideEdition)) == 0 {
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
	title := wording.Count(n, "finding") + " that do not count"
	if n == 1 {
		title = "1 finding that does not count"
	}
	if len(pick(r, outsideEdition)) == n {
		title += " in edition " + r.Edition
	}
	return title
}
