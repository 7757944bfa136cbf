package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// leftOut is why a read-only run does not run a case.
const leftOut = "a read-only run leaves out what could change the target"

// counts says whether a finding fails a run without a baseline: a violation that counts, or
// where chosen counts any finding of a basis that does, but those that hang on timing.
func (c *Config) counts(f *oracle.Finding, lost int) bool {
	switch {
	case !f.Counts():
		return false
	case f.Severity == oracle.Violation:
		return true
	case f.Severity == oracle.Transport:
		return c.strict() || lost > judge.LostBearable
	}
	return c.strict() && slices.Contains(c.Bases, f.Basis) && !f.Timing // a gate says the same twice
}

// strict says whether what no source requires fails a run.
func (c *Config) strict() bool { return slices.Contains(c.Bases, spec.Chosen) }

// decide fills in verdict, reason and exit code. answered counts the complete responses;
// unsure is added to the reason of a run that is inconclusive.
func (c *Config) decide(r *report.Report, answered int, keyRefused bool, unsure string) {
	left, excusable := c.left(r, answered, keyRefused)
	if left != "" && unsure != "" {
		left += "; " + unsure
	}
	c.applyBaseline(r)
	broken, known := c.weigh(r)
	if left == "" && r.Level.Below(c.Require) {
		left = c.short(r)
	}
	excusable = excusable && !r.Level.Below(c.Require)
	switch {
	case answered == 0:
		r.Verdict, r.Reason = report.Inconclusive, left
	case broken > 0:
		r.Verdict, r.Reason = report.Nonconforming, wording.Count(broken, "finding")
	case known > 0:
		r.Verdict, r.Reason = report.Nonconforming, wording.Count(known, "finding")+", all in the baseline"
	case left != "":
		r.Verdict, r.Reason = report.Inconclusive, left
	default:
		r.Verdict, r.Reason = report.Conforming, passed(r)
	}
	if broken > 0 && known > 0 {
		r.Reason += fmt.Sprintf(", and %d in the baseline", known)
	}
	if ignored := ignored(r); ignored > 0 {
		r.Reason += fmt.Sprintf("; %s of a basis that does not count", wording.Count(ignored, "violation"))
	}
	stale := 0
	if r.Baseline != nil {
		stale = len(r.Baseline.Stale)
	}
	if stale == 1 {
		r.Reason += "; 1 entry of the baseline occurs no longer"
	} else if stale > 1 {
		r.Reason += fmt.Sprintf("; %d entries of the baseline occur no longer", stale)
	}
	switch {
	case r.Interrupted:
		r.ExitCode = report.ExitInterrupted
	case answered > 0 && (broken > 0 || stale > 0):
		r.ExitCode = report.ExitNonconforming
	case left != "" && !(excusable && c.AllowInconclusive):
		r.ExitCode = report.ExitInconclusive
		if r.Verdict == report.Nonconforming { // what was found is known: say what else stops the run
			r.Reason += "; " + left
		}
	default:
		r.ExitCode = report.ExitConforming
	}
}

// ignored is how many findings do not count, as the run does not ask for their basis.
func ignored(r *report.Report) (n int) {
	for i := range r.Findings {
		if !r.Findings[i].Counts() {
			n++
		}
	}
	return n
}

// weigh counts the findings that fail a run, which it marks, and those that the baseline lets pass.
func (c *Config) weigh(r *report.Report) (broken, known int) {
	for i := range r.Findings {
		f := &r.Findings[i]
		counts := c.counts(f, r.Lost)
		switch f.Fails = counts && f.Known == ""; {
		case f.Fails:
			broken++
		case counts:
			known++
		}
	}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			f := &r.Results[i].Findings[j]
			f.Fails = f.Known == "" && c.counts(f, r.Lost)
		}
	}
	return broken, known
}

