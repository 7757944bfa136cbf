package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// maxShown is how many of each kind a form that people read shows, findings aside.
const maxShown = 5

// Summary writes what a person wants to know of a run: the verdict, the findings and how to
// see them again, what was not tested and why, what was not put back.
// Nothing in it can move the cursor of a terminal.
func (v *View) Summary(w io.Writer, s Style) error {
	p := newScreen(s)
	p.say(0, colours[v.Verdict], "%s", v.Headline)
	for _, note := range v.Notes {
		p.say(0, faint, "%s", note)
	}
	if v.Insecure {
		p.say(0, red.Bold(true), "%s", Insecure)
	}
	if len(v.Failing) > 0 {
		p.title("%s", wording.Count(len(v.Failing), "finding"))
	}
	for i, f := range v.Failing {
		if i > 0 {
			p.say(0, plain, "")
		}
		p.finding(v, f)
	}
	p.baseline(v)
	p.others(fmt.Sprintf("%s of a basis that does not count", wording.Count(len(v.Ignored), "violation")), v.Ignored)
	p.others(fmt.Sprintf("%s (no failure of the run)", wording.Count(len(v.Notices), "notice")), v.Notices)
	rest := ", " + p.seeReport(htmlFile)
	section(p, "Not tested", v.Untested, maxShown, rest, func(u Untested) {
		text := fmt.Sprintf("%s: %s", wording.ClipWords(u.Reason, 4*p.Width), wording.Count(u.Cases, "case"))
		if len(u.Clauses) > 0 {
			text += fmt.Sprintf(", %s %s", wording.Noun(len(u.Clauses), "clause"), wording.Some(u.Clauses, 8))
		}
		p.say(2, plain, "%s", text)
	})
	section(p, "Stated by the document, and not used", v.Unused, maxShown, rest, func(text string) { p.say(2, plain, "%s", text) })
	section(p, "Not put back as it was", v.Left, maxShown, rest, func(c session.Change) {
		object := strings.TrimSuffix(fmt.Sprintf("%s %d", c.Object, c.ID), " 0")
		p.say(2, plain, "%s", wording.ClipWords(fmt.Sprintf("%s (%s): %s", object, c.Change, c.Reason), 5*p.Width))
		p.curl(nil, c.Undo)
	})
	p.openPoints(v)
	return p.write(w)
}

// finding shows a finding, on a screen at most.
func (p *screen) finding(v *View, f *oracle.Finding) {
	style := red.Bold(true)
	if f.Impact == spec.Critical {
		style = style.Reverse(true)
	}
	p.say(0, style, "%s", f.Title)
	clause := fmt.Sprintf("%s (%s, %s)", f.Clause, f.Basis, cmp.Or(f.Impact, spec.Minor))
	for i := range v.Totals {
		if c := &v.Totals[i]; c.ID == f.Clause {
			clause += strings.TrimSuffix(" "+c.Text+" ["+c.Source+"]", " []")
		}
	}
	if len(f.Clauses) > 1 {
		clause += " Likewise " + wording.List(f.Clauses[1:]) + "."
	}
	p.field(plain, "clause", clause)
	p.field(bold.Foreground(lipgloss.Yellow), "sent", sentOf(f))
	if len(f.Shows) > judge.MaxShows { // the title does not name all
		p.field(plain, "with", strings.Join(f.Shows, ", "))
	}
	p.field(plain, "expected", f.Expected)
	p.field(plain, "got", f.Got)
	p.field(plain, "server", serverSays(f))
	p.field(plain, "hint", f.Hint)
	p.cases(v, f)
	p.field(faint, "check", fmt.Sprintf("%s, see %s", strings.TrimPrefix(often(f), "check "), explain(f)))
	p.field(red, "baseline", newCases(f))
	for i, q := range f.Requests {
		p.say(2, plain, "%d. answered %s:", i+1, q.Then)
		p.curl(f, q.Curl)
	}
	if len(f.Requests) == 0 {
		p.curl(f, f.Curl)
	}
}

