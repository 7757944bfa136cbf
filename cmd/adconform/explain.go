package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/specs"
)

// caseList is what cases --json prints.
type caseList struct {
	Cases     []plannedCase `json:"cases"`
	Writes    []written     `json:"writes,omitempty"`    // only for a target file
	Provision string        `json:"provision,omitempty"` // restores the objects, before and after the cases
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
		Long: `Lists the cases that run would send to a target or, without one, to the bundled
reference: what each requires, the clauses that it judges, and what it needs
from the target file. For a target file it also lists the objects that may be
written to or deleted for good, and with --writes nothing else. It sends nothing
to the target.`,
		Example: `  adconform cases --case 'updateCampaign/*'
  adconform cases target.yaml --writes  # what a run may change or delete
  adconform cases target.yaml --clause AUTH-2 --json`,
		Args: o.takeTarget(a.Env),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.pairs {
				return a.onTarget(cmd.Context(), &o, "", a.listDimensions)
			}
			if o.writes && o.target == "" {
				return usagef(cmd,
					"--writes lists objects of a target file: name one (adconform cases target.yaml --writes)")
			}
			return a.onTarget(cmd.Context(), &o, "", a.listCases)
		},
	}
	o.add(cmd, "overlay depth case skip clause")
	cmd.Flags().BoolVar(&o.writes, "writes", false, "list only the objects that a run may write to or delete")
	cmd.Flags().BoolVar(&o.pairs, "pairs", false,
		"list what requests are made of, which arrays try in pairs, and no cases")
	o.add(cmd, "json")
	return cmd
}

// listDimensions prints what the requests of each operation are made of.
func (a *app) listDimensions(_ context.Context, o *options, c *engine.Config) error {
	all := specs.Dimensions(c.Contract, c.Target)
	if o.json {
		a.printJSON(all)
		return nil
	}
	rows := 0
	for i, d := range all {
		if i == 0 || all[i-1].Operation != d.Operation {
			a.say(d.Operation)
		}
		a.say("  " + d.Name)
		for _, r := range d.Rows {
			a.say(fmt.Sprintf("    %-6s%s: %s", r.Claim, r.Name, r.Words))
		}
		rows += len(d.Rows)
	}
	a.say("",
		fmt.Sprintf("%s. A plain row has to be accepted alone, an open one may be refused, a fault has to be.",
			wording.Count(rows, "row")),
		"Each row meets no key, the stranger, and others; a report says how many pairs were tested.")
	return nil
}

func (a *app) listCases(_ context.Context, o *options, c *engine.Config) error {
	plan, err := c.Sendable()
	if err != nil {
		return err
	}
	list := caseList{Cases: []plannedCase{}}
	for _, cs := range plan {
		list.Cases = append(list.Cases, plannedCase{
			ID: cs.ID, Operation: cs.Operation.ID, Class: cs.Class,
			Title: cs.Title, Depth: cs.Depth.String(),
			Clauses: cs.Clauses, Bases: c.Contract.BasesOf(cs.Clauses),
			Needs: cs.Needs, OpenPoint: cs.Open, Writes: cs.Writes,
		})
	}
	isOwn := c.Target.File != ""
	if isOwn {
		list.Writes = mayWrite(c, plan)
		list.Provision = restores(c.Target)
	}
	if o.json {
		a.printJSON(list)
		return nil
	}
	if !o.writes {
		a.printCases(list.Cases)
	}
	if isOwn && !o.writes {
		a.say("")
	}
	if isOwn || o.writes {
		a.printWrites(c, plan)
	}
	return nil
}

// printCases prints the cases of a plan, and how many there are.
func (a *app) printCases(cases []plannedCase) {
	for _, p := range cases {
		clauses := strings.Join(p.Clauses, " ")
		bases := strings.Trim(fmt.Sprint(p.Bases), "[]")
		a.say(p.ID, "  "+p.Title, fmt.Sprintf("  judges %s (%s)", clauses, bases))
		if p.OpenPoint != "" {
			a.say("  observes " + p.OpenPoint)
		}
		if len(p.Needs) > 0 {
			a.say("  needs " + strings.Join(p.Needs, " "))
		}
	}
	a.say(wording.Count(len(cases), "case"))
}

