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
	p.title("%s that %s not count", wording.Count(len(found), "finding"), map[bool]string{true: "does", false: "do"}[len(found) == 1])
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

// findings shows violations and lost answers, all of them, by cause.
func (p *screen) findings(r *Report) {
	causes := Causes(r, fresh)
	if len(causes) == 0 {
		return
	}
	heading := wording.Count(len(pick(r, fresh)), "finding")
	if len(causes) > 1 {
		heading += ", by cause"
	}
	p.title("%s", heading)
	for i, c := range causes {
		if i > 0 {
			p.say(0, plain, "")
		}
		p.cause(r, c)
	}
}

// cause shows one cause, on a screen at most.
func (p *screen) cause(r *Report, c *Cause) {
	f := c.example
	p.say(0, red.Bold(true), "%s", c.Title)
	p.clauses(r, c.Clauses)
	p.field(highlight, "sent", sentOf(f))
	p.field(plain, "expected", f.Expected)
	p.field(plain, "got", f.Got)
	p.field(plain, "server", serverSays(f))
	if c.Hint != nil {
		p.field(plain, "hint", c.Hint.String())
	}
	p.cases(r, c)
	for _, f := range c.found {
		if len(f.NewCases) > 0 {
			p.field(red, "baseline", newCases(f))
		}
	}
	p.again(f)
}

// clauses are what is broken, with the sentence of the first.
func (p *screen) clauses(r *Report, ids []string) {
	i := slices.IndexFunc(r.Clauses, func(c Clause) bool { return c.ID == ids[0] })
	if i < 0 {
		p.field(plain, "clause", wording.List(ids))
		return
	}
	c := r.Clauses[i]
	text := fmt.Sprintf("%s (%s) %s", c.ID, c.Basis, c.Text)
	if c.Source != "" {
		text += " [" + c.Source + "]"
	}
	if len(ids) > 1 {
		text += " Likewise " + wording.List(ids[1:]) + "."
	}
	p.field(plain, "clause", text)
}

var highlight = bold.Foreground(lipgloss.Yellow)

// sentWords say where in a request stands what: "an array for a text, name: [\"Teal\"]".
func sentWords(s *oracle.Sent) string {
	place, name, _ := strings.Cut(s.At, ":")
	at := map[string]string{"path": name + " in the path", "query": name + " in the query", "header": "header " + name}[place]
	if strings.HasPrefix(s.At, "/") {
		at = s.At[1:]
	}
	text := strings.TrimPrefix(at+": "+s.Value, ": ")
	if s.Value == "" {
		text = at
	}
	return cmp.Or(strings.Trim(text+", "+s.What, ", "), s.What)
}

// most rows that a list of cases takes before whole classes stand for their cases.
const mostCaseRows = 12

// cases lists all cases of a cause, by operation and class.
func (p *screen) cases(r *Report, c *Cause) {
	ran := map[string]int{} // cases by operation and class
	lists := func(short bool) (all []string) {
		groups, of := byGroup(c.Cases)
		for _, g := range groups {
			names := strings.Join(of[g], ", ")
			if n := len(of[g]); short && n > 1 && n == ran[g] {
				names = fmt.Sprintf("all %d cases", n)
			}
			all = append(all, strings.TrimPrefix(g+": "+names, ": "))
		}
		return all
	}
	rows := func(all []string) (n int) {
		for _, text := range all {
			n += len(Wrap(text, p.Width-fieldWidth))
		}
		return n
	}
	all := lists(false)
	if rows(all) > mostCaseRows {
		for i := range r.Results {
			ran[path.Dir(r.Results[i].ID)]++
		}
		all = lists(true)
	}
	if len(c.Cases) == 1 && len(c.Cases[0]) <= p.Width-fieldWidth { // to be copied
		all = c.Cases
	}
	for i, text := range all {
		p.field(faint, []string{"cases", ""}[min(i, 1)], text)
	}
	p.field(faint, "check", fmt.Sprintf("%s, see %s", c.often(), explain(c.example)))
}

// again gives the lines that show a finding, in their order.
func (p *screen) again(f *oracle.Finding) {
	if len(f.Requests) == 0 {
		p.curl(f.Curl)
		return
	}
	for i, q := range f.Requests {
		p.say(2, plain, "%d. answered %s:", i+1, q.Then)
		p.curl(q.Curl)
	}
}

// maxNewCases is how many new cases of a finding are named; report.json has all.
const maxNewCases = 12

// newCases says in which cases a finding is not covered by its entry.
func newCases(f *oracle.Finding) string {
	return fmt.Sprintf("new in %s that the baseline does not list for it: %s",
		wording.Count(len(f.NewCases), "case"), wording.Some(f.NewCases, maxNewCases))
}

// outgrown says of an entry what it does not cover, and what to do.
func (b *Baseline) outgrown(e Known) string {
	text := fmt.Sprintf("%s:%d: %s shows in %s that it does not list", b.File, e.Line, e.Cause, wording.Count(len(e.NewCases), "case"))
	if e.Deeper {
		text += "; the run of the entry had less depth and did not run all cases"
	}
	return text + ": put it right, or take them in with adconform baseline add (where it comes and goes, " +
		"write intermittent: true into the entry)"
}
