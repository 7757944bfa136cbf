package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/traffic"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) runCommand() *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "run " + targetUse,
		Short: "Test a target, or the bundled reference",
		Long: `Sends the cases of the suite to a target or, without one, to the bundled
reference, judges the answers, restores changed objects, and prints the verdict
and how much it covers. A run is complete if everything was tested that your
target file can enable, otherwise partial, as with --depth quick. With --case,
--skip, --clause or only some bases it is a selection. A gate should use
--require complete.

For a URL, the key is taken from ` + fixtures.OwnerVariable + ` and another
user's, if it is set, from ` + fixtures.StrangerVariable + `. A URL names no
objects, so cases that need one are not tested; adconform init --from URL writes
a target file.`,
		Example: `  adconform run
  adconform run --fault refused/401-any-key/updateCampaign  # shows a finding
  adconform run http://127.0.0.1:8080/v2  # cases that need no objects
  adconform run target.yaml --require complete --report report
  adconform run target.yaml --case 'updateCampaign/*' --verbose`,
		Args: o.takeTarget(a.Env),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.checkRun(cmd); err != nil {
				return err
			}
			if !cmd.Flags().Changed("seed") {
				o.Seed = engine.DefaultSeed
				if o.target != "" { // others may use it, too
					o.Seed = engine.NewSeed()
				}
			}
			if err := render.PrepareDir(o.dir); err != nil {
				return err
			}
			connection := " rate timeout ca cert key insecure"
			o.flags = report.Flags{
				Run:    flagsGiven(cmd, "overlay depth read-only basis baseline wait concurrency deadline"+connection),
				Doctor: flagsGiven(cmd, "overlay depth"+connection),
				Init:   flagsGiven(cmd, "overlay"),
				Replay: flagsGiven(cmd, connection), // it reads the others from the report
			}
			return a.onTarget(cmd.Context(), &o, putsBack, a.runSuite)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.fault, "fault", "", "break the bundled reference (selftest --list lists the `id`s)")
	o.add(cmd, "overlay depth case skip clause")
	addFlag(f, &o.Seed, "seed", readSeed, "send the same data as an earlier run, which printed this `number`")
	f.BoolVar(&o.ReadOnly, "read-only", false, "send nothing that could change the target")
	o.add(cmd, "wait rate")
	addFlag(f, &o.limits.Concurrency, "concurrency", readCount,
		"`number` of cases to run at once; default: the target file's, else 1 with a rate and 8 without")
	o.add(cmd, "timeout")
	addFlag(f, &o.Deadline, "deadline", readTime,
		"`time` after which the run stops, restores objects and reports; default: 1h, more at a low rate")
	o.add(cmd, "basis baseline")
	addChoice(f, &o.Require, "require", report.Levels()[:3],
		"exit with 3 if the run is below this `level`: complete, partial or selection")
	f.BoolVar(&o.AllowInconclusive, "allow-inconclusive", false,
		"exit with 0 if the run is inconclusive, but the target answers")
	o.add(cmd, "ca cert key insecure report quiet verbose")
	return cmd
}

// checkRun refuses flags of a run that exclude each other.
func (o *options) checkRun(cmd *cobra.Command) error {
	isOfGate := o.Require != "" || o.baseline != ""
	isBundled := o.target == "" && o.fault == ""
	isOther := o.target != "" || len(o.overlays) > 0
	switch {
	case o.quiet && o.verbose:
		return usagef(cmd, "--quiet and --verbose exclude each other")
	case isBundled && isOfGate:
		return usagef(cmd, "--require and --baseline are for a gate, which tests a server: name its target file or "+
			"base URL (adconform run target.yaml), as the bundled reference tests nothing of yours")
	case isOther && o.fault != "":
		return usagef(cmd, "--fault breaks the bundled reference: leave out the target and --overlay, "+
			"or use adconform serve --fault")
	}
	return nil
}

