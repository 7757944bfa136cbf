package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/report"
)

// loadOptions are the flags of load.
type loadOptions struct {
	runOptions // those that load has, too
	suites.Load
	own bool
}

// loadTime is how long a load takes that neither a time nor a number bounds.
const loadTime = 30 * time.Second

func (a *app) loadCommand() *cobra.Command {
	o := &loadOptions{runOptions: runOptions{depth: engine.Standard, format: "text"}}
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
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.load(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "base URL or target file (`URL|FILE`); default: the bundled reference")
	f.BoolVar(&o.own, "i-own-this-target", false, "allow a target that is not on this machine")
	f.Var(&value[int]{readCount, &o.Lanes, "number", ""}, "lanes", fmt.Sprintf("how many run at the same time; default: %d", suites.LoadLanes))
	f.Var(&value[float64]{readLoadRate, &o.Load.Rate, "rate", ""}, "rate", "requests of all lanes together, on a schedule: 200/s, 90/m; 0 or none: as fast as the lanes can")
	f.Var(&value[time.Duration]{readTime, &o.Duration, "time", ""}, "duration", "of the load; default: 30s, unless --requests is given")
	f.Var(&value[int]{readCount, &o.Requests, "number", ""}, "requests", "of the load")
	f.Var(&value[[]load.Limit]{o.readLimits, &o.Limits, "limit", ""}, "max", "fail beyond this: p50, p90, p99, p99.9 or max (p99=200ms), errors or limited (errors=0.1%); can be repeated")
	f.StringVar(&o.overlay, "overlay", "", "OpenAPI Overlay `file` with the wire names of the target")
	f.StringVar(&o.dir, "report", "", "`folder` for load.json, report.json and latency*.hgrm")
	f.StringVar(&o.baseline, "baseline", "", "`file` of known findings, which do not fail the load")
	f.Var(&value[[]spec.Basis]{readBases, &o.bases, "list", ""}, "basis", "what fails the load: stated, published, standard, chosen; default: all but chosen")
	f.BoolVar(&o.strict, "strict", false, "let notices fail the load too, but for those that hang on timing")
	o.selection.addFlags(cmd)
	o.connection.addFlags(f)
	f.Uint64Var(&o.seed, "seed", suites.DefaultSeed, "`number` that the data are made from")
	f.Var(&value[engine.Depth]{readDepth, &o.depth, "depth", "standard"}, "depth", "quick, standard or deep")
	f.Var(&value[time.Duration]{readTime, &o.timeout, "time", ""}, "timeout", "of one request; default: that of the target file, else 10s")
	f.BoolVar(&o.readOnly, "read-only", false, "send nothing that could change the target")
	f.Var(&value[string]{readFormat, &o.format, "format", "text"}, "format", "of the standard output: text or json (load.json)")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the verdict only")
	f.BoolVar(&o.noColor, "no-color", false, "no colours")
	completeFlag(cmd, "depth", depthNames)
	completeFlag(cmd, "basis", basisNames)
	completeFlag(cmd, "format", func() []string { return []string{"text", "json"} })
	return cmd
}

func (a *app) load(ctx context.Context, o *loadOptions) error {
	ctx, cancel := a.interruptible(ctx, "adconform: interrupted, putting back what was changed; interrupt again to stop at once")
	defer cancel()
	target, stop, err := a.loadedTarget(ctx, o)
	if err != nil {
		return err
	}
	defer stop()
	c, err := o.config(target)
	if err != nil {
		return err
	}
	plan, err := o.selection.plan(c)
	if err != nil {
		return err
	}
	c.Select = func(cs *engine.Case) bool {
		return slices.ContainsFunc(plan, func(p *engine.Case) bool { return p.ID == cs.ID })
	}
	if o.dir != "" {
		if err := report.CheckDir(o.dir); err != nil {
			return err
		}
	}
	if o.Duration == 0 && o.Requests == 0 {
		o.Duration = loadTime
	}
	if o.insecure {
		fmt.Fprintln(a.stderr, "adconform: "+report.Insecure)
	}
	p := newLoadProgress(a.harmless().stderr, columns(a.stderr), o.Load)
	if !o.quiet {
		o.Begin = func() { p.begin(target.BaseURL) }
		o.Found, o.Progress, o.Tick = p.found, p.snapshot, p.tick()
	}
	goOnUnread()
	result, r, err := suites.RunLoad(ctx, c, o.Load)
	if a.listen != nil {
		a.listen() // an interrupt may not cut the reports off
	}
	if !o.quiet {
		p.end()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return exitCode(interrupted)
	case err != nil:
		return err
	}
	r.Target.Given, r.Target.Overlay = o.target, o.overlay
	return a.tellLoad(o, result, r)
}

// loadedTarget is the target that is loaded, if it may be, and what ends it.
func (a *app) loadedTarget(ctx context.Context, o *loadOptions) (*fixtures.Target, func(), error) {
	if o.target == "" {
		world := fixtures.DefaultWorld()
		if lanes := cmp.Or(o.Lanes, suites.LoadLanes); lanes > len(world.Lanes)+1 {
			world = fixtures.WorldWithLanes(lanes - 1)
		}
		return startBundledWith(ctx, world)
	}
	target, err := a.loadTarget(o.target, o.overlay)
	if err != nil {
		return nil, nil, err
	}
	if !o.own {
		err = onlyLoopback(ctx, target.BaseURL)
	}
	return target, func() {}, err
}

// tellLoad writes the reports and prints what became of a load.
func (a *app) tellLoad(o *loadOptions, result *load.Result, r *report.Report) error {
	var written error
	if o.dir != "" {
		written = load.WriteDir(o.dir, result, r)
	}
	if err := a.printLoad(o, result); err != nil && !unread(err) {
		return err
	}
	if written != nil {
		fmt.Fprintf(a.stderr, "adconform: the report could not be written: %s\n", wording.Printable(written.Error()))
		if result.ExitCode == report.ExitConforming {
			return exitCode(report.ExitUsage) // a gate may not be green without its report
		}
	}
	return exitCode(result.ExitCode)
}

func (a *app) printLoad(o *loadOptions, result *load.Result) error {
	safe := a.harmless()
	switch {
	case o.format == "json":
		return load.WriteJSON(a.stdout, result)
	case o.quiet:
		_, err := fmt.Fprintln(safe.stdout, result.VerdictLine())
		return err
	}
	return load.Summary(safe.stdout, result, load.Style{Width: columns(a.stdout), Color: a.colours(a.stdout, o.noColor)})
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

// readLoadRate is readRate, where 0 means no schedule.
func readLoadRate(text string) (float64, error) {
	if text == "0" {
		return 0, nil
	}
	return readRate(text)
}
