package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// Style says how a summary is laid out.
type Style struct {
	Width int                       // columns; 0 means 80, less than 60 means 60
	Dir   string                    // folder with report.json, to point at; empty when none was written
	All   bool                      // answers at open points, too
	Paint func(Mark, string) string // colours a row; nil for no colours
}

// screen collects the rows that a terminal shows. Nothing in them can move the cursor.
type screen struct {
	Style
	rows []string
}

// Mark says what a row is, for a terminal to colour it.
type Mark int

// The marks of rows.
const (
	Plain    Mark = iota
	Faint         // what may be passed over
	Heading       // of a section
	Good          // what got better
	Bad           // what got worse, or has to be put right
	Conforms      // the verdict
	Breaks        // the verdict, or the title of a finding
	Unsure        // the verdict, or what a request was
	Critical      // the title of a critical finding
)

var verdicts = map[Verdict]Mark{Conforming: Conforms, Nonconforming: Breaks, Inconclusive: Unsure}

func newScreen(s Style) *screen {
	s.Width = max(cmp.Or(s.Width, 80), 60)
	return &screen{Style: s}
}

// say adds a line, wrapped.
func (p *screen) say(indent int, mark Mark, format string, args ...any) {
	p.add(strings.Repeat(" ", indent), mark, Wrap(wording.Printable(fmt.Sprintf(format, args...)), p.Width-indent))
}

// add adds rows. The first begins with a name, and the others are indented by its width.
func (p *screen) add(name string, mark Mark, rows []string) {
	for _, row := range rows {
		if row != "" {
			row = name + row
		}
		if p.Paint != nil && row != "" {
			row = p.Paint(mark, row)
		}
		p.rows = append(p.rows, row)
		name = strings.Repeat(" ", len(name))
	}
}

// title begins a section.
func (p *screen) title(format string, args ...any) {
	p.say(0, Plain, "")
	p.say(0, Heading, format, args...)
}

// section adds a title and the first of some items, where there are any; more ends the line that
// counts the others.
func section[T any](p *screen, title string, items []T, shown int, more string, show func(T)) {
	if len(items) > 0 {
		p.title("%s", title)
	}
	for _, item := range items[:min(len(items), shown)] {
		show(item)
	}
	if n := len(items) - shown; n > 0 {
		p.say(2, Faint, "… and %d more%s", n, more)
	}
}

// seeReport says where a file of the report folder is, or how to get it.
func (p *screen) seeReport(file string) string {
	if p.Dir == "" {
		return "--report DIR writes all into " + file
	}
	return "see " + strings.TrimRight(p.Dir, "/") + "/" + file
}

// maxCurlRows is how many rows the longest line takes that a summary shows to be copied.
const maxCurlRows = 5

// curl adds a line to be copied, which is never wrapped. Where the line is too long, or says that
// there is none ("# …"), it points at the report and gives the command that sends the case again.
func (p *screen) curl(f *oracle.Finding, text string) {
	line := wording.Printable(text)
	switch {
	case text == "":
	case displaywidth.String(line) <= maxCurlRows*p.Width && text[0] != '#':
		p.add("    ", Plain, []string{line})
	case f.Case == "" || strings.Contains(f.Case, "/recorded/"): // others sent it
		p.say(4, Faint, "its request is too long to be shown here: %s", p.seeReport(JSONFile))
	default:
		p.say(4, Faint, "its request is too long to be shown here: %s; this sends it again:", p.seeReport(htmlFile+"#"+f.ID))
		p.add("    ", Plain, []string{wording.Printable("adconform replay " + cmp.Or(p.Dir, "DIR") + " " + f.Case)})
	}
}

// Wrap breaks a text at spaces only: ids and paths are to be copied whole.
func Wrap(text string, width int) []string {
	var rows []string
	row := ""
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
			row = word
		case displaywidth.String(row)+1+displaywidth.String(word) > width:
			rows = append(rows, strings.TrimRight(row, " "))
			row = word
		default:
			row += " " + word
		}
	}
	return append(rows, row)
}

func (p *screen) write(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(p.rows, "\n")+"\n")
	return err
}
