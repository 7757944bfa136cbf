package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// note prints a line on standard error, wrapped only on a terminal, so that elsewhere it can be searched.
func (a *app) note(format string, args ...any) {
	width := cmp.Or(columnsOf(a.Stderr), math.MaxInt)
	fmt.Fprintln(a.Stderr, strings.Join(report.Wrap("adconform: "+wording.Printable(fmt.Sprintf(format, args...)), width), "\n"))
}

// say prints lines on standard output.
func (a *app) say(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(a.Stdout, wording.Printable(line))
	}
}

// printJSON prints a value, indented.
func (a *app) printJSON(v any) { _ = report.WriteJSON(a.Stdout, v, "  ") }

// Interruptible returns a context that the first interrupt cancels. The second one ends the program.
func (a *app) Interruptible(ctx context.Context, note string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-a.Interrupts:
		}
		if note != "" {
			a.note("%s", note)
		}
		cancel()
		<-a.Interrupts
		if note != "" {
			a.note("stopped at once: objects may not be restored, and reports may be missing")
		}
		a.Exit(report.ExitInterrupted)
	}()
	return ctx, cancel
}

// columnsOf returns the width of the terminal behind a writer, or 0 if there is none.
func columnsOf(w io.Writer) int {
	if inert, is := w.(interface{ Unwrap() io.Writer }); is {
		w = inert.Unwrap()
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return defaultColumns
	}
	return width
}

// defaultColumns is the width of output that does not go to a terminal.
const defaultColumns = 80

// looks holds the colours of rows. They are not in suites/report, so that users who embed it do not need lipgloss.
var looks = map[report.Mark]lipgloss.Style{
	report.Faint:    lipgloss.NewStyle().Faint(true),
	report.Heading:  lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan), // lipgloss underlines letter by letter
	report.Conforms: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Green),
	report.Breaks:   lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red),
	report.Unsure:   lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Yellow),
	report.Critical: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red).Reverse(true),
}

// asks reports whether questions can be asked: input and output must be a terminal.
func (a *app) asks() bool {
	in, ok := a.Stdin.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && columnsOf(a.Stdout) > 0
}

// progress shows the progress of a run and the time left on a terminal, by one line that is rewritten.
// Elsewhere it writes a line for each finding, which can be searched. Its methods are called by one goroutine
// at a time.
type progress struct {
	w        io.Writer
	columns  int          // of the terminal; 0: no line is rewritten
	accepts  bool         // a baseline may accept findings, so only the end of the run shows what fails it
	bases    []spec.Basis // of the violations that fail the run
	started  time.Time
	reported map[string]bool
}

const (
	erase = "\r\x1b[K"
	edge  = 3 // columns that the line leaves free
)

// end erases the rewritten line.
func (p *progress) end() {
	if p.columns > 0 {
		fmt.Fprint(p.w, erase)
	}
}

// result is called with each result as it comes. Findings that may still be dropped are left to the end.
func (p *progress) result(done, of int, r *judge.Result) {
	if r.Decided() {
		p.decided(r)
	}
	if p.columns == 0 {
		return
	}
	left := time.Since(p.started) * time.Duration(of-done) / time.Duration(done)
	text := fmt.Sprintf("%d/%d, %s, about %s left: %s", done, of, wording.Count(len(p.reported), "finding"),
		left.Round(time.Second), wording.Printable(r.Case.ID))
	fmt.Fprint(p.w, erase+wording.Clip(text, p.columns-edge))
}

// decided is called with each result again at the end, with its final findings, and reports
// causes that were not reported before. Notices are left to the summary.
func (p *progress) decided(r *judge.Result) {
	for _, f := range r.Findings {
		if f.Severity == oracle.Notice || p.reported[f.CauseWords] {
			continue
		}
		if p.reported[f.CauseWords] = true; p.columns == 0 {
			mark := map[bool]string{true: "FAIL", false: "found"}[!p.accepts && report.IsCounted(p.bases, f.Basis)]
			fmt.Fprintf(p.w, "%s %s %s (%s): %s\n", mark, f.Case, f.Clause, f.Basis, report.Headline(f))
		}
	}
}

// exchange prints an exchange, for --verbose.
func (a *app) exchange(ex *wire.Exchange) { fmt.Fprintln(a.Stderr, wording.Printable(ex.String())) }
