package render

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// fieldWidth is the width of the names of lines, with their indentation.
const fieldWidth = 12

// marks holds the marks of lines that are not plain.
var marks = map[string]Mark{
	"sent": Unsure, "cases": Faint, "check": Faint, "new": Breaks,
}

// finding shows a finding, in at most a screenful: its fields, and the requests that show it, in order.
func (p *screen) finding(f *report.Finding) {
	p.say(0,
		map[bool]Mark{true: Critical, false: Breaks}[f.Impact == spec.Critical],
		"%s", f.Headline())
	for _, l := range f.Lines() {
		p.add(fmt.Sprintf("  %-*s", fieldWidth-2, l.Name),
			marks[l.Name],
			Wrap(wording.Printable(l.Text), p.Width-fieldWidth))
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
func Describe(f *report.Finding) string {
	p := newScreen(Style{Width: 240})
	p.finding(f)
	return strings.Join(p.rows, "\n")
}

// ShortCurl shortens a curl line for places with little room.
func ShortCurl(curl string) string { return wording.ClipPrintable(curl, 1200) }

// Told returns the headline of a finding and its sentence.
func Told(f *report.Finding) string {
	headline := f.Headline()
	sentence := f.Sentence()
	if headline == sentence {
		return sentence
	}
	return headline + ". " + sentence
}
