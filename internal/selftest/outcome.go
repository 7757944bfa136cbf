package selftest

import (
	"slices"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Verdict is what became of a fault or a variant.
type Verdict string

// The verdicts on a fault, then those on a variant.
const (
	Caught      Verdict = "caught"
	Missed      Verdict = "missed"
	WrongReason Verdict = "wrongReason" // nonconforming, but no finding cites the fault's clause
	Inert       Verdict = "inert"       // the fault never changed anything at the wire: a defect of the fault

	Passed  Verdict = "passed"
	Flagged Verdict = "flagged" // a violation, a verdict other than conforming, or a level that is less than complete
)

// Outcome is one fault or variant with what became of it.
type Outcome struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"` // fault or variant
	Sentence string          `json:"sentence"`
	Verdict  Verdict         `json:"verdict"`
	Clause   string          `json:"clause,omitempty"` // of a fault
	Basis    spec.Basis      `json:"basis,omitempty"`
	Severity faults.Severity `json:"severity,omitempty"`
	Source   faults.Source   `json:"source,omitempty"`
	Fired    int64           `json:"fired,omitempty"` // exchanges that the fault changed
	Requests int             `json:"requests"`        // until the fault was found, or of the whole run
	Sent     int             `json:"sent"`            // in the run, with those that put objects back
	Seconds  float64         `json:"seconds"`
	Cases    []string        `json:"cases,omitempty"`    // that found the fault: the first, or all with Options.Coverage
	Findings []string        `json:"findings,omitempty"` // what was cited instead, or what flagged a variant
	Unshown  []string        `json:"unshown,omitempty"`  // clauses called held that no answer of the operation could show

	complete bool // the run passed, and is called complete
}

// Good says whether the outcome is as it has to be.
func (o Outcome) Good() bool {
	return (o.Verdict == Caught || o.Verdict == Passed) && len(o.Unshown) == 0
}

// faultOutcome judges a run against a fault. At depth quick a fault that never fired
// was not reached: that is a miss.
func (o *Options) faultOutcome(contract *spec.Contract, f *faults.Fault, r *report.Report, fired int64) Outcome {
	basis := contract.Clause(f.Clause).Basis
	is := Outcome{
		ID: f.ID, Kind: "fault", Sentence: f.Sentence, Clause: f.Clause, Basis: contract.Clause(f.Clause).Basis,
		Severity: f.Severity, Source: f.Source, Fired: fired, Requests: r.Requests, Sent: r.Requests, Seconds: r.DurationSeconds,
		complete: r.Verdict == report.Conforming && r.Level == report.Complete,
	}
	switch {
	case fired == 0 && o.depth(trial{fault: f}) > judge.Quick:
		is.Verdict = Inert
	case r.Verdict != report.Nonconforming && basis != spec.Chosen:
		is.Verdict = Missed
	case cites(f, r, basis):
		is.Verdict = Caught
	case r.Verdict != report.Nonconforming:
		is.Verdict = Missed
	default:
		is.Verdict = WrongReason
	}
	if is.Verdict != Caught {
		is.Findings = breaches(r)
		return is
	}
	requests, cases := foundBy(f, r, basis)
	is.Requests, is.Cases = requests, cases
	return is
}

// foundBy are the cases whose findings prove a fault, and how many requests were
// sent by the end of the first.
func foundBy(f *faults.Fault, r *report.Report, basis spec.Basis) (requests int, cases []string) {
	sent := 0
	for _, c := range r.Results {
		sent += c.Requests
		if slices.ContainsFunc(c.Findings, func(b oracle.Finding) bool { return counts(f, b, basis) }) {
			if cases == nil {
				requests = min(sent, r.Requests) // a run that ends gives up what is under way
			}
			cases = append(cases, c.ID)
		}
	}
	return requests, cases
}

// variantOutcome judges a run that conforms. Depth quick leaves clauses untested, which
// flags nothing. What a target chooses takes nothing from the level.
func (o *Options) variantOutcome(v *faults.Variant, r *report.Report) Outcome {
	is := Outcome{
		ID: v.ID, Kind: "variant", Sentence: v.Sentence, Verdict: Passed,
		Requests: r.Requests, Sent: r.Requests, Seconds: r.DurationSeconds,
	}
	little := r.Verdict == report.Inconclusive || r.Level.Below(report.Complete)
	if r.Verdict == report.Nonconforming || o.depth(trial{}) > judge.Quick && little {
		is.Verdict = Flagged
		is.Findings = append(breaches(r), report.VerdictLine(r))
	}
	return is
}

// breaches are the findings of a report that are no notices, in one line each.
func breaches(r *report.Report) []string {
	var lines []string
	for _, f := range r.Findings {
		if f.Severity != oracle.Notice {
			lines = append(lines, f.Clause+" "+f.Case+": expected "+f.Expected+"; got "+f.Got)
		}
	}
	return lines
}
