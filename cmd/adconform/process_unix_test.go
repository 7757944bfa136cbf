//go:build unix

package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// asProgram makes this test binary act as the program, so that real processes with real
// signals and variables can be tested.
const asProgram = "TEST_AS_ADCONFORM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program is a process of adconform, not yet started.
func program(t *testing.T, args ...string) (cmd *exec.Cmd, stdout, stderr *buffer) {
	t.Helper()
	executable, err := os.Executable()
	noError(t, err)
	stdout, stderr = newBuffer(), newBuffer()
	cmd = exec.CommandContext(t.Context(), executable, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// slowTarget serves the reference, but leaves the first request of a class of cases
// unanswered until the client gives up and, with all, every later one, too. It reports
// the case of each such request.
func slowTarget(t *testing.T, class string, all bool) (target string, held <-chan string) {
	bundled := reftest.New(t, fixtures.DefaultWorld(), nil)
	holds := make(chan string, 100)
	var reached atomic.Bool
	target, _ = serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caseID := r.Header.Get(wire.CaseHeader)
		first := strings.Contains(caseID, class) && reached.CompareAndSwap(false, true)
		if !first && !(all && reached.Load()) {
			bundled.ServeHTTP(w, r)
			return
		}
		io.Copy(io.Discard, r.Body) // or net/http would not notice the end of the connection
		holds <- caseID
		<-r.Context().Done()
	}))
	return target, holds
}

func await(t *testing.T, held <-chan string, words string) {
	t.Helper()
	for {
		select {
		case caseID := <-held:
			if strings.Contains(caseID, words) {
				return
			}
		case <-t.Context().Done():
			t.Fatalf("no request of a case with %s came", words)
		}
	}
}

func TestOneSignalEndsTheRunInOrder(t *testing.T) {
	t.Parallel() // most of it is waiting
	for name, sent := range map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP} {
		if testing.Short() && sent != syscall.SIGTERM {
			continue
		}
		t.Run(name, func(t *testing.T) {
			target, held := slowTarget(t, "updateConnectionProfile/422/", false)
			dir := t.TempDir()
			cmd, stdout, stderr := program(t, "run", target, "--report", dir)
			noError(t, cmd.Start())
			await(t, held, "/422/")
			noError(t, cmd.Process.Signal(sent))
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != report.ExitInterrupted {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			if !strings.Contains(stderr.String(), "interrupted, restoring changed objects") ||
				!strings.Contains(stdout.String(), "the run was interrupted") {
				t.Errorf("standard output %s, standard error %s", stdout, stderr)
			}
			r := readReport(t, dir)
			if !r.Interrupted || r.Lost != 0 || len(r.Changes) == 0 {
				t.Errorf("interrupted %t, %d lost, changes %+v", r.Interrupted, r.Lost, r.Changes)
			}
			putBack(t, r)
			if junit := mustRead(t, filepath.Join(dir, "junit.xml")); !strings.HasSuffix(junit, "</testsuites>\n") {
				t.Error("junit.xml is not complete")
			}
		})
	}
}

// The second signal comes while an object is being restored, which the target delays.
func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel() // most of it is waiting
	target, held := slowTarget(t, "updateConnectionProfile/422/", true)
	dir := t.TempDir()
	cmd, stdout, stderr := program(t, "run", target, "--report", dir, "--timeout", "1m")
	noError(t, cmd.Start())
	await(t, held, "/422/")
	noError(t, cmd.Process.Signal(os.Interrupt))
	await(t, held, "/restore/")
	noError(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitInterrupted || stdout.String() != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is in the report folder (%v), but the process should have stopped at once", left, err)
	}
}

// The reader of the output stops after the first line, long before the end of the run.
func TestARunWithoutAReaderGoesOnAndPutsBack(t *testing.T) {
	dir := t.TempDir()
	cmd, _, _ := program(t, "run", "--depth", "quick", "--verbose", "--report", dir)
	reader, writer, err := os.Pipe()
	noError(t, err)
	cmd.Stdout, cmd.Stderr = writer, writer
	noError(t, cmd.Start())
	writer.Close()
	_, err = bufio.NewReaderSize(reader, 16).ReadByte()
	noError(t, err)
	reader.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitConforming {
		t.Errorf("%s", cmd.ProcessState)
	}
	putBack(t, readReport(t, dir))
}

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
		args, folder := []string{"run", "--seed", "1"}, "" // the same data each time
		if s.fault != "" {
			file, _ := serving(t, faulty(t, s.fault))
			args, folder = append(args, file), filepath.Dir(file)+"/"
		}
		_, shown, err := onTerminal(screenColumns, "", lookup(nil), args)
		noError(t, err)
		shown = sgr.ReplaceAllString(shown[strings.LastIndex(shown, clearLine)+len(clearLine):], "")
		// What differs from run to run.
		shown = times.ReplaceAllString(ports.ReplaceAllString(shown, "127.0.0.1:8080"), "in 0.4 s")
		shown = strings.ReplaceAll(shown, folder, "")
		block := fmt.Sprintf("<!-- screen %s, by make generate -->\n```text\n%s```\n", s.name, shown)
		before := regexp.MustCompile("(?s)<!-- screen " + s.name + ",[^>]*-->\n```text\n.*?```\n")
		if *update {
			page = before.ReplaceAllLiteralString(page, block)
			write(t, readme, page)
		}
		if !strings.Contains(lasting(page), lasting(block)) {
			t.Errorf("README.md does not show the screen %s as it is: run make generate", s.name)
		}
	}
}

// lasting returns a screen without its line breaks, as a port of five digits may move one, and without the last digits of
// the number of requests: on a busy machine some are sent once more.
func lasting(screen string) string { return requests.ReplaceAllString(flat(screen), "${1}00requests") }

