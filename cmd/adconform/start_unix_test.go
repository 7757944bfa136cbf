//go:build unix

package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// freeURL is a base URL at which nothing listens.
func freeURL(t *testing.T) (url, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + bundled.BasePath, l.Addr().String()
}

// serveCommand is a shell command that serves the reference at an address, as a child of
// the shell, and writes the child's process id into a file.
func serveCommand(t *testing.T, address string) (command, pidFile string) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pidFile = filepath.Join(t.TempDir(), "pid")
	return asProgram + "=1 " + executable + " serve --quiet --addr " + address + " & echo $! >" + pidFile + "; wait", pidFile
}

// ends waits until the process with an id has ended, as a signal takes effect later.
func ends(t *testing.T, pid string) {
	t.Helper()
	gone := func() bool {
		state, err := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(pid)).Output()
		return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
	}
	gomega.NewWithT(t).Eventually(gone).WithTimeout(time.Minute).Should(gomega.BeTrue(), "the server runs on")
}

func TestStartBringsTheServerUpAndEndsIt(t *testing.T) {
	url, address := freeURL(t)
	command, pidFile := serveCommand(t, address)
	env := map[string]string{fixtures.OwnerVariable: "no-key-of-it"}
	code, stdout, stderr := run(t, env, "run", url, "--start", command)
	if code != report.ExitInconclusive || !strings.Contains(stdout, "401 to") || !strings.Contains(stderr, "connection refused") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	ends(t, mustRead(t, pidFile))
}

func TestStartTellsACommandThatEnds(t *testing.T) {
	url, _ := freeURL(t)
	env := map[string]string{fixtures.OwnerVariable: "a-key-of-the-owner-7Q"}
	t.Setenv(fixtures.OwnerVariable, env[fixtures.OwnerVariable])
	code, stdout, stderr := run(t, env, "run", url, "--start", "env | grep ADCONFORM; echo no database here; exit 7", "--wait", "10m")
	if code != report.ExitInconclusive || stdout != "" || !strings.Contains(stderr, "ended before "+url+" answered") ||
		!strings.Contains(stderr, "exit status 7") || !strings.Contains(stderr, "\n  no database here\n") ||
		strings.Contains(stderr, env[fixtures.OwnerVariable]) {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	if _, _, stderr := run(t, env, "run", url, "--start", "exit 7"); !strings.Contains(stderr, "exit status 7; it wrote nothing\n") {
		t.Errorf("of a command without output: %s", stderr)
	}
}

func TestStartRefusesAServerThatIsUp(t *testing.T) {
	url, env := served(t)
	for want, args := range map[string][]string{
		"something answers at " + url + " already": {"run", url, "--start", "exit 1"},
		"--start needs a target":                   {"run", "--start", "exit 1"},
		"--start needs":                            {"run", "--fault", "auth/no-key/updateCampaign", "--start", "exit 1"},
		"--start is empty":                         {"run", url, "--start", " "},
		"--fault is empty":                         {"run", "--fault", ""},
	} {
		refuses(t, env, args, want)
	}
}

func TestWaitSaysWhatCameLast(t *testing.T) {
	env := map[string]string{fixtures.OwnerVariable: "a-key"}
	url, _ := freeURL(t)
	starting := baseURLOf(t, serving(t, answering(http.StatusBadGateway, "{}")))
	for url, last := range map[string]string{url: "connection refused", starting: "502 Bad Gateway"} {
		code, stdout, stderr := run(t, env, "run", url, "--wait", "200ms")
		if code != report.ExitInconclusive || stdout != "" || !strings.Contains(stderr, "waiting for "+url+": ") ||
			!strings.Contains(stderr, "nothing was tested: waited 200ms for "+url+", and the last was: ") || !strings.Contains(stderr, last) {
			t.Errorf("%s: exit code %d, %q, %q", url, code, stdout, stderr)
		}
	}
}

// The second interrupt ends the program at once, and with it a server that does not end
// when it is asked to.
func TestNoServerIsLeftBehindByASecondInterrupt(t *testing.T) {
	url, _ := freeURL(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	if err := syscall.Mkfifo(pidFile, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, stdout, stderr := program(t, "run", url, "--start", "trap '' TERM; sleep 3600 & echo $! >"+pidFile+"; wait", "--wait", "1h")
	cmd.Env = append(cmd.Env, fixtures.OwnerVariable+"=a-key")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := mustRead(t, pidFile) // waits until the server runs
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	stderr.await(t, "interrupt again to stop at once")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitInterrupted {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	ends(t, pid)
}
