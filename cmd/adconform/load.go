package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// loadOptions are the flags of load.
type loadOptions struct {
	flags.Options
	suites.Load
}

// loadTime is how long a load takes that neither a time nor a number bounds.
const loadTime = 30 * time.Second

func (a *app) loadCommand() *cobra.Command {
	o := &loadOptions{Options: flags.New()}
	cmd := &cobra.Command{
		Use:   "load",
		Short: "Put a target under load with the same cases and checks",
		Long: `Sends the cases of the suite from several lanes at once, again and again, judges
every answer, and measures how long the answers take. A quiet round comes first, so
that it can tell what is found only under load. Each lane writes to objects of its
own (lanes: in the target file); what was changed is put back.

With --rate requests are due at fixed instants, and a latency counts from then on:
a target that stalls is charged for all that had to wait. Without, each lane sends
as fast as it can, and the times are those of the answers alone.

It is for servers of your own: a target that is not on this machine has to be
called so by --i-own-this-target. Without --target it loads the bundled reference.`,
		Example: `  adconform load --duration 10s
  adconform load --target target.yaml --lanes 8 --rate 200/s --duration 1m --report load
  adconform load --target target.yaml --rate 50/s --max p99=200ms --max errors=0.1%`,
		Args: flags.Arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.load(cmd.Context(), o) },
	}
	f := cmd.Flags()
	o.AddTarget(f)
	o.AddPlan(cmd)
	o.AddVerdict(cmd)
	o.AddEdition(cmd, a.allEditions)
	o.AddReport(cmd, "load.json, report.json and latency*.hgrm")
	o.AddTimeout(f)
	o.AddConnection(f)
	o.AddOwn(f)
	flags.Add(f, &o.VirtualUsers, "lanes", "number", flags.ReadCount,
		fmt.Sprintf("how many run at the same time; default: %d", suites.DefaultVirtualUsers))
	flags.Add(f, &o.Load.Rate, "rate", "rate", flags.ReadLoadRate,
		"requests of all lanes together, on a schedule: 200/s, 90/m; 0 or none: as fast as the lanes can")
	flags.Add(f, &o.Duration, "duration", "time", flags.ReadTime, "of the load; default: 30s, unless --requests is given")
	flags.Add(f, &o.Requests, "requests", "number", flags.ReadCount, "of the load")
	flags.Add(f, &o.Limits, "max", "limit", o.readLimits,
		"fail beyond this: p50, p90, p99, p99.9 or max (p99=200ms), errors or limited (errors=0.1%); can be repeated")
	return cmd
}

func (a *app) load(ctx context.Context, o *loadOptions) error {
	ctx, cancel := a.Interruptible(ctx, putsBack)
	defer cancel()
	target, stop, err := a.loadedTarget(ctx, o)
	if err != nil {
		return err
	}
	defer stop()
	if err := o.MayBeHarmed(ctx, target.BaseURL, "load"); err != nil {
		return err
	}
	c, err := o.Config(target)
	if err != nil {
		return err
	}
	plan, err := o.Plan(c)
	if err != nil {
		return err
	}
	c.Select = func(cs *testcase.Case) bool {
		return slices.ContainsFunc(plan, func(p *testcase.Case) bool { return p.ID == cs.ID })
	}
	if err := report.CheckDir(o.Dir, load.Files()); err != nil {
		return err
	}
	if o.Duration == 0 && o.Requests == 0 {
		o.Duration = loadTime
	}
	a.warn(&o.Options)
	p := a.Progress(false)
	if !o.Quiet {
		o.reportProgress(p, target.BaseURL)
	}
	var result *load.Result
	var r *report.Report
	err = a.sending(ctx, func() error {
		result, r, err = suites.RunLoad(ctx, c, o.Load)
		return err
	})
	p.End()
	a.TellWarnings(&target.Warnings)
	if err != nil {
		return err
	}
	r.Target.Given, r.Target.Overlay = o.Target, o.Overlay
	return a.conclusion(&o.Options, result.ExitCode,
		func() error { return load.WriteDir(o.Dir, result, r) },
		func() error { return a.printLoad(o, result) })
}

// reportProgress has the load tell how it goes.
func (o *loadOptions) reportProgress(p *terminal.Progress, baseURL string) {
	o.Begin = func() {
		p.Begin("loading %s, after a quiet round", wording.Printable(baseURL))
		p.Draw(true, "a quiet round first")
	}
	o.Found = func(f load.Finding) { p.Found(f.Case, []*oracle.Finding{&f.Finding}) }
	o.Progress = func(s load.Snapshot) {
		done := fmt.Sprintf("%s of %s", s.Elapsed.Round(time.Second), o.Duration)
		if o.Duration == 0 {
			done = fmt.Sprintf("%d of %d", s.Requests, o.Requests)
		}
		p.State("%s: %s, %.0f/s, p99 %s, %s, %s", done, wording.Count(s.Requests, "request"),
			terminal.PerSecond(s.Requests, s.Elapsed), s.P99.Round(10*time.Microsecond),
			wording.Count(s.Errors, "error"), wording.Count(s.Findings, "finding"))
	}
}

// loadedTarget is the target that is loaded, and what ends it.
func (a *app) loadedTarget(ctx context.Context, o *loadOptions) (*fixtures.Target, func(), error) {
	if o.Target == "" {
		return bundled.Start(ctx, fixtures.DefaultWorld(), "")
	}
	return a.runTarget(ctx, &o.Options, "")
}

func (a *app) printLoad(o *loadOptions, result *load.Result) error {
	out := a.Harmless().Stdout
	switch {
	case o.Format == flags.JSON:
		return load.WriteJSON(a.Stdout, result)
	case o.Quiet:
		_, err := fmt.Fprintln(out, result.VerdictLine())
		return err
	}
	return load.Summary(out, result, o.Style(&a.Terminal))
}

// readLimits adds limits to those given before.
func (o *loadOptions) readLimits(text string) ([]load.Limit, error) {
	limits := o.Limits
	for one := range strings.SplitSeq(text, ",") {
		l, err := load.ReadLimit(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		limits = append(limits, l)
	}
	return limits, nil
}
