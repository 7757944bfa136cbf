package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// Style is the layout of a summary.
type Style struct {
	Width int                       // columns; 0 means 80, less than 60 means 60
	Dir   string                    // folder with report.json, to refer to; empty if none was written
	All   bool                      // also show answers at open points
	Paint func(Mark, string) string // colours a row; nil for no colours
}

// screen collects rows for a terminal. Nothing in them can move the cursor, or command a runner.
type screen struct {
	Style
	rows []string
}

// Mark says what a row is, so that a terminal can colour it.
type Mark int

// The marks of rows.
const (
	Plain    Mark = iota
	Faint         // less important
	Heading       // of a section
	Conforms      // a good verdict, or an improvement
	Breaks        // a bad verdict, a finding, or something to fix
	Unsure        // an inconclusive verdict, or what was sent
	Critical      // the title of a critical finding
)

// exitMarks holds the marks of results by exit code.
var exitMarks = map[int]Mark{
	report.ExitConforming: Conforms, report.ExitNonconforming: Breaks,
	report.ExitInconclusive: Unsure, report.ExitInterrupted: Unsure,
}

// defaultWidth is the width of a terminal, in columns.
const defaultWidth = 80

func newScreen(s Style) *screen {
	s.Width = max(cmp.Or(s.Width, defaultWidth), 60)
	return &screen{Style: s}
}

// say adds a line, wrapped.
func (p *screen) say(indent int, mark Mark, format string, args ...any) {
	p.add(strings.Repeat(" ", indent), mark,
		Wrap(wording.Printable(fmt.Sprintf(format, args...)), p.Width-indent))
}

// add adds rows. The first begins with a name; the others are indented by its width.
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

// section adds a title and the first of some items, if there are any; more ends the line that
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

// seeReport returns where a file of the report folder is, or how to get it.
func (p *screen) seeReport(file string) string {
	if p.Dir == "" {
		return "see " + file + " of a run with --report DIR"
	}
	return "see " + strings.TrimRight(p.Dir, "/") + "/" + file
}

// maxCurlRows is the maximum number of rows of a line that a summary shows for copying.
const maxCurlRows = 5

// curl adds a line for copying, which is never wrapped. If the line is too long, or says why there is none
// ("# …"), it refers to the report and adds the command that sends the case again, unless others sent its requests.
func (p *screen) curl(f *report.Finding, text string) {
	line := wording.Printable(text)
	why, none := strings.CutPrefix(line, "# ")
	switch {
	case text == "":
		return
	case !none && displaywidth.String(line) <= maxCurlRows*p.Width:
		p.add("    ", Plain, []string{line})
		return
	case !none:
		why = "the request is too long to show here"
	}
	p.say(4, Faint, "%s; %s", wording.Clip(why, maxCurlRows*p.Width),
		p.seeReport(strings.TrimSuffix(htmlFile+"#"+f.ID, "#")))
	if f.Case != "" && !strings.Contains(f.Case, "/recorded/") {
		p.add("    ", Plain, []string{
			wording.Printable("adconform replay " + cmp.Or(p.Dir, "DIR") + " " + f.Case),
		})
	}
}

// define adds the lines that set the variables in the curl lines so far.
func (p *screen) define(t report.Target) {
	lines := Definitions(t, strings.Join(p.rows, "\n"))
	if len(lines) > 0 {
		p.title("Before you paste a curl line")
	}
	for _, line := range lines {
		p.add("  ", Plain, []string{wording.Printable(line)})
	}
}

// Definitions returns the lines that set the variables in a text.
func Definitions(t report.Target, text string) (lines []string) {
	for _, v := range t.Variables {
		if strings.Contains(text, "$"+v.Name) || strings.Contains(text, "${"+v.Name) {
			lines = append(lines, v.Define)
		}
	}
	return lines
}

// Wrap breaks a text only at spaces, so that ids and paths can be copied whole.
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
	_, err := io.WriteString(w,
		wording.Inert(strings.Join(p.rows, "\n")+"\n"))
	return err
}