// printWrites prints which objects the cases of a plan may change, one line for all of a list.
func (a *app) printWrites(c *engine.Config, plan []*judge.Case) {
	objects := mayWrite(c, plan)
	if len(objects) == 0 {
		a.say("A run writes to no object of yours at " + c.Target.BaseURL + ", only to unknown ids.")
		return
	}
	a.sayWrapped("", "At "+c.Target.BaseURL+" a run may write to unknown ids and to:")
	var ids []string
	for i, o := range objects {
		ids = append(ids, string(o.ID))
		if i+1 < len(objects) && objects[i+1].isListedWith(&o) {
			continue
		}
		a.sayWrapped("  ", fmt.Sprintf("%s %s: %s, %s", o.list(), strings.Join(ids, ", "), o.Operation, o.Then))
		ids = nil
	}
	if how := restores(c.Target); how != "" {
		a.sayWrapped("", "Before the first case and after the last: "+how)
	}
}

// restores returns what brings the objects of a target back, or "".
func restores(t *fixtures.Target) string {
	if t.Provision == nil {
		return ""
	}
	return cmp.Or(strings.Join(t.Provision.Command, " "), "POST "+t.Provision.Post)
}

// written is an object of the target file that an operation may change.
type written struct {
	Key       string  `json:"key"`
	ID        spec.ID `json:"id"`
	Operation string  `json:"operation"`
	Deleted   bool    `json:"deleted,omitempty"` // for good
	Then      string  `json:"then"`              // what becomes of it, in words
}

// list returns the key of an object as people write it, or of the list that it is in.
func (w *written) list() string {
	key, _, _ := strings.Cut(strings.TrimPrefix(w.Key, "objects."), "[")
	return key
}

// isListedWith reports whether an operation changes both objects, which are in one list.
func (w *written) isListedWith(o *written) bool {
	return w.list() == o.list() && w.Operation == o.Operation
}

// mayWrite lists the objects that the cases of a plan may change. It sends nothing.
func mayWrite(c *engine.Config, plan []*judge.Case) (objects []written) {
	for _, n := range c.Target.Named() {
		for _, op := range c.Contract.Operations {
			if !mayChange(op, n) || !hasWrites(plan, op) {
				continue
			}
			o := written{Key: n.Key, ID: n.ID, Operation: op.ID, Deleted: op.Deletes(), Then: "then restored"}
			switch {
			case n.Foreign:
				o.Then = "must be refused"
			case op.Deletes():
				o.Then = "DELETED for good"
			}
			objects = append(objects, o)
		}
	}
	return objects
}

// mayChange reports whether cases may send an operation to an object: only disposable ones are deleted.
func mayChange(op *spec.Operation, n fixtures.Named) bool {
	if fixtures.KindOf(op.Key()) != n.Kind {
		return false
	}
	return !op.Deletes() || strings.HasPrefix(n.Bare, "disposable")
}

func hasWrites(plan []*judge.Case, op *spec.Operation) bool {
	return slices.ContainsFunc(plan, func(cs *judge.Case) bool { return cs.Writes && cs.Operation == op })
}

// explainCommand is the command explain.
func explainCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain CLAUSE|CASE|OPEN-POINT|CHECK",
		Short: "Say what a clause, a case, an open point or a check means",
		Long: `Explains a clause: its requirement, its source, and the checks and cases that
judge it; a case: the request that it sends, and what must hold; an open point:
the question, what the bundled reference chose, and how a target file settles
it; or a check: what it judges. A finding names its clause, cases and check.`,
		Example: `  adconform explain AUTH-2
  adconform explain malformed-id
  adconform explain shows-sent`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all := meanings()
			isKnown := false
			for _, m := range all {
				if strings.EqualFold(m.id, args[0]) {
					a.define(m)
					isKnown = true
				}
			}
			if !isKnown {
				return usagef(cmd, "%q is not a clause, case, open point or check%s", args[0],
					wording.Alike(args[0], idsOf(all, func(m meaning) string { return m.id })))
			}
			return nil
		},
	}
}

// meaning is what an id means: a text, and fields as names and values.
type meaning struct {
	id, text string
	fields   [][2]string
}

