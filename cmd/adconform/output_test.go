package main

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// clearLine takes away what is in the line.
const clearLine = "\r\x1b[K"

// onTerminal carries out a command line on a terminal of so many columns, with answers to
// what it asks, and gives all that was written there, line breaks as \n.
func onTerminal(columns uint16, answers string, env func(string) (string, bool), args []string) (code int, output string, err error) {
	screen, tty, err := pty.Open()
	if err != nil {
		return 0, "", err
	}
	defer screen.Close()
	if err := pty.Setsize(screen, &pty.Winsize{Rows: 40, Cols: columns}); err != nil {
		return 0, "", err
	}
	shown := make(chan string)
	go func() {
		var b bytes.Buffer
		io.Copy(&b, screen) // ends with an error when the other end is closed
		shown <- strings.ReplaceAll(b.String(), "\r\n", "\n")
	}()
	io.WriteString(screen, answers)
	a := &app{Stdin: tty, Stdout: tty, Stderr: tty, Env: env, Interrupts: make(chan os.Signal), Exit: func(int) {}}
	code = a.run(args)
	if answers != "" {
		io.WriteString(screen, "\n") // whoever waits for a line keeps the terminal open
	}
	tty.Close()
	return code, <-shown, nil
}

// faultyTarget is the target file of a reference that has a fault.
func faultyTarget(t *testing.T, fault string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "target.yaml")
	interrupts, out, ended := make(chan os.Signal), newBuffer(), make(chan int)
	a := &app{Stdout: out, Stderr: newBuffer(), Env: lookup(nil), Interrupts: interrupts, Exit: func(int) {}}
	go func() {
		ended <- a.run([]string{"serve", "--addr", "127.0.0.1:0", "--quiet", "--fault", fault, "--write-target", file})
	}()
	out.await(t, "http://")
	t.Cleanup(func() {
		interrupts <- os.Interrupt
		<-ended
	})
	return file
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

var update = flag.Bool("update", false, "write judged.txt, and the screens of README.md and docs/screens, again")

// screens are the runs that the documentation shows, by name. Each is written to
// docs/screens as a picture, and into README.md where it has the mark of the name.
var screens = []struct{ name, fault string }{
	{"conforming", ""}, // the bundled reference
	{"refused-write", "refused/401-any-key/updateCampaign"},
}

const (
	readme        = "../../README.md"
	pictures      = "../../docs/screens"
	screenColumns = 80
)

// The words of the screens are those of today's runs; times and ports differ.
func TestScreensAreFresh(t *testing.T) {
	page := mustRead(t, readme)
	for _, s := range screens {
		args := []string{"run", "--seed", "1"} // the same data each time
		if s.fault != "" {
			args = append(args, faultyTarget(t, s.fault))
		}
		_, shown, err := onTerminal(screenColumns, "", lookup(nil), args)
		noError(t, err)
		shown = likeEach(shown[strings.LastIndex(shown, clearLine)+len(clearLine):])
		plain := sgr.ReplaceAllString(shown, "")
		picture := filepath.Join(pictures, s.name+".svg")
		if *update {
			page = blockOf(s.name).ReplaceAllLiteralString(page, block(s.name, plain))
			noError(t, os.MkdirAll(pictures, 0o777))
			write(t, picture, drawn("adconform run: "+s.name, shown))
		}
		if !strings.Contains(flat(page), flat(block(s.name, plain))) {
			t.Errorf("README.md does not show the screen %s as it is: run make generate, or begin with the lines\n%s", s.name,
				block(s.name, "…\n"))
		}
		if got := flat(textOf(mustRead(t, picture))); got != flat(plain) {
			t.Errorf("%s shows\n%s\nnot\n%s: run make generate", picture, got, flat(plain))
		}
	}
	if *update {
		write(t, readme, page)
	}
}

var (
	ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	times = regexp.MustCompile(`in \d+\.\d s`)
)

// likeEach takes out what is another in each run.
func likeEach(screen string) string {
	return times.ReplaceAllString(ports.ReplaceAllString(screen, "127.0.0.1:8080"), "in 0.2 s")
}

// flat is a text without its line breaks: a port of five digits may move one.
func flat(text string) string { return strings.Join(strings.Fields(text), "") }

func block(name, text string) string {
	return fmt.Sprintf("<!-- screen %s, by make generate -->\n```text\n%s```\n", name, text)
}

func blockOf(name string) *regexp.Regexp {
	return regexp.MustCompile("(?s)<!-- screen " + name + ",[^>]*-->\n```text\n.*?```\n")
}

// Measures of a picture in pixels, and its colours.
const (
	rowHeight, columnWidth, pictureMargin = 18, 8, 14

	background, foreground = "#1e1e1e", "#e6e6e6"
)

var inks = map[string]string{"31": "#ff7b72", "32": "#7ee787", "33": "#f2cc60", "36": "#79c0ff"}

// drawn is a screen as an SVG, with the colours that its escape sequences give.
func drawn(title, screen string) string {
	var rows []string
	for line := range strings.Lines(screen) {
		rows = append(rows, wrapped(strings.TrimSuffix(line, "\n"))...)
	}
	width, height := screenColumns*columnWidth+2*pictureMargin, len(rows)*rowHeight+2*pictureMargin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>%[3]s</title>
<rect width="100%%" height="100%%" rx="6" fill="%[4]s"/>
<g fill="%[5]s" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13">
`, width, height, html.EscapeString(title), background, foreground)
	for i, row := range rows {
		if n := len([]rune(sgr.ReplaceAllString(row, ""))); n > 0 {
			fmt.Fprintf(&b, "<text xml:space=\"preserve\" x=\"%d\" y=\"%d\" textLength=\"%d\">%s</text>\n", pictureMargin,
				pictureMargin+(i+1)*rowHeight-5, n*columnWidth, spans(row))
		}
	}
	return b.String() + "</g>\n</svg>\n"
}

// wrapped breaks a line where the terminal does. Only a line without colours is
// longer than the screen.
func wrapped(line string) []string {
	if len([]rune(sgr.ReplaceAllString(line, ""))) <= screenColumns {
		return []string{line}
	}
	var rows []string
	for runes := []rune(line); len(runes) > 0; {
		n := min(len(runes), screenColumns)
		rows, runes = append(rows, string(runes[:n])), runes[n:]
	}
	return rows
}

// spans are the pieces of a row between escape sequences.
func spans(row string) string {
	var b strings.Builder
	style := ""
	at := 0
	piece := func(end int) {
		if end > at {
			fmt.Fprintf(&b, "<tspan%s>%s</tspan>", style, html.EscapeString(row[at:end]))
		}
	}
	for _, m := range sgr.FindAllStringIndex(row, -1) {
		piece(m[0])
		style, at = "", m[1]
		for code := range strings.SplitSeq(row[m[0]+2:m[1]-1], ";") {
			switch {
			case code == "1":
				style += ` font-weight="bold"`
			case code == "2":
				style += ` opacity="0.6"`
			case inks[code] != "":
				style += fmt.Sprintf(" fill=%q", inks[code])
			}
		}
	}
	piece(len(row))
	return b.String()
}

var tags = regexp.MustCompile(`<title>.*</title>|<[^>]*>`)

// textOf is what a picture says.
func textOf(picture string) string { return html.UnescapeString(tags.ReplaceAllString(picture, "")) }
