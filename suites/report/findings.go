package report

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
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
	if point, ok := strings.CutPrefix(f.Pointer, openPoint); ok && f.Operation == allOperations {
		return wording.Printable(fmt.Sprintf("the operations differ at the open point %s: %s", point, f.Got))
	}
	if f.Severity == oracle.Transport {
		return wording.Printable(fmt.Sprintf("%s gave no complete answer: %s", subject(f), f.Got))
	}
	at := subject(f)
	if f.Pointer != "" {
		at += " at " + f.Pointer
	}
	if strings.HasPrefix(f.Pointer, "/") {
		at += " of the body"
	}
	return wording.Printable(fmt.Sprintf("%s: expected %s, got %s", at, f.Expected, f.Got))
}

// Headline says what is wrong: the title of a finding, or what one case saw of it, by its cause.
func Headline(f *oracle.Finding) string {
	switch {
	case f.Title != "":
		return f.Title
	case f.CauseWords == "":
		return Sentence(f)
	}
	return judge.Headline(f)
}

// Told is the cause of a finding, and what was seen.
func Told(f *oracle.Finding) string {
	if headline, sentence := Headline(f), Sentence(f); headline != sentence {
		return headline + ". " + sentence
	}
	return Sentence(f)
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
	if f.Operation == allOperations {
		return "the operations"
	}
	return f.Operation
}

// sentOf says where in a request stands what: "an array for a text, name: [\"Teal\"]"; "" for
// nothing.
func sentOf(f *oracle.Finding) string {
	if f.Sent == nil {
		return ""
	}
	s := f.Sent
	place, name, _ := strings.Cut(s.At, ":")
	at := map[string]string{"path": name + " in the path", "query": name + " in the query", "header": "header " + name}[place]
	if strings.HasPrefix(s.At, "/") {
		at = s.At[1:]
	}
	text := strings.TrimPrefix(at+": "+s.Value, ": ")
	if s.Value == "" {
		text = at
	}
	return cmp.Or(strings.Trim(text+", "+s.What, ", "), s.What)
}

func serverSays(f *oracle.Finding) string {
	if f.Answer == nil {
		return ""
	}
	return f.Answer.Says
}

// explain is the command that leads from a finding to what is judged, and where.
func explain(f *oracle.Finding) string { return "adconform explain " + wording.Printable(f.Check) }

// often says which check saw a finding, and how often.
func often(f *oracle.Finding) string {
	text := "check " + f.Check
	if f.Of > 0 {
		text += fmt.Sprintf(", seen %d of %s", f.Seen, wording.Count(f.Of, "time"))
	}
	return text
}

// maxNewCases is how many new cases of a finding are named; report.json has all.
const maxNewCases = 12

// newCases says in which cases a finding is not covered by its entry.
func newCases(f *oracle.Finding) string {
	return fmt.Sprintf("new in %s that the baseline does not list for it: %s",
		wording.Count(len(f.NewCases), "case"), wording.Some(f.NewCases, maxNewCases))
}

// maxCurl is the longest curl line, in bytes, where there is not much room.
const maxCurl = 1200

// ShortCurl is a curl line; of one that is too long the beginning and the end, and how much is
// left out between.
func ShortCurl(curl string) string {
	line := wording.Printable(curl)
	if len(line) <= maxCurl {
		return line
	}
	head, tail := line[:maxCurl/2], line[len(line)-maxCurl/4:]
	for !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	for !utf8.ValidString(tail) {
		tail = tail[1:]
	}
	return fmt.Sprintf("%s […%d characters…] %s", head, utf8.RuneCountInString(line)-utf8.RuneCountInString(head+tail), tail)
}

// Describe is a finding as the failure of a test tells it, in lines that end.
func Describe(f *oracle.Finding) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, wording.Printable(text))
		}
	}
	fmt.Fprintf(&b, "%s\n", Headline(f))
	at := f.Pointer
	if at != "" {
		at = ", at " + at
	}
	line("clause", fmt.Sprintf("%s (%s)%s", f.Clause, f.Basis, at))
	line("impact", string(f.Impact))
	line("sent", sentOf(f))
	line("expected", f.Expected)
	line("got", f.Got)
	line("server", serverSays(f))
	if h := judge.HintFor(f); h != nil {
		line("hint", h.String())
	}
	for i, q := range f.Requests {
		line(fmt.Sprintf("%d.", i+1), fmt.Sprintf("%s # answered %s", ShortCurl(q.Curl), q.Then))
	}
	if len(f.Requests) == 0 {
		line("again", ShortCurl(f.Curl))
	}
	line("check", fmt.Sprintf("%s, see %s", f.Check, explain(f)))
	line("spec", f.Location)
	line("known", f.Known)
	return b.String()
}
