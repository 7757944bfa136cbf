package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Sentence returns what was expected and what came in one line: "updateCampaign at /data/id: expected an
// integer; got "1"".
func Sentence(f *oracle.Finding) string {
	operation := map[bool]string{true: "the operations", false: f.Operation}[f.Operation == AllOperations]
	subject := strings.TrimSuffix(operation+" at "+f.Pointer, " at ")
	return wording.Printable(fmt.Sprintf("%s: expected %s; got %s", subject, f.Expected, f.Got))
}

// Headline returns the title of a finding, or the cause if it is the observation of one case.
func Headline(f *oracle.Finding) string {
	switch {
	case f.Title != "":
		return f.Title
	case f.CauseWords == "":
		return Sentence(f)
	}
	return judge.Headline(f)
}

// Told returns the headline of a finding and its sentence.
func Told(f *oracle.Finding) string {
	headline, sentence := Headline(f), Sentence(f)
	if headline == sentence {
		return sentence
	}
	return headline + ". " + sentence
}

// told is a finding with descriptions that all formats share.
type told struct {
	*oracle.Finding
	Often  string `json:"often"`            // the check, and how often it saw the finding
	Sent   string `json:"sent,omitempty"`   // the relevant part of the request: "an array for a text, name: [\"Teal\"]"
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

// maxCases limits the cases of a finding that are named; report.json and the page have all.
const maxCases = 3

// field is a line of a finding as shown to people: a name and a text.
type field struct{ name, text string }

// fieldWidth is the width of the names of fields, with their indentation.
const fieldWidth = 12

// String returns a field as a line.
func (f field) String() string {
	return fmt.Sprintf("  %-*s%s", fieldWidth-2, f.name, wording.Printable(f.text))
}

// fields returns the fields of a finding that are shown to people. clause is the text of the clause that
// it breaks, why a hint at the usual cause.
func fields(f *oracle.Finding, clause, why string) []field {
	t, with, fresh := tell(f), "", ""
	if len(f.Shows) > judge.MaxShows { // the title does not name all
		with = strings.Join(f.Shows, ", ")
	}
	if len(f.NewCases) > 0 {
		fresh = "the baseline does not list " + wording.Some(f.NewCases, maxCases)
	}
	at, below := strings.CutPrefix(f.Pointer, "header:")
	if at = map[bool]string{true: "header " + at, false: at}[below]; strings.HasPrefix(at, "/") {
		at += " of the body"
	}
	rank := strings.TrimSuffix(fmt.Sprintf("%s, %s", f.Basis, f.Impact), ", ") // the impact is known only at the end of a run
	return slices.DeleteFunc([]field{
		{"clause", strings.TrimSpace(fmt.Sprintf("%s (%s) %s", f.Clause, rank, clause))},
		{"at", at},
		{"sent", t.Sent},
		{"with", with},
		{"expected", f.Expected},
		{"got", f.Got},
		{"server", t.Answer},
		{"hint", why},
		{"cases", wording.Some(f.Cases, maxCases)},
		{"new", fresh},
		{"known", f.Known},
		{"check", strings.TrimPrefix(t.Often, "check ") + ", see adconform explain " + f.Check},
	}, func(f field) bool { return f.text == "" })
}

// requests returns the requests that show a finding, in order.
func requests(f *oracle.Finding) []oracle.Request {
	if len(f.Requests) == 0 && f.Curl != "" {
		return []oracle.Request{{Curl: f.Curl}}
	}
	return f.Requests
}

// ShortCurl shortens a curl line for places with little room.
func ShortCurl(curl string) string { return wording.ClipPrintable(curl, 1200) }

// Describe returns a finding as the text of a failed test.
func Describe(f *oracle.Finding) string {
	hint := ""
	if h := judge.HintFor(f); h != nil {
		hint = h.String()
	}
	text := Headline(f) + "\n"
	for _, l := range append(fields(f, "", hint), field{"spec", f.Location}) {
		text += l.String() + "\n"
	}
	for _, q := range requests(f) {
		text += field{"again", strings.TrimSuffix(ShortCurl(q.Curl)+" # answered "+q.Then, " # answered ")}.String() + "\n"
	}
	return text
}
