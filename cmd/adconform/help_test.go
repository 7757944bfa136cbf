package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
)

// Every command has its group, and so has every flag of the commands that have many.
func TestCommandsAndFlagsHaveGroups(t *testing.T) {
	root := (&app{Terminal: terminal.Terminal{Stdout: newBuffer()}}).root()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.GroupID == "" {
			t.Errorf("%s has no group", c.Name())
		}
		many := []string{"run", "serve", "check", "doctor", "replay"}
		if help := flagsByGroup(c.Flags(), 0); slices.Contains(many, c.Name()) && strings.HasPrefix(help, noGroup+":") {
			t.Errorf("%s has flags without a group:\n%s", c.Name(), help)
		}
	}
	seen := map[string]bool{}
	for _, g := range flagGroups {
		for _, name := range strings.Fields(g.flags) {
			if seen[name] {
				t.Errorf("--%s is in two groups", name)
			}
			seen[name] = true
		}
	}
}

// What a flag of the help is under.
func TestHelpIsGrouped(t *testing.T) {
	for _, c := range []struct{ args, title, below string }{
		{"", "Test a server:", "  run "},
		{"", "Gate:", "  baseline "},
		{"run --help", "How careful:", "--read-only"},
		{"run --help", "Connection:", "--ca file"},
		{"run --help", "Output:", "--report folder"},
		{"serve --help", "What:", "--fault id"},
		{"pin --help", "Flags:", "--yes"},
		{"init --help", "What:", "--from URL"},
		{"selftest --help", maintainersOnly + ":", "--rank"},
	} {
		_, stdout, _ := run(t, nil, strings.Fields(c.args)...)
		parts := strings.Split(stdout, "\n\n")
		if !slices.ContainsFunc(parts, func(part string) bool {
			return strings.HasPrefix(part, c.title+"\n") && strings.Contains(part, c.below)
		}) {
			t.Errorf("%s: no %s below %s in\n%s", c.args, c.below, c.title, stdout)
		}
	}
	if _, stdout, _ := run(t, nil, "__complete", "selftest", "--ra"); strings.Contains(stdout, "--rank") {
		t.Error("the shell completes maintainers' flags")
	}
}

// On a terminal help is no wider than that, but for examples, which are copied.
func TestHelpKeepsToTheWidth(t *testing.T) {
	for _, args := range [][]string{{"run", "--help"}, {"help", "diff"}, {"--help"}} {
		text, _, _ := strings.Cut(onTerminal(t, 72, nil, args...), "\nExamples:")
		_, flags, _ := strings.Cut(onTerminal(t, 72, nil, args...), "\n\nWhat:")
		for line := range strings.Lines(text + flags) {
			if len([]rune(line)) > 73 {
				t.Errorf("%q: %s", args, line)
			}
		}
	}
	c := &cobra.Command{Use: "x"}
	c.Flags().String("long", "", strings.Repeat("word ", 60))
	for line := range strings.Lines(flagsByGroup(c.Flags(), 70)) {
		if len(line) > 71 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
