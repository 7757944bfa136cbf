package main

import (
	"cmp"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/suites/report"
)

// baselineCommand is the command baseline.
func baselineCommand(a *app) *cobra.Command {
	reason := ""
	cmd := &cobra.Command{
		Use:   "baseline FILE REPORT",
		Short: "Create or update the list of accepted findings",
		Long: `With --reason, adds every finding that fails the run of the report to the
baseline. Entries that the run tested and did not find are removed, with or
without a reason.

With adconform run --baseline FILE, accepted findings do not fail a run. Any
other finding does, and so does an accepted one at a new place, in a new case,
or that is gone. An entry without cases accepts an intermittent finding: it may
appear in any case, or not at all.`,
		Example: `  adconform baseline known.yaml report --reason 'ticket 4711'
  adconform run target.yaml --baseline known.yaml --report report
  adconform baseline known.yaml report  # removes what is gone`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := engine.Load(args[0])
			isNew := errors.Is(err, fs.ErrNotExist) && reason != ""
			if err != nil && !isNew {
				return err
			}
			r, err := report.Read(args[1])
			if err != nil {
				return err
			}
			lines, isChanged := b.Update(r, reason)
			if isNew && !isChanged { // a gate needs the file, even if it accepts nothing yet
				lines = append(lines, "wrote "+args[0]+": no findings to accept")
				isChanged = true
			}
			if !isChanged {
				a.say(append(lines, args[0]+" is unchanged")...)
				return nil
			}
			if err := b.Save(); err != nil {
				return err
			}
			a.say(lines...)
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "",
		"accept the findings that fail the run for this reason (`text`); entries keep theirs")
	return cmd
}

// diffCommand is the command diff.
func diffCommand(a *app) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "diff REPORT REPORT",
		Short: "Compare two runs",
		Long: `Compares two reports, the earlier one first: which findings are new, gone or
remaining, and which cases began to fail. A report is a report.json or the
folder that contains one. Two findings are the same if they have the same cause.

Exit codes: 0 not worse, 1 worse (a finding that fails the second run is new, or
appears in a case that passed before), 2 wrong usage, 3 cannot say (nothing is
worse, but the second run left out something that the first one tested).`,
		Example: `  adconform diff main/report branch/report
  adconform diff old/report.json new/report.json --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := report.Read(args[0])
			after, errAfter := report.Read(args[1])
			if err := cmp.Or(err, errAfter); err != nil {
				return err
			}
			d := render.Compare(before, after)
			if o.json {
				a.printJSON(d)
			} else {
				_ = d.WriteText(a.Stdout, o.style(a))
			}
			return exitCode(d.ExitCode())
		},
	}
	o.add(cmd, "json")
	return cmd
}
