package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) replayCommand() *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "replay REPORT [CASE...]",
		Short: "Send the failed cases of a report again",
		Long: `Sends recorded cases again and says of each whether it is fixed, still failing or
different. Without CASE, these are the cases that failed. The target, the seed and the
depth are those of the report, unless the variable ADCONFORM_TARGET names another target;
where that is a URL, the variable has to name it.

A case is sent alone first. Where nothing shows, it is sent up to twice more,
together with the other cases of its operation: what it found may have been
intermittent, or have depended on them.

Exit codes: 0 fixed, still passing or known to the baseline of the report, 1 still
failing or different, 2 wrong usage, 3 not tested, 130 interrupted.`,
		Example: `  adconform replay report/
  adconform replay report/report.json updateCampaign/401/no-key`,
		Args: arguments(1, math.MaxInt, "the report is missing: name a report.json or its folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.targetOfVariable(cmd, a.Env); err != nil {
				return err
			}
			return a.replay(cmd.Context(), args[0], args[1:], &o)
		},
	}
	cmd.Flags().StringVar(&o.overlay, "overlay", "", "OpenAPI Overlay `file`; default: that of the report")
	o.add(cmd, "rate timeout ca cert key insecure json")
	return cmd
}

func (a *app) replay(ctx context.Context, path string, cases []string, o *options) error {
	recorded, err := report.Read(path)
	if err != nil {
		return err
	}
	if recorded.Depth == report.Recorded {
		return fmt.Errorf("%s: its requests were sent by others, and cannot be sent again; its curl lines show them", path)
	}
	picked, err := pick(recorded, path, cases)
	if err != nil {
		return err
	}
	o.overlay, o.seed = cmp.Or(o.overlay, recorded.Target.Overlay), recorded.Seed
	if o.depth, err = readOneOf(recorded.Depth, depths); err != nil {
		return fmt.Errorf("%s: depth %q: %w", path, recorded.Depth, err)
	}
	fault, err := o.replayTarget(recorded, path)
	if err != nil {
		return err
	}
	ctx, cancel := a.Interruptible(ctx, putsBack)
	defer cancel()
	c, stop, err := a.open(ctx, o, fault)
	if err != nil {
		return err
	}
	defer stop()
	a.note("sending %s of %s again to %s", wording.Count(len(picked), "case"), path, c.Target.BaseURL)
	ignoreBrokenPipe()
	all, err := suites.Replay(ctx, c, picked)
	if err != nil && ctx.Err() == nil {
		return err
	}
	plan, err := c.Plan()
	if err != nil {
		return err
	}
	about := fmt.Sprintf("%d of %s, sent again to %s; it says nothing of the others",
		len(all), wording.Count(len(plan), "case"), c.Target.BaseURL)
	if o.json {
		err = a.printJSON(all)
	} else {
		a.printReplayed(all, about)
	}
	if err != nil && !brokenPipe(err) {
		return err
	}
	if ctx.Err() != nil {
		return interrupted
	}
	return exitCode(replayCode(all))
}

// replayTarget takes the target of the report, unless the variable has named another, and returns the
// fault that the bundled reference had.
func (o *options) replayTarget(r *report.Report, path string) (fault string, err error) {
	if o.target != "" {
		return "", nil
	}
	fault, broken := strings.CutPrefix(r.Target.Name, withFault)
	switch o.target = r.Target.Given; {
	case o.target == "" && broken:
		return fault, nil
	case o.target == "" && r.Target.Name == bundledName:
	case o.target == "" || isURL(o.target): // the author of a report does not choose who gets the key
		return "", fmt.Errorf("%s is about %s: give that, or its target file, by %s, so that the keys go where you say",
			path, r.Target.BaseURL, targetVariable)
	default:
		if _, err := os.Stat(o.target); err != nil {
			return "", fmt.Errorf("%s names the target file %q: %w; give it by %s", path, o.target, wording.WithoutPath(err), targetVariable)
		}
	}
	return "", nil
}

// pick finds the cases to be sent again: those wanted, or all that failed.
func pick(r *report.Report, path string, wanted []string) (picked []report.Case, err error) {
	known := idsOf(r.Results, func(c report.Case) string { return c.ID })
	for _, id := range wanted {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("%s: it has no case %q%s", path, id, wording.DidYouMean(id, known))
		}
	}
	for _, c := range r.Results {
		if slices.Contains(wanted, c.ID) || len(wanted) == 0 && c.Status == judge.Failed {
			picked = append(picked, c)
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("%s: no case failed; name the case to be sent again", path)
	}
	return picked, nil
}

func replayCode(all []suites.Replayed) int {
	code := report.ExitConforming
	for _, r := range all {
		switch {
		case r.Known(): // as in a run with its baseline
		case r.Status == suites.StillFailing, r.Status == suites.Different:
			return report.ExitNonconforming
		case r.Status == suites.NotReplayed:
			code = report.ExitInconclusive
		}
	}
	return code
}

// printReplayed prints what became of each case, in one line where nothing is left to do; about
// says how many other cases there are.
func (a *app) printReplayed(all []suites.Replayed, about string) {
	count, seen := map[suites.ReplayStatus]int{}, map[string]bool{}
	for _, r := range all {
		count[r.Status]++
		reason := r.Reason
		if r.Status == suites.Fixed {
			reason = "not seen in " + wording.Count(r.Tries, "try")
		}
		a.say(strings.TrimSuffix(fmt.Sprintf("%-13s  %s: %s", r.Status, r.Case, reason), ": "))
		if r.Status != suites.StillFailing {
			a.sayFindings("was", r.Before)
		}
		a.sayFindings("is", r.After)
		for _, c := range r.Left {
			left := fmt.Sprintf("  not put back: %s %d: %s", c.Object, c.ID, c.Reason)
			if !seen[left+c.Undo] { // each case would say it again
				a.say(left, strings.TrimRight("      "+c.Undo, " "))
			}
			seen[left+c.Undo] = true
		}
	}
	a.say(fmt.Sprintf("%d fixed, %d still failing, %d different, %d still passing, %d not tested: %s",
		count[suites.Fixed], count[suites.StillFailing], count[suites.Different],
		count[suites.StillPassing], count[suites.NotReplayed], about))
}

// shownFindings is how many findings of a replayed case are shown.
const shownFindings = 3

// sayFindings says what the findings of a case were, or what they are and how to see them.
func (a *app) sayFindings(word string, findings []oracle.Finding) {
	for i, f := range findings {
		if i == shownFindings {
			a.say(fmt.Sprintf("  … and %d more", len(findings)-i))
			return
		}
		known := strings.Replace("known ("+f.Known+"): ", "known (): ", "", 1)
		a.say(fmt.Sprintf("  %s: %s%s (%s) %s", word, known, f.Clause, f.Basis, report.Told(&f)))
		if word == "is" && f.Curl != "" {
			a.say("      " + report.ShortCurl(f.Curl))
		}
	}
}
