package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// What the forms for people tell of a report: the terminal and Markdown.

// pick is those findings of a report that are wanted, worst first.
func pick(r *Report, wanted func(*oracle.Finding) bool) []*oracle.Finding {
	var found []*oracle.Finding
	for i := range r.Findings {
		if wanted(&r.Findings[i]) {
			found = append(found, &r.Findings[i])
		}
	}
	return found
}

// maxCurl is the longest curl line, in bytes, that files show in which there is no room.
const maxCurl = 2000

// curlLine is a finding's request on one line, to be copied.
func curlLine(f *oracle.Finding) string {
	if line := wording.Printable(f.Curl); len(line) <= maxCurl {
		return line
	}
	return "# its request is too long to be shown here, see " + JSONFile
}

func isAccepted(f *oracle.Finding) bool { return f.Known != "" }

func isIgnored(f *oracle.Finding) bool { return !f.Counts() }

// ignoredTitle is above the findings that do not count.
func ignoredTitle(n int) string {
	if n == 1 {
		return "1 finding that does not count"
	}
	return wording.Count(n, "finding") + " that do not count"
}

// untestedGroup are the cases that were not tested for one reason.
type untestedGroup struct {
	reason  string
	cause   judge.Cause
	cases   int
	clauses []string // that no other case judged
}

// untestedGroups are the reasons for which cases were not tested, the
// operator's part first, the largest group first.
func untestedGroups(r *Report) []*untestedGroup {
	open := map[string]bool{}
	for _, c := range r.Totals() {
		open[c.ID] = c.Status == NotTested
	}
	byReason := map[string]*untestedGroup{}
	var groups []*untestedGroup
	for _, c := range r.Results {
		if c.Status != judge.NotTested {
			continue
		}
		g := byReason[c.Reason]
		if g == nil {
			reason := c.Reason
			if need, ok := strings.CutSuffix(reason, " is not in the target file"); ok {
				reason = "without " + need
			}
			g = &untestedGroup{reason: reason, cause: c.Cause}
			byReason[c.Reason] = g
			groups = append(groups, g)
		}
		g.cases++
		for _, id := range c.Clauses {
			if open[id] && !slices.Contains(g.clauses, id) {
				g.clauses = append(g.clauses, id)
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b *untestedGroup) int {
		return cmp.Or(cmp.Compare(a.cause, b.cause), b.cases-a.cases)
	})
	return groups
}

// notRestored are the updates that were not undone. Disposables are there to be
// deleted, so they are left out.
func notRestored(r *Report) []session.Change {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c session.Change) bool { return c.Restored || c.Change == "deleted" })
}

// restoredWithReservation are the updates that were undone, but for what Reason says.
func restoredWithReservation(r *Report) []session.Change {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c session.Change) bool {
		return !c.Restored || c.Change == "deleted" || c.Reason == ""
	})
}
