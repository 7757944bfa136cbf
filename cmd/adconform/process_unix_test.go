//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
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

func TestLostOutputFails(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err) // only Linux has it
	}
	defer full.Close()
	for _, line := range []string{
		"cases", "cases --json", "explain AUTH-2", "selftest --list", "version", "run --quiet --case updateCampaign/401/no-key",
	} {
		errs := newBuffer()
		a := &app{Stdout: full, Stderr: errs, Env: lookup(nil), Interrupts: make(chan os.Signal), Exit: func(int) {}}
		const want = "adconform: the output could not be written: no space left on device\n"
		if code := a.run(strings.Fields(line)); code != report.ExitUsage || errs.String() != want {
			t.Errorf("%s: exit code %d, standard error %s", line, code, errs)
		}
	}
}
