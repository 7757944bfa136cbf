package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// usagef is an error that points at the help of the command.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

// flagError puts the errors of the flag library into one line with a remedy.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return usagef(cmd, "%w%s", err, wording.DidYouMean(unknown.GetSpecifiedName(), known))
	}
	return usagef(cmd, "%w", err)
}

// unknownCommand is run where a command has only commands below it.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return usagef(cmd, "unknown command %q%s", args[0], wording.DidYouMean(args[0], names(cmd)))
}

// names of the commands below a command.
func names(cmd *cobra.Command) []string {
	var all []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			all = append(all, c.Name())
		}
	}
	return all
}

// arguments asks for at least min and at most max arguments; missing is
// what it says where there are fewer.
func arguments(min, max int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < min:
			return usagef(cmd, "%s", missing)
		case len(args) > max && max == 0:
			return usagef(cmd, "unexpected argument %q: %s takes none", args[0], cmd.Name())
		case len(args) > max:
			return usagef(cmd, "unexpected argument %q", args[max])
		}
		return nil
	}
}

// readEnvironment gives the flags that are not on the command line the values
// of their variables. An empty variable is none.
func readEnvironment(cmd *cobra.Command, env func(string) (string, bool)) error {
	var problems []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value, given := env(name)
		switch {
		case f.Changed && isEmpty(f.Value):
			problems = append(problems, usagef(cmd, "--%s is empty: give it a value, or leave it out", f.Name))
		case f.Changed || f.Name == "help" || !given:
		case value != "":
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				problems = append(problems, fmt.Errorf("the variable %s: %w", name, err))
			}
		}
	})
	return errors.Join(problems...)
}

// isEmpty says whether a flag is given and empty, as by a variable of a pipeline that is not
// set: a run of all cases is not what --case "$CASE" means.
func isEmpty(v pflag.Value) bool {
	if list, ok := v.(pflag.SliceValue); ok {
		return len(list.GetSlice()) == 0 || slices.ContainsFunc(list.GetSlice(), blank)
	}
	return blank(v.String())
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "ADCONFORM_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func readBases(text string) (bases []spec.Basis, err error) {
	for word := range strings.SplitSeq(text, ",") {
		basis, err := readOneOf(strings.TrimSpace(word), spec.Bases())
		if err != nil {
			return nil, err
		}
		bases = append(bases, basis)
	}
	return bases, nil
}

var ratePattern = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(?:/([smh]))?$`)

// readRate reads requests a second, minute or hour, as a target file has them.
func readRate(text string) (float64, error) {
	if m := ratePattern.FindStringSubmatch(text); m != nil {
		if rate, err := strconv.ParseFloat(m[1], 64); err == nil && rate > 0 && !math.IsInf(rate, 0) {
			return rate / map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600}[m[2]], nil
		}
	}
	return 0, errors.New("want requests a second, minute or hour such as 10/s, 90/m or 500/h, more than 0")
}

// readCount reads a number that is not 0.
func readCount(text string) (int, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n, nil
	}
	return 0, errors.New("want a number, more than 0")
}

// readTime reads a time that is not 0.
func readTime(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, errors.New("want a time such as 10s, 500ms or 1m30s, more than 0")
}
