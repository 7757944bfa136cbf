package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// maxShown limits how many items of each kind, except findings, are shown to people.
const maxShown = 5

// Summary writes a run for people: the verdict, how much was tested, what to do
// next, what was not restored, the findings, worst first, and what was not tested and why.
// Nothing in it can move the cursor of a terminal.
func (v *View) Summary(w io.Writer, s Style) error {
	p := newScreen(s)
	rest := ", " + p.seeReport(htmlFile)
	p.head(v)
	section(p, "Objects that could not be verified as restored", v.Left, maxShown, rest, func(c report.Change) {
		object := strings.TrimSpace(fmt.Sprintf("%s %s", c.Object, c.ID))
		p.say(2, Plain, "%s", wording.ClipWords(fmt.Sprintf("%s (%s): %s", object,
			c.Change, c.Reason), 5*p.Width))
		p.curl(&report.Finding{}, c.Undo)
	})
	if len(v.Failing) > 0 {
		p.title("Findings: %s", v.byImpact())
	}
	for i, f := range v.Failing {
		if i > 0 {
			p.say(0, Plain, "")
		}
		p.finding(f)
	}
	p.others(fmt.Sprintf("%s that the baseline accepts",
		wording.Count(len(v.Accepted), "finding")), v.Accepted)
	p.others(fmt.Sprintf("%s of a basis that does not count",
		wording.Count(len(v.Ignored), "violation")), v.Ignored)
	p.others(fmt.Sprintf("%s (notices do not fail a run)",
		wording.Count(len(v.Notices), "notice")), v.Notices)
	p.define(v.Target)
	p.untested(v, rest)
	p.arrays(v.Arrays)
	if n := len(v.OpenPoints); n > 0 && v.Level != report.Observed {
		p.say(0, Plain, "")
		p.say(0, Faint, "%s observed, %s", wording.Count(n, "open point"),
			p.seeReport(htmlFile))
	}
	if p.All && v.Pins != "" {
		p.title("Paste these choices under open: in the target file, to have them judged from now on")
		for line := range strings.Lines(v.Pins) {
			p.say(2, Plain, "%s", strings.TrimSpace(line))
		}
	}
	if len(v.Failing) > 1 && len(p.rows) > screenful {
		p.say(0, Plain, "")
		p.say(0, v.mark(), "%s", v.Headline)
	}
	return p.write(w)
}

// arrays says what requests were made of, if arrays of them were sent.
func (p *screen) arrays(all []report.Arrays) {
	if len(all) > 0 {
		p.say(0, Plain, "")
		p.say(0, Faint, "%s", arraysWords(all))
	}
}

// arraysWords says what requests were made of: "tried 3120 pairs of 157 variations of a request, in 14 dimensions".
func arraysWords(all []report.Arrays) string {
	var sum report.Arrays
	for _, n := range all {
		sum.Dimensions = max(sum.Dimensions, n.Dimensions)
		sum.Rows += n.Rows
		sum.Pairs += n.Pairs
		sum.RefusedAlone += n.RefusedAlone
		sum.NoKey += n.NoKey + n.SpellsKey
		sum.Stranger += n.Stranger
	}
	met := func(n int) string {
		if n == sum.Rows {
			return "every one"
		}
		return fmt.Sprintf("%d of them", n)
	}
	return fmt.Sprintf("tried %s of %s of a request, in %s; sent without a key: %s; as the stranger: %s; "+
		"this target refuses %d of the variations even alone (adconform cases --pairs lists them)",
		wording.Count(sum.Pairs, "pair"), wording.Count(sum.Rows, "variation"),
		wording.Count(sum.Dimensions, "dimension"), met(sum.NoKey), met(sum.Stranger), sum.RefusedAlone)
}

