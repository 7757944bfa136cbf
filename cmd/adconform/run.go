package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// runOptions are the flags of run.
type runOptions struct {
	Options
	require  report.Level
	deadline time.Duration
	wait     time.Duration
	fault    string // of the bundled reference
}

func (a *app) runCommand() *cobra.Command {
	o := &runOptions{Options: New()}
	cmd := &cobra.Command{
		Use:   "run [URL|FILE]",
		Short: "Test a target, or the bundled reference",
		Long: `Sends the cases of the suite to a target, judges the answers, puts back what was
changed, and prints the verdict. The target is a base URL or a target file; the
variable ADCONFORM_TARGET names it as well. Without one it tests the bundled reference,
which it starts on a free loopback port; an empty one is an error.

The first line says how much the verdict is about: a run is complete when every case
of its depth was sent, partial when the target file lacks what some need, and with
filters it is about the selection alone. A gate wants --require complete.

A target that is given by its URL takes its keys from ` + fixtures.OwnerVariable + ` and, if
that is set, ` + fixtures.StrangerVariable + `. A URL names no objects: what needs none is
tested (keys, unknown ids, errors, framing), by some eighty requests, and the run is
inconclusive unless it finds something. adconform init --from URL writes a target file.`,
		Example: `  adconform run
  adconform run --fault refused/401-any-key/updateCampaign   # what a finding looks like
  adconform run http://127.0.0.1:8080/v2                  # what needs no objects
  adconform run target.yaml --report report
  adconform run target.yaml --require complete            # in a gate
  adconform run target.yaml --clause AUTH-2 --verbose
  adconform run target.yaml --case 'updateCampaign/*'
  adconform run target.yaml --basis stated --depth quick`,
		Args: o.TargetArgument(a.Env),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			if o.Target != "" && !cmd.Flags().Changed("seed") {
				o.Mark = suites.NewMark() // others may run on it, too
			}
			return a.runSuite(cmd.Context(), o)
		},
	}
	a.addRunFlags(cmd, o)
	return cmd
}

func (a *app) addRunFlags(cmd *cobra.Command, o *runOptions) {
	f := cmd.Flags()
	o.AddOverlay(f)
	o.AddPlan(cmd)
	o.AddVerdict(cmd)
	o.AddReport(cmd, reportFiles)
	o.AddPace(f)
	o.AddConnection(f)
	f.BoolVar(&o.AllowInconclusive, "allow-inconclusive", false, "exit with 0 when an answering target leaves the run inconclusive")
	AddChoice(cmd, &o.require, "require", report.Levels(),
		"least level of a run that passes: complete, partial or selection; "+
			"what is less exits with 3, also with --allow-inconclusive; default: any")
	o.AddConcurrency(f)
	Add(f, &o.deadline, "deadline", "time", ReadTime,
		"of the whole run: then it stops, puts back and reports; default: 1h, more at a low rate")
	Add(f, &o.wait, "wait", "time", ReadTime, "for a server that is starting: wait so long until it answers")
	AddSingle(f, &o.fault, "fault", "id", "break the bundled reference in one way: the `id` of a seeded fault, see serve --list-faults")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "print a line for each exchange, and the answers at open points")
}

// check refuses flags that exclude one another.
func (o *runOptions) check(cmd *cobra.Command) error {
	if o.Quiet && o.Verbose {
		return Usagef(cmd, "--quiet and --verbose exclude one another")
	}
	if o.fault != "" && (o.Target != "" || o.Overlay != "") {
		return Usagef(cmd, "--fault breaks the bundled reference: leave out the target and --overlay, or use adconform serve --fault")
	}
	return nil
}

// reportFiles names what a report folder holds.
const reportFiles = "report.html, report.json, junit.xml, findings.sarif, traffic.har, …"

// runConfig is what is run on a target.
func (o *runOptions) runConfig(target *fixtures.Target) (*suites.Config, error) {
	c, err := o.Config(target)
	if err != nil {
		return nil, err
	}
	c.Deadline, c.Require = o.deadline, o.require
	return c, nil
}

func (a *app) runSuite(ctx context.Context, o *runOptions) (err error) {
	defer func() { err = stale(o.Dir, err) }()
	ctx, cancel := a.Interruptible(ctx, putsBack)
	defer cancel()
	target, stop, err := a.runTarget(ctx, &o.Options, o.fault)
	if err != nil {
		return err
	}
	defer stop()
	c, err := o.runConfig(target)
	if err != nil {
		return err
	}
	if _, err := c.Sendable(); err != nil {
		return err // before the report of an earlier run is gone
	}
	if err := report.CheckDir(o.Dir); err != nil {
		return err
	}
	if err := report.ClearDir(o.Dir); err != nil {
		return err
	}
	if err := a.waitFor(ctx, c, o.wait); err != nil {
		return err
	}
	a.warn(&o.Options)
	p := NewRunProgress(a.Progress(o.Verbose))
	p.Known = c.Known
	if o.Verbose {
		c.Record = p.Exchange
	}
	if !o.Quiet {
		c.Progress = p.Result
		p.Bounds(target.Limits.Rate, o.deadline)
		p.Begin("testing %s (depth %s, seed %d)", wording.Printable(target.BaseURL), o.Depth, o.Seed)
		if err := a.warnOfGaps(c); err != nil {
			return err
		}
		if err := a.warnOfPermanentChanges(c); err != nil {
			return err
		}
	}
	var r *report.Report
	err = a.sending(ctx, func() error {
		r, err = suites.RunGinkgo(ctx, c)
		return err
	})
	p.End()
	if err != nil {
		return err
	}
	return a.tell(&o.Options, r, silence(ctx, c, r))
}

