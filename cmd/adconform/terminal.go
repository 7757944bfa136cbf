package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// Terminal is what the program gets from outside.
type Terminal struct {
	Stdin          io.Reader // nil: there is nobody to ask
	Stdout, Stderr io.Writer
	Env            func(string) (string, bool)
	Interrupts     <-chan os.Signal
	Exit           func(code int) // at once
}

// Note prints a line that is no result.
func (t *Terminal) Note(format string, args ...any) {
	fmt.Fprintln(t.Harmless().Stderr, "adconform: "+wording.Printable(fmt.Sprintf(format, args...)))
}

// TellWarnings prints what was read all the same, once.
func (t *Terminal) TellWarnings(all *fixtures.Problems) {
	for _, w := range *all {
		t.Note("%s", w.Error())
	}
	*all = nil
}

// PrintJSON prints a value, indented.
func (t *Terminal) PrintJSON(v any) error { return files.WriteJSON(t.Stdout, v, "  ") }

// Interruptible is a context that the first interrupt ends. The second one ends
// the program.
func (t *Terminal) Interruptible(ctx context.Context, note string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-t.Interrupts:
		}
		if note != "" {
			fmt.Fprintln(t.Stderr, strings.TrimSpace(note))
		}
		cancel()
		<-t.Interrupts
		t.Exit(report.ExitInterrupted)
	}()
	return ctx, cancel
}

// Columns is the width of the terminal behind a writer, 0 when there is none.
func Columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return DefaultColumns
	}
	return width
}

// DefaultColumns are those of a text that knows no terminal.
const DefaultColumns = 80

// Colours says whether to use them: on a terminal that has them, unless NO_COLOR
// (no-color.org) is against it.
func (t *Terminal) Colours(w io.Writer) bool {
	noColor, _ := t.Env("NO_COLOR")
	kind, _ := t.Env("TERM")
	return Columns(w) > 0 && noColor == "" && kind != "dumb"
}
