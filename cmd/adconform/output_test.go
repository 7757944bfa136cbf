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
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// clearLine takes away what is in the line.
const clearLine = "\r\x1b[K"

// onTerminal carries out a command line on a terminal of so many columns and
// gives all that was written there, line breaks as \n.
func onTerminal(t *testing.T, columns uint16, env map[string]string, args ...string) string {
	t.Helper()
	_, shown := typing(t, "", columns, env, args...)
	return shown
}

// typing is onTerminal for a command that asks: these are the answers, a line each.
func typing(t *testing.T, answers string, columns uint16, env map[string]string, args ...string) (code int, output string) {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here")
	}
	defer screen.Close()
	noError(t, pty.Setsize(screen, &pty.Winsize{Rows: 40, Cols: columns}))
	shown := make(chan string)
	go func() {
		var b bytes.Buffer
		io.Copy(&b, screen) // ends with an error when the other end is closed
		shown <- strings.ReplaceAll(b.String(), "\r\n", "\n")
	}()
	if _, err := io.WriteString(screen, answers); err != nil {
		t.Fatal(err)
	}
	a := newApp(tty, tty, env, make(chan os.Signal))
	a.Stdin = tty
	code = a.run(args)
	if answers != "" {
		io.WriteString(screen, "\n") // whoever waits for a line keeps the terminal open
	}
	tty.Close()
	return code, <-shown
}

// faultyTarget is the target file of a reference that has a fault.
func faultyTarget(t *testing.T, fault string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "target.yaml")
	interrupts, out, ended := make(chan os.Signal), newBuffer(), make(chan int)
	a := newApp(out, newBuffer(), nil, interrupts)
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

// frames are the states of the rewritten line, and what was printed after it.
func frames(output string) (live []string, rest string) {
	parts := strings.Split(output, clearLine)
	return parts[:len(parts)-1], parts[len(parts)-1]
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestEveryWidthOfATerminal(t *testing.T) {
	target := faultyTarget(t, "path/profile-exists-only/updateConnectionProfileRuleHost")
	for _, columns := range []int{60, 80, 200} {
		if testing.Short() && columns > 60 {
			continue
		}
		output := onTerminal(t, uint16(columns), nil, "run", target, "--case", "updateConnectionProfileRuleHost/*")
		live, rest := frames(output)
		if len(live) < 2 || !strings.Contains(strings.Join(live, ""), " findings, ") {
			t.Errorf("%d columns: no progress in %q", columns, output)
		}
		for _, frame := range live {
			if len([]rune(frame)) >= columns || strings.Contains(frame, "\n") {
				t.Errorf("%d columns: the line %q", columns, frame)
			}
		}
		if !strings.HasPrefix(rest, "\x1b[1;31mNONCONFORMING") || strings.Count(rest, "\n") > 3*24 { // three causes, each of a screen at most
			t.Errorf("%d columns: after the progress comes %q", columns, rest)
		}
		for line := range strings.Lines(rest) {
			if len(sgr.FindAllString(line, -1)) > 2 {
				t.Errorf("%d columns: letter by letter: %q", columns, line)
			}
		}
		for line := range strings.Lines(sgr.ReplaceAllString(rest, "")) {
			text := strings.TrimSpace(line)
			if len([]rune(line))-1 > columns && strings.Contains(text, " ") && !strings.HasPrefix(text, "curl ") {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
	}
}

func TestATerminalWithoutColours(t *testing.T) {
	output := onTerminal(t, 80, map[string]string{"NO_COLOR": "1"}, "run", "--case", "updateCampaign/401/no-key", "--allow-inconclusive")
	if sgr.MatchString(output) || !strings.Contains(output, clearLine) || !strings.Contains(output, "CONFORMING") {
		t.Errorf("%q", output)
	}
}

var exchangeLine = regexp.MustCompile(`(?m)^#(\d+) `)

func TestVerboseAndQuietOnATerminal(t *testing.T) {
	verbose := onTerminal(t, 80, nil, "run", "--verbose", "--case", "updateCampaign/401/no-key", "--allow-inconclusive")
	if strings.Contains(verbose, clearLine) || !strings.Contains(verbose, " updateCampaign/401/no-key: PATCH http://127.0.0.1:") {
		t.Errorf("%q", verbose)
	}
	told := exchangeLine.FindAllStringSubmatch(verbose, -1)
	for i, line := range told {
		if line[1] != strconv.Itoa(i+1) {
			t.Errorf("exchange %d is told as #%s", i+1, line[1])
		}
	}
	if len(told) < 2 { // what the run looks at first, and the case
		t.Errorf("%d exchanges in %q", len(told), verbose)
	}
	quiet := onTerminal(t, 80, nil, "run", "--quiet", "--case", "updateCampaign/401/no-key", "--allow-inconclusive")
	if strings.Count(quiet, "\n") != 1 || !strings.HasPrefix(quiet, "CONFORMING") {
		t.Errorf("%q", quiet)
	}
}

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
		_, shown := frames(onTerminal(t, screenColumns, nil, args...))
		shown = likeEach(shown)
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
