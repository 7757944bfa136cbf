package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/selftest"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// usagef returns an error that refers to the help of the command.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

// flagError rewrites an error of the flag library as one line with a remedy.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usagef(cmd, "%w", err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	letters := unknown.GetSpecifiedShortnames()
	given := "--" + unknown.GetSpecifiedName()
	if len(letters) > maxTypos { // all of -report, of -quiet what follows a flag -q
		given = "--" + letters
		isMeant := func(flag string) bool { return strings.HasSuffix(flag, letters) }
		if i := slices.IndexFunc(known, isMeant); i >= 0 {
			given = known[i]
		}
		err = fmt.Errorf("unknown flag: %s", given[1:])
	} else if letters != "" {
		known = nil
	}
	return usagef(cmd, "%w%s", err, wording.DidYouMean(given, known))
}

// unknownCommand runs for a command that has only subcommands, and for help. It shows help if nothing is unknown.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if cmd.Name() == "help" {
		cmd, args, _ = cmd.Root().Find(args)
	}
	if len(args) == 0 {
		return cmd.Help()
	}
	known := idsOf(cmd.Commands(), (*cobra.Command).Name)
	return usagef(cmd, "unknown command %q%s", args[0], wording.DidYouMean(args[0], known))
}

// arguments compares the arguments with the use line of a command: NAME is required, [NAME] is not, and of
// [NAME...] there may be several.
func arguments(cmd *cobra.Command, args []string) error {
	words := strings.Fields(cmd.Use)[1:]
	switch {
	case len(args) < len(words) && !strings.HasPrefix(words[len(args)], "["):
		return usagef(cmd, "%s is missing", words[len(args)])
	case len(args) > len(words) && !strings.HasSuffix(cmd.Use, "...]"):
		return usagef(cmd, "unexpected argument %q", args[len(words)])
	}
	return nil
}

// readEnvironment sets the flags that are not on the command line from their
// variables. An empty variable is an error: a pipeline that leaves ADCONFORM_REQUIRE empty
// would lack the gate that it asks for.
func (a *app) readEnvironment(cmd *cobra.Command, args []string) error {
	var problems []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value, isSet := a.Env(name)
		switch {
		case f.Changed:
			if isEmpty(f.Value) {
				problems = append(problems, usagef(cmd, "--%s is empty: give it a value, or leave it out", f.Name))
			}
		case !isSet, f.Name == "help":
		case isBlank(value):
			problems = append(problems, fmt.Errorf("the variable %s is empty: give it a value, or unset it", name))
		default:
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				problems = append(problems, fmt.Errorf("the variable %s: %w", name, err))
			}
		}
	})
	return errors.Join(append(problems, a.unknownVariables(cmd, args)...)...)
}

// once is the value of a flag that takes one value: a second one would replace the first without a word.
type once struct {
	pflag.Value
	given bool
	text  string
}

func (o *once) Set(text string) error {
	if o.given {
		return errors.New("the flag takes one value and is given twice")
	}
	o.given = true
	o.text = text
	err := o.Value.Set(text)
	if o.Type() == "bool" && err != nil { // the library's error names a function of Go
		err = errors.New("want true or false")
	}
	return err
}

// flagsGiven returns what a command line or variables gave for the flags with these names, for another command line:
// " --overlay a.yaml --overlay b.yaml --insecure".
func flagsGiven(cmd *cobra.Command, names string) string {
	var b strings.Builder
	for name := range strings.FieldsSeq(names) {
		f := cmd.Flags().Lookup(name)
		values := []string{}
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			values = v.GetSlice()
		case *once:
			values = append(values, v.text)
		}
		for _, value := range values {
			switch {
			case !f.Changed:
			case f.NoOptDefVal == "": // it takes a value
				fmt.Fprintf(&b, " --%s %s", name, wording.Quote(value))
			default:
				fmt.Fprintf(&b, " --%s", strings.TrimSuffix(name+"="+value, "=true"))
			}
		}
	}
	return b.String()
}

// limitToOne makes every flag of a command that takes one value refuse a second one.
func limitToOne(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, isList := f.Value.(pflag.SliceValue); !isList {
			f.Value = &once{Value: f.Value}
		}
	})
}

// templateVariable is a variable of docs/ci/gitlab.yml that is not a flag: the version of adconform to use.
const templateVariable = prefix + "VERSION"

// ofService matches the variables that Kubernetes and Docker set for a service named adconform or adconform-reference.
var ofService = regexp.MustCompile(`^` + prefix + `(\w+_)?` +
	`(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_[A-Z]+)?)?|ENV_\w+|NAME=/.*)(=|$)`)

