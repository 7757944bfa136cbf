package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// runFlags are those of run, and of the design.
const runFlags = "depth case skip clause seed read-only overlay fault require basis baseline allow-inconclusive rate concurrency " +
	"timeout wait deadline ca cert key insecure report quiet verbose"

// Every command has an example and a group. No command and no flag is hidden, and there are no more
// than the design has.
func TestCommandsAndFlags(t *testing.T) {
	root := (&app{Stdout: newBuffer()}).root()
	root.InitDefaultHelpCmd()
	if n := len(root.Commands()) - len([]string{"completion", "help"}); n > 12 {
		t.Errorf("%d commands", n)
	}
	for _, c := range append(root.Commands(), root) {
		var flags []string
		if c.Example == "" || c.Long == "" || c.Hidden || c.GroupID == "" && c != root {
			t.Errorf("%s: example %q, group %q, hidden %t", c.Name(), c.Example, c.GroupID, c.Hidden)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				t.Errorf("%s --%s is hidden", c.Name(), f.Name)
			}
			flags = append(flags, f.Name)
		})
		slices.Sort(flags)
		if want := slices.Sorted(slices.Values(strings.Fields(runFlags))); c.Name() == "run" && !slices.Equal(flags, want) {
			t.Errorf("run has the %d flags %q, and the design %q", len(flags), flags, want)
		}
	}
}
