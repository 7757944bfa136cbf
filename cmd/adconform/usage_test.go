package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// runFlags lists the flags of run according to the design.
const runFlags = "depth case skip clause seed read-only overlay fault require basis baseline allow-inconclusive rate concurrency " +
	"timeout wait deadline ca cert key insecure report quiet verbose"

// Every command has an example and a group. No command and no flag is hidden, and there are none
// beyond those of the design.
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
		var help strings.Builder
		c.SetOut(&help)
		noError(t, c.Help())
		for line := range strings.Lines(help.String()) {
			if len(line) > 1+defaultColumns && c.Name() != "completion" { // the last line of completion is cobra's
				t.Errorf("%s --help is wider than a terminal: %s", c.Name(), line)
			}
		}
		if want := slices.Sorted(slices.Values(strings.Fields(runFlags))); c.Name() == "run" && !slices.Equal(flags, want) {
			t.Errorf("run has the %d flags %q, and the design %q", len(flags), flags, want)
		}
	}
}

// Every command knows the variables that the CI templates set.
func TestVariablesOfTemplates(t *testing.T) {
	text := mustRead(t, "../../action.yml")
	files, err := filepath.Glob("../../docs/ci/*.yml")
	noError(t, err)
	for _, file := range files {
		text += mustRead(t, file)
	}
	names := regexp.MustCompile(`\bADCONFORM_\w+`).FindAllString(text, -1)
	a := &app{Env: lookup(nil)}
	for _, name := range names {
		a.Variables = append(a.Variables, name+"=x")
	}
	if err := a.unknownVariable(a.root(), nil); err != nil || len(names) < 5 {
		t.Errorf("%v of %q", err, names)
	}
}
