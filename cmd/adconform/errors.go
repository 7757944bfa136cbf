package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

const interrupted = report.ExitInterrupted

// exitCode ends the program with a code when all is already said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// conclude prints an error, one line for each of its problems, and gives the
// exit code. What is no exitCode is wrong usage or configuration.
func (a *app) conclude(err error) int {
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
		fmt.Fprintln(a.harmless().stderr, "adconform: "+lines[i])
	}
	if a.onGitHub() {
		fmt.Fprint(a.stderr, report.Annotation("error", "adconform", strings.Join(lines, "\n")))
	}
	return report.ExitUsage
}

// stale adds to an error that ended a run before its report that the report which
// is in its folder is another's.
func stale(dir string, err error) error {
	if err == nil || dir == "" || errors.As(err, new(exitCode)) {
		return err
	}
	if !report.Holds(dir) {
		return err
	}
	return errors.Join(err, fmt.Errorf("the report in %s is that of an earlier run", dir))
}

// usagef is an error that points at the help of the command.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

// flagError puts the errors of the flag library into our words.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		return usagef(cmd, "unknown flag %s%s", name, wording.DidYouMean(name, known))
	case errors.As(err, &missing):
		return usagef(cmd, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &invalid):
		return usagef(cmd, "--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), cause(invalid))
	}
	return usagef(cmd, "%w", err)
}

// cause is what is wrong with a value. What the flag library says of numbers
// and yes-or-no names its own functions.
func cause(e *pflag.InvalidValueError) error {
	switch e.GetFlag().Value.Type() {
	case "bool":
		return errors.New("want true or false")
	case "uint64":
		return errors.New("want a whole number, 0 or more")
	}
	return e.Unwrap()
}