// left says why a run is inconclusive, but for what was found; "" where it is not.
// What the operator left out can be allowed.
func (c *Config) left(r *report.Report, answered int, keyRefused bool) (reason string, excusable bool) {
	untested := leftUntested(r)
	switch {
	case answered == 0 && r.Stopped == "":
		return "the target gave no answer", false
	case r.Stopped != "":
		return r.Stopped, false
	case len(r.Defects) > 0:
		return r.Defects[0], false
	case keyRefused:
		key := "credentials.owner"
		if c.Target.File == "" { // it has no such key
			key = "the owner's key"
		}
		return fmt.Sprintf("every operation answers 401 to %s: is it the right key, and %s its header?", key, c.Target.Credentials.Header), false
	case len(r.Mistakes) > 0:
		return mistakes(r.Mistakes), r.Cases.Run > 0
	case r.Cases.Run == 0 && r.Depth != report.Recorded:
		return "no case could be judged" + first(r), false
	case c.ReadOnly && len(untested) > 0:
		return fmt.Sprintf("read-only: %s left out, so %s not tested",
			wording.Count(writing(r), "case"), wording.Count(len(untested), "stated clause")), true
	case len(untested) > 0 && len(c.Target.Named()) == 0:
		return fmt.Sprintf("without objects to test with, %s remain untested: %s",
			wording.Count(len(untested), "stated clause"), wording.Some(untested, maxNamed)), true
	case len(untested) > 0:
		return fmt.Sprintf("%s not tested: %s", wording.Count(len(untested), "stated clause"), wording.Some(untested, maxNamed)), true
	}
	return "", true
}

// mistakes are those of the operator in one line.
func mistakes(all []string) string {
	if more := len(all) - 1; more > 0 {
		return fmt.Sprintf("%s; and %d more to correct", all[0], more)
	}
	return all[0]
}

// first is why the first case was not tested.
func first(r *report.Report) string {
	for i := range r.Results {
		if why := r.Results[i].Reason; why != "" {
			return ": " + why
		}
	}
	return ""
}

// passed says what a run that conforms has shown, and what it has not.
func passed(r *report.Report) string {
	text := wording.Count(held(r.Totals()), "clause") + " held"
	if r.Selection != nil {
		text += " (" + strings.Join(r.Selection.Filters, " and ") + ")"
	}
	if not := report.NotShownLine(r.NotShown); not != "" {
		text = not + "; " + text
	}
	return text
}

// short says what a run lacks of the level that is required.
func (c *Config) short(r *report.Report) string {
	text := fmt.Sprintf("--require %s, and the run is no more than ", c.Require)
	if r.Level == report.Partial {
		return text + "partial: " + report.NotShownLine(r.NotShown)
	}
	if r.Level == report.Selected {
		return text + "a selection"
	}
	return text + "what others sent"
}

// writing is how many cases a read-only run left out.
func writing(r *report.Report) int {
	n := 0
	for _, c := range r.Results {
		if c.Reason == leftOut {
			n++
		}
	}
	return n
}

// held is how many of these held.
func held(clauses []report.Clause) int {
	n := 0
	for _, c := range clauses {
		if c.Status == report.Held {
			n++
		}
	}
	return n
}

// maxNamed is how many clauses a reason names; the report lists all.
const maxNamed = 8

// leftUntested names the stated clauses that the operator left untested: first those
// that no operation was tested for, then others with the operation.
func leftUntested(r *report.Report) []string {
	untested := map[string]bool{}
	for _, cl := range r.Totals() {
		untested[cl.ID] = cl.Status == report.NotTested
	}
	var whole, partly []string
	for i := range r.Clauses {
		cl := &r.Clauses[i]
		switch {
		case cl.Status != report.NotTested || cl.Basis != spec.Stated || cl.Cause != judge.ByOperator:
		case !untested[cl.ID]:
			partly = append(partly, cl.Subject())
		case !slices.Contains(whole, cl.ID):
			whole = append(whole, cl.ID)
		}
	}
	return append(whole, partly...)
}
