package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ReadEnvironment gives the flags that are not on the command line the values
// of their variables. An empty variable is none.
func ReadEnvironment(cmd *cobra.Command, env func(string) (string, bool)) error {
	var problems []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value, given := env(name)
		switch {
		case f.Changed && isEmpty(f.Value):
			problems = append(problems, Usagef(cmd, "--%s is empty: give it a value, or leave it out", f.Name))
		case f.Changed || f.Name == "help" || !given:
		case value != "":
			if err := setByVariable(cmd, f, name, value); err != nil {
				problems = append(problems, err)
			}
		}
	})
	return errors.Join(problems...)
}

func setByVariable(cmd *cobra.Command, f *pflag.Flag, name, value string) error {
	var invalid *pflag.InvalidValueError
	switch err := cmd.Flags().Set(f.Name, value); {
	case errors.As(err, &invalid):
		return fmt.Errorf("the variable %s is %q: %w", name, value, cause(invalid))
	case err != nil:
		return fmt.Errorf("the variable %s: %w", name, err)
	}
	return nil
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
