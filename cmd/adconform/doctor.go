package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) doctorCommand() *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "doctor " + targetUse,
		Short: "Check by reading whether a target has what a run needs",
		Long: `Checks whether the target answers, accepts both keys and has the objects that the target
file names, with the right kind, owner and parent, and reports what is missing and what that
costs a run. It sends only GET requests. Most objects cannot be read through the interface; what
only a write could show is reported as unchecked, and READY means ready as far as reading shows.

Exit codes: 0 a run has what it needs to test every stated clause, 1 an answer
already broke the contract, 2 wrong usage or configuration, 3 something is missing
or wrong, or the target does not answer, 130 interrupted.`,
		Example: `  adconform doctor target.yaml
  adconform doctor target.yaml && adconform run target.yaml`,
		Args: o.targetArgument(a.Env),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), &o) },
	}
	o.add(cmd, "overlay depth rate timeout ca cert key insecure json verbose")
	return cmd
}

func (a *app) doctor(ctx context.Context, o *options) error {
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	c, stop, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	defer stop()
	if o.verbose {
		c.Record = a.progress(true).exchange
	}
	r, err := suites.Preflight(ctx, c)
	if err != nil {
		return err
	}
	for i := range r.Parts {
		if r.Parts[i].Lost {
			r.Parts[i].Detail = strings.TrimPrefix(doesNotAnswer(r.Target.BaseURL, r.Parts[i].Detail), r.Target.BaseURL+" ")
		}
	}
	if o.json {
		a.printJSON(r)
	} else {
		_ = report.PreflightSummary(a.Stdout, r, o.style(a))
	}
	return exitCode(r.ExitCode)
}
