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
			return Printable(fmt.Sprintf("%s answered %s; expected was %s", subject(f), status, expected))
		}
		return Printable(fmt.Sprintf("%s answered %s where %s was expected", subject(f), status, expected))
	}
	if point, ok := strings.CutPrefix(f.Pointer, openPoint); ok && f.Operation == "all" {
		return Printable(fmt.Sprintf("the operations differ at the open point %s: %s", point, f.Got))
	}
	if f.Severity == oracle.Transport {
		return Printable(fmt.Sprintf("%s gave no complete answer: %s", subject(f), f.Got))
	}
	return Printable(fmt.Sprintf("%s: expected %s, got %s", located(f), f.Expected, f.Got))
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

// findings tells violations and lost answers by clause, as many as fit into
// so many rows; the first is always told.
func (p *screen) findings(r *Report, rows int) []line {
	texts := map[string]string{}
	for _, c := range r.Clauses {
		texts[c.ID] = c.Text
	}
	found := failing(r)
	if len(found) == 0 {
		return nil
	}
	lines := title("%s", wording.Count(len(found), "finding"))
	clause, told := "", 0
	for _, f := range found {
		var block []line
		if f.Clause != clause {
			block = []line{{text: fmt.Sprintf("%s (%s) %s", f.Clause, f.Basis, texts[f.Clause]), style: bold}}
		}
		block = append(block, p.finding(f)...)
		const lastLine = 1 // "… and N more"
		if told > 0 && p.height(lines)+p.height(block)+lastLine > rows {
			break
		}
		lines = append(lines, block...)
		clause = f.Clause
		told++
	}
	return append(lines, p.more(len(found)-told, "finding")...)
}

// fresh says whether a finding is one of those that a run is about: no notice,
// and not known already.
func fresh(f *oracle.Finding) bool { return f.Severity != oracle.Notice && f.Known == "" }

func (p *screen) finding(f *oracle.Finding) []line {
	var lines []line
	if _, ok := answered(f); ok || f.Severity == oracle.Transport {
		lines = append(lines, line{indent: 2, text: Sentence(f), style: red})
	} else {
		lines = append(
			lines,
			line{indent: 2, text: located(f), style: red},
			line{indent: 4, text: "expected: " + f.Expected},
			line{indent: 4, text: "got:      " + f.Got},
		)
	}
	text := fmt.Sprintf("%s, first in case %s", often(f), f.Case)
	if title := p.titles[f.Case]; title != "" {
		text += ": " + title
	}
	lines = append(lines, line{indent: 4, text: text, style: faint})
	if len(f.NewCases) > 0 {
		lines = append(lines, line{indent: 4, text: newCases(f), style: red})
	}
	return append(lines, p.curl(f.Curl, 4)...)
}

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

// maxCurlRows is the longest curl line that a summary shows.
const maxCurlRows = 5

func (p *screen) curl(curl string, indent int) []line {
	if curl == "" {
		return nil
	}
	l := []line{{indent: indent, text: curl, raw: true, style: plain}}
	if p.height(l) > maxCurlRows {
		return []line{{indent: indent, text: "its request is too long to be shown here: " + p.seeReport(JSONFile), style: faint}}
	}
	return l
}