// maxTypos is the distance in letters from a known variable at which an unknown one must be misspelt.
const maxTypos = 2

// unknownVariables returns an error for each variable that has our prefix and must be misspelt, and warns of others
// that no flag, template or target file uses. Without a target file to look into, a variable for a key may be for
// another command.
func (a *app) unknownVariables(cmd *cobra.Command, args []string) (problems []error) {
	known := []string{targetVariable, fixtures.OwnerVariable, fixtures.StrangerVariable, templateVariable}
	var addFlags func(c *cobra.Command)
	addFlags = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, variable(f.Name)) })
		for _, below := range c.Commands() {
			addFlags(below)
		}
	}
	addFlags(cmd.Root())
	inFile, hasTarget := a.targetVariables(cmd, args)
	known = append(known, inFile...)
	for _, v := range a.Variables {
		name, value, _ := strings.Cut(v, "=")
		isOurs := strings.HasPrefix(name, prefix) && !ofService.MatchString(v)
		if !isOurs || value == "" {
			continue
		}
		mayBeKey := strings.HasSuffix(name, "_KEY") && !hasTarget
		if mayBeKey || slices.Contains(known, name) {
			continue
		}
		text := fmt.Sprintf("the variable %s is unknown: no flag and no target file uses it", name)
		if nearest, typos := wording.Nearest(name, known); typos <= maxTypos {
			problems = append(problems, fmt.Errorf("%s (did you mean %s?); correct it, or unset it", text, nearest))
		} else {
			a.note("warning: %s", text)
		}
	}
	return problems
}

// targetVariables returns the variables with our prefix that the target file names, and whether the command has a
// target to look at: a file, or a URL.
func (a *app) targetVariables(cmd *cobra.Command, args []string) (names []string, hasTarget bool) {
	file, _ := a.Env(targetVariable)
	takesTarget := strings.HasSuffix(cmd.Use, targetUse)
	if len(args) > 0 {
		switch {
		case takesTarget:
			file = args[0]
		case cmd.Name() == "replay" && file == "":
			if r, err := report.Read(args[0]); err == nil { // else the command says why
				file = r.Target.Given
			}
		}
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil, takesTarget && isURL(file)
	}
	text, _ := wording.ReadFile(file, 1)
	return regexp.MustCompile(prefix+`\w+`).FindAllString(string(text), -1), takesTarget
}

// isEmpty reports whether a flag is given an empty value, for example by an unset variable of a
// pipeline: --case "$CASE" does not mean a run of all cases.
func isEmpty(v pflag.Value) bool {
	if list, isList := v.(pflag.SliceValue); isList {
		return len(list.GetSlice()) == 0 || slices.ContainsFunc(list.GetSlice(), isBlank)
	}
	return v.Type() != "func" && isBlank(v.String())
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// prefix begins the names of the program's variables.
const prefix = "ADCONFORM_"

// variable returns the environment variable of a flag.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

const aboutTheSuite = "About the suite"

// useHelp groups commands and flags in the help by purpose, no wider than a terminal. Flags keep
// the order in which they were added.
func (a *app) useHelp(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	group := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
		for _, c := range commands {
			c.GroupID = title
			c.Flags().SortFlags = false
			limitToOne(c)
			if c.Args == nil {
				c.Args = cobra.ArbitraryArgs
			}
			c.Args = cobra.MatchAll(arguments, c.Args)
		}
		root.AddCommand(commands...)
	}
	group("Test a server", a.runCommand(), a.initCommand(), a.doctorCommand(), a.replayCommand())
	group("Understand", casesCommand(a), explainCommand(a), diffCommand(a))
	group("Gate", baselineCommand(a))
	group("Develop a client", serveCommand(a), a.checkCommand())
	group(aboutTheSuite, selftest.Command(
		func(code int) error { return exitCode(code) },
		func(ctx context.Context) (context.Context, func()) { return a.Interruptible(ctx, "") },
	), versionCommand())
	root.SetCompletionCommandGroupID(aboutTheSuite)
	root.SetUsageTemplate(strings.NewReplacer(
		".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", defaultColumns),
		// A command with subcommands only prints help.
		"{{if .Runnable}}\n  {{.UseLine}}",
		"{{if and .Runnable (not .HasAvailableSubCommands)}}\n  {{.UseLine}}",
	).Replace(root.UsageTemplate()))
}
