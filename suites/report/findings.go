package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
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
