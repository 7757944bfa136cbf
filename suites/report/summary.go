package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
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
	p.say(0, verdicts[v.Verdict], "%s", v.Headline)
	for _, note := range v.Notes {
		p.say(0, Faint, "%s", note)
	}
	if v.Insecure {
		p.say(0, Breaks, "%s", Insecure)
	}
	if len(v.Failing) > 0 {
		p.title("%s", wording.Count(len(v.Failing), "finding"))
	}
	for i, f := range v.Failing {
		if i > 0 {
			p.say(0, Plain, "")
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
		p.say(2, Plain, "%s", text)
	})
	section(p, "Stated by the document, and not used", v.Unused, maxShown, rest, func(text string) { p.say(2, Plain, "%s", text) })
	section(p, "Not put back as it was", v.Left, maxShown, rest, func(c session.Change) {
		object := strings.TrimSuffix(fmt.Sprintf("%s %d", c.Object, c.ID), " 0")
		p.say(2, Plain, "%s", wording.ClipWords(fmt.Sprintf("%s (%s): %s", object, c.Change, c.Reason), 5*p.Width))
		p.curl(nil, c.Undo)
	})
	p.openPoints(v)
	return p.write(w)
}

// marks are those of the fields of a finding that are not plain.
var marks = map[string]Mark{
	"sent": Unsure, "cases": Faint, "": Faint, "check": Faint, "baseline": Bad,
}

// finding shows a finding, on a screen at most.
func (p *screen) finding(v *View, f *oracle.Finding) {
	t, mark := tell(f), Breaks
	if f.Impact == spec.Critical {
		mark = Critical
	}
	p.say(0, mark, "%s", f.Title)
	clause := fmt.Sprintf("%s (%s, %s)", f.Clause, f.Basis, cmp.Or(f.Impact, spec.Minor))
	for _, c := range v.Totals {
		if c.ID == f.Clause {
			clause += strings.TrimSuffix(" "+c.Text+" ["+c.Source+"]", " []")
		}
	}
	if len(f.Clauses) > 1 {
		clause += " Likewise " + wording.List(f.Clauses[1:]) + "."
	}
	fields := append([]field{{"clause", clause}}, t.fields()...)
	fields = append(append(fields, field{"hint", f.Hint}), v.casesOf(f)...)
	fields = append(fields, field{"check", t.explained(strings.TrimPrefix(t.Often, "check "))}, field{"baseline", newCases(f)})
	for _, l := range fields {
		if l.text != "" {
			p.add(fmt.Sprintf("  %-*s", fieldWidth-2, l.name), marks[l.name], Wrap(wording.Printable(l.text), p.Width-fieldWidth))
		}
	}
	for i, q := range f.Requests {
		p.say(2, Plain, "%d. answered %s:", i+1, q.Then)
		p.curl(f, q.Curl)
	}
	if len(f.Requests) == 0 {
		p.curl(f, f.Curl)
	}
}

// fieldWidth is that of the names beside which fields stand.
const fieldWidth = 12

// maxCaseNames is how many cases of a class are named before the whole class stands for its cases.
const maxCaseNames = 12

// casesOf lists all cases of a finding: one alone to be copied, else by operation and class.
func (v *View) casesOf(f *oracle.Finding) (fields []field) {
	if len(f.Cases) == 1 {
		return []field{{"cases", f.Cases[0]}}
	}
	ran, names, groups := map[string]int{}, map[string][]string{}, []string{}
	for i := range v.Results {
		ran[path.Dir(v.Results[i].ID)]++
	}
	for _, id := range f.Cases {
		group := path.Dir(id)
		if names[group] == nil {
			groups = append(groups, group)
		}
		names[group] = append(names[group], path.Base(id))
	}
	slices.Sort(groups)
	name := "cases"
	for _, group := range groups {
		text := strings.Join(names[group], ", ")
		if n := len(names[group]); n > maxCaseNames && n == ran[group] {
			text = fmt.Sprintf("all %d cases", n)
		}
		fields = append(fields, field{name, group + ": " + text})
		name = ""
	}
	return fields
}

// baseline shows what the baseline accepted, and what is out of date in it.
func (p *screen) baseline(v *View) {
	b := v.Baseline
	if b == nil {
		return
	}
	p.title("Baseline %s: %s", b.File, wording.Count(b.Known, "known finding"))
	for _, f := range v.Accepted {
		p.say(2, Faint, "known: %s %s (%s)", f.Clause, f.Title, f.Known)
	}
	for _, of := range []struct {
		entries []Known
		mark    Mark
		why     string
	}{
		{b.Outgrown, Bad, ": put it right, or take them in with adconform baseline add " +
			"(where it comes and goes, write intermittent: true into it)"},
		{b.Stale, Bad, " no longer occurs: take it out, adconform baseline prune does"},
		{b.Expired, Bad, " has expired"},
		{b.Unseen, Faint, " was not looked for in this run"},
	} {
		first(p, of.entries, maxShown, ", see "+JSONFile, func(e Known) {
			more := ""
			if len(e.NewCases) > 0 {
				more = " shows in " + wording.Count(len(e.NewCases), "case") + " that it does not list"
			}
			if e.Deeper {
				more += "; the run of the entry had less depth"
			}
			p.say(2, of.mark, "%s:%d: %s%s%s", b.File, e.Line, e.Finding, more, of.why)
		})
	}
}

// others shows findings that do not fail the run.
func (p *screen) others(heading string, found []*oracle.Finding) {
	section(p, heading, found, len(found), "", func(f *oracle.Finding) {
		p.say(2, Plain, "%s: %s", wording.List(f.Clauses), f.Title)
		for _, text := range []string{f.Ignored, Sentence(f)} {
			if text != "" && text != f.CauseWords {
				p.say(4, Faint, "%s", text)
			}
		}
		if !f.Counts() {
			p.curl(f, f.Curl)
		}
	})
}

// openPoints says that questions were answered, and where; with Style.All the answers.
func (p *screen) openPoints(v *View) {
	n := wording.Count(len(v.OpenPoints), "open point")
	switch {
	case len(v.OpenPoints) == 0 || v.Level == Observed:
		return
	case !p.All:
		p.say(0, Plain, "")
		p.say(0, Faint, "%s observed: --verbose lists them, %s", n, p.seeReport(htmlFile))
		return
	}
	p.title("%s (no source requires it: observed, not judged)", n)
	for _, o := range v.OpenPoints {
		p.say(2, Plain, "%s %s", o.ID, o.Question)
		for _, a := range o.Answers {
			p.say(4, Faint, "%s: %s", a.Answer, wording.Some(a.At, 8))
		}
	}
	if v.Pins != "" {
		p.say(2, Plain, "%s", pinIntro)
		for line := range strings.Lines(v.Pins) {
			p.say(4, Faint, "%s", strings.TrimSpace(line))
		}
	}
}
