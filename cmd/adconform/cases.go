package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/wire"
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

// casesCommand is the command cases.
func casesCommand(a *app) *cobra.Command {
	o := newOptions()
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
		Args: o.targetArgument(a.Env),
		RunE: func(cmd *cobra.Command, _ []string) error { return listCases(cmd.Context(), a, &o) },
	}
	o.add(cmd, "overlay depth case skip clause json")
	return cmd
}

// caseList is what cases --json prints.
type caseList struct {
	Cases  []plannedCase  `json:"cases"`
	Writes *report.Writes `json:"writes,omitempty"` // for a target file
}

func listCases(ctx context.Context, a *app, o *options) error {
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	c, plan, err := o.planned(a)
	if err != nil {
		return err
	}
	list := caseList{Cases: make([]plannedCase, len(plan))}
	for i, cs := range plan {
		list.Cases[i] = plannedCase{
			ID: cs.ID, Operation: cs.Operation.ID, Class: cs.Class, Title: cs.Title, Depth: cs.Depth.String(),
			Clauses: cs.Clauses, Bases: bases(c.Contract, cs), Needs: cs.Needs, OpenPoint: cs.Open, Writes: cs.Writes,
		}
	}
	if c.Target.File != "" {
		list.Writes, err = planWrites(ctx, c)
		switch {
		case ctx.Err() != nil:
			return interrupted
		case err != nil:
			return err
		}
	}
	if o.json {
		return a.printJSON(list)
	}
	writeCases(a.Stdout, list.Cases)
	for _, text := range specs.Unused(c.Contract) {
		fmt.Fprintln(a.Stdout, "not used: "+wording.Printable(text))
	}
	if list.Writes == nil {
		return nil
	}
	fmt.Fprintln(a.Stdout)
	return report.WritesSummary(a.Stdout, list.Writes, o.style(a))
}

// bases of the clauses that a case judges, in order of weight.
func bases(contract *spec.Contract, cs *judge.Case) []spec.Basis {
	return slices.DeleteFunc(slices.Clone(spec.Bases()), func(b spec.Basis) bool {
		return !slices.ContainsFunc(cs.Clauses, func(id string) bool { return contract.Clause(id).Basis == b })
	})
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

// planWrites are the requests of a run that could change the target. None is sent there: the
// suite runs against a reference that holds the target file's objects under the same ids.
func planWrites(ctx context.Context, c *suites.Config) (*report.Writes, error) {
	simulated, stop, err := startSimulated(ctx, c)
	if err != nil {
		return nil, err
	}
	defer stop()
	dry := *c
	dry.Target = simulated
	w := &report.Writes{
		Schema: report.WritesSchema, Target: report.NewTarget(c.Target),
		Seed: c.Seed, Depth: c.Depth.String(), Objects: []report.Written{}, Deleted: []report.Deleted{},
	}
	if p := c.Target.Provision; p != nil && !c.ReadOnly {
		w.Provision = strings.TrimSpace("POST " + p.Post)
		if p.Post == "" {
			w.Provision = strings.Join(p.Command, " ")
		}
	}
	dry.Record = func(ex *wire.Exchange) {
		if r := ex.Request; ex.Attempts > 0 && !wire.Safe(r.Method) {
			op, n := named(c.Contract, c.Target, r.Method, r.Path)
			w.Add(n.Key, n.ID, n.Foreign(), report.WriteRequest{
				Operation: op, Method: r.Method, Path: r.Path, Credential: r.Credential.Name, Body: string(r.Body),
			})
		}
	}
	r, err := suites.Execute(ctx, &dry)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	w.Requests = r.Requests
	for _, change := range slices.Backward(r.Changes) {
		if change.Change == "deleted" {
			w.Deleted = append(w.Deleted, report.Deleted{Key: "objects." + change.Object, ID: change.ID})
		}
	}
	forGood, err := c.ForGood()
	if err != nil {
		return nil, err
	}
	for i := range w.Objects {
		for _, u := range forGood {
			if u.Key == w.Objects[i].Key {
				w.Objects[i].Unnamed = u.Fields
			}
		}
	}
	place := map[string]int{"": math.MaxInt} // as in the target file, unknown ids last
	for i, n := range c.Target.Named() {
		place[n.Key] = i
	}
	slices.SortStableFunc(w.Objects, func(a, b report.Written) int { return cmp.Compare(place[a.Key], place[b.Key]) })
	return w, nil
}

// startSimulated serves the objects of a target under the same ids, until stop is
// called, and returns the target that is served.
func startSimulated(ctx context.Context, c *suites.Config) (simulated *fixtures.Target, stop func(), err error) {
	ours, err := spec.Load()
	if err != nil {
		return nil, nil, err
	}
	world, simulated := c.Target.Simulated()
	simulated.Limits.Concurrency = 1 // requests are listed in the order of the plan
	simulated.BaseURL, stop, err = serveFree(ctx, reference.Options{World: world}, func(h http.Handler) http.Handler {
		return reference.Dialect(h, ours, c.Contract)
	})
	return simulated, stop, err
}

// named is the operation of a request and the object of the target file that its
// path ends in; none when it ends in an id that the file does not name.
func named(contract *spec.Contract, t *fixtures.Target, method, path string) (operation string, object fixtures.Named) {
	op, ids := contract.Match(method, path)
	if op == nil {
		return "", fixtures.Named{}
	}
	kind := fixtures.KindOf(op.Key())
	for _, n := range t.Named() {
		if n.Kind == kind && len(ids) > 0 && strconv.FormatInt(n.ID, 10) == ids[len(ids)-1] {
			return op.ID, n
		}
	}
	return op.ID, fixtures.Named{}
}
