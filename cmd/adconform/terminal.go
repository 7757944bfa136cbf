package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// note prints a line on standard error, wrapped only on a terminal, so that elsewhere it can be searched.
func (a *app) note(format string, args ...any) {
	width := cmp.Or(columnsOf(a.Stderr), math.MaxInt)
	text := "adconform: " + wording.Printable(fmt.Sprintf(format, args...))
	fmt.Fprintln(a.Stderr, strings.Join(render.Wrap(text, width), "\n"))
}

// mistake prints why a command fails, a line for each problem. In a GitHub job, the job's page shows it, too.
func (a *app) mistake(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		a.note("%s", line)
	}
	var shown []string
	for line := range strings.SplitSeq(text, "\n") {
		shown = append(shown, wording.Printable(line))
	}
	text = wording.Inert(strings.Join(shown, "\n"))
	if a.jobSummary(func(w io.Writer) error { return render.WriteMistake(w, text) }) {
		text = strings.NewReplacer("%", "%25", "\n", "%0A").Replace(text)
		fmt.Fprintf(bare(a.Stderr), "::error title=adconform::%s\n", text) // the only command of ours
	}
}

// jobSummary adds to the summary of a GitHub job, if this is one.
func (a *app) jobSummary(write func(io.Writer) error) (isJob bool) {
	page, _ := a.Env("GITHUB_STEP_SUMMARY")
	if page == "" {
		return false
	}
	f, err := os.OpenFile(page, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		a.note("the job summary on GitHub could not be written: %v", err)
	}
	return true
}

// bare returns the writer behind one that makes texts inert.
func bare(w io.Writer) io.Writer {
	if inert, is := w.(interface{ Unwrap() io.Writer }); is {
		return inert.Unwrap()
	}
	return w
}

// say prints lines on standard output.
func (a *app) say(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(a.Stdout, wording.Printable(line))
	}
}

// sayWrapped prints a text, whose later lines are indented by two columns more than the first.
func (a *app) sayWrapped(indent, text string) {
	for i, row := range render.Wrap(text, defaultColumns-len(indent)-2) {
		a.say(map[bool]string{true: indent, false: indent + "  "}[i == 0] + row)
	}
}

// printJSON prints a value, indented.
func (a *app) printJSON(v any) {
	_ = render.WriteJSON(a.Stdout, v, "  ")
}

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
	f, ok := bare(w).(*os.File)
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
var looks = map[render.Mark]lipgloss.Style{
	render.Faint:    lipgloss.NewStyle().Faint(true),
	render.Heading:  lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan), // lipgloss underlines letter by letter
	render.Conforms: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Green),
	render.Breaks:   lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red),
	render.Unsure:   lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Yellow),
	render.Critical: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red).Reverse(true),
}

// asks reports whether questions can be asked: input and output must be a terminal.
func (a *app) asks() bool {
	in, isFile := a.Stdin.(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		return false
	}
	return columnsOf(a.Stdout) > 0
}

// exchange prints an exchange, for --verbose.
func (a *app) exchange(ex *wire.Exchange) {
	fmt.Fprintln(a.Stderr, wording.Printable(ex.String()))
}
