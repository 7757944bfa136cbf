package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Sentence says in one line what is wrong, for someone who does not know the
// tool: "updateCampaign answered 200 where 401 was expected".
func Sentence(f *oracle.Finding) string {
	subject := f.Operation
	if subject == allOperations {
		subject = "the operations"
	}
	status, isStatus := strings.CutPrefix(f.Got, "status ")
	point, isOpen := strings.CutPrefix(f.Pointer, "open:")
	expected, text := statusNumber.ReplaceAllString(f.Expected, "$1"), ""
	switch {
	case isStatus && f.Pointer == "" && (strings.Contains(expected, ", which ") || strings.Contains(expected, ": ")):
		text = fmt.Sprintf("%s answered %s; expected was %s", subject, status, expected)
	case isStatus && f.Pointer == "":
		text = fmt.Sprintf("%s answered %s where %s was expected", subject, status, expected)
	case isOpen && f.Operation == allOperations:
		text = fmt.Sprintf("the operations differ at the open point %s: %s", point, f.Got)
	case f.Severity == oracle.Transport:
		text = fmt.Sprintf("%s gave no complete answer: %s", subject, f.Got)
	case strings.HasPrefix(f.Pointer, "/"):
		text = fmt.Sprintf("%s at %s of the body: expected %s, got %s", subject, f.Pointer, f.Expected, f.Got)
	default:
		at := strings.TrimSuffix(subject+" at "+f.Pointer, " at ")
		text = fmt.Sprintf("%s: expected %s, got %s", at, f.Expected, f.Got)
	}
	return wording.Printable(text)
}

// statusNumber is a status that stands for itself: "status 404".
var statusNumber = regexp.MustCompile(`\bstatus ([0-9]{3})`)

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
	headline, sentence := Headline(f), Sentence(f)
	if headline == sentence {
		return sentence
	}
	return headline + ". " + sentence
}

// sentOf says where in a request stands what: "an array for a text, name: [\"Teal\"]"; "" for
// nothing.
func sentOf(f *oracle.Finding) string {
	if f.Sent == nil {
		return ""
	}
	place, name, _ := strings.Cut(f.Sent.At, ":")
	at := map[string]string{"path": name + " in the path", "query": name + " in the query", "header": "header " + name}[place]
	if strings.HasPrefix(place, "/") {
		at = f.Sent.At[1:]
	}
	text := strings.Trim(at+": "+f.Sent.Value, ": ")
	return strings.Trim(text+", "+f.Sent.What, ", ")
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
	if f.Of == 0 {
		return "check " + f.Check
	}
	return fmt.Sprintf("check %s, seen %d of %s", f.Check, f.Seen, wording.Count(f.Of, "time"))
}

// maxNewCases is how many new cases of a finding are named; report.json has all.
const maxNewCases = 12

// newCases says in which cases a finding is not covered by its entry.
func newCases(f *oracle.Finding) string {
	if len(f.NewCases) == 0 {
		return ""
	}
	return fmt.Sprintf("new in %s that the baseline does not list for it: %s",
		wording.Count(len(f.NewCases), "case"), wording.Some(f.NewCases, maxNewCases))
}

// maxCurl is the longest curl line, in bytes, where there is not much room.
const maxCurl = 1200

// ShortCurl is a curl line; of one that is too long the beginning and the end.
func ShortCurl(curl string) string {
	line := wording.Printable(curl)
	if len(line) <= maxCurl {
		return line
	}
	head, tail := line[:maxCurl/2], line[len(line)-maxCurl/4:]
	return strings.ToValidUTF8(fmt.Sprintf("%s […%d bytes…] %s", head, len(line)-len(head)-len(tail), tail), "")
}

// Describe is a finding as the failure of a test tells it, in lines that end.
func Describe(f *oracle.Finding) string {
	var b strings.Builder
	b.WriteString(Headline(f) + "\n")
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, wording.Printable(text))
		}
	}
	line("clause", strings.TrimSuffix(fmt.Sprintf("%s (%s), at %s", f.Clause, f.Basis, f.Pointer), ", at "))
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
