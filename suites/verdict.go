package suites

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
func (c *Config) decide(r *report.Report, answered int, keyRefused bool) {
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
	untested := leftUntested(r)
	left, excusable := "", true // why it is inconclusive, but for what was found
	switch {
	case answered == 0 && r.Stopped == "":
		left, excusable = "the target gave no answer", false
	case r.Stopped != "":
		left, excusable = r.Stopped, false
	case len(r.Defects) > 0:
		left, excusable = r.Defects[0], false
	case keyRefused:
		left, excusable = fmt.Sprintf("every operation answers 401 to credentials.owner: is it the right key, and %s its header?", c.Target.Credentials.Header), false
	case len(r.Mistakes) > 0:
		left = mistakes(r.Mistakes)
	case c.ReadOnly && len(untested) > 0:
		left = fmt.Sprintf("read-only: %s left out, so %s not tested", plural(writing(r), "case"), plural(len(untested), "stated clause"))
	case len(untested) > 0:
		left = fmt.Sprintf("%s not tested: %s", plural(len(untested), "stated clause"), some(untested))
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
		r.Verdict, r.Reason = report.Conforming, fmt.Sprintf("%s held", plural(held(r.Totals()), "clause"))
	}
	if broken > 0 && known > 0 {
		r.Reason += fmt.Sprintf(", and %d in the baseline", known)
	}
	stale := 0
	if r.Baseline != nil {
		stale = len(r.Baseline.Stale)
	}
	if stale > 0 {
		occur := "occur"
		if stale == 1 {
			occur = "occurs"
		}
		r.Reason += fmt.Sprintf("; %s of the baseline %s no longer", plural(stale, "entry"), occur)
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

// mistakes are those of the operator in one line.
func mistakes(all []string) string {
	if more := len(all) - 1; more > 0 {
		return fmt.Sprintf("%s; and %s more to correct", all[0], strconv.Itoa(more))
	}
	return all[0]
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

func some(ids []string) string {
	if more := len(ids) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:maxNamed], ", "), more)
	}
	return strings.Join(ids, ", ")
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
