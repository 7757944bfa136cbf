package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// readEnvironment gives the flags that are not on the command line the values
// of their variables. An empty variable is none, but for the target's.
func (a *app) readEnvironment(cmd *cobra.Command) error {
	if err := a.emptyTarget(cmd); err != nil {
		return err
	}
	var problems []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value, ok := a.env(name)
		if f.Changed || f.Name == "help" || !ok || value == "" {
			return
		}
		var invalid *pflag.InvalidValueError
		switch err := cmd.Flags().Set(f.Name, value); {
		case errors.As(err, &invalid):
			problems = append(problems, fmt.Errorf("the variable %s is %q: %w", name, value, cause(invalid)))
		case err != nil:
			problems = append(problems, fmt.Errorf("the variable %s: %w", name, err))
		}
	})
	return errors.Join(problems...)
}

// emptyTarget is an error where what is to be tested is given and empty, as by a variable of
// a pipeline that is not set: a test of the bundled reference is not what is meant.
func (a *app) emptyTarget(cmd *cobra.Command) error {
	for _, name := range []string{"start", "fault"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return usagef(cmd, "--%s is empty: give it a value, or leave it out", name)
		}
	}
	f := cmd.Flags().Lookup("target")
	if f == nil {
		return nil
	}
	text, given := a.env(variable(f.Name))
	name := "the variable " + variable(f.Name)
	if f.Changed {
		text, given, name = f.Value.String(), true, "--target"
	}
	if given && strings.TrimSpace(text) == "" {
		return usagef(cmd, "%s is empty: name a target file or a base URL, or leave it out", name)
	}
	return nil
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "ADCONFORM_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
