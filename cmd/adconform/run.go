package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
)

// runOptions are the flags of run.
type runOptions struct {
	selection
	connection
	target, overlay, dir      string
	baseline                  string
	bases                     []spec.Basis
	strict, allowInconclusive bool
	require                   report.Level
	seed                      uint64
	mark                      string // see suites.Config
	depth                     engine.Depth
	budget                    suites.Budget
	rate                      float64
	concurrency               int
	timeout, deadline         time.Duration
	format                    string
	subject                   *report.Subject
	quiet, verbose, noColor   bool
	dryRun, readOnly          bool
}

func (a *app) runCommand() *cobra.Command {
	o := &runOptions{depth: engine.Standard, format: "text"}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Test a target, or the bundled reference",
		Long: `Sends the cases of the suite to a target, judges the answers, puts back what was
changed, and prints the verdict. Without --target it tests the bundled reference,
which it starts on a free loopback port; an empty --target is an error.

The first line says how much the verdict is about: a run is complete when every case
of its depth was sent, partial when the target file lacks what some need, and with
filters it is about the selection alone. A gate wants --require complete.

A target that is given by its URL takes its keys from ` + ownerVariable + ` and
` + strangerVariable + `; most cases need the objects that a target file names.`,
		Example: `  adconform run
  adconform run --target target.yaml --report report
  adconform run --target target.yaml --require complete   # in a gate
  adconform run --target target.yaml --clause AUTH-2 --verbose
  adconform run --target target.yaml --basis stated --budget 60`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.quiet && o.verbose {
				return usagef(cmd, "--quiet and --verbose exclude one another")
			}
			if o.subject != nil && o.dir == "" {
				return usagef(cmd, "--subject is for the attestation: give a folder for it with --report")
			}
			if o.target != "" && !cmd.Flags().Changed("seed") {
				o.mark = suites.NewMark() // others may run on it, too
			}
			return a.runSuite(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "base URL or target file (`URL|FILE`); default: the bundled reference")
	o.addJudging(cmd)
	o.selection.addFlags(cmd)
	o.connection.addFlags(f)
	f.BoolVar(&o.allowInconclusive, "allow-inconclusive", false, "exit with 0 when an answering target leaves the run inconclusive")
	f.Var(&value[report.Level]{readLevel, &o.require, "level", ""}, "require", "least level of a run that passes: complete, partial or selection; what is less exits with 3, also with --allow-inconclusive; default: any")
	f.Uint64Var(&o.seed, "seed", suites.DefaultSeed, "`number` that the data are made from; where it is given they are the same in each run")
	f.Var(&value[engine.Depth]{readDepth, &o.depth, "depth", "standard"}, "depth", "quick, standard or deep")
	f.Var(&value[suites.Budget]{readBudget, &o.budget, "number|time", ""}, "budget", "at most so many requests (60) or so much time (2m)")
	f.Var(&value[float64]{readRate, &o.rate, "rate", ""}, "rate", "at most so many requests: 10/s, 90/m, 500/h")
	f.Var(&value[int]{readCount, &o.concurrency, "number", ""}, "concurrency", "at most so many requests under way at once; default: that of the target file, else 8, or 1 where there is a rate")
	f.Var(&value[time.Duration]{readTime, &o.timeout, "time", ""}, "timeout", "of one request; default: that of the target file, else 10s")
	f.Var(&value[time.Duration]{readTime, &o.deadline, "time", ""}, "deadline", "of the whole run: then it stops, puts back and reports; default: 1h, more at a low rate")
	f.BoolVar(&o.readOnly, "read-only", false, "send nothing that could change the target; what needs that is not tested")
	f.BoolVar(&o.dryRun, "dry-run", false, "send nothing at all: list the requests that could change the target, by object")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print a line for each exchange")
	completeFlag(cmd, "depth", depthNames)
	completeFlag(cmd, "require", levelNames)
	return cmd
}

