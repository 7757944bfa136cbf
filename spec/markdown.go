package spec

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the contract as the page that a vendor reads: what is
// judged, on which basis, and what is open.
func (c *Contract) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# What is judged, and why

This page is generated from ` + "`spec/`" + `; ` + "`make generate`" + ` writes it again.

Every judgement has one basis:

| basis | meaning | a breach is |
|---|---|---|
| stated | the interface document says it, or it follows from its words | a violation |
| published | the document is silent, the publicly documented API says it | a violation |
| standard | an RFC says it | a violation |
| chosen | nobody says it | a notice, which fails a run only with ` + "`--strict`" + ` |

` + "`--basis stated`" + ` (or a list) narrows what fails a run. Names that differ from the published ones are given by an OpenAPI overlay (` + "`--overlay`" + `).

## Clauses
`)
	section := func(title, operation, path string) {
		var rows []Clause
		for _, cl := range c.Clauses {
			if cl.Operation == operation {
				rows = append(rows, cl)
			}
		}
		if len(rows) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n### %s\n\n", title)
		if path != "" {
			fmt.Fprintf(&b, "`%s`\n\n", path)
		}
		b.WriteString("| clause | basis | what has to hold | where it comes from |\n|---|---|---|---|\n")
		for _, cl := range rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cl.ID, cl.Basis, cell(cl.Text), cell(cl.Source))
		}
	}
	section("Every operation", "all", "")
	for _, op := range c.Operations {
		section(op.Summary, op.ID, op.Method+" "+op.Path)
	}
	b.WriteString(`
## Open points

What the document leaves open. *Observe*: the suite sends something that shows the choice, reports it, and gives a notice where a target is not consistent with itself. *Adopted*: a published fact fills the silence. *Ignored*: every choice is let pass. A key in the last column, under ` + "`open:`" + ` in a target file, pins the point; then it is judged as if it were stated (PIN-1).

| point | question | the reference's choice | treatment | pin |
|---|---|---|---|---|
`)
	for _, p := range c.Open {
		treatment := p.Treatment
		if p.Detail != "" {
			treatment += ": " + p.Detail
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p.ID, cell(p.Question), cell(p.Reference), cell(treatment), p.Pin)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell keeps a text inside its table cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
