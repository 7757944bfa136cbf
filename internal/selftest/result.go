package selftest

import (
	"fmt"
	"io"

	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Result is the outcome of a self-test.
type Result struct {
	Schema  string  `json:"schema"`
	Depth   string  `json:"depth,omitempty"` // of each run; empty: standard
	Seconds float64 `json:"seconds"`
	report.Figure
	Outcomes []Outcome `json:"outcomes"`
}

// Schema names the JSON format of a result.
const Schema = "adconform/selftest/v4"

// Verdict is the result of the suite for a fault or a variant.
type Verdict string

// The verdicts on a fault, then those on a variant.
const (
	Caught      Verdict = "caught"
	Missed      Verdict = "missed"
	WrongReason Verdict = "found for the wrong reason" // nonconforming, but no finding cites the fault's clause

	Passed  Verdict = "passed"
	Flagged Verdict = "flagged" // a violation, a verdict other than conforming, or a level that is less than complete
)

// Outcome is a fault or variant with its verdict.
type Outcome struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"` // fault or variant
	Sentence string      `json:"sentence"`
	Verdict  Verdict     `json:"verdict,omitempty"` // none if it is only listed
	Clause   string      `json:"clause,omitempty"`  // of a fault
	Severity spec.Impact `json:"severity,omitempty"`
	Requests int         `json:"requests,omitempty"` // of the run, which ends when the fault is found
	Cases    []string    `json:"cases,omitempty"`    // that found the fault before the run ended
	Findings []string    `json:"findings,omitempty"` // what was cited instead, or what flagged a variant
	Unshown  []string    `json:"unshown,omitempty"`  // clauses reported as held that no answer could show
}

// outcome describes a fault or variant that was not tried yet.
func outcome(t *faults.Server) Outcome {
	return Outcome{ID: t.ID, Kind: t.Kind(), Sentence: t.Sentence, Clause: t.Clause, Severity: t.Severity}
}

// Good reports whether the fault was caught, or the variant passed.
func (o Outcome) Good() bool {
	isRight := o.Verdict == Caught || o.Verdict == Passed
	return isRight && len(o.Unshown) == 0
}

func newResult(outcomes []Outcome) *Result {
	r := &Result{Schema: Schema, Outcomes: outcomes}
	for _, severity := range append(spec.Impacts(), "") { // a variant has none
		g := report.Group{ID: string(severity)}
		for _, o := range outcomes {
			if o.Severity != severity {
				continue
			}
			g.Of++
			if o.Good() {
				g.Good++
			}
		}
		if severity == "" {
			r.Variants = g.Of
			r.Flagged = g.Of - g.Good
		} else if g.Of > 0 {
			r.Severity = append(r.Severity, g)
			r.Faults += g.Of
			r.Caught += g.Good
		}
	}
	return r
}

// quickShare is the share of the critical faults that depth quick must find in its 120 requests. There is a fault for
// each operation, key form, field and place of a path, and most take a request of their own.
const quickShare = 0.55

// Good reports whether every fault was caught and no variant flagged. At depth quick the share of
// critical faults counts.
func (r *Result) Good() bool {
	if r.Flagged > 0 {
		return false
	}
	if r.Depth != judge.Quick.String() {
		return r.Caught == r.Faults
	}
	for _, g := range r.Severity {
		if g.ID == string(spec.Critical) {
			return float64(g.Good) >= quickShare*float64(g.Of)
		}
	}
	return true
}

// WriteText writes the result as text: what was missed or flagged, then the figures.
func (r *Result) WriteText(w io.Writer) error {
	for _, o := range r.Outcomes {
		if o.Good() {
			continue
		}
		fmt.Fprintf(w, "%s: %s: %s\n", o.ID, o.Verdict, o.Sentence)
		if o.Clause != "" {
			fmt.Fprintf(w, "  clause %s, %d requests\n", o.Clause, o.Requests)
		}
		for _, f := range o.Findings[:min(len(o.Findings), 5)] {
			fmt.Fprintf(w, "  found: %s\n", f)
		}
		for _, line := range o.Unshown {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	for _, c := range r.Severity {
		fmt.Fprintf(w, "%8s: %d of %d faults caught\n", c.ID, c.Good, c.Of)
	}
	_, err := fmt.Fprintf(w, "%d of %d faults caught, %d of %d variants flagged, in %.0f s\n",
		r.Caught, r.Faults, r.Flagged, r.Variants, r.Seconds)
	return err
}
