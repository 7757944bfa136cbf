package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/specs"
)

// caseList is what cases --json prints.
type caseList struct {
	Cases  []plannedCase `json:"cases"`
	Writes *writes       `json:"writes,omitempty"` // only for a target file
}

// plannedCase is a case as cases --json lists it.
type plannedCase struct {
	ID        string       `json:"id"`
	Operation string       `json:"operation"`
	Class     string       `json:"class"`
	Title     string       `json:"title"`
	Depth     string       `json:"depth"`
	Clauses   []string     `json:"clauses"`
	Bases     []spec.Basis `json:"bases"` // of the clauses, in order of weight
	Needs     []string     `json:"needs"` // keys of the target file
	OpenPoint string       `json:"openPoint,omitempty"`
	Writes    bool         `json:"writes"`
}

// casesCommand is the command cases.
func casesCommand(a *app) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "cases " + targetUse,
		Short: "List the cases of a run and what they would write; send nothing",
		Long: `Lists the cases that run would send to a target, in order: what each requires,
the clauses that it judges, and what it needs from the target file. For a target file
it also lists the objects that may be written to or deleted for good. Without a
target it lists the cases of the bundled reference. It sends nothing to the target.`,
		Example: `  adconform cases --case 'updateCampaign/*'
  adconform cases target.yaml
  adconform cases target.yaml --clause AUTH-2 --json`,
		Args: o.targetArgument(a.Env),
		RunE: func(*cobra.Command, []string) error { return listCases(a, &o) },
	}
	o.add(cmd, "overlay depth case skip clause json")
	return cmd
}

func listCases(a *app, o *options) error {
	c, plan, err := o.planned(a)
	if err != nil {
		return err
	}
	list := caseList{Cases: make([]plannedCase, len(plan))}
	for i, cs := range plan {
		list.Cases[i] = plannedCase{
			ID: cs.ID, Operation: cs.Operation.ID, Class: cs.Class, Title: cs.Title, Depth: cs.Depth.String(),
			Clauses: cs.Clauses, Bases: c.Contract.BasesOf(cs.Clauses), Needs: cs.Needs, OpenPoint: cs.Open, Writes: cs.Writes,
		}
	}
	if c.Target.File != "" {
		list.Writes = planWrites(c, plan)
	}
	if o.json {
		a.printJSON(list)
		return nil
	}
	for _, cs := range list.Cases {
		fmt.Fprintf(a.Stdout, "%s\n  %s\n", cs.ID, wording.Printable(cs.Title))
		fmt.Fprintf(a.Stdout, "  judges %s (%s)\n", strings.Join(cs.Clauses, " "), strings.Trim(fmt.Sprint(cs.Bases), "[]"))
		if cs.OpenPoint != "" {
			fmt.Fprintf(a.Stdout, "  observes %s\n", cs.OpenPoint)
		}
		if len(cs.Needs) > 0 {
			fmt.Fprintf(a.Stdout, "  needs %s\n", strings.Join(cs.Needs, " "))
		}
	}
	fmt.Fprintf(a.Stdout, "%d cases\n", len(list.Cases))
	for _, text := range specs.Unused(c.Contract) {
		fmt.Fprintln(a.Stdout, "not used: "+wording.Printable(text))
	}
	if list.Writes != nil {
		list.Writes.show(a.Stdout, c.Target.BaseURL)
	}
	return nil
}

// writes lists what a run may write to a target.
type writes struct {
	Objects []written `json:"objects"`
	// Provision restores the objects before the first case and after the last; "" for nothing.
	Provision string `json:"provision,omitempty"`
}

// written is an object of the target file that an operation may change.
type written struct {
	Key       string   `json:"key"`
	ID        int64    `json:"id"`
	Operation string   `json:"operation"`
	Cases     int      `json:"cases"`             // that name it; others may read it by the same operation
	Deleted   bool     `json:"deleted,omitempty"` // for good
	Unnamed   []string `json:"unnamed,omitempty"` // changed fields that have no value in the target file
}

// planWrites lists the objects that the cases of a plan may change. It sends nothing.
func planWrites(c *suites.Config, plan []*judge.Case) *writes {
	w := &writes{Objects: []written{}}
	if p := c.Target.Provision; p != nil && !c.ReadOnly {
		w.Provision = cmp.Or(strings.Join(p.Command, " "), "POST "+p.Post)
	}
	forGood := c.ForGood()
	for _, n := range c.Target.Named() {
		names := func(need string) bool { return need == n.Key || n.File && strings.HasPrefix(n.Key, need+"[") }
		for _, op := range c.Contract.Operations {
			if fixtures.KindOf(op.Key()) != n.Kind() || op.Deletes() && !strings.HasPrefix(n.Key, "objects.disposable") {
				continue
			}
			o, sent := written{Key: n.Key, ID: n.ID, Operation: op.ID, Deleted: op.Deletes()}, false
			for _, cs := range plan {
				if cs.Operation == op && cs.Writes {
					sent = true
					if slices.ContainsFunc(cs.Needs, names) {
						o.Cases++
					}
				}
			}
			for _, u := range forGood {
				if u.Key == n.Key && u.Operation == op {
					o.Unnamed = u.Fields
				}
			}
			if sent {
				w.Objects = append(w.Objects, o)
			}
		}
	}
	return w
}

// show writes the list as text.
func (w *writes) show(out io.Writer, baseURL string) {
	fmt.Fprintf(out, "\nA run may write to these objects of the target file at %s, and to unknown ids:\n", wording.Printable(baseURL))
	for _, o := range w.Objects {
		becomes := "then restored"
		switch {
		case strings.HasPrefix(o.Key, "foreign."):
			becomes = "which the server must refuse"
		case o.Cases == 0:
			becomes = "to see that it is unchanged"
		case o.Deleted:
			becomes = "DELETED for good"
		case o.Unnamed != nil:
			becomes = "then restored only if the target shows it, as the target file does not give " + strings.Join(o.Unnamed, ", ")
		}
		fmt.Fprintf(out, "  %s %d: %s in %s, %s\n", strings.TrimPrefix(o.Key, "objects."), o.ID, o.Operation,
			wording.Count(o.Cases, "case"), becomes)
	}
	if w.Provision != "" {
		fmt.Fprintln(out, "Before the first case and after the last: "+wording.Printable(w.Provision))
	}
}