func (a *app) runSuite(ctx context.Context, o *options, c *engine.Config) error {
	plan, err := c.Sendable()
	if err != nil {
		return err // before waiting for the target
	}
	unready, err := a.waitFor(ctx, c, o.wait)
	switch {
	case err != nil:
		return err
	case unready != "":
		r, err := engine.NotRun(ctx, c, unready)
		if err != nil {
			return err
		}
		return a.finish(o, r)
	}
	p := progress{
		w: a.Stderr, accepts: c.Baseline != nil, bases: c.Bases,
		started: time.Now(), of: len(plan), reported: map[finding.Cause]bool{},
	}
	stop := func() {}
	if !o.quiet {
		stop = a.show(&p, c, o.verbose)
	}
	ignoreBrokenPipe() // the run continues if its output loses its reader
	r, err := engine.RunGinkgo(ctx, c)
	if a.listen != nil {
		a.listen() // a second interrupt must not end the process while reports are written
	}
	stop()
	p.end()
	switch {
	case err != nil:
		return err
	case r == nil: // Ginkgo was interrupted before it had begun
		return interrupted
	}
	return a.finish(o, r)
}

// show makes a run show its progress until stop is called.
func (a *app) show(p *progress, c *engine.Config, verbose bool) (stop func()) {
	c.Progress = p.result
	c.Decided = p.decided
	c.Record = p.exchange
	if verbose {
		c.Record = func(ex *wire.Exchange) {
			p.exchange(ex)
			a.exchange(ex)
		}
	} else if p.columns = columnsOf(a.Stderr); p.columns > 0 {
		return func() {}
	}
	a.note("testing %s (depth %s, seed %d)", c.Target.BaseURL, c.Depth, c.Seed)
	ticks := a.Clock
	if ticks == nil {
		ticks = systemClock
	}
	return p.follow(ticks)
}

const putsBack = "interrupted, restoring changed objects; interrupt again to stop at once"

// finish writes the reports and the summary, and returns the run's exit code.
func (a *app) finish(o *options, r *report.Report) error {
	r.Target.Given = o.target
	r.Target.WorkingDir = wayUp(o.dir)
	r.Flags = o.flags
	v := render.NewView(r)
	var written error
	if o.dir != "" {
		written = render.WriteDir(o.dir, v)
	}
	switch why := silence(r); {
	case why != "":
		a.note("%s", why)
	case o.quiet:
		a.say(render.VerdictLine(r))
	default:
		_ = v.Summary(a.Stdout, o.style(a))
	}
	a.jobSummary(v.WriteMarkdown)
	if written != nil {
		a.mistake(fmt.Sprintf("the report could not be written: %v", written))
		return exitCode(cmp.Or(r.ExitCode, report.ExitUsage)) // a gate must not pass without its report
	}
	return exitCode(r.ExitCode)
}

// wayUp returns the way from the folder of a report up to the current one, such as "..", or "" if the report is not
// below it.
func wayUp(dir string) string {
	if dir == "" {
		return ""
	}
	way, err := wayFrom(dir, ".")
	way = filepath.ToSlash(way)
	if err != nil || strings.Trim(way, "./") != "" {
		return ""
	}
	return way
}

// waitFor waits until the target answers, and returns why the run cannot begin if it does not in time.
// A gateway answers 502, 503 or 504 while the server behind it is still starting.
func (a *app) waitFor(ctx context.Context, c *engine.Config, most time.Duration) (unready string, err error) {
	client, err := c.Client()
	if err != nil || most == 0 {
		return "", err
	}
	defer client.Close()
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	last := ""
	for ; waiting.Err() == nil; time.Sleep(100 * time.Millisecond) {
		ex := client.Do(waiting, "wait", wire.Request{Method: http.MethodGet, Path: "/"})
		why := whyUnready(ex)
		switch {
		case why == "":
			return "", nil
		case last == "":
			a.note("waiting for %s: %s", c.Target.BaseURL, why)
			last = why
		case waiting.Err() == nil: // otherwise the end of the wait is why
			last = why
		}
	}
	if ctx.Err() != nil {
		return "", interrupted
	}
	return fmt.Sprintf("the target was not ready within %s: %s", most, last), nil
}