const putsBack = "adconform: interrupted, putting back what was changed; interrupt again to stop at once"

// sending does what sends requests. Neither an output that nobody reads nor a second
// interrupt, while reports are written, ends it.
func (a *app) sending(ctx context.Context, do func() error) error {
	IgnoreBrokenPipe()
	err := do()
	if a.listen != nil {
		a.listen() // Ginkgo has ended it
	}
	if err != nil && ctx.Err() != nil {
		return Interrupted
	}
	return err
}

// warn says loudly that the target's certificate is not checked.
func (a *app) warn(o *Options) {
	if o.Insecure {
		a.Note(report.Insecure)
	}
}

// warnOfGaps says in one line, before anything is sent, what the target file does
// not allow to test.
func (a *app) warnOfGaps(c *suites.Config) error {
	lacks, total, err := c.Lacks(nil)
	lacks = slices.DeleteFunc(lacks, func(l suites.Lack) bool { return l.Cases == 0 })
	if err != nil || len(lacks) == 0 {
		return err
	}
	cost := wording.Count(total.Cases, "case")
	if len(total.Clauses) > 0 {
		cost += fmt.Sprintf(" and %s (%d stated)", wording.Count(len(total.Clauses), "clause"), total.Stated)
	}
	if c.Target.File == "" {
		a.Note("a URL names no objects, so %s will not be tested", cost)
		return nil
	}
	a.Note("the target file lacks %s that cases need, so %s will not be tested; adconform doctor says which",
		wording.Count(len(lacks), "key"), cost)
	return nil
}

// warnOfPermanentChanges says in one line, before anything is sent, what may stay changed.
func (a *app) warnOfPermanentChanges(c *suites.Config) error {
	objects, err := c.ForGood()
	if err == nil && len(objects) > 0 {
		a.Note("%s; unless the target shows them before the first write, they cannot be put back", report.WithoutValues(objects))
	}
	return err
}

// runTarget is the target that is tested, and what ends it: with none given the bundled
// reference, with its fault.
func (a *app) runTarget(ctx context.Context, o *Options, fault string) (*fixtures.Target, func(), error) {
	if o.Target == "" {
		return Start(ctx, fixtures.DefaultWorld(), fault)
	}
	target, err := LoadTarget(&a.Terminal, o.Target, o.Overlay)
	return target, func() {}, err
}

// tell writes the reports and the summary, and ends with the run's exit code.
// silence is why no answer was judged.
func (a *app) tell(o *Options, r *report.Report, silence string) error {
	r.Target.Given, r.Target.Overlay = o.Target, o.Overlay
	var written error
	if o.Dir != "" {
		written = report.WriteDir(o.Dir, r)
	}
	if err := a.print(o, r, silence); err != nil && !BrokenPipe(err) {
		return err
	}
	if err := a.appendStepSummary(r); err != nil {
		a.Note("the page of the job on GitHub has no summary: %v", err)
	}
	code := r.ExitCode
	if written != nil {
		a.Note("the report could not be written: %v", written)
		if code == report.ExitConforming {
			code = report.ExitUsage // a gate may not be green without its report
		}
	}
	return ExitCode(code)
}

func (a *app) print(o *Options, r *report.Report, silence string) error {
	if silence != "" {
		a.Note("%s", silence)
	}
	out := a.Harmless().Stdout
	switch {
	case silence != "":
		return nil
	case o.Quiet:
		_, err := fmt.Fprintln(out, report.VerdictLine(r))
		return err
	}
	if err := report.Summary(out, r, o.Style(&a.Terminal)); err != nil || !IsURL(o.Target) || r.Cases.Run == 0 {
		return err
	}
	_, err := fmt.Fprintf(out, `
A target file names the objects that the other cases need:
  adconform init --from %s   # writes target.yaml
  adconform doctor target.yaml   # says what it still lacks
`, wording.Printable(o.Target))
	return err
}

// stale adds to an error that ended a run before its report that the report which
// is in its folder is another's.
func stale(dir string, err error) error {
	if err == nil || dir == "" || errors.As(err, new(ExitCode)) {
		return err
	}
	if !report.Holds(dir) {
		return err
	}
	return errors.Join(err, fmt.Errorf("the report in %s is that of an earlier run", dir))
}
