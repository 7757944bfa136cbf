package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	target, overlay string
	depth           judge.Depth
	rate            float64
	timeout         time.Duration
	connection      connection
	format          string
	verbose         bool
	noColor         bool
}

func (a *app) doctorCommand() *cobra.Command {
	o := &doctorOptions{depth: judge.Standard, format: "text"}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether a target has what a run needs, without changing anything",
		Long: `Looks whether the target answers, takes both keys and has the objects that the
target file names, of the right kind and owner, and says what is missing and what
that costs a run. It sends GET requests only. Most objects cannot be read through
the interface; what only a write could tell is said to be unchecked.

Exit codes: 0 a run has what it needs to test every stated clause, 1 an answer
already broke the contract, 2 wrong usage or configuration, 3 something is missing
or wrong, or the target does not answer, 130 interrupted.`,
		Example: `  adconform doctor --target target.yaml
  adconform doctor --target target.yaml && adconform run --target target.yaml`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "base URL or target file (`URL|FILE`); default: the bundled reference")
	f.StringVar(&o.overlay, "overlay", "", "OpenAPI Overlay `file` with the wire names of the target")
	f.Var(&value[judge.Depth]{readDepth, &o.depth, "depth", "standard"}, "depth", "of the run that is asked about: quick, standard or deep")
	f.Var(&value[float64]{readRate, &o.rate, "rate", ""}, "rate", "at most so many requests: 10/s, 90/m, 500/h")
	f.Var(&value[time.Duration]{readTime, &o.timeout, "time", ""}, "timeout", "of one request; default: that of the target file, else 10s")
	o.connection.addFlags(f)
	f.Var(&value[string]{readFormat, &o.format, "format", "text"}, "format", "of the standard output: text or json")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print a line for each exchange")
	f.BoolVar(&o.noColor, "no-color", false, "no colours")
	completeFlag(cmd, "depth", depthNames)
	completeFlag(cmd, "format", func() []string { return []string{"text", "json"} })
	return cmd
}

func (a *app) doctor(ctx context.Context, o *doctorOptions) error {
	ctx, cancel := a.interruptible(ctx, "")
	defer cancel()
	target, stop, err := a.runTarget(ctx, o.target, o.overlay)
	if err != nil {
		return err
	}
	defer stop()
	// What is asked about is a whole run, so the flags of run apply.
	run := &runOptions{overlay: o.overlay, seed: suites.DefaultSeed, depth: o.depth, rate: o.rate, timeout: o.timeout, connection: o.connection}
	c, err := run.config(target)
	if err != nil {
		return err
	}
	if o.connection.insecure {
		fmt.Fprintln(a.stderr, "adconform: "+report.Insecure)
	}
	if o.verbose {
		c.Record = newProgress(a.stderr, 0, true, time.Now).exchange
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
	if o.format == "json" {
		err = report.WritePreflightJSON(a.stdout, r)
	} else {
		err = report.PreflightSummary(a.stdout, r, report.Style{Width: columns(a.stdout), Color: a.colours(a.stdout, o.noColor)})
	}
	if err != nil {
		return err
	}
	return exitCode(r.ExitCode)
}
