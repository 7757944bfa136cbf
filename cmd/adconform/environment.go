package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// readEnvironment gives the flags that are not on the command line the values
// of their variables. An empty variable is none.
func (a *app) readEnvironment(cmd *cobra.Command) error {
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

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "ADCONFORM_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
