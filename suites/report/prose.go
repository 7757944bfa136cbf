package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Headline returns the title of a finding, or that of a sighting, or what came where neither has one.
func (f *Finding) Headline() string {
	words := cmp.Or(f.Title, f.CaseTitle)
	switch {
	case words != "":
		return words
	case f.CauseWords == "":
		return f.Sentence()
	}
	return wording.Printable(f.Operation + ": " + f.CauseWords) // of a report that was read
}

// Sentence returns what was expected and what came in one line: "updateCampaign at /data/id: expected an
// integer; got "1"".
func (f *Finding) Sentence() string {
	subject := f.Operation
	if subject == AllOperations {
		subject = "the operations"
	}
	if f.Pointer != "" {
		subject += " at " + f.Pointer
	}
	return wording.Printable(fmt.Sprintf("%s: expected %s; got %s", subject, visible(f.Expected),
		visible(f.Got)))
}

const (
	spaceMark    = "␠"    // stands for a space that nobody would see
	escapedQuote = "\x00" // stands for \", which does not end a quoted part
)

var (
	atEnds  = regexp.MustCompile(`^ +| +$`)
	several = regexp.MustCompile(`  +`)
)

// visible marks the spaces that a reader would overlook, or a page or a terminal would drop: at the ends of a text
// or of a quoted part of it, and several in a row. Other white space is escaped where the text is made.
func visible(text string) string {
	mark := func(spaces string) string { return strings.Repeat(spaceMark, len(spaces)) }
	text = atEnds.ReplaceAllStringFunc(strings.ReplaceAll(text, `\"`, escapedQuote), mark)
	parts := strings.Split(text, `"`)
	for i := 1; i < len(parts); i += 2 { // quoted
		parts[i] = atEnds.ReplaceAllStringFunc(parts[i], mark)
	}
	text = several.ReplaceAllStringFunc(strings.Join(parts, `"`), mark)
	return strings.ReplaceAll(text, escapedQuote, `\"`)
}

// A Line is a line of a finding as shown to people.
type Line struct{ Name, Text string }

// maxCases limits the cases of a finding that are named; report.json and the page have all.
const maxCases = 3

// Lines returns the lines of a finding that are shown to people. Those of a sighting of one case also have its spec.
func (f *Finding) Lines() []Line {
	isSighting := f.Clauses == nil
	hint := f.Hint
	location := ""
	with := ""
	added := ""
	server := ""
	if isSighting {
		hint = cmp.Or(hint, f.CaseHint)
		location = f.Location
	}
	if len(f.Shows) > 2 && !strings.Contains(f.Title, strings.Join(f.Shows, ", ")) { // it does not name all
		with = strings.Join(f.Shows, ", ")
	}
	if len(f.NewCases) > 0 {
		added = "the baseline does not list " + wording.Some(f.NewCases, maxCases)
	}
	if f.Answer != nil {
		server = f.Answer.Says
	}
	return slices.DeleteFunc([]Line{
		{"clause", f.clauseLine()},
		{"at", f.placeLine()},
		{"sent", visible(f.Sent.line())},
		{"with", with},
		{"expected", visible(f.Expected)},
		{"got", visible(f.Got)},
		{"server", server},
		{"hint", hint},
		{"cases", wording.Some(f.Cases, maxCases)},
		{"new", added},
		{"known", f.Known},
		{"check", f.checkLine()},
		{"spec", location},
	}, func(l Line) bool { return l.Text == "" })
}

func (f *Finding) clauseLine() string {
	rank := string(f.Basis)
	if f.Impact != "" { // it is known only at the end of a run
		rank += ", " + string(f.Impact)
	}
	text := fmt.Sprintf("%s (%s)", f.Clause, rank)
	if c := spec.Load().Clause(f.Clause); c != nil {
		text += " " + strings.TrimSuffix(c.Text+" ["+c.Source+"]", " []")
	}
	if len(f.Clauses) > 1 {
		text += " Also " + wording.List(f.Clauses[1:]) + "."
	}
	return text
}

func (f *Finding) placeLine() string {
	if header, is := strings.CutPrefix(f.Pointer, "header:"); is {
		return "header " + header
	}
	if strings.HasPrefix(f.Pointer, "/") {
		return f.Pointer + " of the body"
	}
	if strings.HasPrefix(f.Pointer, "request:") { // a combination of parts, which the line "sent" describes
		return ""
	}
	return f.Pointer
}

func (f *Finding) checkLine() string {
	text := f.Check
	if f.Of > 0 {
		text += fmt.Sprintf(", failed %d of %s", f.Seen, wording.Count(f.Of, "check"))
	}
	return text + ", see adconform explain " + f.Check
}

// line returns a part of a request in a line: "name: ["Teal"], an array for a text".
func (s *Sent) line() string {
	if s == nil {
		return ""
	}
	kind, name, _ := strings.Cut(s.At, ":")
	at := map[string]string{
		"path": name + " in the path", "query": name + " in the query", "header": "header " + name,
	}[kind]
	if field, is := strings.CutPrefix(s.At, "/"); is {
		at = field
	}
	text := s.Value
	if at != "" && text != "" {
		text = at + ": " + text
	}
	return strings.Trim(cmp.Or(text, at)+", "+s.What, ", ")
}
