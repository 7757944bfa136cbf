package suites

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// lostBearable is how many answers may get lost in transport on a target that
// otherwise answers.
const lostBearable = 1

// counts says whether a finding fails a run without a baseline: a violation of a
// basis that counts, or with Strict any finding.
func (c *Config) counts(f *oracle.Finding, lost int) bool {
	counts := len(c.Bases) == 0 || slices.Contains(c.Bases, f.Basis)
	switch f.Severity {
	case oracle.Violation:
		return counts
	case oracle.Transport:
		return counts && (c.Strict || lost > lostBearable)
	}
	return c.Strict
}

// decide fills in verdict, reason and exit code.
func (c *Config) decide(r *report.Report, answered int) {
	c.applyBaseline(r)
	broken, known := 0, 0
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case !c.counts(f, r.Lost):
		case f.Known != "":
			known++
		default:
			broken++
		}
	}
	var untested []string
	for _, cl := range r.Clauses {
		if cl.Status == report.NotTested && cl.Basis == spec.Stated && cl.Cause == engine.ByOperator {
			untested = append(untested, cl.ID)
		}
	}
	var left string // why it is inconclusive, but for what was found
	switch {
	case answered == 0:
		left = "the target gave no answer"
	case r.Interrupted:
		left = "the run was interrupted"
	case len(untested) > 0:
		left = fmt.Sprintf("%s not tested: %s", plural(len(untested), "stated clause"), strings.Join(untested, ", "))
	}
	switch {
	case answered == 0:
		r.Verdict, r.Reason = report.Inconclusive, left
	case broken > 0:
		r.Verdict, r.Reason = report.Nonconforming, plural(broken, "finding")
	case known > 0:
		r.Verdict, r.Reason = report.Nonconforming, plural(known, "finding")+", all in the baseline"
	case left != "":
		r.Verdict, r.Reason = report.Inconclusive, left
	default:
		r.Verdict, r.Reason = report.Conforming, fmt.Sprintf("%s held", plural(held(r.Clauses), "clause"))
	}
	if broken > 0 && known > 0 {
		r.Reason += fmt.Sprintf(", and %d in the baseline", known)
	}
	stale := 0
	if r.Baseline != nil {
		stale = len(r.Baseline.Stale)
	}
	if stale > 0 {
		r.Reason += fmt.Sprintf("; %s of the baseline occur no longer", plural(stale, "entry"))
	}
	switch {
	case r.Interrupted:
		r.ExitCode = report.ExitInterrupted
	case answered > 0 && (broken > 0 || stale > 0):
		r.ExitCode = report.ExitNonconforming
	case answered == 0 || left != "" && !c.AllowInconclusive:
		r.ExitCode = report.ExitInconclusive
	default:
		r.ExitCode = report.ExitConforming
	}
}

// applyBaseline marks the findings that the baseline excuses, and says which of
// its entries are out of date.
func (c *Config) applyBaseline(r *report.Report) {
	if c.Baseline == nil {
		return
	}
	b := &report.Baseline{File: c.Baseline.File, Stale: []report.Known{}, Expired: []report.Known{}, Unseen: []report.Known{}}
	r.Baseline = b
	occurs := map[oracle.Cause]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		occurs[f.Cause()] = true
		if c.excuse(f, r.Started) {
			b.Known++
		}
	}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			c.excuse(&r.Results[i].Findings[j], r.Started)
		}
	}
	for _, e := range c.Baseline.Entries {
		known := report.Known{Cause: e.Cause, Line: e.Line, Reason: e.Reason, Expires: e.Expires.Format(baseline.DateForm)}
		switch {
		case occurs[e.Cause] && e.Expired(r.Started):
			b.Expired = append(b.Expired, known)
		case occurs[e.Cause]:
		case r.LookedFor(e.Cause) && !e.Intermittent && !r.Interrupted:
			b.Stale = append(b.Stale, known)
		default:
			b.Unseen = append(b.Unseen, known)
		}
	}
}

// excuse marks a finding that is in the baseline and whose entry is still good.
func (c *Config) excuse(f *oracle.Finding, now time.Time) bool {
	e := c.Baseline.Entry(f.Cause())
	if e == nil || e.Expired(now) {
		return false
	}
	f.Known = e.Reason
	return true
}

func held(clauses []report.Clause) int {
	n := 0
	for _, c := range clauses {
		if c.Status == report.Held {
			n++
		}
	}
	return n
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if word, ok := strings.CutSuffix(word, "y"); ok {
		return fmt.Sprintf("%d %sies", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// clauseStates says of each clause whether it held, broke, or was not tested
// and why.
func clauseStates(contract *spec.Contract, plan []*engine.Case, s *engine.Session, groups []*oracle.Finding) []report.Clause {
	results := map[*engine.Case]*engine.Result{}
	for _, r := range s.Results() {
		results[r.Case] = r
	}
	var states []report.Clause
	for _, cl := range contract.Clauses {
		state := report.Clause{ID: cl.ID, Basis: cl.Basis, Text: cl.Text, Status: report.Held, Cases: s.Judged(cl.ID)}
		if slices.ContainsFunc(groups, func(f *oracle.Finding) bool { return f.Clause == cl.ID }) {
			state.Status = report.Broken
			state.Cases = max(state.Cases, 1)
		} else if state.Cases == 0 {
			state.Status = report.NotTested
			state.Reason, state.Cause = whyNot(cl.ID, plan, results)
		}
		states = append(states, state)
	}
	return states
}

// whyNot says why no case judged a clause: the operator's part, where there is
// one, else the target's.
func whyNot(clause string, plan []*engine.Case, results map[*engine.Case]*engine.Result) (string, engine.Cause) {
	reason, cause := "no case of this plan judges it", engine.ByTarget
	for _, c := range plan {
		if !slices.Contains(c.Clauses, clause) {
			continue
		}
		r := results[c]
		switch {
		case r == nil:
			return "its cases were not run", engine.ByOperator
		case r.Cause == engine.ByOperator:
			return r.Reason, r.Cause
		case r.Reason != "":
			reason, cause = r.Reason, r.Cause
		}
	}
	return reason, cause
}
