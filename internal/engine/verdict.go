package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// leftOut is the reason why a read-only run does not run a case.
const leftOut = "a read-only run leaves out cases that could change the target"

// counts reports whether a finding fails a run without a baseline: a violation of a basis that counts, and,
// if chosen counts, also a notice that does not depend on timing.
func (c *Config) counts(f *report.Finding, lost int) bool {
	strict := slices.Contains(c.Bases, spec.Chosen)
	switch {
	case !report.IsCounted(c.Bases, f.Basis) && f.Severity != report.Notice:
		return false
	case f.Severity == report.Violation:
		return true
	case f.Severity == report.Transport:
		return strict || lost > judge.LostBearable
	}
	return strict && slices.Contains(c.Bases, f.Basis) && !f.Timing // a gate must give the same result twice
}

// ignored says why a violation does not count; "" if it does.
func (c *Config) ignored(f *report.Finding) string {
	if f.Severity == report.Notice || report.IsCounted(c.Bases, f.Basis) {
		return ""
	}
	return "its basis, " + string(f.Basis) + ", does not count"
}

// decide sets verdict, reason and exit code.
func (e *execution) decide(r *report.Report) {
	c := e.config
	w := c.weigh(r)
	if r.Unanswered = cmp.Or(e.away, e.outcome.Liveness.Unanswered()); r.Unanswered != nil {
		w = weights{}
	}
	left, isExcusable := e.leftUntested(r)
	r.Verdict, r.Reason = w.verdict(r, left)
	if render.Counted(r) != "" {
		r.Reason += uncounted(w.ignored)
	}
	if off := c.switchedOff(); off != "" && r.Verdict != report.Conforming {
		r.Reason += "; not shown: " + off
	}
	fails := w.broken > 0
	if r.Baseline != nil && len(r.Baseline.Stale) > 0 {
		r.Reason += "; " + wording.Count(len(r.Baseline.Stale), "accepted finding") + " gone"
		fails = r.Unanswered == nil
	}
	alsoFails := left != "" && (r.Stopped == left || !fails)
	if r.Verdict == report.Nonconforming && alsoFails {
		r.Reason += "; " + left // the findings are accepted, so say what else fails the run
	}
	switch {
	case r.Interrupted:
		r.ExitCode = report.ExitInterrupted
	case fails:
		r.ExitCode = report.ExitNonconforming
	case left == "", isExcusable && c.AllowInconclusive:
	default:
		r.ExitCode = report.ExitInconclusive
	}
}

// leftUntested returns why a run that finds nothing would be inconclusive, "" if it would not, and whether the
// configuration may excuse that.
func (e *execution) leftUntested(r *report.Report) (left string, isExcusable bool) {
	left, isExcusable = e.left(r)
	if left != "" && e.unsure != "" {
		left += "; " + e.unsure
	}
	if !r.Level.Below(e.config.Require) {
		return left, isExcusable
	}
	short := fmt.Sprintf("--require %s, but the level of the run is %s", e.config.Require, r.Level)
	if why := cmp.Or(render.NotShownLine(r.NotShown), render.Counted(r)); why != "" {
		short += ": " + why
	}
	return cmp.Or(left, short), false
}

// weights count the violations of a run.
type weights struct {
	broken  int // fail it
	known   int // would fail it, but are accepted
	ignored int // are of a basis that does not count
}

// verdict returns the verdict and its reason; left is why it is inconclusive if there are no violations.
func (w weights) verdict(r *report.Report, left string) (report.Verdict, string) {
	switch {
	case w.broken > 0 && w.known > 0:
		return report.Nonconforming, wording.Count(w.broken, "finding") + fmt.Sprintf(", and %d in the baseline", w.known)
	case w.broken > 0:
		return report.Nonconforming, wording.Count(w.broken, "finding")
	case w.known > 0:
		return report.Nonconforming, wording.Count(w.known, "finding") + ", all in the baseline"
	case w.ignored > 0:
		return report.Nonconforming, wording.Count(held(render.Totals(r)), "clause") + " held"
	case left != "":
		return report.Inconclusive, left
	}
	return report.Conforming, passed(r)
}

