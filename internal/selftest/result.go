package selftest

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// Result is the outcome of a self-test.
type Result struct {
	Schema     string    `json:"schema"`
	Depth      string    `json:"depth,omitempty"` // of each run; empty: standard
	Seconds    float64   `json:"seconds"`
	Faults     Count     `json:"faults"`
	Variants   Count     `json:"variants"`
	Severities []Count   `json:"severities"` // of the faults
	Outcomes   []Outcome `json:"outcomes"`
}

// Schema names the form of a result as JSON.
const Schema = "adconform/selftest/v3"

// Count is how many faults were caught, or how many variants passed, of how many.
type Count struct {
	ID   string `json:"id,omitempty"` // a severity
	Of   int    `json:"of"`
	Good int    `json:"good"`
}

// Verdict says what the suite made of a fault or a variant.
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
	Verdict  Verdict     `json:"verdict,omitempty"` // none where it is only listed
	Clause   string      `json:"clause,omitempty"`  // of a fault
	Severity spec.Impact `json:"severity,omitempty"`
	Requests int         `json:"requests,omitempty"` // of the run, which ends when the fault is found
	Cases    []string    `json:"cases,omitempty"`    // that found the fault until the run ended
	Findings []string    `json:"findings,omitempty"` // what was cited instead, or what flagged a variant
	Unshown  []string    `json:"unshown,omitempty"`  // clauses called held that no answer of the operation could show
}

// outcome describes a fault or variant that was not tried yet.
func outcome(t *faults.Server) Outcome {
	return Outcome{ID: t.ID, Kind: t.Kind(), Sentence: t.Sentence, Clause: t.Clause, Severity: t.Severity}
}

// Good says whether the fault was caught, or the variant passed.
func (o Outcome) Good() bool {
	return (o.Verdict == Caught || o.Verdict == Passed) && len(o.Unshown) == 0
}

func newResult(outcomes []Outcome) *Result {
	r := &Result{Schema: Schema, Outcomes: outcomes}
	r.Faults = count("", outcomes, func(o Outcome) bool { return o.Kind == "fault" })
	r.Variants = count("", outcomes, func(o Outcome) bool { return o.Kind == "variant" })
	for _, s := range spec.Impacts() {
		if c := count(string(s), outcomes, func(o Outcome) bool { return o.Severity == s }); c.Of > 0 {
			r.Severities = append(r.Severities, c)
		}
	}
	return r
}

// count counts some outcomes.
func count(id string, outcomes []Outcome, which func(Outcome) bool) Count {
	c := Count{ID: id}
	for _, o := range outcomes {
		if which(o) {
			c.Of++
			if o.Good() {
				c.Good++
			}
		}
	}
	return c
}

// quickShare is the part of the critical faults that depth quick has to find in its 120 requests. There is one for each
// operation, key form, field and place of a path, and most take a request of their own.
const quickShare = 0.55

// Good says whether every fault was caught and no variant flagged. At depth quick the share of
// critical faults counts.
func (r *Result) Good() bool {
	enough := r.Faults.Good == r.Faults.Of
	if r.Depth == judge.Quick.String() {
		enough = !slices.ContainsFunc(r.Severities, func(c Count) bool {
			return c.ID == string(spec.Critical) && float64(c.Good)/float64(c.Of) < quickShare
		})
	}
	return enough && r.Variants.Good == r.Variants.Of
}

// published is the figure that reports and pages show.
func (r *Result) published() report.Figure {
	f := report.Figure{
		Faults: r.Faults.Of, Caught: r.Faults.Good, Variants: r.Variants.Of, Flagged: r.Variants.Of - r.Variants.Good,
	}
	for _, c := range r.Severities {
		f.Severity = append(f.Severity, report.Group{ID: c.ID, Of: c.Of, Good: c.Good})
	}
	return f
}

// shownFindings is how many findings are shown for what was missed or flagged.
const shownFindings = 5

// WriteText writes the result for people: what was missed or flagged, then the figures.
func (r *Result) WriteText(w io.Writer) error {
	for _, o := range r.Outcomes {
		if o.Good() {
			continue
		}
		fmt.Fprintf(w, "%s: %s: %s\n", o.ID, o.Verdict, o.Sentence)
		if o.Clause != "" {
			fmt.Fprintf(w, "  clause %s, %d requests\n", o.Clause, o.Requests)
		}
		for _, f := range o.Findings[:min(len(o.Findings), shownFindings)] {
			fmt.Fprintf(w, "  found: %s\n", f)
		}
		for _, line := range o.Unshown {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	for _, c := range r.Severities {
		fmt.Fprintf(w, "%8s: %d of %d faults caught\n", c.ID, c.Good, c.Of)
	}
	_, err := fmt.Fprintln(w, r.Figure())
	return err
}

// Figure says the result in one line.
func (r *Result) Figure() string {
	var said []string
	if r.Faults.Of > 0 {
		said = append(said, fmt.Sprintf("%d of %d faults caught", r.Faults.Good, r.Faults.Of))
	}
	if r.Variants.Of > 0 {
		said = append(said, fmt.Sprintf("%d of %d variants flagged", r.Variants.Of-r.Variants.Good, r.Variants.Of))
	}
	return strings.Join(append(said, fmt.Sprintf("in %.0f s", r.Seconds)), ", ")
}
