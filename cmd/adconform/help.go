package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/suites/report"
)

type heading struct{ title, flags string }

// headings are the titles under which help lists flags.
var headings = []heading{
	{"Flags", ""}, // all others
	{"What is tested", "depth case skip clause seed read-only overlay"},
	{"What passes", "require basis baseline allow-inconclusive"},
	{"Pace", "rate concurrency timeout wait deadline"},
	{"Connection", "ca cert key insecure"},
	{"Output", "report json quiet verbose"},
}

// grouped lists flags under headings.
func grouped(all *pflag.FlagSet) string {
	var parts []string
	for i, h := range headings {
		under := &pflag.FlagSet{SortFlags: false}
		all.VisitAll(func(f *pflag.Flag) {
			if i == max(0, slices.IndexFunc(headings, func(h heading) bool { return slices.Contains(strings.Fields(h.flags), f.Name) })) {
				under.AddFlag(f)
			}
		})
		if under.HasFlags() {
			parts = append(parts, h.title+":\n"+under.FlagUsagesWrapped(defaultColumns))
		}
	}
	return strings.Join(parts, "\n")
}

// wrapped breaks the paragraphs of a text as a terminal of 80 columns does.
func wrapped(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(report.Wrap(strings.ReplaceAll(p, "\n", " "), defaultColumns), "\n")
	}
	return strings.Join(paragraphs, "\n\n")
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
		}
		root.AddCommand(commands...)
	}
	group("Test a server", a.runCommand(), a.initCommand(), a.doctorCommand(), a.replayCommand())
	group("Understand", casesCommand(a), explainCommand(a), diffCommand(a))
	group("Gate", baselineCommand(a))
	group("Develop a client", serveCommand(a), a.checkCommand())
	group(aboutTheSuite, a.selftestCommand(), versionCommand())
	root.SetCompletionCommandGroupID(aboutTheSuite)
	cobra.AddTemplateFunc("grouped", grouped)
	cobra.AddTemplateFunc("wrapped", wrapped)
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "trimTrailingWhitespaces", "wrapped", 1))
	root.SetUsageTemplate(strings.NewReplacer(
		"Flags:\n{{.LocalFlags.FlagUsages", "{{grouped .LocalFlags",
		"{{if .Runnable}}\n  {{.UseLine}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}\n  {{.UseLine}}", // else it only prints help
	).Replace(root.UsageTemplate()))
}
