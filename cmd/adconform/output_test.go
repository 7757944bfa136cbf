package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
)

// clearLine erases the current line.
const clearLine = "\r\x1b[K"

// onTerminal runs a command line on a terminal with this many columns, with answers to its
// questions, and returns everything that was written there, with line breaks as \n.
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
		io.WriteString(screen, "\n") // a command that waits for a line would keep the terminal open
	}
	tty.Close()
	return code, <-shown, nil
}

// faultyTarget serves a reference with a fault, and returns its target and target file.
func faultyTarget(t *testing.T, fault string) (file string, target *fixtures.Target) {
	t.Helper()
	world := fixtures.DefaultWorld()
	file, target = filepath.Join(t.TempDir(), "target.yaml"), world.Target(reftest.Serve(t, reftest.With(t, world, fault)))
	noError(t, writeTarget(file, target))
	return file, target
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

var update = flag.Bool("update", false, "write the screens of README.md again")

// screens lists the runs that README.md shows, by the name in the marker of their block.
var screens = []struct{ name, fault string }{
	{"conforming", ""}, // the bundled reference
	{"refused-write", "refused/401-any-key/updateCampaign"},
}

const (
	readme        = "../../README.md"
	screenColumns = 80
)

// The screens in README.md match current runs, except for times and ports.
func TestScreensAreFresh(t *testing.T) {
	page := mustRead(t, readme)
	for _, s := range screens {
		args := []string{"run", "--seed", "1"} // the same data each time
		if s.fault != "" {
			file, _ := faultyTarget(t, s.fault)
			args = append(args, file)
		}
		_, shown, err := onTerminal(screenColumns, "", lookup(nil), args)
		noError(t, err)
		shown = sgr.ReplaceAllString(shown[strings.LastIndex(shown, clearLine)+len(clearLine):], "")
		shown = times.ReplaceAllString(ports.ReplaceAllString(shown, "127.0.0.1:8080"), "in 0.2 s") // what differs from run to run
		block := fmt.Sprintf("<!-- screen %s, by make generate -->\n```text\n%s```\n", s.name, shown)
		before := regexp.MustCompile("(?s)<!-- screen " + s.name + ",[^>]*-->\n```text\n.*?```\n")
		if *update {
			page = before.ReplaceAllLiteralString(page, block)
			write(t, readme, page)
		}
		if !strings.Contains(flat(page), flat(block)) {
			t.Errorf("README.md does not show the screen %s as it is: run make generate", s.name)
		}
	}
}

var (
	ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	times = regexp.MustCompile(`in \d+\.\d s`)
)

// flat returns a text without its line breaks, as a port of five digits may move one.
func flat(text string) string { return strings.Join(strings.Fields(text), "") }