// addJudging adds the flags that say what is judged, and how that is told.
func (o *runOptions) addJudging(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.overlay, "overlay", "", "OpenAPI Overlay `file` with the wire names of the target")
	f.StringVar(&o.dir, "report", "", "`folder` for report.html, report.json, junit.xml, findings.sarif, traffic.har, …")
	f.Var(&value[*report.Subject]{readSubject, &o.subject, "name@sha256:digest", ""}, "subject", "artifact under test, such as a container image, for the attestation in the report folder")
	f.StringVar(&o.baseline, "baseline", "", "`file` of known findings, which do not fail the run")
	f.Var(&value[[]spec.Basis]{readBases, &o.bases, "list", ""}, "basis", "what fails the run: stated, published, standard, chosen; default: all but chosen")
	f.BoolVar(&o.strict, "strict", false, "let notices fail the run too, but for those that hang on timing")
	f.Var(&value[string]{readFormat, &o.format, "format", "text"}, "format", "of the standard output: text or json (report.json)")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the verdict only")
	f.BoolVar(&o.noColor, "no-color", false, "no colours")
	completeFlag(cmd, "basis", basisNames)
	completeFlag(cmd, "format", func() []string { return []string{"text", "json"} })
}

// judging is the configuration that the flags of addJudging ask for.
func (o *runOptions) judging(target *fixtures.Target) (*suites.Config, error) {
	contract, err := loadContract(o.overlay)
	if err != nil {
		return nil, err
	}
	c := suites.NewConfig(target)
	c.Contract, c.Bases, c.Strict = contract, o.bases, o.strict
	c.Baseline, err = loadBaseline(o.baseline, contract)
	return c, err
}

// config is the configuration that the flags ask for.
func (o *runOptions) config(target *fixtures.Target) (*suites.Config, error) {
	if o.rate > 0 {
		target.Limits.Rate = o.rate
	}
	if o.concurrency > 0 {
		target.Limits.Concurrency = o.concurrency
	}
	if o.timeout > 0 {
		target.Limits.Timeout = o.timeout
	}
	c, err := o.judging(target)
	if err != nil {
		return nil, err
	}
	c.Depth, c.Seed, c.AllowInconclusive, c.Budget, c.Deadline = o.depth, o.seed, o.allowInconclusive, o.budget, o.deadline
	c.ReadOnly, c.Require, c.Mark = o.readOnly, o.require, o.mark
	if err := o.connection.apply(c); err != nil {
		return nil, err
	}
	return c, o.selection.apply(c)
}

func (a *app) runSuite(ctx context.Context, o *runOptions) (err error) {
	defer func() { err = stale(o.dir, err) }()
	ctx, cancel := a.interruptible(ctx, "adconform: interrupted, putting back what was changed; interrupt again to stop at once")
	defer cancel()
	safe := a.harmless()
	target, stop, err := a.runTarget(ctx, o.target, o.overlay)
	if err != nil {
		return err
	}
	defer stop()
	c, err := o.config(target)
	if err != nil {
		return err
	}
	if o.dryRun {
		if o.dir != "" {
			fmt.Fprintln(a.stderr, "adconform: a dry run has nothing to report: --report has no effect; --format json gives all it tells")
		}
		return a.dryRun(ctx, o, c)
	}
	if o.dir != "" {
		if err := report.CheckDir(o.dir); err != nil {
			return err
		}
		c.Exchanges = true
	}
	if o.insecure {
		fmt.Fprintln(a.stderr, "adconform: "+report.Insecure)
	}
	p := newProgress(safe.stderr, columns(a.stderr), o.verbose, time.Now)
	if o.verbose {
		c.Record = p.exchange
	}
	if !o.quiet {
		c.Progress = p.result
		p.bounds(target.Limits.Rate, o.deadline, o.budget.Time)
		p.begin(target.BaseURL, o.depth.String(), o.seed)
		if err := a.tellLacks(c); err != nil {
			return err
		}
		if err := a.tellForGood(c); err != nil {
			return err
		}
	}
	if err := o.begin(); err != nil {
		return err
	}
	goOnUnread()
	r, err := suites.RunGinkgo(ctx, c, o.ginkgo())
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
	return a.tell(o, r, silence(ctx, c, r))
}

