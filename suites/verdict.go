package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// lostBearable is how many answers may get lost in transport on a target that
// otherwise answers.
const lostBearable = 1

// fails says whether a finding fails the run: a violation of a basis that
// counts, or with Strict any finding.
func (c *Config) fails(f *oracle.Finding, lost int) bool {
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
	broken := 0
	for i := range r.Findings {
		if c.fails(&r.Findings[i], r.Lost) {
			broken++
		}
	}
	var untested []string
	for _, cl := range r.Clauses {
		if cl.Status == report.NotTested && cl.Basis == spec.Stated && cl.Cause == engine.ByOperator {
			untested = append(untested, cl.ID)
		}
	}
	switch {
	case answered == 0:
		r.Verdict, r.Reason = report.Inconclusive, "the target gave no answer"
	case broken > 0:
		r.Verdict, r.Reason = report.Nonconforming, plural(broken, "finding")
	case r.Interrupted:
		r.Verdict, r.Reason = report.Inconclusive, "the run was interrupted"
	case len(untested) > 0:
		r.Verdict = report.Inconclusive
		r.Reason = fmt.Sprintf("%s not tested: %s", plural(len(untested), "stated clause"), strings.Join(untested, ", "))
	default:
		r.Verdict, r.Reason = report.Conforming, fmt.Sprintf("%s held", plural(held(r.Clauses), "clause"))
	}
	switch r.Verdict {
	case report.Conforming:
		r.ExitCode = report.ExitConforming
	case report.Nonconforming:
		r.ExitCode = report.ExitNonconforming
	default:
		r.ExitCode = report.ExitInconclusive
		if c.AllowInconclusive && answered > 0 && !r.Interrupted {
			r.ExitCode = report.ExitConforming
		}
	}
	if r.Interrupted {
		r.ExitCode = report.ExitInterrupted
	}
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
		state := report.Clause{ID: cl.ID, Basis: cl.Basis, Source: cl.Source, Text: cl.Text, Status: report.Held, Cases: s.Judged(cl.ID)}
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
