package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// Sentence says in one line whether the second report is worse, and how many
// findings came and went.
func (d *Difference) Sentence() string {
	word := "NOT WORSE"
	switch {
	case d.Worse():
		word = "WORSE"
	case d.Empty():
		return "NOTHING COMPARED: the second run carried out no case"
	}
	parts := []string{wording.Count(len(d.New), "new finding"), fmt.Sprintf("%d gone", len(d.Gone)), fmt.Sprintf("%d remaining", d.Remaining)}
	if n := len(d.Wider); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of them in more cases", n))
	}
	if n := len(d.Unseen); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not looked for again", n))
	}
	if n := len(d.Untested()); n > 0 {
		parts = append(parts, wording.Count(n, "clause")+" not tested any more")
	}
	if n := len(d.Unpinned); n > 0 {
		parts = append(parts, wording.Count(n, "open point")+" no longer as pinned")
	}
	return word + ": " + strings.Join(parts, ", ")
}

// mark is what a line of a difference is about, as in a unified diff.
type mark string

const (
	added   mark = "+"
	removed mark = "-"
	changed mark = "!"
)

// diffLine is one line, and what a terminal shows below it.
type diffLine struct {
	mark  mark
	text  string
	below string // to be copied
}

// section is a group of lines under a heading.
type section struct {
	title string
	lines []diffLine
}

func (d *Difference) sections() []section {
	findings := func(m mark, findings []oracle.Finding, wider bool) (lines []diffLine) {
		for i := range findings {
			f := &findings[i]
			l := diffLine{mark: m, text: fmt.Sprintf("%s (%s) %s", f.Clause, f.Basis, Told(f))}
			if m == added {
				l.below = f.Curl
			}
			if n := len(f.NewCases); n > 0 && wider {
				l.text += fmt.Sprintf("; %s: %s", newlyFail(n), wording.Some(f.NewCases, maxNewCases))
			}
			if f.Known != "" {
				l.text += fmt.Sprintf(" (known: %s)", f.Known)
			}
			lines = append(lines, l)
		}
		return lines
	}
	words := func(steps []Step[string]) (lines []diffLine) {
		for _, s := range steps {
			text := fmt.Sprintf("%s: %s → %s", s.ID, cmp.Or(s.Before, "not planned"), cmp.Or(s.After, "not planned"))
			lines = append(lines, diffLine{mark: changed, text: text})
		}
		return lines
	}
	var points []diffLine
	for _, s := range d.OpenPoints {
		l := diffLine{mark: changed, text: fmt.Sprintf("%s: %s → %s", s.ID, choices(s.Before), choices(s.After))}
		if slices.Contains(d.Unpinned, s.ID) {
			l.mark, l.text = added, l.text+" (pinned otherwise)"
		}
		points = append(points, l)
	}
	return []section{
		{"New findings", findings(added, d.New, false)},
		{"In more cases", findings(added, d.Wider, true)},
		{"Gone", findings(removed, d.Gone, false)},
		{"Not looked for again", findings(changed, d.Unseen, false)},
		{"Clauses", words(d.Clauses)},
		{"Cases", words(d.Cases)},
		{"Open points", points},
	}
}

func choices(observed []string) string { return cmp.Or(strings.Join(observed, ", "), "not observed") }

// conditions says where the two runs were not made alike.
func (d *Difference) conditions() string {
	var unlike []string
	for _, c := range []struct{ name, before, after string }{
		{"target", d.Before.BaseURL, d.After.BaseURL},
		{"depth", d.Before.Depth, d.After.Depth},
		{"seed", fmt.Sprint(d.Before.Seed), fmt.Sprint(d.After.Seed)},
	} {
		if c.before != c.after {
			unlike = append(unlike, fmt.Sprintf("%s %s → %s", c.name, c.before, c.after))
		}
	}
	return strings.Join(unlike, ", ")
}

// maxDiffLines is how many lines of a section are shown.
const maxDiffLines = 20

// WriteText writes a difference for people.
func (d *Difference) WriteText(w io.Writer, s Style) error {
	p := newScreen(s)
	style := colours[Conforming]
	if d.Worse() {
		style = colours[Nonconforming]
	}
	p.say(0, style, "%s", d.Sentence())
	p.say(0, plain, "%s", d.verdicts())
	if unlike := d.conditions(); unlike != "" {
		p.say(0, faint, "not alike: %s", unlike)
	}
	styles := map[mark]lipgloss.Style{added: red, removed: green, changed: plain}
	for _, part := range d.sections() {
		if len(part.lines) == 0 {
			continue
		}
		p.title("%s", part.title)
		first(p, part.lines, maxDiffLines, ", --json has all", func(l diffLine) {
			p.say(2, styles[l.mark], "%s", l.text)
			p.curl(l.below)
		})
	}
	return p.write(w)
}

func (d *Difference) verdicts() string {
	return fmt.Sprintf("%s (%s) → %s (%s)", d.Before.Verdict, d.Before.Reason, d.After.Verdict, d.After.Reason)
}

// WriteMarkdown writes a difference as a comment for a code review. What came
// from targets stands in a fenced block, on lines that cannot end it.
func (d *Difference) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### adconform: %s\n\n```diff\n", d.Sentence())
	fmt.Fprintf(&b, "  %s\n", wording.Printable(d.verdicts()))
	if unlike := d.conditions(); unlike != "" {
		fmt.Fprintf(&b, "  not alike: %s\n", wording.Printable(unlike))
	}
	for _, part := range d.sections() {
		if len(part.lines) == 0 {
			continue
		}
		fmt.Fprintf(&b, "@@ %s @@\n", part.title)
		for _, l := range part.lines[:min(len(part.lines), maxDiffLines)] {
			fmt.Fprintf(&b, "%s %s\n", l.mark, wording.Printable(l.text))
		}
		if more := len(part.lines) - maxDiffLines; more > 0 {
			fmt.Fprintf(&b, "  … and %d more\n", more)
		}
	}
	b.WriteString("```\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func newlyFail(n int) string {
	if n == 1 {
		return "1 case newly fails"
	}
	return fmt.Sprintf("%d cases newly fail", n)
}
