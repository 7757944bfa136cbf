package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/suites/report"
)

// Diff is the command diff.
func Diff(t *Terminal) *cobra.Command {
	var o Options
	markdown := false
	cmd := &cobra.Command{
		Use:   "diff REPORT REPORT",
		Short: "Say what changed between two runs",
		Long: `Compares two reports, the earlier one first: findings that came and went, clauses
and cases with another outcome, open points with another answer. A report is a
report.json or the folder that holds one.

Findings are the same when the same check finds the same clause broken at the same
place of the same operation. One that remains and shows in a case that the first run
carried out without it is worse than before: such cases are named. A finding that the
second run could not have found, because its clause was not tested there, does not
count as gone.

Exit codes: 0 not worse, 1 worse (a finding that is no notice and that the baseline of
the second run does not list, and that is new or in a case that newly fails; an open point
that a target file pins and that is decided otherwise now; or a clause that is not tested
any more), 2 wrong usage, 3 nothing compared: the second run carried out no case.`,
		Example: `  adconform diff main/report branch/report
  adconform diff old/report.json new/report.json --markdown >comment.md`,
		Args: Arguments(2, 2, "a report is missing: name two, the earlier one first"),
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := report.Read(args[0])
			if err != nil {
				return err
			}
			after, err := report.Read(args[1])
			if err != nil {
				return err
			}
			d := report.Compare(before, after)
			if err := printDiff(t, d, markdown, &o); err != nil {
				return err
			}
			switch {
			case d.Worse():
				return ExitCode(report.ExitNonconforming)
			case d.Empty():
				return ExitCode(report.ExitInconclusive)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the result as Markdown, for a comment")
	o.AddJSON(cmd.Flags())
	return cmd
}

func printDiff(t *Terminal, d *report.Difference, markdown bool, o *Options) error {
	switch {
	case o.JSON:
		return t.PrintJSON(d)
	case markdown:
		return d.WriteMarkdown(t.Harmless().Stdout)
	}
	if err := d.WriteText(t.Harmless().Stdout, o.Style(t)); err != nil {
		return fmt.Errorf("the difference could not be written: %w", err)
	}
	return nil
}
