package selftest

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

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
	if !r.Perfect() {
		fmt.Fprintln(w)
	}
	if r.Faults.Of > 0 {
		if err := r.writeMatrix(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, r.Figure())
	return err
}

// shownFindings is how many findings are shown for what was missed or flagged.
const shownFindings = 5

func (r *Result) writeMatrix(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tfaults\tcaught\tmissed\twrong reason\tinert\trequests\t")
	for _, group := range [][]Group{r.Clauses, r.Bases, r.Sources, r.Severities, {{ID: "all", Count: r.Faults}}} {
		for _, c := range group {
			fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t%d\t\n", c.ID, c.Of, c.Good, orDot(c.Missed), orDot(c.WrongReason), orDot(c.Inert), c.Requests)
		}
		fmt.Fprintln(t, "\t\t\t\t\t\t\t")
	}
	return t.Flush()
}

// orDot leaves out what does not happen, so that what does shows.
func orDot(n int) string {
	if n == 0 {
		return "."
	}
	return fmt.Sprint(n)
}

// Figure is the result in one line, of faults and variants as far as there were any.
func (r *Result) Figure() string {
	var said []string
	if r.Faults.Of > 0 {
		said = append(said, fmt.Sprintf("%d of %d faults caught (median after %d requests)", r.Faults.Good, r.Faults.Of, r.Faults.Requests))
	}
	if r.Variants.Of > 0 {
		said = append(said, fmt.Sprintf("%d of %d variants flagged", r.Variants.Of-r.Variants.Good, r.Variants.Of))
	}
	if r.Depth != "" {
		said = append(said, "at depth "+r.Depth+" "+r.shares())
	}
	return strings.Join(append(said, fmt.Sprintf("in %.0f s", r.Seconds)), ", ")
}

// shares are the parts of the faults that were caught, by severity.
func (r *Result) shares() string {
	var all []string
	for _, g := range r.Severities {
		all = append(all, fmt.Sprintf("%.1f %% of %d %s", 100*share(g.Count), g.Of, g.ID))
	}
	return "(" + strings.Join(all, ", ") + ")"
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
