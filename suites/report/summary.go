package report

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
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

// Summary writes what a person wants to know of a run: the verdict, what is wrong, by
// cause, and how to see it again, what was not tested and why, what was not put back.
// Nothing in it can move the cursor of a terminal.
func Summary(w io.Writer, r *Report, s Style) error {
	p := newScreen(s)
	p.head(r)
	p.findings(r)
	p.baseline(r)
	p.ignored(r)
	p.notices(r)
	p.untested(r)
	p.unused(r)
	p.changes("Not put back", notRestored(r))
	p.changes("Put back", restoredWithReservation(r))
	p.openPoints(r)
	return p.write(w)
}

// openPoints says that questions were answered, and where; with Style.All the answers.
func (p *screen) openPoints(r *Report) {
	if len(r.OpenPoints) == 0 || r.Level == Observed {
		return
	}
	n := wording.Count(len(r.OpenPoints), "open point")
	if !p.All {
		p.say(0, plain, "")
		p.say(0, faint, "%s answered by what the target does: --verbose lists them, %s", n, p.seeReport(htmlFile))
		return
	}
	p.title("%s (no source requires it: observed, not judged)", n)
	for _, o := range r.OpenPoints {
		p.say(2, plain, "%s %s", o.ID, o.Question)
		for _, answer := range o.answered() {
			p.say(4, faint, "%s", answer)
		}
	}
	if block := PinBlock(r); block != "" {
		p.say(2, plain, "%s", pinIntro)
		for line := range strings.Lines(block) {
			p.say(4, faint, "%s", strings.TrimSuffix(line, "\n"))
		}
	}
}

func (p *screen) head(r *Report) {
	p.say(0, colours[r.Verdict], "%s", VerdictLine(r))
	if hidden := HiddenLine(r); hidden != "" {
		p.say(0, plain, "%s", hidden)
	}
	p.say(0, faint, "%s", extent(r))
	if waits := waits(r); waits != "" {
		p.say(0, faint, "%s", waits)
	}
	if r.Insecure {
		p.say(0, bold.Foreground(lipgloss.Red), "%s", Insecure)
	}
}

// baseline shows what the baseline accepted, and what is out of date in it.
func (p *screen) baseline(r *Report) {
	b := r.Baseline
	if b == nil {
		return
	}
	p.title("Baseline %s: %s", b.File, wording.Count(b.Known, "known finding"))
	for _, f := range pick(r, isAccepted) {
		p.say(2, faint, "known: %s %s (%s)", f.Clause, Headline(f), f.Known)
	}
	first(p, b.Outgrown, maxAccepted, " that show in cases which they do not list", func(e Known) { p.say(2, red, "%s", b.outgrown(e)) })
	entries := func(entries []Known, style lipgloss.Style, why string) {
		first(p, entries, maxAccepted, " of which each "+why, func(e Known) {
			p.say(2, style, "%s:%d: %s %s (expires %s)", b.File, e.Line, e.Cause, why, e.Expires)
		})
	}
	entries(b.Stale, red, "no longer occurs: take it out, adconform baseline prune does")
	entries(b.Expired, red, "has expired")
	entries(b.Unseen, faint, "was not looked for in this run")
}

func (p *screen) notices(r *Report) {
	notice := func(f *oracle.Finding) bool { return f.Severity == oracle.Notice && f.Known == "" && f.Counts() }
	n := len(pick(r, notice))
	if n == 0 {
		return
	}
	fails := "does not fail the run"
	if r.Strict {
		fails = "fails the run, by --basis"
	}
	p.title("%s (no source requires it; %s)", wording.Count(n, "notice"), fails)
	for _, c := range Causes(r, notice) {
		p.say(2, plain, "%s: %s", wording.List(c.Clauses), c.Title)
		if s := Sentence(c.example); s != c.Words {
			p.say(4, faint, "%s", s)
		}
	}
}

// ignored shows what does not count, and why.
func (p *screen) ignored(r *Report) {
	found := pick(r, isIgnored)
	if len(found) == 0 {
		return
	}
	p.title("%s", ignoredTitle(len(found)))
	for _, f := range found {
		p.say(2, plain, "%s: %s", f.Clause, Headline(f))
		p.say(4, faint, "%s", f.Ignored)
		if s := Sentence(f); s != Headline(f) {
			p.say(4, faint, "%s", s)
		}
		p.curl(f.Curl)
	}
}

// untested shows the reasons for which cases were not tested.
func (p *screen) untested(r *Report) {
	groups := untestedGroups(r)
	if len(groups) == 0 {
		return
	}
	p.title("Not tested")
	first(p, groups, maxReasons, p.inReport(len(groups)-maxReasons, "reason"), func(g *untestedGroup) {
		text := fmt.Sprintf("%s: %s", wording.ClipWords(g.reason, 4*p.Width), wording.Count(g.cases, "case"))
		if len(g.clauses) > 0 {
			text += fmt.Sprintf(", %s %s", wording.Noun(len(g.clauses), "clause"), wording.Some(g.clauses, 8))
		}
		p.say(2, plain, "%s", text)
	})
}

// unused is what the document states without consequence: nobody should take a pass
// for a proof of it.
func (p *screen) unused(r *Report) {
	if len(r.Unused) == 0 {
		return
	}
	p.title("Stated by the document, and not used")
	first(p, r.Unused, maxUnused, p.inReport(len(r.Unused)-maxUnused, "keyword"), func(text string) { p.say(2, plain, "%s", text) })
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
		p.curl(c.Undo)
	})
}
