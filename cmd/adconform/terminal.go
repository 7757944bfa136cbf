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

// terminal is the program's side of the place where it was started.
type terminal struct {
	stdin          io.Reader // nil: there is nobody to ask
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	interrupts     <-chan os.Signal
	exit           func(code int) // at once
}

// note prints a line that is no result.
func (t *terminal) note(format string, args ...any) {
	fmt.Fprintln(t.harmless().stderr, "adconform: "+wording.Printable(fmt.Sprintf(format, args...)))
}

// tellWarnings prints what was read all the same, once.
func (t *terminal) tellWarnings(all *fixtures.Problems) {
	for _, w := range *all {
		t.note("%s", w.Error())
	}
	*all = nil
}

// printJSON prints a value, indented.
func (t *terminal) printJSON(v any) error { return files.WriteJSON(t.stdout, v, "  ") }

// interruptible is a context that the first interrupt ends. The second one ends
// the program.
func (t *terminal) interruptible(ctx context.Context, note string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-t.interrupts:
		}
		if note != "" {
			fmt.Fprintln(t.stderr, strings.TrimSpace(note))
		}
		cancel()
		<-t.interrupts
		t.exit(report.ExitInterrupted)
	}()
	return ctx, cancel
}

// columns is the width of the terminal behind a writer, 0 when there is none.
func columns(w io.Writer) int {
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

const defaultColumns = 80

// colours says whether to use them: on a terminal that has them, unless NO_COLOR
// (no-color.org) or a flag is against it.
func (t *terminal) colours(w io.Writer, unwanted bool) bool {
	noColor, _ := t.env("NO_COLOR")
	kind, _ := t.env("TERM")
	return columns(w) > 0 && !unwanted && noColor == "" && kind != "dumb"
}
