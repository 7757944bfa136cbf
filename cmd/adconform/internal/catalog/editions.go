package catalog

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Editions is the command editions, of those that there are.
func Editions(t *terminal.Terminal, all func() spec.Editions) *cobra.Command {
	json := false
	cmd := &cobra.Command{
		Use:   "editions",
		Short: "List the editions of the suite, or compare two",
		Long: `An edition is a frozen list of what counts: clauses, checks and cases. A run is by the
newest one, or by that of --edition: what came later is run and shown, and fails
nothing. So a server that did not change stays as it was judged.`,
		Example: `  adconform editions
  adconform editions diff 2026-11 2026-11
  adconform run target.yaml --edition 2026-11`,
		Args: flags.Arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if json {
				return t.PrintJSON(listed(all()))
			}
			writeEditions(t.Stdout, all())
			return nil
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "as a JSON array")
	cmd.AddCommand(editionsDiffCommand(t, all))
	return cmd
}

func editionsDiffCommand(t *terminal.Terminal, all func() spec.Editions) *cobra.Command {
	json := false
	cmd := &cobra.Command{
		Use:   "diff EDITION EDITION",
		Short: "Say what counts in the second edition and not, or otherwise, in the first",
		Long: `Lists the clauses, checks and cases that only one of two editions counts, the clauses
whose basis is another, the cases that mean something else, and the clauses that are
contested in the second one only. The text can stand in a Markdown page.`,
		Example: "  adconform editions diff 2026-11 2026-11",
		Args:    flags.Arguments(2, 2, "an edition is missing: name two, the earlier one first"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return all().Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var both [2]*spec.Edition
			for i, name := range args {
				e, err := flags.ReadEdition(name, all())
				if err != nil {
					return fmt.Errorf("edition %q: %w", name, err)
				}
				both[i] = e
			}
			d := both[0].Diff(both[1])
			if json {
				return t.PrintJSON(d)
			}
			writeEditionDiff(t.Stdout, d)
			return nil
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "as JSON")
	return cmd
}

// listedEdition is an edition as editions --json lists it.
type listedEdition struct {
	Name        string                  `json:"name"`
	Newest      bool                    `json:"newest"`
	Clauses     int                     `json:"clauses"`
	Checks      int                     `json:"checks"`
	Cases       int                     `json:"cases"`
	Provisional map[string]string       `json:"provisional"` // since when, by id
	Contested   map[string]spec.Contest `json:"contested"`   // by clause
}

func listed(all spec.Editions) (list []listedEdition) {
	for _, e := range all {
		list = append(list, listedEdition{e.Name, e.IsNewest(), len(e.Clauses), len(e.Checks), len(e.Cases), e.Provisional, e.Contested})
	}
	return list
}

func writeEditions(w io.Writer, all spec.Editions) {
	for _, e := range slices.Backward(all) {
		newest := ""
		if e.IsNewest() {
			newest = " (newest)"
		}
		fmt.Fprintf(w, "%s%s: %s, %s, %s\n", e.Name, newest, wording.Count(len(e.Clauses), "clause"),
			wording.Count(len(e.Checks), "check"), wording.Count(len(e.Cases), "case"))
		for _, id := range slices.Sorted(maps.Keys(e.Provisional)) {
			fmt.Fprintf(w, "  provisional since %s: %s\n", e.Provisional[id], id)
		}
		writeContested(w, "  contested: ", e.Contested)
	}
}

func writeContested(w io.Writer, before string, contested map[string]spec.Contest) {
	for _, id := range slices.Sorted(maps.Keys(contested)) {
		fmt.Fprintf(w, "%s%s: %s (%s)\n", before, id, contested[id].Reason, contested[id].Link)
	}
}

func writeEditionDiff(w io.Writer, d *spec.EditionDiff) {
	if d.None() {
		fmt.Fprintf(w, "No difference: edition %s counts what edition %s does.\n", d.To, d.From)
		return
	}
	fmt.Fprintf(w, "From edition %s to edition %s\n", d.From, d.To)
	list := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s (%d):\n\n- %s\n", title, len(lines), strings.Join(lines, "\n- "))
		}
	}
	for _, kind := range []struct {
		name string
		spec.ListDiff
	}{{"Clauses", d.Clauses}, {"Checks", d.Checks}, {"Cases", d.Cases}} {
		var changed []string
		for _, c := range kind.Changed {
			changed = append(changed, fmt.Sprintf("%s: %s, was %s", c.ID, c.To, c.From))
		}
		list(kind.name+" added", kind.Added)
		list(kind.name+" removed", kind.Removed)
		list(kind.name+" changed", changed)
	}
	if len(d.Contested) > 0 {
		fmt.Fprintf(w, "\nNewly contested (%d):\n\n", len(d.Contested))
		writeContested(w, "- ", d.Contested)
	}
}

// edition says of a clause, check or case since when it counts, or why it does not.
func (e explainer) edition(id string, standing spec.Standing) {
	text := standing.Why()
	if text == "" {
		text = "since " + e.editions.Since(id)
	} else {
		text += "; it fails no run"
	}
	e.field("edition:", text)
}
