package report

import (
	"fmt"
	"io"
	"strings"
)

// maxMarkdown is what a page in Markdown holds at most of what a terminal shows, in bytes. GitHub
// shows at most 1 MiB.
const maxMarkdown = 64 << 10

// WriteMarkdown writes a report for a pull request or a job's page: the headline, what a
// terminal shows as a block of code, so that no HTML, link or mention of a target acts.
func (v *View) WriteMarkdown(w io.Writer) error {
	sign := map[Verdict]string{Conforming: "✅", Nonconforming: "❌", Inconclusive: "⚠️"}[v.colour()]
	if v.colour() == Conforming && v.Level.Below(Complete) {
		sign = "⚠️"
	}
	var shown strings.Builder
	if err := v.Summary(&shown, Style{Width: 100, Dir: ".", All: true}); err != nil {
		return err
	}
	text := shown.String()
	if len(text) > maxMarkdown {
		text = text[:strings.LastIndexByte(text[:maxMarkdown], '\n')+1] + "… and more, see " + JSONFile + "\n"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	_, err := fmt.Fprintf(w, "# %s %s: %s\n\n%stext\n%s%s\n", sign, v.Suite.Name, v.Words(), fence, text, fence)
	return err
}
