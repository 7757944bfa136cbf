package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// exitCode ends the program with a code when all is already said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// interrupted ends the program after an interrupt.
const interrupted = exitCode(report.ExitInterrupted)

// conclude prints an error, one line for each of its problems, and gives the
// exit code. What is no exitCode is wrong usage or configuration.
func (t *terminal) conclude(err error) int {
	var code exitCode
	switch {
	case err == nil:
		return report.ExitConforming
	case errors.As(err, &code):
		return int(code)
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = wording.Printable(line)
		fmt.Fprintln(t.harmless().stderr, "adconform: "+lines[i])
	}
	if t.onGitHub() {
		fmt.Fprint(t.stderr, report.Annotation("error", "adconform", strings.Join(lines, "\n")))
	}
	return report.ExitUsage
}
