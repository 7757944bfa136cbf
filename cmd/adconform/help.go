package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/suites/report"
)

// Commands and flags are in the help by what one asks for, in the order in which they
// stand here.

// commandGroup are commands with a title.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

func (a *app) commands() []commandGroup {
	return []commandGroup{
		{"Test a server", []*cobra.Command{a.runCommand(), a.initCommand(), a.doctorCommand(), a.replayCommand()}},
		{"Understand", []*cobra.Command{
			casesCommand(a), explainCommand(a), diffCommand(a),
		}},
		{"Gate", []*cobra.Command{baselineCommand(a)}},
		{"Develop a client", []*cobra.Command{serveCommand(a), a.checkCommand()}},
		{aboutTheSuite, []*cobra.Command{a.selftestCommand(), versionCommand(a)}},
	}
}

const aboutTheSuite = "About the suite"

// flagGroups are the flags of all commands by name; a command shows those that it has.
var flagGroups = []struct{ title, flags string }{
	{
		"What", "overlay from name object base-url wait seed-world data fault variant list " +
			"list-faults faults variants only case skip clause depth seed",
	},
	{"How careful", "read-only rate concurrency timeout deadline force yes"},
	{"Verdict", "basis baseline max-age require allow-inconclusive"},
	{"Connection", "owner-env stranger-env header addr ca cert key insecure latency rate-limit cors control"},
	{"Output", "report write-target json log quiet verbose help"},
}

// Flags are shown as one group where they are few, or where not all have one.
const (
	fewFlags = 8
	noGroup  = "Flags"
)

// useHelp groups commands and flags in the help of a command and of those below it.
func (a *app) useHelp(root *cobra.Command) {
	for _, g := range a.commands() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetCompletionCommandGroupID(aboutTheSuite)
	forTemplates()
	root.SetHelpTemplate(strings.ReplaceAll(root.HelpTemplate(), ". | trimTrailingWhitespaces", "reflowed $ | trimTrailingWhitespaces"))
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
	cobra.AddTemplateFunc("reflowed", func(c *cobra.Command) string {
		return reflowed(cmp.Or(c.Long, c.Short), columnsOf(c.Root().OutOrStdout()))
	})
})

// reflowed is a text whose paragraphs are as wide as a terminal, or as they are written.
func reflowed(text string, width int) string {
	if width == 0 {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.Contains(p, "\n ") { // no list
			paragraphs[i] = strings.Join(report.Wrap(strings.ReplaceAll(p, "\n", " "), min(width, widest)), "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// widest is how wide a paragraph is easy to read.
const widest = 100

// flagsByGroup is the usage of flags in groups, no wider than the columns of a terminal.
func flagsByGroup(flags *pflag.FlagSet, width int) string {
	in, visible := map[string][]*pflag.Flag{}, 0
	title := func(f *pflag.Flag) string {
		for _, g := range flagGroups {
			if slices.Contains(strings.Fields(g.flags), f.Name) {
				return g.title
			}
		}
		return noGroup
	}
	flags.SortFlags = false
	flags.VisitAll(func(f *pflag.Flag) {
		visible++
		in[title(f)] = append(in[title(f)], f)
	})
	if visible <= fewFlags || len(in[noGroup]) > 0 {
		for _, g := range flagGroups {
			in[noGroup] = append(in[noGroup], in[g.title]...)
			delete(in, g.title)
		}
	}
	var text strings.Builder
	show := func(title string, order []string) {
		if len(in[title]) == 0 {
			return
		}
		slices.SortStableFunc(in[title], func(a, b *pflag.Flag) int {
			return slices.Index(order, a.Name) - slices.Index(order, b.Name)
		})
		shown := pflag.NewFlagSet("", pflag.ContinueOnError)
		shown.SortFlags = false
		for _, f := range in[title] {
			shown.AddFlag(f)
		}
		fmt.Fprintf(&text, "%s:\n%s\n", title, shown.FlagUsagesWrapped(width))
	}
	show(noGroup, nil)
	for _, g := range flagGroups {
		show(g.title, strings.Fields(g.flags))
	}
	return text.String()
}
