package main

import (
	"bytes"
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
	if err := pty.Setsize(screen, &pty.Winsize{Rows: 40, Cols: columns}); err != nil {
		t.Fatal(err)
	}
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
		output := onTerminal(t, uint16(columns), nil, "run", "--target", target, "--operation", "updateConnectionProfileRuleHost")
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

// A finding is told of the operation whose answer shows it, not of the one whose
// effect was looked for.
func TestFindingsNameTheOperationThatAnswered(t *testing.T) {
	_, stdout, _ := run(t, nil,
		briefly("--operation listCreativeMediaFiles", "run", "--target", faultyTarget(t, "list/changing-width"))...)
	if !strings.Contains(stdout, "1 finding\n") ||
		!strings.Contains(stdout, "\nlistCreativeMediaFiles: two reads differ, with no write between them: width (") {
		t.Error(stdout)
	}
	_, stdout, _ = run(t, nil, "run", "--target", faultyTarget(t, "shown/other-object/updateCampaign"),
		"--operation", "updateConnectionProfile", "--operation", "updateCampaign")
	if !strings.Contains(stdout, "1 finding\n") ||
		!strings.Contains(stdout, "\nupdateCampaign: the answer is about another object than the path names: id (") {
		t.Error(stdout)
	}
}
