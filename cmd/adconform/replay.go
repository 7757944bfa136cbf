package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) replayCommand() *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "replay REPORT [CASE...]",
		Short: "Send the failed cases of a report again",
		Long: `Sends recorded cases again and says whether each is fixed or still failing.
Without CASE, it sends all cases that fail the run. Target, overlays, seed and
depth come from the report, unless --overlay or the variable ADCONFORM_TARGET
names others. If the target is a URL, the variable must name it. A case that
finds nothing is sent up to three times, with others of its operation.

Exit codes: 0 fixed, passing or accepted by the baseline of the report's run, 1
failing, 2 wrong usage, 3 not tested, 130 interrupted.`,
		Example: `  adconform replay report
  adconform replay report updateCampaign/401/no-key
  adconform replay report --wait 60s  # after a restart of the server`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.takeTarget(a.Env)(cmd, nil); err != nil {
				return err
			}
			return a.replay(cmd.Context(), args[0], args[1:], &o)
		},
	}
	o.add(cmd, "overlay wait rate timeout ca cert key insecure json")
	return cmd
}

func (a *app) replay(ctx context.Context, path string, cases []string, o *options) error {
	recorded, err := report.Read(path)
	if err != nil {
		return err
	}
	if cases, err = pick(recorded, path, cases); err != nil {
		return err
	}
	o.Seed = recorded.Seed
	start := startOf(recorded, path)
	if len(o.overlays) == 0 {
		for _, overlay := range recorded.Target.Overlays() {
			o.overlays = append(o.overlays, locate(start, overlay))
		}
	}
	if o.Depth, err = readOneOf(recorded.Depth, depths); err != nil {
		return fmt.Errorf("%s: its requests (%s) cannot be sent again; its curl lines show them", path, recorded.Depth)
	}
	if err := o.replayTarget(recorded, path, start); err != nil {
		return err
	}
	return a.onTarget(ctx, o, putsBack, func(ctx context.Context, _ *options, c *engine.Config) error {
		// The results say whether the target still does not answer.
		if _, err := a.waitFor(ctx, c, o.wait); err != nil {
			return err
		}
		a.note("sending %s of %s again to %s", wording.Count(len(cases), "case"), path, c.Target.BaseURL)
		ignoreBrokenPipe()
		all, err := engine.Replay(ctx, c, recorded, cases)
		if err != nil {
			return err
		}
		count := map[engine.ReplayStatus]int{}
		for _, r := range all.Cases {
			count[r.Status]++
		}
		if o.json {
			a.printJSON(all)
		} else {
			a.printReplayed(all, count, recorded.Target)
		}
		switch {
		case ctx.Err() != nil:
			return interrupted
		case count[engine.Failing] > 0:
			return exitCode(report.ExitNonconforming)
		case count[engine.NotReplayed] > 0:
			return exitCode(report.ExitInconclusive)
		}
		return nil
	})
}

// startOf returns the folder where the run of a report was started, if the current folder is within it; otherwise "".
// Only then may the report name a target file by that folder: its author must not choose who gets the keys.
func startOf(r *report.Report, path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	if r.Target.WorkingDir == "" {
		return ""
	}
	start := filepath.Join(path, r.Target.WorkingDir)
	if below, err := wayFrom(start, "."); err != nil || !filepath.IsLocal(below) {
		return ""
	}
	return start
}

// wayFrom returns the relative path from one folder to another.
func wayFrom(from, to string) (string, error) {
	from, errFrom := filepath.Abs(from)
	to, errTo := filepath.Abs(to)
	way, err := filepath.Rel(from, to)
	return way, errors.Join(errFrom, errTo, err)
}

// locate returns a file of a report as the current folder knows it: by its own path or, without a file there, by the
// folder where the run was started.
func locate(start, file string) string {
	isRelative := file != "" && !isURL(file) && !filepath.IsAbs(file)
	if !isRelative || start == "" {
		return file
	}
	if _, err := os.Stat(file); err == nil {
		return file
	}
	return filepath.Join(start, file)
}

