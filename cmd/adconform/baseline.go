package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// baselineCommand is the command baseline.
func baselineCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline COMMAND",
		Short: "Keep the list of findings that are known and accepted",
		Long: `A baseline lists findings of a target that are known and accepted for a time, each with
its reason and the last day on which it is accepted. With adconform run --baseline they
do not fail the run. Any other finding does, and so does an entry that no longer
occurs or that has expired.

An entry names a finding by its cause, and lists at which operations, clauses, checks and
places and in which cases it is accepted. A case or place that is not listed is not covered:
if it fails, the finding counts, and the run says which cases are new. A listed case that
no longer fails is no harm.

An entry no longer occurs where a whole run carried out all of its cases and did not find
it. One that has intermittent: true, which is written by hand, may be absent from a run, and
show in other cases than it lists.`,
		Example: `  adconform baseline add known.yaml report --reason 'ticket 4711' --expires 2027-01-31
  adconform run target.yaml --baseline known.yaml
  adconform baseline prune known.yaml report`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	cmd.AddCommand(baselineAddCommand(a), baselinePruneCommand(a))
	return cmd
}

// baselineAdd are the flags of baseline add.
type baselineAdd struct {
	options
	reason  string
	expires suites.Date
}

func baselineAddCommand(a *app) *cobra.Command {
	var o baselineAdd
	cmd := &cobra.Command{
		Use:   "add FILE REPORT",
		Short: "Add the findings of a report",
		Long: `Adds to a baseline every finding of a report that is not yet in it, and to the
entries that it has the cases that they do not list. Notices are added where they fail
the run of the report (--basis …,chosen). The file is made where there is none.`,
		Example: `  adconform baseline add known.yaml report --reason 'ticket 4711' --expires 2027-01-31
  adconform baseline add known.yaml report --clause EFFECT-1 --reason 'ticket 12' --expires 2027-01-31
  adconform baseline add known.yaml report   # new cases of the entries that are there`,
		Args: arguments(2, 2, "an argument is missing: name the baseline and the report"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.addToBaseline(cmd, &o, args[0], args[1]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "why they are accepted (`text`); an entry that is there keeps its own")
	addFlag(f, &o.expires, "expires", "date", suites.ParseDate,
		"the last day on which they are accepted; an entry that is there keeps its own")
	f.StringSliceVar(&o.clauses, "clause", nil, "only findings of this clause (`id`, can be repeated)")
	o.add(cmd, "overlay")
	return cmd
}

// loadBaseline reads the contract, a report and a baseline, which is nil where the file is not there.
func (o *options) loadBaseline(file, path string) (*spec.Contract, *report.Report, *suites.Baseline, error) {
	contract, err := loadContract(o.overlay)
	if err != nil {
		return nil, nil, nil, err
	}
	r, err := report.Read(path)
	if err != nil {
		return nil, nil, nil, err
	}
	b, err := suites.Load(file, contract)
	return contract, r, b, err
}

func (a *app) addToBaseline(cmd *cobra.Command, o *baselineAdd, file, path string) error {
	contract, r, b, err := o.loadBaseline(file, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || r == nil {
		return err
	}
	for _, id := range o.clauses {
		if contract.Clause(id) == nil {
			return usagef(cmd, "--clause %q is not one of the contract's%s", id, wording.DidYouMean(id, clauseIDs(contract)))
		}
	}
	var entries []*suites.Entry
	var lines []string
	for _, n := range b.Renewals(r, func(f *oracle.Finding) bool {
		return (len(o.clauses) == 0 || slices.Contains(o.clauses, f.Clause)) &&
			(f.Severity != oracle.Notice || r.Strict || b.Entry(f) != nil)
	}) {
		line := "added   " + n.Finding + " in " + wording.Count(len(n.Cases), "case")
		switch {
		case n.Before != nil:
			line = "widened " + n.Finding + " by " + strings.Join(n.Fresh, ", ")
		case o.reason == "" || o.expires == "" || o.expires.Over(time.Now()):
			return usagef(cmd, "new findings want --reason, why they are accepted, and --expires, a day to come until which they are")
		default:
			n.Reason, n.Expires = o.reason, o.expires
		}
		entries, lines = append(entries, n.Entry), append(lines, line)
	}
	return a.saveBaseline(file, entries, nil, lines,
		"nothing to add: the report has no other finding, and no other case of one; notices count with --basis …,chosen alone")
}

// saveBaseline writes entries and takes others away, and says so in lines; none is said where there is nothing to do.
func (a *app) saveBaseline(file string, entries []*suites.Entry, gone, lines []string, none string) error {
	if len(lines) == 0 {
		a.say(none)
		return nil
	}
	err := suites.Save(file, entries, gone...)
	if err == nil {
		a.say(lines...)
	}
	return err
}

func baselinePruneCommand(a *app) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "prune FILE REPORT",
		Short: "Remove what no longer occurs",
		Long: `Removes from a baseline every entry that the run of a report looked for and did not
find, and from the others the cases that passed in a whole run. What the run did not
look for stays.`,
		Example: "  adconform baseline prune known.yaml report",
		Args:    arguments(2, 2, "an argument is missing: name the baseline and the report"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.pruneBaseline(&o, args[0], args[1]) },
	}
	o.add(cmd, "overlay")
	return cmd
}

func (a *app) pruneBaseline(o *options, file, path string) error {
	_, r, b, err := o.loadBaseline(file, path)
	if err != nil {
		return err
	}
	var gone, lines []string
	var narrower []*suites.Entry
	for _, e := range b.Entries {
		occurs, passed := b.Occurs(e, r.Findings), e.Passed(r)
		switch {
		case !occurs && e.Gone(r), occurs && len(passed) > 0 && len(passed) == len(e.Cases):
			gone = append(gone, e.Finding)
			lines = append(lines, fmt.Sprintf("removed %s (%s)", e.Finding, e.Reason))
		case occurs && len(passed) > 0:
			e.Cases = slices.DeleteFunc(e.Cases, func(id string) bool { return slices.Contains(passed, id) })
			narrower = append(narrower, e)
			lines = append(lines, fmt.Sprintf("removed from %s: %s", e.Finding, strings.Join(passed, ", ")))
		}
	}
	return a.saveBaseline(file, narrower, gone, lines, "nothing to remove: every entry occurs in its cases, or was not looked for")
}

// diffCommand is the command diff.
func diffCommand(a *app) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "diff REPORT REPORT",
		Short: "Say what changed between two runs",
		Long: `Compares two reports, the earlier one first: findings that came and went, and cases
with another status. A report is a report.json or the folder that holds one. Findings
are the same when they have the same cause.

Exit codes: 0 not worse, 1 worse (a finding that fails the second run is new, or shows in
a case that passed before), 2 wrong usage, 3 cannot say: not worse as far as the second
run looked, but it left out something that the first run tested, and says what.`,
		Example: `  adconform diff main/report branch/report
  adconform diff old/report.json new/report.json --json`,
		Args: arguments(2, 2, "a report is missing: name two, the earlier one first"),
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := report.Read(args[0])
			after, errAfter := report.Read(args[1])
			if err := cmp.Or(err, errAfter); err != nil {
				return err
			}
			d := report.Compare(before, after)
			if o.json {
				err = a.printJSON(d)
			} else {
				err = d.WriteText(a.harmless().Stdout, o.style(a))
			}
			return cmp.Or(err, error(exitCode(d.ExitCode())))
		},
	}
	o.add(cmd, "json")
	return cmd
}
