package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// How many of each kind a summary shows.
const (
	maxAccepted = 3 // entries of a baseline
	maxReasons  = 5
	maxUnused   = 5
	maxChanges  = 3
)

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
	p.untested(v)
	if len(v.Unused) > 0 {
		p.title("Stated by the document, and not used")
		first(p, v.Unused, maxUnused, p.inReport(len(v.Unused)-maxUnused, "keyword"), func(text string) { p.say(2, plain, "%s", text) })
	}
	p.changes("Not put back", v.Left)
	p.changes("Put back", v.Reserved)
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
	p.clauses(v, f)
	p.field(bold.Foreground(lipgloss.Yellow), "sent", sentOf(f))
	if len(f.Shows) > judge.MaxShows { // the title does not name all
		p.field(plain, "with", strings.Join(f.Shows, ", "))
	}
	p.field(plain, "expected", f.Expected)
	p.field(plain, "got", f.Got)
	p.field(plain, "server", serverSays(f))
	if f.Hint != "" {
		p.field(plain, "hint", f.Hint)
	}
	p.cases(v, f)
	p.field(faint, "check", fmt.Sprintf("%s, see %s", strings.TrimPrefix(often(f), "check "), explain(f)))
	if len(f.NewCases) > 0 {
		p.field(red, "baseline", newCases(f))
	}
	for i, q := range f.Requests {
		p.say(2, plain, "%d. answered %s:", i+1, q.Then)
		p.curl(f, q.Curl)
	}
	if len(f.Requests) == 0 {
		p.curl(f, f.Curl)
	}
}

// clauses are how much it hurts and what is broken, with the sentence of the first clause.
func (p *screen) clauses(v *View, f *oracle.Finding) {
	text := fmt.Sprintf("%s (%s, %s)", f.Clause, f.Basis, cmp.Or(f.Impact, spec.Minor))
	for i := range v.Clauses {
		if c := &v.Clauses[i]; c.ID == f.Clause {
			text += " " + c.Text + strings.Replace(" ["+c.Source+"]", " []", "", 1)
			break
		}
	}
	if len(f.Clauses) > 1 {
		text += " Likewise " + wording.List(f.Clauses[1:]) + "."
	}
	p.field(plain, "clause", text)
}

// most rows that a list of cases takes before whole classes stand for their cases.
const mostCaseRows = 12

// cases lists all cases of a finding, by operation and class.
func (p *screen) cases(v *View, f *oracle.Finding) {
	groups, of := byGroup(f.Cases)
	lists := func(ran map[string]int) (all []string, rows int) {
		for _, g := range groups {
			names := strings.Join(of[g], ", ")
			if n := len(of[g]); n > 1 && n == ran[g] {
				names = fmt.Sprintf("all %d cases", n)
			}
			all = append(all, strings.TrimPrefix(g+": "+names, ": "))
			rows += len(Wrap(all[len(all)-1], p.Width-fieldWidth))
		}
		return all, rows
	}
	all, rows := lists(nil)
	if rows > mostCaseRows {
		ran := map[string]int{} // cases by operation and class
		for i := range v.Results {
			ran[path.Dir(v.Results[i].ID)]++
		}
		all, _ = lists(ran)
	}
	if len(f.Cases) == 1 && len(f.Cases[0]) <= p.Width-fieldWidth { // to be copied
		all = f.Cases
	}
	for i, text := range all {
		p.field(faint, []string{"cases", ""}[min(i, 1)], text)
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
		p.say(2, faint, "known: %s %s (%s)", f.Clause, Headline(f), f.Known)
	}
	entries := func(entries []Known, style lipgloss.Style, more string, why func(e Known) string) {
		first(p, entries, maxAccepted, more, func(e Known) { p.say(2, style, "%s:%d: %s %s", b.File, e.Line, e.Finding, why(e)) })
	}
	entries(b.Outgrown, red, " that show in cases which they do not list", outgrown)
	for _, of := range []struct {
		entries []Known
		style   lipgloss.Style
		why     string
	}{
		{b.Stale, red, "no longer occurs: take it out, adconform baseline prune does"},
		{b.Expired, red, "has expired"},
		{b.Unseen, faint, "was not looked for in this run"},
	} {
		entries(of.entries, of.style, " of which each "+of.why, func(e Known) string { return of.why + " (expires " + e.Expires + ")" })
	}
}

// outgrown says of an entry what it does not cover, and what to do.
func outgrown(e Known) string {
	text := fmt.Sprintf("shows in %s that it does not list", wording.Count(len(e.NewCases), "case"))
	if e.Deeper {
		text += "; the run of the entry had less depth and did not run all cases"
	}
	return text + ": put it right, or take them in with adconform baseline add (where it comes and goes, " +
		"write intermittent: true into the entry)"
}

// others shows findings that do not fail the run.
func (p *screen) others(heading string, found []*oracle.Finding) {
	if len(found) == 0 {
		return
	}
	p.title("%s", heading)
	for _, f := range found {
		p.say(2, plain, "%s: %s", wording.List(f.Clauses), Headline(f))
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

// untested shows the reasons for which cases were not tested.
func (p *screen) untested(v *View) {
	if len(v.Untested) == 0 {
		return
	}
	p.title("Not tested")
	first(p, v.Untested, maxReasons, p.inReport(len(v.Untested)-maxReasons, "reason"), func(u Untested) {
		text := fmt.Sprintf("%s: %s", wording.ClipWords(u.Reason, 4*p.Width), wording.Count(u.Cases, "case"))
		if len(u.Clauses) > 0 {
			text += fmt.Sprintf(", %s %s", wording.Noun(len(u.Clauses), "clause"), wording.Some(u.Clauses, 8))
		}
		p.say(2, plain, "%s", text)
	})
}

func (p *screen) changes(heading string, left []session.Change) {
	if len(left) == 0 {
		return
	}
	p.title("%s", heading)
	first(p, left, maxChanges, p.inReport(len(left)-maxChanges, "object"), func(c session.Change) {
		object := c.Object
		if c.ID != 0 {
			object += fmt.Sprintf(" %d", c.ID)
		}
		p.say(2, plain, "%s", wording.ClipWords(fmt.Sprintf("%s (%s): %s", object, c.Change, c.Reason), 5*p.Width))
		p.curl(nil, c.Undo)
	})
}

// openPoints says that questions were answered, and where; with Style.All the answers.
func (p *screen) openPoints(v *View) {
	if len(v.OpenPoints) == 0 || v.Level == Observed {
		return
	}
	n := wording.Count(len(v.OpenPoints), "open point")
	if !p.All {
		p.say(0, plain, "")
		p.say(0, faint, "%s observed: --verbose lists them, %s", n, p.seeReport(htmlFile))
		return
	}
	p.title("%s (no source requires it: observed, not judged)", n)
	for _, o := range v.OpenPoints {
		p.say(2, plain, "%s %s", o.ID, o.Question)
		for _, answer := range o.answered() {
			p.say(4, faint, "%s", answer)
		}
	}
	if v.Pins != "" {
		p.say(2, plain, "%s", pinIntro)
		for line := range strings.Lines(v.Pins) {
			p.say(4, faint, "%s", strings.TrimSuffix(line, "\n"))
		}
	}
}
