package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/suites/report"
)

// Bounds on compare.md, of which GitHub shows 1 MiB at most.
const (
	markdownTargets = 500
	markdownNames   = 12 // targets that give one answer
	markdownClauses = 20 // broken, of a target
)

// WriteMarkdown writes a comparison for a wiki or a job's page: a table of the targets, the open
// points at which they differ, and what is broken. Whatever reports say is a code span.
func WriteMarkdown(w io.Writer, c *Comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# adconform: %s\n\n%s\n", c.title(), c.lead())
	heads := []string{"target", "version", "verdict", "evidence", "date", "edition"}
	heads = append(heads, c.operationTitles()...)
	for i := range heads[6:] {
		heads[6+i] = report.CodeCell(heads[6+i])
	}
	fmt.Fprintf(&b, "\n| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, t := range c.Targets[:min(len(c.Targets), markdownTargets)] {
		r := newPageReport(t.current())
		row := []string{
			report.CodeCell(t.full()), report.CodeCell(r.Version),
			r.Sign + " " + report.CodeCell(r.Words), evidenceWords[r.Verification.Status], r.Date, report.CodeCell(r.Edition),
		}
		for _, n := range r.Operations {
			row = append(row, operationCell(r.Report, n).Word)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	if more := len(c.Targets) - markdownTargets; more > 0 {
		fmt.Fprintf(&b, "\n… and %d more, see compare.json.\n", more)
	}
	c.markdownPoints(&b)
	c.markdownBroken(&b)
	if len(c.LeftOut) > 0 {
		b.WriteString("\n## Left out\n\n")
		for _, l := range c.LeftOut {
			fmt.Fprintf(&b, "- %s: %s\n", report.CodeCell(l.Path), report.CodeCell(l.Problem))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownPoints lists the answers where targets differ, each with the targets that give it.
func (c *Comparison) markdownPoints(b *strings.Builder) {
	b.WriteString("\n## Open points at which they differ\n\n")
	for _, p := range c.OpenPoints {
		if !p.Differs {
			break
		}
		var answers []string
		by := map[string][]string{}
		for i, ch := range p.Targets {
			if ch.Answer == "" {
				continue
			}
			if by[ch.Answer] == nil {
				answers = append(answers, ch.Answer)
			}
			by[ch.Answer] = append(by[ch.Answer], c.Targets[i].full())
		}
		fmt.Fprintf(b, "- **%s** (%s)\n", report.CodeCell(p.Question), report.CodeCell(p.ID))
		for _, answer := range answers {
			fmt.Fprintf(b, "  - %s: %s\n", report.CodeCell(answer), some(by[answer]))
		}
	}
}

// some are names as code spans, and how many more there are.
func some(names []string) string {
	var shown []string
	for _, name := range names[:min(len(names), markdownNames)] {
		shown = append(shown, report.CodeCell(name))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - markdownNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// markdownBroken lists what is broken, by target.
func (c *Comparison) markdownBroken(b *strings.Builder) {
	b.WriteString("\n## Broken\n\n")
	for _, t := range c.Targets[:min(len(c.Targets), markdownTargets)] {
		var shown []string
		for _, f := range t.current().Findings {
			if !f.Notice && len(shown) < markdownClauses {
				shown = append(shown, fmt.Sprintf("  - %s %s\n", report.CodeCell(f.Clause), report.CodeCell(f.Sentence)))
			}
		}
		if len(shown) > 0 {
			fmt.Fprintf(b, "- %s\n%s", report.CodeCell(t.full()), strings.Join(shown, ""))
		}
	}
}