// begin removes what is left of an earlier run, as this one begins.
func (o *runOptions) begin() error {
	if o.dir == "" {
		return nil
	}
	return report.ClearDir(o.dir)
}

// tellLacks says in one line, before anything is sent, what the target file does
// not allow to test.
func (a *app) tellLacks(c *suites.Config) error {
	lacks, total, err := c.Lacks(nil)
	if err != nil || len(lacks) == 0 {
		return err
	}
	cost := wording.Count(total.Cases, "case")
	if len(total.Clauses) > 0 {
		cost += fmt.Sprintf(" and %s (%d stated)", wording.Count(len(total.Clauses), "clause"), total.Stated)
	}
	fmt.Fprintf(a.stderr, "adconform: the target file lacks %s that cases need, so %s will not be tested; adconform doctor says which\n", wording.Count(len(lacks), "key"), cost)
	return nil
}

// tellForGood says in one line, before anything is sent, what may stay changed.
func (a *app) tellForGood(c *suites.Config) error {
	objects, err := c.ForGood()
	if err == nil && len(objects) > 0 {
		fmt.Fprintf(a.stderr, "adconform: %s; unless the target shows them before the first write, they cannot be put back\n", report.WithoutValues(objects))
	}
	return err
}

// runTarget is the target that is tested, and what ends it.
func (a *app) runTarget(ctx context.Context, where, overlay string) (*fixtures.Target, func(), error) {
	if where == "" {
		return startBundled(ctx)
	}
	target, err := a.loadTarget(where, overlay)
	return target, func() {}, err
}

// tell writes the reports and the summary, and ends with the run's exit code.
// silence is why no answer was judged.
func (a *app) tell(o *runOptions, r *report.Report, silence string) error {
	r.Subject = o.subject
	if o.subject != nil && !report.Attests(r) {
		fmt.Fprintln(a.stderr, "adconform: no statement to sign is written: the verdict is about a selection, not about the target")
	}
	r.Target.Given, r.Target.Overlay = o.target, o.overlay
	var written error
	if o.dir != "" {
		written = report.WriteDir(o.dir, r)
	}
	if err := a.print(o, r, silence); err != nil && !unread(err) {
		return err
	}
	if err := a.tellGitHub(o, r); err != nil {
		fmt.Fprintf(a.stderr, "adconform: GitHub was not told: %s\n", wording.Printable(err.Error()))
	}
	if written != nil {
		fmt.Fprintf(a.stderr, "adconform: the report could not be written: %s\n", wording.Printable(written.Error()))
		if r.ExitCode == report.ExitConforming {
			return exitCode(report.ExitUsage) // a gate may not be green without its report
		}
	}
	return exitCode(r.ExitCode)
}

func (a *app) print(o *runOptions, r *report.Report, silence string) error {
	safe := a.harmless()
	if silence != "" {
		fmt.Fprintln(safe.stderr, "adconform: "+wording.Printable(silence))
	}
	if b := r.Baseline; b != nil && (o.quiet || o.format == "json") { // else the summary says so
		if old := b.OldEntries(); old != "" {
			fmt.Fprintln(safe.stderr, "adconform: "+wording.Printable(old))
		}
	}
	switch {
	case o.format == "json":
		return report.WriteJSON(a.stdout, r)
	case silence != "":
		return nil
	case o.quiet:
		_, err := fmt.Fprintln(safe.stdout, report.VerdictLine(r))
		return err
	}
	return report.Summary(safe.stdout, r, report.Style{
		Width: columns(a.stdout), Color: a.colours(a.stdout, o.noColor), Dir: o.dir,
	})
}