// whyUnready returns why an exchange shows that the target does not serve yet, or "".
func whyUnready(ex *wire.Exchange) string {
	if ex.Err != nil {
		return ex.Err.Error()
	}
	switch status := ex.Response.Status; status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return http.StatusText(status)
	}
	return ""
}

// silence returns the reason, in one line, why no answer was judged at all; "" if one was.
func silence(r *report.Report) string {
	err := r.Unanswered
	switch {
	case r.Recording != nil:
		if r.Recording.Judged > 0 {
			return ""
		}
		return "nothing could be judged" + strings.TrimPrefix(r.Recording.String(), "0 exchanges judged")
	case err == nil, r.Interrupted, r.Stopped != "":
		return ""
	case kindOf(err) == wire.Unsent:
		return err.Error() + "; name objects in a target file (adconform init writes one)"
	}
	return r.Target.BaseURL + " " + doesNotAnswer(err)
}

// causes asks about the likely cause of an answer that did not come.
var causes = map[wire.Kind]string{
	wire.Refused: "is the server running? --wait 60s waits for it",
	wire.DNS:     "is the host name right?",
	wire.TLS: "is it https, is its certificate trusted here (--ca FILE), " +
		"and does it require a client certificate (--cert FILE)?",
	wire.Timeout: "is it overloaded, or is --timeout too short?",
	wire.Proxy:   "are HTTPS_PROXY, HTTP_PROXY and NO_PROXY right?",
}

// kindOf returns the kind of the error by which no answer came.
func kindOf(err error) wire.Kind {
	lost, _ := errors.AsType[*wire.TransportError](err)
	return cmp.Or(lost, new(wire.TransportError)).Kind
}

// doesNotAnswer returns a message that a target does not answer, after its URL.
func doesNotAnswer(err error) string {
	cause := cmp.Or(causes[kindOf(err)], "is the server running, and is it https or http?")
	return fmt.Sprintf("does not answer: %v; %s", err, cause)
}

func (a *app) checkCommand() *cobra.Command {
	var baseURL, target string
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Judge recorded traffic",
		Long: `Judges the traffic in an HTTP Archive (HAR), as browsers, proxies and API
clients export it. It sends nothing.

Each answer of the five operations is judged alone, against its own request.
With --target, which names the owners of keys and objects, the sequence is
judged, too; the archive then has to hold all requests for these objects.
Whatever a recorder changed or left out is not a finding. The best result is
NOTHING WRONG SEEN, with the number of clauses that could be judged.`,
		Example: `  adconform check session.har
  adconform check session.har --base-url https://staging.example.com/v2
  adconform check report/traffic.har --target target.yaml`,
		RunE: func(_ *cobra.Command, args []string) error { return a.check(&o, args[0], target, baseURL) },
	}
	cmd.Flags().StringVar(&baseURL, "base-url", "",
		"judge requests below this `URL`; default: the target's, or the only one in FILE")
	cmd.Flags().StringVar(&target, "target", "", "judge sequences too, by this target `file`")
	o.add(cmd, "overlay basis baseline report quiet")
	return cmd
}

func (a *app) check(o *options, file, targetFile, baseURL string) error {
	contract, err := loadContract(o.overlays)
	if err != nil {
		return err
	}
	target := &fixtures.Target{Name: "recorded traffic"}
	if targetFile != "" {
		if target, err = fixtures.Load(targetFile, a.Env, contract.Keys()...); err != nil {
			return err
		}
		target.Name = "recorded traffic of " + cmp.Or(target.Name, targetFile)
	}
	c, err := o.config(target, contract)
	if err != nil {
		return err
	}
	archive, err := traffic.Open(file, c.Contract)
	if err != nil {
		return err
	}
	if err := render.PrepareDir(o.dir); err != nil { // which may contain the archive
		return err
	}
	base, err := archive.Base(cmp.Or(baseURL, target.BaseURL))
	if err != nil {
		return err
	}
	target.BaseURL = cmp.Or(base, "http://nobody.invalid")
	r, err := engine.Check(c, archive)
	if err != nil {
		return err
	}
	r.Recording.File = file
	if base == "" {
		r.Target.BaseURL = "no base URL"
	}
	return a.finish(o, r)
}
