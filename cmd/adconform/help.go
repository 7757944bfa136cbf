package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands and flags are in the help by what one asks for, in the order in which they
// stand here.

// flagGroups are the flags of all commands by name; a command shows those that it has.
var flagGroups = []struct{ title, flags string }{
	{
		"What", "overlay from name object base-url wait data fault variant list " +
			"faults variants only case skip clause depth seed",
	},
	{"How careful", "read-only rate concurrency timeout deadline force yes"},
	{"Verdict", "basis baseline max-age require allow-inconclusive"},
	{"Connection", "owner-env stranger-env header addr ca cert key insecure latency rate-limit cors control"},
	{"Output", "report write-target json quiet verbose help"},
}

const (
	aboutTheSuite = "About the suite"
	fewFlags      = 8 // are shown as one group
)

// useHelp groups commands and flags in the help of a command and of those below it.
func (a *app) useHelp(root *cobra.Command) {
	group := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
		for _, c := range commands {
			c.GroupID = title
		}
		root.AddCommand(commands...)
	}
	group("Test a server", a.runCommand(), a.initCommand(), a.doctorCommand(), a.replayCommand())
	group("Understand", casesCommand(a), explainCommand(a), diffCommand(a))
	group("Gate", baselineCommand(a))
	group("Develop a client", serveCommand(a), a.checkCommand())
	group(aboutTheSuite, a.selftestCommand(), versionCommand(a))
	root.SetCompletionCommandGroupID(aboutTheSuite)
	forTemplates()
	root.SetUsageTemplate(strings.NewReplacer(
		"Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagsByGroup . | trimTrailingWhitespaces}}",
		"{{if .Runnable}}\n  {{.UseLine}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}\n  {{.UseLine}}", // it runs to say so
	).Replace(root.UsageTemplate()))
}

// forTemplates sets what Cobra keeps for the whole program.
var forTemplates = sync.OnceFunc(func() {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("flagsByGroup", func(c *cobra.Command) string {
		return flagsByGroup(c.LocalFlags(), columnsOf(c.Root().OutOrStdout())) // that of the command is a buffer here
	})
})

// flagsByGroup returns the usage of flags in groups, no wider than the columns of a terminal;
// in one group where they are few.
func flagsByGroup(flags *pflag.FlagSet, width int) string {
	flags.SortFlags = false
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if len(names) <= fewFlags {
		return "Flags:\n" + flags.FlagUsagesWrapped(width)
	}
	var text strings.Builder
	for _, g := range flagGroups {
		group := pflag.NewFlagSet("", pflag.ContinueOnError)
		group.SortFlags = false
		for name := range strings.FieldsSeq(g.flags) {
			if slices.Contains(names, name) {
				group.AddFlag(flags.Lookup(name))
			}
		}
		if group.HasFlags() {
			fmt.Fprintf(&text, "%s:\n%s\n", g.title, group.FlagUsagesWrapped(width))
		}
	}
	return text.String()
}
