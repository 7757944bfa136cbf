package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const aboutTheSuite = "About the suite"

// useHelp groups commands in the help by what one asks for, and lists flags in the order in which
// they were added, no wider than a terminal.
func (a *app) useHelp(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	group := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
		for _, c := range commands {
			c.GroupID = title
			c.Flags().SortFlags = false
		}
		root.AddCommand(commands...)
	}
	group("Test a server", a.runCommand(), a.initCommand(), a.doctorCommand(), a.replayCommand())
	group("Understand", casesCommand(a), explainCommand(a), diffCommand(a))
	group("Gate", baselineCommand(a))
	group("Develop a client", serveCommand(a), a.checkCommand())
	group(aboutTheSuite, a.selftestCommand(), versionCommand(a))
	root.SetCompletionCommandGroupID(aboutTheSuite)
	root.SetUsageTemplate(strings.NewReplacer(
		"{{.LocalFlags.FlagUsages", fmt.Sprintf("{{.LocalFlags.FlagUsagesWrapped %d", defaultColumns),
		"{{if .Runnable}}\n  {{.UseLine}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}\n  {{.UseLine}}", // it runs to say so
	).Replace(root.UsageTemplate()))
}