var (
	requests = regexp.MustCompile(`(\d\d)\d\drequests`)
	ports    = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	times    = regexp.MustCompile(`in \d+\.\d s`)
)

func failedResult(id string, findings int) *judge.Result {
	r := &judge.Result{Case: &judge.Case{ID: id, Operation: new(spec.Operation)}}
	for i := range findings { // each with a cause of its own
		r.Findings = append(r.Findings, &finding.Sighting{
			Case: id, Operation: "updateCampaign", Clause: fmt.Sprintf("AUTH-%d", i+1), Basis: spec.Stated,
			Severity: report.Violation, Cause: finding.Cause{Kind: finding.StopsAfter, Detail: fmt.Sprintf("cause %d", i)},
		})
	}
	return r
}

func TestProgressRewritesOneLineOnATerminal(t *testing.T) {
	w := new(bytes.Buffer)
	p := progress{w: w, columns: 60, started: time.Now().Add(-10 * time.Second), reported: map[finding.Cause]bool{}}
	r := failedResult("updateCampaign/401/no-key", 2)
	p.result(10, 40, r)
	if got, want := w.String(), "\r\x1b[K10/40, 2 findings, about 30s left: updateCampaign/401/no…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.result(40, 40, failedResult("last", 0))
	p.end()
	if got := w.String(); !strings.Contains(got, "40/40") || !strings.HasSuffix(got, erase) || strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}

func TestProgressIntoAPipeIsALineForEachFinding(t *testing.T) {
	w := new(bytes.Buffer)
	p := progress{w: w, reported: map[finding.Cause]bool{}}
	p.result(1, 3, failedResult("updateCampaign/401/no-key", 0))
	p.result(2, 3, failedResult("updateCampaign/401/no-key", 7))
	doubtful := failedResult("doubtful", 1)
	doubtful.Tentative = make([]judge.TentativeFinding, 1)
	p.result(3, 3, doubtful)
	p.result(4, 4, failedResult("updateCampaign/401/empty-key", 7)) // with causes that were already shown
	p.end()
	lines := strings.Split(strings.TrimSpace(w.String()), "\n")
	if len(lines) != 7 {
		t.Errorf("%d lines in %q", len(lines), w.String())
	}
	if want := "FAIL updateCampaign/401/no-key AUTH-1 (stated): updateCampaign: the server stops answering after cause 0"; lines[0] != want {
		t.Errorf("got %q, want %q", lines[0], want)
	}
}

// A run without a terminal says at each tick how far it is, also while the target does not answer; a quiet one does
// not.
func TestProgressIntoAPipeIsALineForEachTick(t *testing.T) {
	ticks, errs := make(chan time.Time), newBuffer()
	reference, requests := reftest.New(t, fixtures.DefaultWorld(), nil), new(atomic.Int64)
	target, _ := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 100 {
			ticks <- time.Now().Add(time.Minute)
			for !strings.Contains(errs.String(), "; about ") {
				<-errs.seen
			}
		}
		reference.ServeHTTP(w, r)
	}))
	every := func(every time.Duration) (<-chan time.Time, func()) {
		if every != 30*time.Second {
			t.Errorf("a line every %s", every)
		}
		return ticks, func() {}
	}
	a := &app{Stdout: newBuffer(), Stderr: errs, Env: lookup(nil), Exit: func(int) {}, Clock: every}
	if code := a.run([]string{"run", target, "--depth", "quick", "--concurrency", "1"}); code != report.ExitConforming {
		t.Errorf("exit code %d: %s", code, errs)
	}
	line := regexp.MustCompile(`(?m)^adconform: after 1m\d?0?s?: \d+ of \d+ cases, (9\d|10\d) requests, 0 findings; about \d+s left$`)
	if !line.MatchString(errs.String()) {
		t.Error(errs)
	}
	p := progress{w: errs, of: 3, started: time.Now()}
	p.tick(p.started.Add(30 * time.Second))
	p.done = 3
	p.tick(p.started.Add(90 * time.Second))
	const begun = "adconform: after 30s: 0 of 3 cases, 0 requests, 0 findings; time left unknown\n"
	const done = "adconform: after 1m30s: 3 of 3 cases, 0 requests, 0 findings; confirming findings and restoring objects\n"
	if !strings.HasSuffix(errs.String(), begun+done) {
		t.Error(errs)
	}
	a.Clock = func(time.Duration) (<-chan time.Time, func()) { t.Error("a quiet run has a clock"); return nil, nil }
	a.run([]string{"run", target, "--quiet", "--case", "updateCampaign/401/no-key"})
}

// A run that is killed does not leave the report of an earlier run in place. A gate must
// not pass if its report cannot be written.
func TestTheReportIsGoneWhileTheNextRunsAndHasToBeWritten(t *testing.T) {
	dir, reference := t.TempDir(), reftest.New(t, fixtures.DefaultWorld(), nil)
	path := filepath.Join(dir, report.JSONFile)
	write(t, path, `{"schema": "adconform/report/1"}`)
	target, _ := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(path); err == nil {
			t.Error("the report of an earlier run is there while the next one runs")
		}
		noError(t, os.MkdirAll(filepath.Join(dir, "junit.xml", "in-the-way"), 0o700))
		reference.ServeHTTP(w, r)
	}))
	code, stdout, stderr := run(t, nil, "run", target, "--quiet", "--case", "updateCampaign/401/no-key", "--report", dir)
	if code != report.ExitUsage || !strings.HasPrefix(stdout, "CONFORMING") || !strings.Contains(stderr, "the report could not be written: ") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}
