package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/fixtures/document"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/coverage"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// runOptions are the flags of run.
type runOptions struct {
	options
	require  report.Level
	budget   suites.Budget
	deadline time.Duration
	dryRun   bool
	server   server
	fault    string // of the bundled reference
	corpus   string // folder
	repeat   int    // rounds
}

func (a *app) runCommand() *cobra.Command {
	o := &runOptions{options: newOptions()}
	cmd := &cobra.Command{
		Use:   "run [URL|FILE]",
		Short: "Test a target, or the bundled reference",
		Long: `Sends the cases of the suite to a target, judges the answers, puts back what was
changed, and prints the verdict. The target is a base URL or a target file; --target
names it as well. Without one it tests the bundled reference, which it starts on a free
loopback port; an empty one is an error.

The first line says how much the verdict is about: a run is complete when every case
of its depth was sent, partial when the target file lacks what some need, and with
filters it is about the selection alone. A gate wants --require complete.

A target that is given by its URL takes its keys from ` + fixtures.OwnerVariable + ` and, if
that is set, ` + fixtures.StrangerVariable + `. A URL names no objects: what needs none is
tested (keys, unknown ids, errors, framing), by some eighty requests, and the run is
inconclusive unless it finds something. adconform init --from URL writes a target file.

With --repeat it is made several times, and what any round finds is found: nothing gets
green by repeating. Each round is a whole run with the budget of one, and puts back what
it changed; --deadline is for all. Disposables come back by the provision of the target
file; without one a round leaves out what needs those that are used up, and the first
lines say so.`,
		Example: `  adconform run
  adconform run --fault refused/401-any-key/updateCampaign   # what a finding looks like
  adconform run http://127.0.0.1:8080/v2                  # what needs no objects
  adconform run target.yaml --report report
  adconform run --target target.yaml --require complete   # in a gate
  adconform run --target target.yaml --clause AUTH-2 --verbose
  adconform run target.yaml --repeat 10   # which findings are steady?
  adconform run --target target.yaml --basis stated --budget 60`,
		Args: targetArgument,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.quiet && o.verbose {
				return usagef(cmd, "--quiet and --verbose exclude one another")
			}
			if o.fault != "" && (o.target != "" || o.overlay != "") {
				return usagef(cmd, "--fault breaks the bundled reference: leave out --target and --overlay, or use adconform serve --fault")
			}
			if o.dryRun && o.require != "" {
				return usagef(cmd, "--dry-run tests nothing, so that no --require can hold: leave out one of them")
			}
			if o.corpus != "" && o.depth != judge.Deep {
				return usagef(cmd, "--corpus is for --depth deep: less than that sends what is listed")
			}
			if o.target != "" && !cmd.Flags().Changed("seed") {
				o.mark = suites.NewMark() // others may run on it, too
			}
			return a.runSuite(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.addTarget(f)
	o.addPlan(cmd)
	o.addVerdict(cmd)
	a.addEdition(cmd, &o.options)
	o.addReport(cmd, reportFiles)
	o.addSubject(cmd)
	o.addPace(f)
	o.connection.addFlags(f)
	f.BoolVar(&o.allowInconclusive, "allow-inconclusive", false, "exit with 0 when an answering target leaves the run inconclusive")
	addChoice(cmd, &o.require, "require", report.Levels(),
		"least level of a run that passes: complete, partial or selection; "+
			"what is less exits with 3, also with --allow-inconclusive; default: any")
	add(f, &o.budget, "budget", "number|time", readBudget, "at most so many requests (60) or so much time (2m)")
	o.addConcurrency(f)
	add(f, &o.deadline, "deadline", "time", readTime,
		"of the whole run: then it stops, puts back and reports; default: 1h, more at a low rate")
	add(f, &o.repeat, "repeat", "number", readCount,
		"make the run so many times: says which findings are steady and which are not; one in any round fails it")
	f.StringVar(&o.corpus, "corpus", "", "`folder` of requests that adconform fuzz kept, which are sent first; with --depth deep")
	o.server.addFlags(f)
	addSingle(f, &o.fault, "fault", "id", "break the bundled reference in one way: the `id` of a seeded fault, see serve --list-faults")
	f.BoolVar(&o.dryRun, "dry-run", false, "send nothing at all: list the requests that could change the target, by object")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print a line for each exchange, and the answers at open points")
	return cmd
}

// reportFiles names what a report folder holds.
const reportFiles = "report.html, report.json, junit.xml, findings.sarif, traffic.har, …"

// addSubject adds what a statement to sign is about.
func (o *options) addSubject(cmd *cobra.Command) {
	add(cmd.Flags(), &o.subject, "subject", "name@sha256:digest", readSubject,
		"artifact under test, such as a container image: report and statement to sign name it")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if o.subject != nil && o.dir == "" && o.format != jsonFormat {
			return usagef(cmd, "--subject stands in the report: give a folder for it with --report, or --format json")
		}
		return nil
	}
}

func (a *app) runSuite(ctx context.Context, o *runOptions) (err error) {
	defer func() { err = stale(o.dir, err) }()
	ctx, cancel := a.interruptible(ctx, putsBack)
	defer cancel()
	target, stop, err := a.runTarget(ctx, &o.options, o.fault)
	if err != nil {
		return err
	}
	defer stop()
	c, err := o.config(target)
	if err != nil {
		return err
	}
	c.Budget, c.Deadline, c.Require = o.budget, o.deadline, o.require
	if o.corpus != "" {
		corpus, err := fuzz.OpenCorpus(o.corpus, c.Contract, false)
		if err != nil {
			return err
		}
		c.Inputs = corpus.Inputs()
	}
	if o.dryRun {
		if o.dir != "" {
			a.note("a dry run has nothing to report: --report has no effect; --format json gives all it tells")
		}
		if o.repeat > 1 {
			a.note("a dry run lists the requests of one round of %d", o.repeat)
		}
		return a.dryRun(ctx, o, c)
	}
	if _, err := c.Sendable(); err != nil {
		return err
	}
	if err := a.sending(ctx, func() error { _, err := o.selection.plan(c); return err }); err != nil {
		return err // before the report of an earlier run is gone, and a server is started
	}
	if err := report.CheckDir(o.dir, report.Files()); err != nil {
		return err
	}
	if err := report.ClearDir(o.dir); err != nil {
		return err
	}
	end, err := a.startServer(ctx, &o.server, c)
	if err != nil {
		return err
	}
	defer end()
	a.warn(&o.options)
	p := newRunProgress(a.progress(o.verbose))
	p.known = c.Known
	if o.verbose {
		c.Record = p.exchange
	}
	if !o.quiet {
		c.Progress = p.result
		p.bounds(target.Limits.Rate, o.deadline, o.budget.Time)
		p.begin("testing %s (depth %s, seed %d)", wording.Printable(target.BaseURL), o.depth, o.seed)
		if err := a.warnOfGaps(c); err != nil {
			return err
		}
		if err := a.warnOfPermanentChanges(c); err != nil {
			return err
		}
	}
	var r *report.Report
	err = a.sending(ctx, func() error {
		r, err = a.rounds(ctx, o, c, p)
		return err
	})
	p.end()
	a.tellWarnings(&target.Warnings) // of what provision printed
	if err != nil {
		return err
	}
	return a.tell(&o.options, r, silence(ctx, c, r))
}

// rounds makes the run, or with --repeat each of its rounds.
func (a *app) rounds(ctx context.Context, o *runOptions, c *suites.Config, p *runProgress) (*report.Report, error) {
	if o.repeat < 2 {
		return suites.RunGinkgo(ctx, c, o.ginkgo())
	}
	again := suites.Repeat{Rounds: o.repeat, Ginkgo: o.ginkgo()}
	if !o.quiet {
		again.Begin = func(round int) { p.round(round, o.repeat) }
	}
	if o.target == "" { // each round has a reference of its own
		again.Target = func(ctx context.Context) (*fixtures.Target, func(), error) {
			target, stop, err := a.runTarget(ctx, &o.options, o.fault)
			if err == nil {
				target.Limits = c.Target.Limits
			}
			return target, stop, err
		}
	}
	return suites.RunRepeatedly(ctx, c, again)
}

const putsBack = "adconform: interrupted, putting back what was changed; interrupt again to stop at once"

// sending does what sends requests. Neither an output that nobody reads nor a second
// interrupt, while reports are written, ends it.
func (a *app) sending(ctx context.Context, do func() error) error {
	ignoreBrokenPipe()
	err := do()
	if a.listen != nil {
		a.listen() // Ginkgo has ended it
	}
	if err != nil && ctx.Err() != nil {
		return exitCode(interrupted)
	}
	return err
}

// note prints a line that is no result.
func (a *app) note(format string, args ...any) {
	fmt.Fprintln(a.harmless().stderr, "adconform: "+wording.Printable(fmt.Sprintf(format, args...)))
}

// warn says loudly that the target's certificate is not checked.
func (a *app) warn(o *options) {
	if o.insecure {
		a.note(report.Insecure)
	}
}

// tellWarnings prints what was read all the same, once.
func (a *app) tellWarnings(all *document.Problems) {
	for _, w := range *all {
		a.note("%s", w.Error())
	}
	*all = nil
}

// warnOfGaps says in one line, before anything is sent, what the target file does
// not allow to test.
func (a *app) warnOfGaps(c *suites.Config) error {
	lacks, total, err := c.Lacks(nil)
	lacks = slices.DeleteFunc(lacks, func(l coverage.Lack) bool { return l.Cases == 0 })
	if err != nil || len(lacks) == 0 {
		return err
	}
	cost := wording.Count(total.Cases, "case")
	if len(total.Clauses) > 0 {
		cost += fmt.Sprintf(" and %s (%d stated)", wording.Count(len(total.Clauses), "clause"), total.Stated)
	}
	if c.Target.File == "" {
		a.note("a URL names no objects, so %s will not be tested", cost)
		return nil
	}
	a.note("the target file lacks %s that cases need, so %s will not be tested; adconform doctor says which",
		wording.Count(len(lacks), "key"), cost)
	return nil
}

// warnOfPermanentChanges says in one line, before anything is sent, what may stay changed.
func (a *app) warnOfPermanentChanges(c *suites.Config) error {
	objects, err := c.ForGood()
	if err == nil && len(objects) > 0 {
		a.note("%s; unless the target shows them before the first write, they cannot be put back", report.WithoutValues(objects))
	}
	return err
}

// runTarget is the target that is tested, and what ends it: with none given the bundled
// reference, with its fault.
func (a *app) runTarget(ctx context.Context, o *options, fault string) (*fixtures.Target, func(), error) {
	if o.target == "" {
		return startBundled(ctx, fixtures.DefaultWorld(), fault)
	}
	target, err := a.loadTarget(o.target, o.overlay)
	return target, func() {}, err
}

// tell writes the reports and the summary, and ends with the run's exit code.
// silence is why no answer was judged.
func (a *app) tell(o *options, r *report.Report, silence string) error {
	r.Target.Subject = o.subject
	if o.subject != nil && !report.Attests(r) {
		a.note("no statement to sign is written: the verdict is about a selection, not about the target")
	}
	r.Target.Given, r.Target.Overlay = o.target, o.overlay
	return a.conclusion(o, r.ExitCode, func() error { return report.WriteDir(o.dir, r) }, func() error {
		if err := a.print(o, r, silence); err != nil && !brokenPipe(err) {
			return err
		}
		if err := a.annotate(o, r); err != nil {
			a.note("the job on GitHub was not annotated: %v", err)
		}
		return nil
	})
}

// conclusion writes the reports, prints the result, and ends with its exit code.
func (a *app) conclusion(o *options, code int, write, print func() error) error {
	var written error
	if o.dir != "" {
		written = write()
	}
	if err := print(); err != nil && !brokenPipe(err) {
		return err
	}
	if written != nil {
		a.note("the report could not be written: %v", written)
		if code == report.ExitConforming {
			code = report.ExitUsage // a gate may not be green without its report
		}
	}
	return exitCode(code)
}

func (a *app) print(o *options, r *report.Report, silence string) error {
	if silence != "" {
		a.note("%s", silence)
	}
	if b := r.Baseline; b != nil && (o.quiet || o.format == jsonFormat) { // else the summary says so
		if old := b.OldEntries(); old != "" {
			a.note("%s", old)
		}
	}
	out := a.harmless().stdout
	switch {
	case o.format == jsonFormat:
		return report.WriteJSON(a.stdout, r)
	case silence != "":
		return nil
	case o.quiet:
		_, err := fmt.Fprintln(out, report.VerdictLine(r))
		return err
	}
	if err := report.Summary(out, r, a.style(o)); err != nil || !isURL(o.target) || r.Cases.Run == 0 {
		return err
	}
	_, err := fmt.Fprintf(out, `
A target file names the objects that the other cases need:
  adconform init --from %s   # writes target.yaml
  adconform doctor target.yaml   # says what it still lacks
`, wording.Printable(o.target))
	return err
}
