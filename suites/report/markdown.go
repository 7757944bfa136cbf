package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/spec"
)

// What a page in Markdown holds at most of what a terminal shows, in bytes: from its beginning,
// and from its end, where it says what was not put back. GitHub shows at most 1 MiB.
const (
	markdownHead = 48 << 10
	markdownTail = 16 << 10
)

// WriteMarkdown writes a report for a pull request or a job's page: the headline, what a
// terminal shows as a block of code, so that no HTML, link or mention of a target acts, and
// what became of the clauses.
func (v *View) WriteMarkdown(w io.Writer) error {
	sign := map[Verdict]string{Conforming: "✅", Nonconforming: "❌", Inconclusive: "⚠️"}[v.Verdict]
	if v.Verdict == Conforming && v.Level.Below(Complete) {
		sign = "⚠️"
	}
	var shown, b strings.Builder
	if err := v.Summary(&shown, Style{Width: 100, Dir: ".", All: true}); err != nil {
		return err
	}
	text := shown.String()
	if len(text) > markdownHead+markdownTail {
		head, tail := text[:markdownHead], text[len(text)-markdownTail:]
		text = head[:strings.LastIndexByte(head, '\n')+1] + "… and more, see " + JSONFile + "\n" + tail[strings.IndexByte(tail, '\n')+1:]
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(&b, "# %s %s: %s\n\n%stext\n%s%s\n", sign, v.Suite.Name, v.Words(), fence, text, fence)
	b.WriteString("\n| clauses | held | broken | not tested |\n|---|---|---|---|\n")
	for _, basis := range spec.Bases() {
		n := map[ClauseStatus]int{}
		for _, c := range v.Totals {
			if c.Basis == basis {
				n[c.Status]++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", basis, n[Held], n[Broken], n[NotTested])
	}
	if block := v.Pins; block != "" {
		fmt.Fprintf(&b, "\n%s\n\n```yaml\n%s```\n", pinIntro, block)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
