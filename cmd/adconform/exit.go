package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// ExitCode ends the program with a code when all is already said.
type ExitCode int

func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Interrupted ends the program after an interrupt.
const Interrupted = ExitCode(report.ExitInterrupted)

// Conclude prints an error, one line for each of its problems, and gives the
// exit code. What is no ExitCode is wrong usage or configuration.
func (t *Terminal) Conclude(err error) int {
	var code ExitCode
	switch {
	case err == nil:
		return report.ExitConforming
	case errors.As(err, &code):
		return int(code)
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(t.Harmless().Stderr, "adconform: "+wording.Printable(line))
	}
	return report.ExitUsage
}
