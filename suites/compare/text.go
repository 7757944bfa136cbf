package compare

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteText writes a line for each target, and for each report that was left out.
func (c *Comparison) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s; %s\n", c.title(), c.lead())
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range c.Targets {
		r := newPageReport(t.current())
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", t.Name, r.Version, r.Date, evidenceWords[r.Verification.Status], r.Words)
	}
	table.Flush()
	for _, l := range c.LeftOut {
		fmt.Fprintf(w, "left out: %s: %s\n", l.Path, l.Problem)
	}
}