// uncounted says how many violations are of a basis that does not count.
func uncounted(n int) string {
	return "; " + wording.Count(n, "violation") + " of a basis that does not count"
}

// weigh marks the findings that the baseline accepts and those that fail the run, and counts them.
func (c *Config) weigh(r *report.Report) (w weights) {
	c.Baseline.Apply(r)
	for i := range r.Findings {
		f := &r.Findings[i]
		counts := c.counts(f, r.Lost)
		f.Ignored = c.ignored(f)
		f.Fails = counts && f.Known == ""
		switch {
		case f.Fails:
			w.broken++
		case counts:
			w.known++
		case f.Ignored != "":
			w.ignored++
		}
		for _, result := range r.Results {
			for i := range result.Findings {
				if sight := &result.Findings[i]; sight.ID == f.ID {
					sight.Known, sight.Ignored, sight.Fails = f.Known, f.Ignored, f.Fails
				}
			}
		}
	}
	return w
}

// left returns why a run without findings is inconclusive, or "". excusable reports whether something
// is only missing, which --allow-inconclusive excuses.
func (e *execution) left(r *report.Report) (reason string, excusable bool) {
	c, untested := e.config, leftUntested(r)
	switch {
	case r.Stopped != "":
		return r.Stopped, false
	case r.Unanswered != nil:
		return "the target gave no answer: " + r.Unanswered.Error(), false
	case len(r.Defects) > 0:
		return r.Defects[0], false
	case e.keyRefused:
		return fmt.Sprintf("%s: is it the right key, and %s", refusedKey, c.Target.Credentials.Form().Question()), false
	case len(r.Mistakes) > 0:
		text := r.Mistakes[0]
		if more := len(r.Mistakes) - 1; more > 0 {
			text += fmt.Sprintf(" (%s below)", wording.Count(more, "more reason"))
		}
		return text, r.Cases.Run > 0
	case r.Cases.Run == 0 && r.Depth != report.Recorded:
		return "no case could be judged: " + r.Results[0].Reason, false
	case len(untested) == 0:
		return "", true
	}
	if c.ReadOnly {
		return "the run was read-only", true
	}
	clauses := map[string]bool{}
	for _, subject := range untested {
		id, _, _ := strings.Cut(subject, " of ")
		clauses[id] = true
	}
	count := wording.Count(len(clauses), "stated clause")
	text := fmt.Sprintf("%s not tested: %s", count, wording.Some(untested, maxNamed))
	if len(c.Target.Named()) == 0 {
		text = "without objects to test, " + text
	}
	return text, true
}

// passed describes what a run that conforms has shown, and what it has not.
func passed(r *report.Report) string {
	text := wording.Count(held(render.Totals(r)), "clause") + " held"
	if r.Selection != nil {
		text += " (" + strings.Join(r.Selection.Filters, " and ") + ")"
	}
	return strings.TrimSuffix(text+"; "+render.NotShownLine(r.NotShown), "; ")
}

// held returns how many clauses held.
func held(clauses []report.Clause) (n int) {
	for _, c := range clauses {
		if c.Status == report.Held {
			n++
		}
	}
	return n
}

// maxNamed limits the clauses that a reason names; the report lists all.
const maxNamed = 8

// leftUntested returns the stated clauses that the operator left untested; one that was tested for other operations
// comes with its operation.
func leftUntested(r *report.Report) (all []string) {
	whole := map[string]bool{}
	for _, cl := range render.Totals(r) {
		whole[cl.ID] = cl.Status == report.NotTested
	}
	for _, cl := range r.Clauses {
		if cl.Status != report.NotTested || cl.Basis != spec.Stated || cl.Cause != judge.ByOperator {
			continue
		}
		subject := cl.Subject()
		if whole[cl.ID] {
			subject = cl.ID
		}
		if !slices.Contains(all, subject) {
			all = append(all, subject)
		}
	}
	return all
}
