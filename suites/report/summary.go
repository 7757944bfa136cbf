package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
)

// Style says how a summary is laid out.
type Style struct {
	Width  int    // columns; 0 means 80, less than 60 means 60
	Color  bool   // ANSI colours
	Dir    string // folder with report.json, to point at; empty when none was written
	Screen int    // lines, about; 0 means 40
}

// Summary writes what a person wants to know of a run, on about a screen: the
// verdict, what is wrong and how to see it again, what was not tested and why,
// what was not put back. Nothing in it can move the cursor of a terminal.
func Summary(w io.Writer, r *Report, s Style) error {
	s.Width = max(cmp.Or(s.Width, 80), 60)
	s.Screen = cmp.Or(s.Screen, 40)
	p := &screen{Style: s, titles: map[string]string{}}
	for _, c := range r.Results {
		p.titles[c.ID] = c.Title
	}
	head := p.head(r)
	var tail []line
	for _, section := range [][]line{p.baseline(r), p.notices(r), p.untested(r), p.unused(r), p.unrestored(r)} {
		tail = append(tail, section...)
	}
	findings := p.findings(r, s.Screen-p.height(head)-p.height(tail))
	_, err := io.WriteString(w, p.render(slices.Concat(head, findings, tail)))
	return err
}

// line is one line of a summary before it is wrapped and coloured.
type line struct {
	indent int
	text   string
	style  lipgloss.Style
	raw    bool // to be copied: never wrapped
}

type screen struct {
	Style
	titles map[string]string // of the cases, by id
}

var (
	plain   = lipgloss.NewStyle()
	bold    = lipgloss.NewStyle().Bold(true)
	faint   = lipgloss.NewStyle().Faint(true)
	red     = lipgloss.NewStyle().Foreground(lipgloss.Red)
	green   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	heading = bold.Foreground(lipgloss.Cyan) // lipgloss underlines letter by letter
	colours = map[Verdict]lipgloss.Style{
		Conforming:    bold.Foreground(lipgloss.Green),
		Nonconforming: bold.Foreground(lipgloss.Red),
		Inconclusive:  bold.Foreground(lipgloss.Yellow),
	}
)

// rows are the rows of the screen that a line takes, without its end.
func (p *screen) rows(l line) []string {
	text := Printable(l.text)
	margin := strings.Repeat(" ", l.indent)
	if l.raw {
		return []string{margin + text}
	}
	rows := Wrap(text, p.Width-l.indent)
	for i := range rows {
		rows[i] = margin + rows[i]
	}
	return rows
}

func (p *screen) height(lines []line) int {
	n := 0
	for _, l := range lines {
		for _, row := range p.rows(l) {
			n += max(1, (lipgloss.Width(row)+p.Width-1)/p.Width)
		}
	}
	return n
}

func (p *screen) render(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		for _, row := range p.rows(l) {
			if p.Color && row != "" {
				row = l.style.Render(row)
			}
			b.WriteString(row + "\n")
		}
	}
	return b.String()
}

// title begins a section.
func title(format string, args ...any) []line {
	return []line{{}, {text: fmt.Sprintf(format, args...), style: heading}}
}

func (p *screen) head(r *Report) []line {
	lines := []line{
		{text: VerdictLine(r), style: colours[r.Verdict]},
	}
	if hidden := HiddenLine(r); hidden != "" {
		lines = append(lines, line{text: hidden})
	}
	lines = append(lines, line{text: extent(r), style: faint})
	if waits := waits(r); waits != "" {
		lines = append(lines, line{text: waits, style: faint})
	}
	if r.Insecure {
		lines = append(lines, line{text: Insecure, style: bold.Foreground(lipgloss.Red)})
	}
	return lines
}

const maxNotices = 3

func (p *screen) notices(r *Report) []line {
	var notices []oracle.Finding
	for _, f := range r.Findings {
		if f.Severity == oracle.Notice && f.Known == "" {
			notices = append(notices, f)
		}
	}
	if len(notices) == 0 {
		return nil
	}
	lines := title("%s (nobody says it; does not fail the run)", wording.Count(len(notices), "notice"))
	for i := range notices[:min(len(notices), maxNotices)] {
		f := &notices[i]
		lines = append(lines, line{indent: 2, text: f.Clause + ": " + wording.Clip(Sentence(f), 3*p.Width-20)})
	}
	return append(lines, p.more(len(notices)-maxNotices, "notice")...)
}

const maxReasons = 5

// untested tells the reasons for which cases were not tested.
func (p *screen) untested(r *Report) []line {
	groups := untestedGroups(r)
	if len(groups) == 0 {
		return nil
	}
	lines := title("Not tested")
	for _, g := range groups[:min(len(groups), maxReasons)] {
		text := fmt.Sprintf("%s: %s", g.reason, wording.Count(g.cases, "case"))
		if len(g.clauses) > 0 {
			text += ", clauses " + wording.Some(g.clauses, 8)
		}
		lines = append(lines, line{indent: 2, text: wording.Clip(text, 2*p.Width-20)})
	}
	return append(lines, p.more(len(groups)-maxReasons, "reason")...)
}

const maxUnused = 5

// unused is what the document states without consequence: nobody should take a pass
// for a proof of it.
func (p *screen) unused(r *Report) []line {
	if len(r.Unused) == 0 {
		return nil
	}
	lines := title("Stated by the document, and not used")
	for _, text := range r.Unused[:min(len(r.Unused), maxUnused)] {
		lines = append(lines, line{indent: 2, text: text})
	}
	return append(lines, p.more(len(r.Unused)-maxUnused, "keyword")...)
}

const maxChanges = 3

// unrestored are the updates that were not undone, then those that were with a
// reservation. Disposables are there to be deleted, so they are not told.
func (p *screen) unrestored(r *Report) []line {
	var reserved []engine.Change
	for _, c := range r.Changes {
		if c.Change != "deleted" && c.Restored && c.Reason != "" {
			reserved = append(reserved, c)
		}
	}
	return append(p.changes("Not put back", notRestored(r)), p.changes("Put back", reserved)...)
}

func (p *screen) changes(heading string, left []engine.Change) []line {
	if len(left) == 0 {
		return nil
	}
	lines := title("%s", heading)
	for _, c := range left[:min(len(left), maxChanges)] {
		object := c.Object
		if c.ID != 0 {
			object += fmt.Sprintf(" %d", c.ID)
		}
		lines = append(lines, line{indent: 2, text: wording.Clip(fmt.Sprintf("%s (%s): %s", object, c.Change, c.Reason), 2*p.Width-20)})
		if c.Undo != "" {
			lines = append(lines, p.curl(c.Undo, 4)...)
		}
	}
	return append(lines, p.more(len(left)-maxChanges, "object")...)
}

// more says what did not fit, and where it is.
func (p *screen) more(n int, word string) []line {
	if n <= 0 {
		return nil
	}
	return []line{{indent: 2, text: fmt.Sprintf("… and %d more %s, %s", n, wording.Noun(n, word), p.seeReport(HTMLFile)), style: faint}}
}

// seeReport points at the file of the report folder that has all.
func (p *screen) seeReport(file string) string {
	if p.Dir == "" {
		return "--report DIR writes all into " + file
	}
	return "see " + strings.TrimRight(p.Dir, "/") + "/" + file
}