// head shows the verdict, how much was tested, what a reader must know first, and what to do next.
func (p *screen) head(v *View) {
	p.say(0, v.mark(), "%s", v.Headline)
	if v.Why != "" {
		p.say(0, Plain, "reason: %s", v.Why)
	}
	for _, text := range v.Notes {
		p.say(0, Faint, "%s", text)
	}
	for _, text := range v.Warnings {
		p.say(0, Breaks, "%s", text)
	}
	if v.Next != "" {
		next := strings.ReplaceAll(v.Next, "DIR", cmp.Or(p.Dir, "DIR"))
		if p.Dir == "" && strings.Contains(next, "DIR") {
			next += " (DIR: the folder of --report)"
		}
		p.say(0, Plain, "next: %s", next)
	}
}

// untested shows why cases and clauses were not tested.
func (p *screen) untested(v *View, rest string) {
	isMinor := func(u Untested) bool { return u.Cause == report.ByTarget && u.Cases == 0 }
	reasons := slices.DeleteFunc(slices.Clone(v.Untested), isMinor)
	if len(reasons) == 1 && strings.HasPrefix(v.Reason, reasons[0].Reason) { // the headline says it
		reasons = nil
	}
	isFixable := func(u Untested) bool { return u.Need != "" || u.Cause == report.ByOperator }
	isNot := func(u Untested) bool { return !isFixable(u) }
	title := "Not tested"
	if slices.ContainsFunc(reasons, isFixable) && slices.ContainsFunc(reasons, isNot) {
		title += " (what you can fix comes first)"
	}
	section(p, title, reasons, maxShown, rest,
		func(u Untested) { p.say(2, Plain, "%s", u.words()) })
}

// screenful is the number of rows that a reader sees at once.
const screenful = 40

// byImpact counts the findings that fail the run: "1 critical, 2 minor".
func (v *View) byImpact() string {
	count := map[spec.Impact]int{}
	texts := []string{}
	for _, f := range v.Failing {
		count[cmp.Or(f.Impact, spec.Minor)]++
	}
	for _, impact := range spec.Impacts() {
		if n := count[impact]; n > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", n, impact))
		}
	}
	return strings.Join(texts, ", ")
}

// others shows findings that do not fail the run.
func (p *screen) others(heading string, found []*report.Finding) {
	section(p, heading, found, len(found), "", func(f *report.Finding) {
		p.say(2, Plain, "%s: %s", wording.List(f.Clauses), f.Title)
		if text := cmp.Or(f.Known, f.Ignored, f.Sentence()); text != f.CauseWords {
			p.say(4, Faint, "%s", text)
		}
	})
}

// maxMarkdown is how many bytes of what a terminal shows a page in Markdown holds at most, and a page without scripts.
// GitHub shows at most 1 MiB.
const maxMarkdown = 64 << 10

// WriteMarkdown writes a report for a pull request or a job's page: the headline, what a
// terminal shows as a block of code, so that no HTML, link or mention of a target acts.
func (v *View) WriteMarkdown(w io.Writer) error {
	sign := map[Mark]string{Conforms: "✅", Breaks: "❌", Unsure: "⚠️"}[v.mark()]
	if v.mark() == Conforms && v.Level.Below(report.Complete) {
		sign = "⚠️"
	}
	text, err := v.plain(Style{Width: 100, Dir: "DIR", All: true})
	if err != nil {
		return err
	}
	return writeBlock(w, fmt.Sprintf("%s %s: %s", sign, v.Suite.Name,
		wording.Inert(v.Words())), text)
}

// plain returns what a terminal shows, for a page without scripts: at most maxMarkdown bytes.
func (v *View) plain(s Style) (string, error) {
	var shown strings.Builder
	err := v.Summary(&shown, s)
	text := shown.String()
	if len(text) > maxMarkdown {
		text = text[:strings.LastIndexByte(text[:maxMarkdown], '\n')+1] + "… and more, see " +
			report.JSONFile + "\n"
	}
	return text, err
}

// WriteMistake writes, for a job's page, why a run could not begin.
func WriteMistake(w io.Writer, text string) error {
	return writeBlock(w, "❌ adconform: wrong usage or configuration", wording.Inert(text)+"\n")
}

// writeBlock writes a heading and a block of code.
func writeBlock(w io.Writer, heading, text string) error {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	_, err := fmt.Fprintf(w, "# %s\n\n%stext\n%s%s\n", heading, fence, text, fence)
	return err
}