// maxCaseNames is how many cases of a class are named before the whole class stands for its cases.
const maxCaseNames = 12

// cases lists all cases of a finding: one alone to be copied, else by operation and class.
func (p *screen) cases(v *View, f *oracle.Finding) {
	if len(f.Cases) == 1 {
		p.field(faint, "cases", f.Cases[0])
		return
	}
	ran := map[string]int{}
	for i := range v.Results {
		ran[path.Dir(v.Results[i].ID)]++
	}
	cases := slices.Clone(f.Cases)
	slices.SortStableFunc(cases, func(a, b string) int { return strings.Compare(path.Dir(a), path.Dir(b)) })
	name := "cases"
	for at, end := 0, 0; at < len(cases); at = end {
		group, names := path.Dir(cases[at]), []string{}
		for end = at; end < len(cases) && path.Dir(cases[end]) == group; end++ {
			names = append(names, path.Base(cases[end]))
		}
		text := strings.Join(names, ", ")
		if n := len(names); n > maxCaseNames && n == ran[group] {
			text = fmt.Sprintf("all %d cases", n)
		}
		p.field(faint, name, group+": "+text)
		name = ""
	}
}

// baseline shows what the baseline accepted, and what is out of date in it.
func (p *screen) baseline(v *View) {
	b := v.Baseline
	if b == nil {
		return
	}
	p.title("Baseline %s: %s", b.File, wording.Count(b.Known, "known finding"))
	for _, f := range v.Accepted {
		p.say(2, faint, "known: %s %s (%s)", f.Clause, f.Title, f.Known)
	}
	entries := func(of []Known, style lipgloss.Style, why func(Known) string) {
		first(p, of, maxShown, ", see "+JSONFile, func(e Known) { p.say(2, style, "%s:%d: %s %s", b.File, e.Line, e.Finding, why(e)) })
	}
	always := func(why string) func(Known) string { return func(Known) string { return why } }
	entries(b.Outgrown, red, func(e Known) string {
		why := "shows in " + wording.Count(len(e.NewCases), "case") + " that it does not list"
		if e.Deeper {
			why += "; the run of the entry had less depth"
		}
		return why + ": put it right, or take them in with adconform baseline add (where it comes and goes, write intermittent: true into it)"
	})
	entries(b.Stale, red, always("no longer occurs: take it out, adconform baseline prune does"))
	entries(b.Expired, red, always("has expired"))
	entries(b.Unseen, faint, always("was not looked for in this run"))
}

// others shows findings that do not fail the run.
func (p *screen) others(heading string, found []*oracle.Finding) {
	if len(found) == 0 {
		return
	}
	p.title("%s", heading)
	for _, f := range found {
		p.say(2, plain, "%s: %s", wording.List(f.Clauses), f.Title)
		for _, text := range []string{f.Ignored, Sentence(f)} {
			if text != "" && text != f.CauseWords {
				p.say(4, faint, "%s", text)
			}
		}
		if !f.Counts() {
			p.curl(f, f.Curl)
		}
	}
}

// openPoints says that questions were answered, and where; with Style.All the answers.
func (p *screen) openPoints(v *View) {
	n := wording.Count(len(v.OpenPoints), "open point")
	switch {
	case len(v.OpenPoints) == 0 || v.Level == Observed:
		return
	case !p.All:
		p.say(0, plain, "")
		p.say(0, faint, "%s observed: --verbose lists them, %s", n, p.seeReport(htmlFile))
		return
	}
	p.title("%s (no source requires it: observed, not judged)", n)
	for i := range v.OpenPoints {
		p.say(2, plain, "%s %s", v.OpenPoints[i].ID, v.OpenPoints[i].Question)
		for _, answer := range v.OpenPoints[i].answered() {
			p.say(4, faint, "%s", answer)
		}
	}
	if v.Pins != "" {
		p.say(2, plain, "%s", pinIntro)
		for line := range strings.SplitSeq(strings.TrimSpace(v.Pins), "\n") {
			p.say(4, faint, "%s", line)
		}
	}
}
