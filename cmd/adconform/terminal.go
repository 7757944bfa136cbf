package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

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
func (a *app) colours(w io.Writer, unwanted bool) bool {
	noColor, _ := a.env("NO_COLOR")
	kind, _ := a.env("TERM")
	return columns(w) > 0 && !unwanted && noColor == "" && kind != "dumb"
}
