package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// Sentence returns what was expected and what came in one line: "updateCampaign at /data/id: expected an
// integer; got "1"".
func Sentence(f *oracle.Finding) string {
	operation := map[bool]string{true: "the operations", false: f.Operation}[f.Operation == AllOperations]
	subject := strings.TrimSuffix(operation+" at "+f.Pointer, " at ")
	return wording.Printable(fmt.Sprintf("%s: expected %s; got %s", subject, visible(f.Expected), visible(f.Got)))
}

// spaceMark stands for a space that nobody would see.
const spaceMark = '␠'

// visible marks the spaces that a reader would overlook, or a page or a terminal would drop: those at the ends of a
// text or of a quoted part of it, and several in a row. Other white space is escaped where the text is made.
func visible(text string) string {
	runes, inside := []rune(text), false
	isQuote := func(i int) bool { return runes[i] == '"' && (i == 0 || runes[i-1] != '\\') }
	isEdge := func(i int) bool { return i < 0 || i == len(runes) || inside && isQuote(i) }
	isSpace := func(i int) bool { return i >= 0 && i < len(runes) && (runes[i] == ' ' || runes[i] == spaceMark) }
	for i, r := range runes {
		switch {
		case isQuote(i):
			inside = !inside
		case r == ' ' && (isEdge(i-1) || isEdge(i+1) || isSpace(i-1) || isSpace(i+1)):
			runes[i] = spaceMark
		}
	}
	return string(runes)
}

// Headline returns the title of a finding, or the cause if it is the observation of one case.
func Headline(f *oracle.Finding) string {
	switch {
	case f.Title != "":
		return f.Title
	case f.CauseWords == "":
		return Sentence(f)
	}
	return finding.Headline(f)
}

// Told returns the headline of a finding and its sentence.
func Told(f *oracle.Finding) string {
	headline, sentence := Headline(f), Sentence(f)
	if headline == sentence {
		return sentence
	}
	return headline + ". " + sentence
}

// maxCases limits the cases of a finding that are named; report.json and the page have all.
const maxCases = 3

// field is a line of a finding as shown to people: a name and a text.
type field struct{ name, text string }

// fieldWidth is the width of the names of fields, with their indentation.
const fieldWidth = 12

// fields returns the fields of a finding that are shown to people. The observation of one case also has the line
// of its spec, and its own hint.
func fields(f *oracle.Finding) []field {
	clause, sent, server, hint, line, with, fresh, seen := "", "", "", f.Hint, "", "", "", ""
	if c := spec.Load().Clause(f.Clause); c != nil {
		clause = strings.TrimSuffix(c.Text+" ["+c.Source+"]", " []")
	}
	if len(f.Clauses) > 1 {
		clause += " Also " + wording.List(f.Clauses[1:]) + "."
	}
	if f.Sent != nil { // an array for a text, name: ["Teal"]
		place, name, _ := strings.Cut(f.Sent.At, ":")
		at := map[string]string{"path": name + " in the path", "query": name + " in the query", "header": "header " + name}[place]
		if strings.HasPrefix(place, "/") {
			at = f.Sent.At[1:]
		}
		sent = strings.Trim(strings.Trim(at+": "+f.Sent.Value, ": ")+", "+f.Sent.What, ", ")
	}
	if f.Answer != nil {
		server = f.Answer.Says
	}
	if f.Clauses == nil {
		line = f.Location
		if h := finding.HintFor(f); h != nil {
			hint = h.String()
		}
	}
	if len(f.Shows) > finding.MaxShows { // the title does not name all
		with = strings.Join(f.Shows, ", ")
	}
	if len(f.NewCases) > 0 {
		fresh = "the baseline does not list " + wording.Some(f.NewCases, maxCases)
	}
	if f.Of > 0 {
		seen = fmt.Sprintf(", seen %d of %s", f.Seen, wording.Count(f.Of, "time"))
	}
	at, below := strings.CutPrefix(f.Pointer, "header:")
	if at = map[bool]string{true: "header " + at, false: at}[below]; strings.HasPrefix(at, "/") {
		at += " of the body"
	}
	rank := strings.TrimSuffix(fmt.Sprintf("%s, %s", f.Basis, f.Impact), ", ") // the impact is known only at the end of a run
	return slices.DeleteFunc([]field{
		{"clause", strings.TrimSpace(fmt.Sprintf("%s (%s) %s", f.Clause, rank, clause))},
		{"at", at},
		{"sent", visible(sent)},
		{"with", with},
		{"expected", visible(f.Expected)},
		{"got", visible(f.Got)},
		{"server", server},
		{"hint", hint},
		{"cases", wording.Some(f.Cases, maxCases)},
		{"new", fresh},
		{"known", f.Known},
		{"check", f.Check + seen + ", see adconform explain " + f.Check},
		{"spec", line},
	}, func(f field) bool { return f.text == "" })
}

// marks holds the marks of fields that are not plain.
var marks = map[string]Mark{"sent": Unsure, "cases": Faint, "check": Faint, "new": Breaks}

// finding shows a finding, in at most a screenful: its fields, and the requests that show it, in order.
func (p *screen) finding(f *oracle.Finding) {
	p.say(0, map[bool]Mark{true: Critical, false: Breaks}[f.Impact == spec.Critical], "%s", Headline(f))
	for _, l := range fields(f) {
		p.add(fmt.Sprintf("  %-*s", fieldWidth-2, l.name), marks[l.name], Wrap(wording.Printable(l.text), p.Width-fieldWidth))
	}
	if len(f.Requests) == 0 {
		p.curl(f, f.Curl)
	}
	for i, q := range f.Requests {
		if q.Then != "" {
			p.say(2, Plain, "%d. answered %s:", i+1, q.Then)
		}
		p.curl(f, q.Curl)
	}
}

// Describe returns a finding as the text of a failed test.
func Describe(f *oracle.Finding) string {
	p := newScreen(Style{Width: 240})
	p.finding(f)
	return strings.Join(p.rows, "\n")
}

// ShortCurl shortens a curl line for places with little room.
func ShortCurl(curl string) string { return wording.ClipPrintable(curl, 1200) }
