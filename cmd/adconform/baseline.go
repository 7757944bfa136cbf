package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) baselineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline COMMAND",
		Short: "Keep the list of findings that are known and borne",
		Long: `A baseline lists findings of a target that are known and borne for a time, each with
its reason and the last day on which it is borne. With adconform run --baseline they
do not fail the run. Any other finding does, and so does an entry that no longer
occurs or that has expired.

An entry that has intermittent: true may be absent from a run, and one that has a
depth from a run of less depth.`,
		Example: `  adconform baseline add known.yaml report --reason 'ticket 4711' --expires 2027-01-31
  adconform run --target target.yaml --baseline known.yaml
  adconform baseline prune known.yaml report`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	cmd.AddCommand(a.baselineAddCommand(), a.baselinePruneCommand())
	return cmd
}

func (a *app) baselineAddCommand() *cobra.Command {
	var reason, overlay string
	var expires baseline.Date
	var clauses []string
	var notices bool
	cmd := &cobra.Command{
		Use:   "add FILE REPORT",
		Short: "Add the findings of a report",
		Long: `Adds to a baseline every finding of a report that is not yet in it; notices, which
fail a run with --strict only, where --notices asks for them. The file is made when
it is not there.`,
		Example: `  adconform baseline add known.yaml report --reason 'ticket 4711' --expires 2027-01-31
  adconform baseline add known.yaml report --clause EFFECT-1 --reason 'ticket 12' --expires 2027-01-31`,
		Args: fileAndReport,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case reason == "":
				return usagef(cmd, "--reason is missing: say why these findings are borne")
			case expires.IsZero():
				return usagef(cmd, "--expires is missing: give the last day on which they are borne, such as 2026-12-31")
			case !expires.AddDate(0, 0, 1).After(time.Now()):
				return usagef(cmd, "--expires %s is over", expires.Format(baseline.DateForm))
			}
			contract, err := loadContract(overlay)
			if err != nil {
				return err
			}
			for _, id := range clauses {
				if contract.Clause(id) == nil {
					return usagef(cmd, "--clause %q is not one of the contract's%s", id, didYouMean(id, idsOfClauses(contract)))
				}
			}
			b, r, err := a.baselineAndReport(args[0], args[1], overlay, true)
			if err != nil {
				return err
			}
			var entries []*baseline.Entry
			left := 0
			for i := range r.Findings {
				f := &r.Findings[i]
				if b.Entry(f.Cause()) != nil || len(clauses) > 0 && !slices.Contains(clauses, f.Clause) {
					continue
				}
				if f.Severity == oracle.Notice && !notices {
					left++
					continue
				}
				entries = append(entries, &baseline.Entry{Cause: f.Cause(), Reason: reason, Expires: expires, Depth: r.Depth})
			}
			if len(entries) == 0 && left > 0 {
				fmt.Fprintf(a.stdout, "nothing to add but %s: give --notices for a baseline of --strict\n", plural(left, "notice", "notices"))
				return nil
			}
			if len(entries) == 0 {
				fmt.Fprintf(a.stdout, "nothing to add: the report has no other finding\n")
				return nil
			}
			if err := baseline.Add(args[0], entries); err != nil {
				return err
			}
			for _, e := range entries {
				fmt.Fprintf(a.stdout, "added   %s\n", report.Printable(e.Cause.String()))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&reason, "reason", "", "why they are borne (`text`)")
	f.Var(&value[baseline.Date]{baseline.ParseDate, &expires, "date", ""}, "expires", "the last day on which they are borne")
	f.StringSliceVar(&clauses, "clause", nil, "only findings of this clause (`id`, can be repeated)")
	f.BoolVar(&notices, "notices", false, "notices too")
	f.StringVar(&overlay, "overlay", "", "OpenAPI Overlay `file` of the run")
	completeFlag(cmd, "clause", clauseIDs)
	return cmd
}

func (a *app) baselinePruneCommand() *cobra.Command {
	var overlay string
	cmd := &cobra.Command{
		Use:   "prune FILE REPORT",
		Short: "Remove what no longer occurs",
		Long: `Removes from a baseline every entry that the run of a report looked for and did not
find. What the run did not look for stays.`,
		Example: "  adconform baseline prune known.yaml report",
		Args:    fileAndReport,
		RunE: func(_ *cobra.Command, args []string) error {
			b, r, err := a.baselineAndReport(args[0], args[1], overlay, false)
			if err != nil {
				return err
			}
			var gone []oracle.Cause
			var lines []string
			for _, e := range b.Entries {
				if !e.Occurs(r.Findings) && e.Gone(r) {
					gone = append(gone, e.Cause)
					lines = append(lines, report.Printable(fmt.Sprintf("removed %s (%s)", e.Cause, e.Reason)))
				}
			}
			if len(gone) == 0 {
				fmt.Fprintln(a.stdout, "nothing to remove: every entry occurs, or was not looked for")
				return nil
			}
			if err := baseline.Remove(args[0], gone); err != nil {
				return err
			}
			for _, l := range lines {
				fmt.Fprintln(a.stdout, l)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&overlay, "overlay", "", "OpenAPI Overlay `file` of the run")
	return cmd
}

func fileAndReport(cmd *cobra.Command, args []string) error {
	if len(args) != 2 {
		return usagef(cmd, "%s given: name the baseline and the report", plural(len(args), "argument is", "arguments are"))
	}
	return nil
}

// baselineAndReport reads both; a baseline that is not there is empty where it
// may be made.
func (a *app) baselineAndReport(file, path, overlay string, mayMake bool) (*baseline.Baseline, *report.Report, error) {
	r, err := report.Read(path)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(file); mayMake && errors.Is(err, fs.ErrNotExist) {
		return nil, r, nil
	}
	contract, err := loadContract(overlay)
	if err != nil {
		return nil, nil, err
	}
	b, err := baseline.Load(file, contract)
	return b, r, err
}

// loadBaseline reads the baseline of a run, if there is one.
func loadBaseline(file string, contract *spec.Contract) (*baseline.Baseline, error) {
	if file == "" {
		return nil, nil
	}
	b, err := baseline.Load(file, contract)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	return b, nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
