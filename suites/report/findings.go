package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// statusNumber is a status that stands for itself: "status 404".
var statusNumber = regexp.MustCompile(`\bstatus ([0-9]{3})`)

// Sentence says in one line what is wrong, for someone who does not know the
// tool: "updateCampaign answered 200 where 401 was expected".
func Sentence(f *oracle.Finding) string {
	subject := f.Operation
	if subject == allOperations {
		subject = "the operations"
	}
	status, isStatus := strings.CutPrefix(f.Got, "status ")
	expected, text := statusNumber.ReplaceAllString(f.Expected, "$1"), ""
	switch {
	case isStatus && f.Pointer == "" && (strings.Contains(expected, ", which ") || strings.Contains(expected, ": ")):
		text = fmt.Sprintf("%s answered %s; expected was %s", subject, status, expected)
	case isStatus && f.Pointer == "":
		text = fmt.Sprintf("%s answered %s where %s was expected", subject, status, expected)
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

// Told returns the cause of a finding, and what was seen.
func Told(f *oracle.Finding) string {
	headline, sentence := Headline(f), Sentence(f)
	if headline == sentence {
		return sentence
	}
	return headline + ". " + sentence
}

// told is a finding beside what every form says of it in words.
type told struct {
	*oracle.Finding
	Often  string `json:"often"`            // which check saw it, and how often
	Sent   string `json:"sent,omitempty"`   // where in a request stands what: "an array for a text, name: [\"Teal\"]"
	Answer string `json:"answer,omitempty"` // the server's own message
}

func tell(f *oracle.Finding) told {
	t := told{Finding: f, Often: "check " + f.Check}
	if f.Of > 0 {
		t.Often = fmt.Sprintf("check %s, seen %d of %s", f.Check, f.Seen, wording.Count(f.Of, "time"))
	}
	if f.Answer != nil {
		t.Answer = f.Answer.Says
	}
	if f.Sent != nil {
		place, name, _ := strings.Cut(f.Sent.At, ":")
		at := map[string]string{"path": name + " in the path", "query": name + " in the query", "header": "header " + name}[place]
		if strings.HasPrefix(place, "/") {
			at = f.Sent.At[1:]
		}
		t.Sent = strings.Trim(strings.Trim(at+": "+f.Sent.Value, ": ")+", "+f.Sent.What, ", ")
	}
	return t
}

// field is what a form for people says beside a name.
type field struct{ name, text string }

// fields are those that every form for people has.
func (t told) fields() []field {
	with := ""
	if len(t.Shows) > judge.MaxShows { // the title does not name all
		with = strings.Join(t.Shows, ", ")
	}
	return []field{{"sent", t.Sent}, {"with", with}, {"expected", t.Expected}, {"got", t.Got}, {"server", t.Answer}}
}

// explained says which command leads from a check to what it judges, and where.
func (t told) explained(check string) string {
	return check + ", see adconform explain " + wording.Printable(t.Check)
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

// ShortCurl shortens a curl line; of one that is too long it keeps the beginning and the end.
func ShortCurl(curl string) string {
	line := wording.Printable(curl)
	if len(line) <= maxCurl {
		return line
	}
	head, tail := line[:maxCurl/2], line[len(line)-maxCurl/4:]
	return strings.ToValidUTF8(fmt.Sprintf("%s […%d bytes…] %s", head, len(line)-len(head)-len(tail), tail), "")
}

// Describe returns a finding as the failure of a test tells it, in lines that end.
func Describe(f *oracle.Finding) string {
	t, hint := tell(f), ""
	if h := judge.HintFor(f); h != nil {
		hint = h.String()
	}
	clause := strings.TrimSuffix(fmt.Sprintf("%s (%s), at %s", f.Clause, f.Basis, f.Pointer), ", at ")
	lines := append([]field{{"clause", clause}, {"impact", string(f.Impact)}}, t.fields()...)
	lines = append(lines, field{"hint", hint})
	for i, q := range f.Requests {
		lines = append(lines, field{fmt.Sprintf("%d.", i+1), fmt.Sprintf("%s # answered %s", ShortCurl(q.Curl), q.Then)})
	}
	if len(f.Requests) == 0 {
		lines = append(lines, field{"again", ShortCurl(f.Curl)})
	}
	text := Headline(f) + "\n"
	for _, l := range append(lines, field{"check", t.explained(f.Check)}, field{"spec", f.Location}, field{"known", f.Known}) {
		if l.text != "" {
			text += fmt.Sprintf("  %-9s %s\n", l.name, wording.Printable(l.text))
		}
	}
	return text
}