// meanings explains all ids. An open point and a check may have the same id.
func meanings() (all []meaning) {
	contract := spec.Load()
	checks := slices.Concat(oracle.Checks(), judge.Checks)
	cases := specs.Plan(contract, fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2"), judge.Deep)
	for _, c := range contract.Clauses {
		all = append(all, meaning{c.ID, c.Text, explainClause(c, checks, cases)})
	}
	for _, p := range contract.Open {
		all = append(all, meaning{p.ID, p.Question, explainOpenPoint(p, cases)})
	}
	for _, c := range checks {
		all = append(all, meaning{c.ID, c.Text, [][2]string{{"clauses:", strings.Join(c.Clauses, ", ")}}})
	}
	for _, cs := range cases {
		all = append(all, meaning{cs.ID, cs.Title, explainCase(cs, contract)})
	}
	return all
}

// define prints the meaning of an id for 80 columns. A field without a value is left out.
func (a *app) define(m meaning) {
	const indent = 11
	a.say(render.Wrap(m.id+": "+m.text, defaultColumns)...)
	for _, f := range m.fields {
		if f[1] != "" {
			rows := render.Wrap(f[1], defaultColumns-indent)
			text := strings.Join(rows, "\n"+strings.Repeat(" ", indent))
			fmt.Fprintf(a.Stdout, "%-*s%s\n", indent, f[0], text)
		}
	}
}

func explainClause(c *spec.Clause, checks []oracle.Check, cases []*judge.Case) [][2]string {
	weight := "fails a run"
	if c.Basis == spec.Chosen {
		weight = "is a notice and fails a run only with --basis chosen"
	}
	fields := [][2]string{
		{"operation:", strings.Replace(c.Operation, "all", "every operation", 1)},
		{"basis:", fmt.Sprintf("%s: %s; a breach %s", c.Basis, c.Meaning(), weight)},
		{"source:", c.Source},
	}
	for _, check := range checks {
		if slices.Contains(check.Clauses, c.ID) {
			fields = append(fields, [2]string{"check:", check.ID + ": " + check.Text})
		}
	}
	isOfClause := func(cs *judge.Case) bool { return slices.Contains(cs.Clauses, c.ID) }
	judged := judging(cases, " --clause "+c.ID, isOfClause)
	if judged == nil {
		judged = [][2]string{{"cases:", "none of its own; it is judged throughout the run"}}
	}
	return append(fields, judged...)
}

// maxCases is how many cases explain names.
const maxCases = 20

// judging returns the first cases for which a condition holds, a field each; filter is the flag of adconform cases that
// selects them.
func judging(cases []*judge.Case, filter string, is func(*judge.Case) bool) (fields [][2]string) {
	for _, cs := range cases {
		if is(cs) {
			fields = append(fields, [2]string{"", cs.ID})
		}
	}
	n := len(fields)
	if n == 0 {
		return nil
	}
	fields[0][0] = wording.Count(n, "case") + ":"
	if n > maxCases {
		others := fmt.Sprintf("… and %d more: adconform cases --depth deep%s", n-maxCases, filter)
		fields = append(fields[:maxCases], [2]string{"", others})
	}
	return fields
}

func explainCase(cs *judge.Case, contract *spec.Contract) [][2]string {
	fields := [][2]string{
		{"sends:", fmt.Sprintf("%s %s (%s)", cs.Operation.Method, cs.Operation.Path, cs.Operation.ID)},
		{"depth:", cs.Depth.String()},
		{"needs:", strings.Join(cs.Needs, ", ")},
		{"observes:", cs.Open},
		{"spec:", cs.Location},
		{"run it:", "adconform run target.yaml --case " + cs.ID},
	}
	for _, id := range cs.Clauses {
		c := contract.Clause(id)
		fields = append(fields, [2]string{"judges:", fmt.Sprintf("%s (%s) %s", id, c.Basis, c.Text)})
	}
	return fields
}

func explainOpenPoint(p *spec.OpenPoint, cases []*judge.Case) [][2]string {
	pin := ""
	if p.Pin != "" {
		key, example := fixtures.Example("open." + p.Pin)
		pin = fmt.Sprintf("open: {%s: %s} in a target file settles it, and it is judged from then on", key, example)
	}
	return append([][2]string{
		{"reference:", p.Reference},
		{"treatment:", p.Treatment + ": " + map[string]string{
			"observe": "the suite sends something that shows the choice, and reports it",
			"adopted": "a published fact fills the gap",
			"ignored": "nothing on the wire depends on it, or every choice is accepted",
		}[p.Treatment]},
		{"detail:", p.Detail},
		{"pin:", pin},
	}, judging(cases, "", func(cs *judge.Case) bool { return cs.Open == p.ID })...)
}

// versionCommand is the command version.
func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Prints the version of adconform and of Go.",
		Example: "  adconform version",
		Run:     func(cmd *cobra.Command, _ []string) { cmd.Println("adconform", cmd.Root().Version) },
	}
}
