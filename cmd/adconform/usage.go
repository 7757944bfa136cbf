package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
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
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return usagef(cmd, "%w%s", err, wording.DidYouMean("--"+unknown.GetSpecifiedName(), known))
	}
	text := parsing.ReplaceAllStringFunc(err.Error(), func(of string) string {
		return map[bool]string{true: "want true or false", false: "want a whole number, 0 or more"}[strings.HasPrefix(of, "strconv.ParseBool")]
	})
	return usagef(cmd, "%s", text)
}

// parsing is how the flag library says that a value is no number, or not true or false.
var parsing = regexp.MustCompile(`strconv\.Parse.*$`)

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
// of their variables. An empty variable is an error: a pipeline that leaves ADCONFORM_REQUIRE empty
// would not have the gate that it asks for.
func (a *app) readEnvironment(cmd *cobra.Command, args []string) error {
	var problems []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value, set := a.Env(name)
		switch {
		case f.Changed && isEmpty(f.Value):
			problems = append(problems, usagef(cmd, "--%s is empty: give it a value, or leave it out", f.Name))
		case f.Changed || !set || f.Name == "help":
		case blank(value):
			problems = append(problems, fmt.Errorf("the variable %s is empty: give it a value, or unset it", name))
		default:
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				problems = append(problems, fmt.Errorf("the variable %s: %w", name, err))
			}
		}
	})
	return errors.Join(append(problems, a.unknownVariable(cmd, args))...)
}

// templateVariable is the variable of docs/ci/gitlab.yml that is no flag: the version that tests.
const templateVariable = prefix + "VERSION"

// unknownVariable refuses a variable that begins as ours do, and that no flag, template or target file
// uses: it is misspelt. Where no target file can be looked into, one of a key may be for another command.
func (a *app) unknownVariable(cmd *cobra.Command, args []string) error {
	file, text, isKey := "", []byte(nil), "_KEY"
	if strings.HasSuffix(cmd.Use, targetUse) {
		file, _ = a.Env(targetVariable)
		file = append(args, file)[0]
	}
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() || isURL(file) {
		text, _ = wording.ReadFile(file, 1)
		isKey = "="
	}
	known := []string{targetVariable, fixtures.OwnerVariable, fixtures.StrangerVariable, templateVariable}
	for commands := []*cobra.Command{cmd.Root()}; len(commands) > 0; commands = append(commands[1:], commands[0].Commands()...) {
		commands[0].Flags().VisitAll(func(f *pflag.Flag) { known = append(known, variable(f.Name)) })
	}
	for _, v := range a.Variables {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, prefix) && value != "" && !slices.Contains(known, name) && !strings.HasSuffix(name, isKey) &&
			!regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).Match(text) {
			return fmt.Errorf("the variable %s is unknown: no flag and no target file uses it%s; correct it, or unset it",
				name, wording.DidYouMean(name, known))
		}
	}
	return nil
}

// isEmpty says whether a flag is given and empty, as by a variable of a pipeline that is not
// set: a run of all cases is not what --case "$CASE" means.
func isEmpty(v pflag.Value) bool {
	if list, ok := v.(pflag.SliceValue); ok {
		return len(list.GetSlice()) == 0 || slices.ContainsFunc(list.GetSlice(), blank)
	}
	return v.Type() != "func" && blank(v.String())
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// prefix is how the variables of the program begin.
const prefix = "ADCONFORM_"

// variable is the environment variable of a flag.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
