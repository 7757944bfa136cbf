//go:build unix

package suites_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
)

// Each signal that asks a process to end lets a run restore and report, in a test and in a vendor's Ginkgo suite.
func TestASignalEndsARunInATest(t *testing.T) {
	t.Parallel() // most of it is waiting
	binary, err := os.Executable()
	noError(t, err)
	for _, test := range []string{"TestOwnRun", "TestOwnSuite"} {
		for _, sent := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT}[:reftest.Of(3, 1)] {
			cmd := exec.CommandContext(t.Context(), binary, "-test.run="+test)
			cmd.Env = append(cmd.Environ(), embeddedVariable+"=held")
			stdout, err := cmd.StdoutPipe()
			noError(t, err)
			noError(t, cmd.Start())
			output := bufio.NewReader(stdout)
			for line := ""; err == nil && !strings.Contains(line, "<held>"); line, err = output.ReadString('\n') {
			}
			noError(t, err)
			noError(t, cmd.Process.Signal(sent))
			rest, err := io.ReadAll(output)
			noError(t, err)
			if err := cmd.Wait(); err == nil || !strings.Contains(string(rest), "<interrupted: true, restored: true>") {
				t.Errorf("%s, %s: %v in\n%s", test, sent, err, rest)
			}
		}
	}
}
