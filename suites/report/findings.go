package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// Sentence says in one line what is wrong, for someone who does not know the
// tool: "updateCampaign answered 200 where 401 was expected".
func Sentence(f *oracle.Finding) string {
	if status, ok := answered(f); ok {
		expected := statusNumber.ReplaceAllString(f.Expected, "$1")
		if strings.Contains(expected, ", which ") || strings.Contains(expected, ": ") { // a clause follows: "404 for X, which was deleted"
			return wording.Printable(fmt.Sprintf("%s answered %s; expected was %s", subject(f), status, expected))
		}
		return wording.Printable(fmt.Sprintf("%s answered %s where %s was expected", subject(f), status, expected))
	}
	if point, ok := strings.CutPrefix(f.Pointer, openPoint); ok && f.Operation == "all" {
		return wording.Printable(fmt.Sprintf("the operations differ at the open point %s: %s", point, f.Got))
	}
	if f.Severity == oracle.Transport {
		return wording.Printable(fmt.Sprintf("%s gave no complete answer: %s", subject(f), f.Got))
	}
	return wording.Printable(fmt.Sprintf("%s: expected %s, got %s", located(f), f.Expected, f.Got))
}

// Headline says what is wrong by its cause: "updateCampaign: an array is accepted as a
// text: name". That of an older report, which has none, is its sentence.
func Headline(f *oracle.Finding) string {
	if f.CauseWords == "" {
		return Sentence(f)
	}
	text := f.CauseWords
	if f.Operation != allOperations {
		text = f.Operation + ": " + text
	}
	if by := shows(f); by != "" {
		text += ": " + by
	}
	return wording.Printable(text)
}

// Told is the cause of a finding, and what was seen.
func Told(f *oracle.Finding) string {
	if headline, sentence := Headline(f), Sentence(f); headline != sentence {
		return headline + ". " + sentence
	}
	return Sentence(f)
}

// sentOf and serverSays are what a finding tells of its request and of the answer; "" for
// nothing.
func sentOf(f *oracle.Finding) string {
	if f.Sent == nil {
		return ""
	}
	return sentWords(f.Sent)
}

func serverSays(f *oracle.Finding) string {
	if f.Answer == nil {
		return ""
	}
	return f.Answer.Says
}

// openPoint is what the pointer of a finding about an open point begins with.
const openPoint = "open:"

// statusNumber is a status that stands for itself: "status 404".
var statusNumber = regexp.MustCompile(`\bstatus ([0-9]{3})`)

// answered is the status of a finding that is about nothing else.
func answered(f *oracle.Finding) (status string, ok bool) {
	status, ok = strings.CutPrefix(f.Got, "status ")
	return status, ok && f.Pointer == ""
}

func subject(f *oracle.Finding) string {
	if f.Operation == "all" {
		return "the operations"
	}
	return f.Operation
}

// located is the operation and the place in its response.
func located(f *oracle.Finding) string {
	switch {
	case f.Pointer == "":
		return subject(f)
	case strings.HasPrefix(f.Pointer, "/"):
		return subject(f) + " at " + f.Pointer + " of the body"
	}
	return subject(f) + " at " + f.Pointer
}

// explain is the command that leads from a finding to what is judged, and where.
func explain(f *oracle.Finding) string { return "adconform explain " + wording.Printable(f.Check) }

// fresh says whether a finding is one of those that a run is about: no notice, and not
// accepted.
func fresh(f *oracle.Finding) bool { return f.Severity != oracle.Notice && f.Known == "" }

// often says which check saw a finding, how often and in how many cases.
func often(f *oracle.Finding) string {
	text := "check " + f.Check
	if f.Of > 0 {
		text += fmt.Sprintf(", seen %d of %s", f.Seen, wording.Count(f.Of, "time"))
	}
	if n := len(f.Cases); n > 1 {
		text += fmt.Sprintf(" in %d cases", n)
	}
	return text
}

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