// replayTarget uses the target of the report, unless the variable named another.
func (o *options) replayTarget(r *report.Report, path, start string) error {
	if o.target != "" {
		return nil
	}
	o.target = locate(start, r.Target.Given)
	if o.target == "" {
		fault, isBroken := strings.CutPrefix(r.Target.Name, withFault)
		if isBroken {
			o.fault = fault
		}
		if isBroken || r.Target.Name == bundledName {
			return nil
		}
	}
	if o.target == "" || isURL(o.target) { // the author of a report must not choose who gets the key
		return fmt.Errorf("%s is about %s: set %[3]s to that URL or its target file, "+
			"as only you decide where the keys are sent", path, r.Target.BaseURL, targetVariable)
	}
	if _, err := os.Stat(o.target); err != nil {
		return fmt.Errorf("%s names the target file %q: %w; run this where the run was started, or set %s to the file",
			path, r.Target.Given, wording.WithoutPath(err), targetVariable)
	}
	return nil
}

// pick returns the cases to send again: the wanted ones, or all with a finding that fails the run.
func pick(r *report.Report, path string, wanted []string) ([]string, error) {
	var known, failed []string
	for _, c := range r.Results {
		known = append(known, c.ID)
		if slices.ContainsFunc(c.Findings, func(f report.Finding) bool { return f.Fails }) {
			failed = append(failed, c.ID)
		}
	}
	for _, id := range wanted {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("%s: there is no case %q%s", path, id, wording.DidYouMean(id, known))
		}
	}
	if len(wanted) == 0 {
		wanted = failed
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("%s: no case failed; name the case to send again", path)
	}
	return wanted, nil
}

// printReplayed prints the outcome of each case, and how many there are of each.
func (a *app) printReplayed(all *engine.Replayed, count map[engine.ReplayStatus]int, target report.Target) {
	lines := ""
	say := func(text, curl string) {
		a.say(text)
		if curl != "" {
			lines += curl
			a.say("      " + render.ShortCurl(curl))
		}
	}
	for _, r := range inOneLine(all.Cases) {
		line := fmt.Sprintf("%-10s  %s: %s", r.Status, r.Case, r.Reason)
		a.say(strings.TrimSuffix(line, ": "))
		for _, f := range r.Findings {
			say(fmt.Sprintf("  %s (%s) %s", f.Clause, f.Basis, render.Told(&f)), f.Curl)
		}
	}
	for _, c := range all.Left {
		say(fmt.Sprintf("not restored: %s %s: %s", c.Object, c.ID, c.Reason), c.Undo)
	}
	if define := render.Definitions(target, lines); len(define) > 0 {
		a.say("before you paste a curl line:")
		a.say(define...)
	}
	var counts []string
	for _, status := range replayStatuses {
		counts = append(counts, fmt.Sprintf("%d %s", count[status], status))
	}
	a.say(strings.Join(counts, ", ") + "; this says nothing about other cases")
}

var replayStatuses = []engine.ReplayStatus{
	engine.Fixed, engine.Failing, engine.Accepted, engine.Passing, engine.NotReplayed,
}

// inOneLine makes one line of the cases that were not tested for the same reason: a server that is away is one piece of
// news.
func inOneLine(cases []engine.ReplayedCase) (lines []engine.ReplayedCase) {
	untested := map[string]int{} // by reason
	for _, r := range cases {
		if r.Status == engine.NotReplayed {
			untested[r.Reason]++
		}
	}
	for _, r := range cases {
		switch r.Status {
		case engine.Fixed:
			r.Reason = "not seen in " + wording.Count(r.Tries, "try")
		case engine.NotReplayed:
			n := untested[r.Reason]
			if n == 0 {
				continue
			}
			if n > 1 {
				r.Case = wording.Count(n, "case")
			}
			untested[r.Reason] = 0
		}
		lines = append(lines, r)
	}
	return lines
}
