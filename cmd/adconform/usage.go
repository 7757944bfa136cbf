package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/internal/wording"
)

// Usagef is an error that points at the help of the command.
func Usagef(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

// FlagError puts the errors of the flag library into our words.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		return Usagef(cmd, "unknown flag %s%s", name, wording.DidYouMean(name, known))
	case errors.As(err, &missing):
		return Usagef(cmd, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &invalid):
		return Usagef(cmd, "--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), cause(invalid))
	}
	return Usagef(cmd, "%w", err)
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

// UnknownCommand is run where a command has only commands below it.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return Usagef(cmd, "unknown command %q%s", args[0], wording.DidYouMean(args[0], names(cmd)))
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

// Arguments asks for at least min and at most max arguments; missing is
// what it says where there are fewer.
func Arguments(min, max int, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < min:
			return Usagef(cmd, "%s", missing)
		case len(args) > max && max == 0:
			return Usagef(cmd, "unexpected argument %q: %s takes none", args[0], cmd.Name())
		case len(args) > max:
			return Usagef(cmd, "unexpected argument %q", args[max])
		}
		return nil
	}
}
