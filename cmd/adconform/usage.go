package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/internal/wording"
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
	return usagef(cmd, "unknown command %q%s", args[0], wording.DidYouMean(args[0], idsOf(cmd.Commands(), (*cobra.Command).Name)))
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
