package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
)

// plannedCase is a case as cases --json lists it.
type plannedCase struct {
	ID        string       `json:"id"`
	Operation string       `json:"operation"`
	Class     string       `json:"class"`
	Title     string       `json:"title"`
	Depth     string       `json:"depth"`
	Clauses   []string     `json:"clauses"`
	Bases     []spec.Basis `json:"bases"`
	Needs     []string     `json:"needs"` // keys of the target file
	OpenPoint string       `json:"openPoint,omitempty"`
	Writes    bool         `json:"writes"`
}

// Cases is the command cases.
func Cases(t *Terminal) *cobra.Command {
	o := New()
	cmd := &cobra.Command{
		Use:   "cases [URL|FILE]",
		Short: "List the cases of a run, and what they would write, without sending anything",
		Long: `Lists the cases that run would send to a target, in that order: what each asks
for, the clauses that it judges, and what it needs of the target file. For a target file
it says, too, which requests could change which object, and what stays changed. Without a
target it lists the cases of the bundled reference. Nothing is sent to the target.`,
		Example: `  adconform cases --case 'updateCampaign/*'
  adconform cases target.yaml
  adconform cases target.yaml --clause AUTH-2 --json`,
		Args: o.TargetArgument(t.Env),
		RunE: func(cmd *cobra.Command, _ []string) error { return listCases(cmd.Context(), t, &o) },
	}
	f := cmd.Flags()
	o.AddOverlay(f)
	o.AddDepth(cmd)
	o.AddSelection(cmd)
	o.AddJSON(f)
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "list each request that could change the target")
	return cmd
}

// caseList is what cases --json prints.
type caseList struct {
	Cases  []plannedCase  `json:"cases"`
	Writes *report.Writes `json:"writes,omitempty"` // for a target file
}

func listCases(ctx context.Context, t *Terminal, o *Options) error {
	ctx, cancel := t.Interruptible(ctx, "")
	defer cancel()
	c, plan, err := o.Planned(t)
	if err != nil {
		return err
	}
	list := caseList{Cases: make([]plannedCase, len(plan))}
	for i, cs := range plan {
		list.Cases[i] = describe(c.Contract, cs)
	}
	if c.Target.File != "" {
		list.Writes, err = planWrites(ctx, c)
		switch {
		case ctx.Err() != nil:
			return Interrupted
		case err != nil:
			return err
		}
	}
	if o.JSON {
		return t.PrintJSON(list)
	}
	writeCases(t.Stdout, list.Cases)
	for _, text := range specs.Unused(c.Contract) {
		fmt.Fprintln(t.Stdout, "not used: "+wording.Printable(text))
	}
	if list.Writes == nil {
		return nil
	}
	fmt.Fprintln(t.Stdout)
	return report.WritesSummary(t.Stdout, list.Writes, o.Style(t), o.Verbose)
}

func describe(contract *spec.Contract, cs *judge.Case) plannedCase {
	return plannedCase{
		ID: cs.ID, Operation: cs.Operation.ID, Class: cs.Class, Title: cs.Title, Depth: cs.Depth.String(),
		Clauses: cs.Clauses, Bases: bases(contract, cs), Needs: cs.Needs, OpenPoint: cs.Open, Writes: cs.Writes,
	}
}

// bases of the clauses that a case judges, in order of weight.
func bases(contract *spec.Contract, cs *judge.Case) []spec.Basis {
	judged := map[spec.Basis]bool{}
	for _, id := range cs.Clauses {
		judged[contract.Clause(id).Basis] = true
	}
	list := []spec.Basis{}
	for _, b := range spec.Bases() {
		if judged[b] {
			list = append(list, b)
		}
	}
	return list
}

func writeCases(w io.Writer, list []plannedCase) {
	for _, c := range list {
		fmt.Fprintf(w, "%s\n  %s\n", c.ID, wording.Printable(c.Title))
		fmt.Fprintf(w, "  judges %s (%s)\n", strings.Join(c.Clauses, " "), strings.Trim(fmt.Sprint(c.Bases), "[]"))
		if c.OpenPoint != "" {
			fmt.Fprintf(w, "  observes %s\n", c.OpenPoint)
		}
		if len(c.Needs) > 0 {
			fmt.Fprintf(w, "  needs %s\n", strings.Join(c.Needs, " "))
		}
	}
	fmt.Fprintf(w, "%d cases\n", len(list))
}
