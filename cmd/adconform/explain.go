package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// explainCommand is the command explain.
func explainCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain CLAUSE|CASE|OPEN-POINT|CHECK",
		Short: "Say what a clause, a case, an open point or a check means",
		Long: `Explains a clause (its requirement, its source, the checks and cases that judge it),
a case (the request that it sends and what must hold), an open point (the question,
the choice of the bundled reference, how a target file settles it) or a check, which
each finding names (what it judges).`,
		Example: `  adconform explain AUTH-2
  adconform explain malformed-id
  adconform explain shows-sent`,
		Args: arguments(1, 1, "the clause, case, open point or check is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			contract := spec.Load()
			e, known := explainer{a.Stdout, contract, everyCase(contract)}, false
			entries := e.entries()
			for _, one := range entries {
				if strings.EqualFold(one.id, args[0]) {
					one.explain()
					known = true
				}
			}
			if !known {
				return usagef(cmd, "%q is not a clause, case, open point or check%s", args[0],
					wording.Alike(args[0], idsOf(entries, func(one entry) string { return one.id })))
			}
			return nil
		},
	}
}

// explainer writes the meaning of ids.
type explainer struct {
	w        io.Writer
	contract *spec.Contract
	cases    []*judge.Case
}

// entry is an id with a function that writes its meaning.
type entry struct {
	id      string
	explain func()
}

// entries returns all ids that can be explained. An open point and a check may have the same id.
func (e explainer) entries() (all []entry) {
	for i := range e.contract.Clauses {
		c := &e.contract.Clauses[i]
		all = append(all, entry{c.ID, func() { e.clause(c) }})
	}
	for i := range e.contract.Open {
		p := &e.contract.Open[i]
		all = append(all, entry{p.ID, func() { e.openPoint(p) }})
	}
	for _, c := range allChecks() {
		all = append(all, entry{c.ID, func() {
			e.print("%s: %s", c.ID, c.Text)
			e.field("clauses:", strings.Join(c.Clauses, ", "))
		}})
	}
	for _, cs := range e.cases {
		all = append(all, entry{cs.ID, func() { e.oneCase(cs) }})
	}
	return all
}

func (e explainer) clause(c *spec.Clause) {
	weight := "fails a run"
	if c.Basis == spec.Chosen {
		weight = "is a notice and fails a run only with --basis chosen"
	}
	e.print("%s: %s", c.ID, c.Text)
	e.field("operation:", strings.Replace(c.Operation, "all", "every operation", 1))
	e.field("basis:", fmt.Sprintf("%s: %s; a breach %s", c.Basis, c.Meaning(), weight))
	e.field("source:", c.Source)
	for _, check := range allChecks() {
		if slices.Contains(check.Clauses, c.ID) {
			e.field("check:", check.ID+": "+check.Text)
		}
	}
	e.judges(func(cs *judge.Case) bool { return slices.Contains(cs.Clauses, c.ID) })
}

// judges lists the cases for which a condition holds.
func (e explainer) judges(of func(*judge.Case) bool) {
	all := caseIDs(slices.DeleteFunc(slices.Clone(e.cases), func(cs *judge.Case) bool { return !of(cs) }))
	if len(all) == 0 {
		e.field("cases:", "none in the plan; it is judged over the whole run wherever it applies")
		return
	}
	fmt.Fprintf(e.w, "cases (%d):\n  %s\n", len(all), strings.Join(all, "\n  "))
}

func (e explainer) oneCase(cs *judge.Case) {
	op := cs.Operation
	e.print("%s: %s", cs.ID, cs.Title)
	e.field("sends:", fmt.Sprintf("%s %s (%s)", op.Method, op.Path, op.ID))
	e.field("depth:", cs.Depth.String())
	if len(cs.Needs) > 0 {
		e.field("needs:", strings.Join(cs.Needs, ", ")+" in the target file")
	}
	if cs.Open != "" {
		e.field("observes:", fmt.Sprintf("%s: %s", cs.Open, e.contract.OpenPoint(cs.Open).Question))
	}
	for i, id := range cs.Clauses {
		c := e.contract.Clause(id)
		e.field([]string{"judges:", ""}[min(i, 1)], fmt.Sprintf("%s (%s) %s", id, c.Basis, c.Text))
	}
	e.field("spec:", cs.Location)
	e.field("run it:", "adconform run --case "+cs.ID)
}

func (e explainer) openPoint(p *spec.OpenPoint) {
	e.print("%s: %s", p.ID, p.Question)
	e.field("reference:", p.Reference)
	e.field("treatment:", p.Treatment+": "+map[string]string{
		"observe": "the suite sends something that shows the choice, and reports it",
		"adopted": "a published fact fills the gap",
		"ignored": "nothing on the wire depends on it, or every choice is accepted",
	}[p.Treatment])
	if p.Detail != "" {
		e.field("detail:", p.Detail)
	}
	if p.Pin != "" {
		e.field("pin:", fmt.Sprintf("open: {%s: %s} in a target file settles it, and it is judged from then on",
			p.Pin, fixtures.PinExample(p.Pin)))
	}
	if slices.ContainsFunc(e.cases, func(cs *judge.Case) bool { return cs.Open == p.ID }) {
		e.judges(func(cs *judge.Case) bool { return cs.Open == p.ID })
	}
}

// field writes a value beside its name.
func (e explainer) field(name, text string) {
	const indent = 11
	rows := report.Wrap(text, defaultColumns-indent)
	fmt.Fprintf(e.w, "%-*s%s\n", indent, name, strings.Join(rows, "\n"+strings.Repeat(" ", indent)))
}

// print writes a text wrapped at 80 columns.
func (e explainer) print(format string, args ...any) {
	fmt.Fprintln(e.w, strings.Join(report.Wrap(fmt.Sprintf(format, args...), defaultColumns), "\n"))
}

// allChecks returns the checks that findings name.
func allChecks() []oracle.Check { return slices.Concat(oracle.Checks(), judge.Checks) }

// versionCommand is the command version.
func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Prints the version of adconform and of Go.",
		Example: "  adconform version",
		Args:    arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "adconform %s\n", cmd.Root().Version)
			return err
		},
	}
}
