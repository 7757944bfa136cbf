package selftest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Result is the outcome of a self-test.
type Result struct {
	Schema     string    `json:"schema"`
	Depth      string    `json:"depth,omitempty"` // of each run; empty: standard
	Seconds    float64   `json:"seconds"`
	Faults     Count     `json:"faults"`
	Variants   Count     `json:"variants"`
	Clauses    []Group   `json:"clauses"`
	Severities []Group   `json:"severities"`
	Outcomes   []Outcome `json:"outcomes"`
}

// Schema names the form of a result as JSON.
const Schema = "adconform/selftest/v1"

// Count is how many faults were caught, or how many variants passed, of how
// many; Inert faults changed nothing at the wire and prove nothing.
type Count struct {
	Of          int `json:"of"`
	Good        int `json:"good"`
	Missed      int `json:"missed,omitempty"`
	WrongReason int `json:"wrongReason,omitempty"`
	Inert       int `json:"inert,omitempty"`
	Requests    int `json:"requests"` // median of a run, or until a fault was found
}

// Group counts the faults of one clause or severity.
type Group struct {
	ID string `json:"id"`
	Count
}

func newResult(contract *spec.Contract, outcomes []Outcome) *Result {
	r := &Result{Schema: Schema, Outcomes: outcomes}
	isVariant := func(o Outcome) bool { return o.Kind == "variant" }
	seeded := slices.DeleteFunc(slices.Clone(outcomes), isVariant)
	r.Faults = count(seeded)
	r.Variants = count(slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return !isVariant(o) }))
	group := func(groups *[]Group, id string, of func(Outcome) string) {
		all := slices.DeleteFunc(slices.Clone(seeded), func(o Outcome) bool { return of(o) != id })
		if len(all) > 0 {
			*groups = append(*groups, Group{id, count(all)})
		}
	}
	for _, c := range contract.Clauses {
		group(&r.Clauses, c.ID, func(o Outcome) string { return o.Clause })
	}
	for _, s := range spec.Impacts() {
		group(&r.Severities, string(s), func(o Outcome) string { return string(o.Severity) })
	}
	return r
}

// count counts faults, or variants; the median is that of what is as it has to be, and
// of variants that were flagged, too.
func count(outcomes []Outcome) Count {
	c := Count{Of: len(outcomes)}
	var requests []int
	for _, o := range outcomes {
		switch {
		case o.Good():
			c.Good++
		case o.Verdict == Missed:
			c.Missed++
		case o.Verdict == WrongReason:
			c.WrongReason++
		case o.Verdict == Inert:
			c.Inert++
		}
		if o.Verdict == Caught || o.Kind == "variant" {
			requests = append(requests, o.Requests)
		}
	}
	if len(requests) > 0 {
		slices.Sort(requests)
		c.Requests = requests[len(requests)/2]
	}
	return c
}

// Good says whether every fault was caught and no variant flagged. At depth quick it is the
// share of critical faults that counts.
func (r *Result) Good() bool {
	enough := r.Faults.Good == r.Faults.Of
	if r.Depth == judge.Quick.String() {
		enough = true
		for _, g := range r.Severities {
			if g.ID == string(faults.Critical) {
				enough = float64(g.Good)/float64(g.Of) >= quickShare
			}
		}
	}
	return enough && r.Variants.Good == r.Variants.Of
}

// quickShare is the part of the critical faults that depth quick has to find in its 120
// requests. They are seeded in each operation, key form, field and place of a path, and most
// take a request of their own.
const quickShare = 0.55

// published is what reports say of the suite.
func (r *Result) published() report.Figure {
	f := report.Figure{
		Faults: r.Faults.Of, Caught: r.Faults.Good, Variants: r.Variants.Of, Flagged: r.Variants.Of - r.Variants.Good,
	}
	for _, g := range r.Severities {
		f.Severity = append(f.Severity, report.Group{ID: g.ID, Of: g.Of, Good: g.Good})
	}
	return f
}

// WriteText writes the result for people: what was missed or flagged first, then
// the matrix, then the figures.
func (r *Result) WriteText(w io.Writer) error {
	for _, o := range r.Outcomes {
		if o.Good() {
			continue
		}
		fmt.Fprintf(w, "%s: %s: %s\n", o.ID, o.Verdict.words(), o.Sentence)
		if o.Clause != "" {
			fmt.Fprintf(w, "  clause %s (%s), %d exchanges changed, %d requests\n", o.Clause, o.Basis, o.Fired, o.Requests)
		}
		for _, f := range o.Findings[:min(len(o.Findings), shownFindings)] {
			fmt.Fprintf(w, "  found: %s\n", f)
		}
		for _, line := range o.Unshown {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	if r.Faults.Of > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "\tfaults\tcaught\tmissed\twrong reason\tinert\trequests\t")
		for _, c := range slices.Concat(r.Clauses, r.Severities, []Group{{ID: "all", Count: r.Faults}}) {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", c.ID, c.Of, c.Good, c.Missed, c.WrongReason, c.Inert, c.Requests)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, r.Figure())
	return err
}

// shownFindings is how many findings are shown for what was missed or flagged.
const shownFindings = 5

// Figure is the result in one line, of faults and variants as far as there were any.
func (r *Result) Figure() string {
	var said []string
	if r.Faults.Of > 0 {
		said = append(said, fmt.Sprintf("%d of %d faults caught (median after %d requests)", r.Faults.Good, r.Faults.Of, r.Faults.Requests))
	}
	if r.Variants.Of > 0 {
		said = append(said, fmt.Sprintf("%d of %d variants flagged", r.Variants.Of-r.Variants.Good, r.Variants.Of))
	}
	return strings.Join(append(said, fmt.Sprintf("in %.0f s", r.Seconds)), ", ")
}

func (v Verdict) words() string {
	switch v {
	case WrongReason:
		return "found for the wrong reason"
	case Inert:
		return "never changed anything at the wire"
	}
	return string(v)
}

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
	Cases    []string        `json:"cases,omitempty"`    // that found the fault until the run ended
	Findings []string        `json:"findings,omitempty"` // what was cited instead, or what flagged a variant
	Unshown  []string        `json:"unshown,omitempty"`  // clauses called held that no answer of the operation could show
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
	is.Requests, is.Cases = foundBy(f, r, basis)
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
// flags nothing. What a target chooses takes nothing from the level, but a value of the target
// file that is too thin for its purpose does.
func (o *Options) variantOutcome(v *faults.Variant, r *report.Report) Outcome {
	is := Outcome{
		ID: v.ID, Kind: "variant", Sentence: v.Sentence, Verdict: Passed,
		Requests: r.Requests, Sent: r.Requests, Seconds: r.DurationSeconds,
	}
	little := r.Verdict == report.Inconclusive || r.Level.Below(report.Complete) != v.Thin
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
