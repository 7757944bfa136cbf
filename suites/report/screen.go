package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// Style says how a summary is laid out.
type Style struct {
	Width int    // columns; 0 means 80, less than 60 means 60
	Color bool   // ANSI colours
	Dir   string // folder with report.json, to point at; empty when none was written
	All   bool   // answers at open points, too
}

// screen is what a terminal shows. Nothing in it can move the cursor.
type screen struct {
	Style
	lines []line
}

// line is one line before it is wrapped and coloured.
type line struct {
	indent int
	text   string
	style  lipgloss.Style
	raw    bool   // to be copied: never wrapped
	name   string // beside which the text stands, see field
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

func newScreen(s Style) *screen {
	s.Width = max(cmp.Or(s.Width, 80), 60)
	return &screen{Style: s}
}

// say adds a line.
func (p *screen) say(indent int, style lipgloss.Style, format string, args ...any) {
	p.lines = append(p.lines, line{indent: indent, style: style, text: fmt.Sprintf(format, args...)})
}

// fieldWidth is that of the names beside which fields stand.
const fieldWidth = 12

// field adds a value beside its name; none for "".
func (p *screen) field(style lipgloss.Style, name, text string) {
	if text != "" {
		p.lines = append(p.lines, line{indent: fieldWidth, name: name, style: style, text: text})
	}
}

// title begins a section.
func (p *screen) title(format string, args ...any) {
	p.say(0, plain, "")
	p.say(0, heading, format, args...)
}

// first shows the first of some items; more is how the line ends that says how many more
// there are.
func first[T any](p *screen, items []T, shown int, more string, show func(T)) {
	for _, item := range items[:min(len(items), shown)] {
		show(item)
	}
	if n := len(items) - shown; n > 0 {
		p.say(2, faint, "… and %d more%s", n, more)
	}
}

// inReport names n things that a summary leaves out, and where they are.
func (p *screen) inReport(n int, word string) string {
	return fmt.Sprintf(" %s, %s", wording.Noun(n, word), p.seeReport(htmlFile))
}

// seeReport points at the file of the report folder that has all.
func (p *screen) seeReport(file string) string {
	if p.Dir == "" {
		return "--report DIR writes all into " + file
	}
	return "see " + strings.TrimRight(p.Dir, "/") + "/" + file
}

// maxCurlRows is the longest curl line that a summary shows.
const maxCurlRows = 5

// curl adds a line to be copied, of a finding where it shows one; none for "". In the place of
// one that is too long it says where it is, and what sends it again.
func (p *screen) curl(f *oracle.Finding, text string) {
	l := line{indent: 4, text: text, raw: true}
	switch {
	case text == "":
	case height(p.Width, p.rows(l)) <= maxCurlRows && !strings.HasPrefix(text, "#"):
		p.lines = append(p.lines, l)
	case f == nil || f.Case == "":
		p.say(4, faint, "its request is too long to be shown here: %s", p.seeReport(JSONFile))
	default:
		why, long := strings.CutPrefix(text, "# ") // a body that no line holds
		if !long {
			why = fmt.Sprintf("its request has %d characters", utf8.RuneCountInString(text))
		}
		p.say(4, faint, "%s: %s; this sends it again:", why, p.seeReport(htmlFile+"#"+f.ID))
		p.lines = append(p.lines, line{indent: 4, text: "adconform replay " + cmp.Or(p.Dir, "DIR") + " " + f.Case, raw: true})
	}
}

// rows are the rows of the screen that a line takes, without its end.
func (p *screen) rows(l line) []string {
	text := wording.Printable(l.text)
	rows := []string{text}
	if !l.raw {
		rows = Wrap(text, p.Width-l.indent)
	}
	for i := range rows {
		rows[i] = strings.Repeat(" ", l.indent) + rows[i]
	}
	if l.name != "" {
		rows[0] = fmt.Sprintf("  %-*s", fieldWidth-2, l.name) + rows[0][fieldWidth:]
	}
	return rows
}

// Wrap breaks a text at spaces only: ids and paths are to be copied whole, and
// the wrapping of lipgloss breaks them at hyphens.
func Wrap(text string, width int) []string {
	var rows []string
	row := ""
	for i, word := range strings.Split(text, " ") {
		if i > 0 && lipgloss.Width(row)+1+lipgloss.Width(word) > width {
			rows = append(rows, strings.TrimRight(row, " "))
			row = word
			continue
		}
		if i > 0 {
			row += " "
		}
		row += word
	}
	return append(rows, row)
}

// height is how many rows of a terminal these take.
func height(width int, rows []string) int {
	n := 0
	for _, row := range rows {
		n += max(1, (lipgloss.Width(row)+width-1)/width)
	}
	return n
}

func (p *screen) write(w io.Writer) error {
	var b strings.Builder
	for _, l := range p.lines {
		for _, row := range p.rows(l) {
			if p.Color && row != "" {
				row = l.style.Render(row)
			}
			b.WriteString(row + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
