package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
)

// htmlPage is what the template of the page shows.
type htmlPage struct {
	*Report
	Clauses []htmlClause
	Policy  string // Content-Security-Policy
	Style   template.CSS
	Script  template.JS

	CaseBar, ClauseBar, FindingBar htmlBar
	Matrix                         htmlMatrix
	Timeline                       *htmlTimeline
	First                          []htmlFinding // what is there without the script
	Prototype                      htmlFinding   // its element is copied by the script
	Warnings                       []string
	NotPutBack                     []engine.Change
	PutBack, Deleted               int
	OmittedCases, OmittedFindings  int // that have no room in the page
	Data                           htmlData
}

// htmlFirst is how many findings are shown without the script.
const htmlFirst = 30

func newHTMLPage(r *Report) *htmlPage {
	b := newHTMLBuilder(r)
	b.fill()
	p := &htmlPage{Report: r, Clauses: newHTMLClauses(r), Warnings: htmlWarnings(r), Matrix: newHTMLMatrix(r), Timeline: newHTMLTimeline(r), Data: b.data, Prototype: htmlFinding{Exchange: &htmlExchange{}}}
	p.OmittedCases, p.OmittedFindings = len(r.Results)-len(b.data.Cases), len(r.Findings)-len(b.data.Findings)
	for i := range r.Findings[:min(len(r.Findings), htmlFirst)] {
		h := b.finding(i)
		b.evidence(&h)
		p.First = append(p.First, h)
	}
	p.CaseBar = newHTMLBar(htmlPart{"passed", "passed", r.Cases.Passed}, htmlPart{"failed", "failed", r.Cases.Failed}, htmlPart{"notTested", "not tested", r.Cases.NotTested})
	clauses := map[ClauseStatus]int{}
	for _, c := range p.Clauses {
		clauses[c.Status]++
	}
	p.ClauseBar = newHTMLBar(htmlPart{"passed", "held", clauses[Held]}, htmlPart{"failed", "broken", clauses[Broken]}, htmlPart{"notTested", "not tested", clauses[NotTested]})
	severities := map[oracle.Severity]int{}
	for i := range r.Findings {
		severities[r.Findings[i].Severity]++
	}
	p.FindingBar = newHTMLBar(
		htmlPart{"failed", wording.Noun(severities[oracle.Violation], "violation"), severities[oracle.Violation]},
		htmlPart{"transport", wording.Noun(severities[oracle.Transport], "lost answer"), severities[oracle.Transport]},
		htmlPart{"notice", wording.Noun(severities[oracle.Notice], "notice"), severities[oracle.Notice]},
	)
	for _, c := range r.Changes {
		switch {
		case c.Restored:
			p.PutBack++
		case c.Change == "deleted":
			p.Deleted++
		default:
			p.NotPutBack = append(p.NotPutBack, c)
		}
	}
	return p
}

// htmlWarnings are what a reader has to know before anything else.
func htmlWarnings(r *Report) []string {
	var warnings []string
	if r.Insecure {
		warnings = append(warnings, Insecure+".")
	}
	if r.Stopped != "" {
		warnings = append(warnings, Printable(upperFirst(r.Stopped))+". What follows is what was seen until then.")
	}
	for _, d := range r.Defects {
		warnings = append(warnings, Printable(d))
	}
	if len(r.Unused) > 0 {
		warnings = append(warnings, Printable("Stated by the document, and not used: "+strings.Join(r.Unused, "; ")+"."))
	}
	if b := r.Baseline; b != nil {
		warnings = append(warnings, Printable(fmt.Sprintf("Baseline %s: %s, %d entries that occur no longer, %d that have expired, %d that show in cases which they do not list.", b.File, wording.Count(b.Known, "known finding"), len(b.Stale), len(b.Expired), len(b.Outgrown))))
		if old := b.OldEntries(); old != "" {
			warnings = append(warnings, Printable(old)+".")
		}
	}
	return warnings
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Scope is how much the verdict is about.
func (p *htmlPage) Scope() string { return scope(p.Report) }

// Hidden names the clauses that choices of the target hide.
func (p *htmlPage) Hidden() string { return HiddenLine(p.Report) }

// State is the colour and shape of the verdict.
func (p *htmlPage) State() string {
	switch p.Verdict {
	case Conforming:
		if p.Level.Below(Complete) {
			return "partly"
		}
		return "passed"
	case Nonconforming:
		return "failed"
	}
	return "notTested"
}

// clauseStates are the colours and shapes of clauses.
var clauseStates = map[ClauseStatus]string{Held: "passed", Broken: "failed", NotTested: "notTested"}

// htmlClause is a clause with what became of it where that is not the same on all
// operations.
type htmlClause struct {
	Clause
	Elsewhere []string
}

func newHTMLClauses(r *Report) []htmlClause {
	var all []htmlClause
	for _, total := range r.Totals() {
		c := htmlClause{Clause: total}
		for _, on := range r.Clauses {
			if on.ID != c.ID || on.Status == c.Status && on.Reason == c.Reason {
				continue
			}
			words := inWords(on.Status) + " for " + on.Operation
			if on.Reason != "" {
				words += ": " + on.Reason
			}
			c.Elsewhere = append(c.Elsewhere, words)
		}
		all = append(all, c)
	}
	return all
}

// inWords says a status as a sentence does.
func inWords(status any) string {
	if s := fmt.Sprint(status); s != string(NotTested) {
		return s
	}
	return "not tested"
}

// Operations are those of the cases, as the matrix has them.
func (p *htmlPage) Operations() []string {
	var names []string
	for _, r := range p.Matrix.Rows {
		names = append(names, r.Operation)
	}
	return names
}

// htmlFigure is one of the figures below the verdict.
type htmlFigure struct {
	Name  string
	Total int
	Bar   htmlBar
}

// htmlBodySlot is a body with the name of its place in the page.
type htmlBodySlot struct {
	Slot, Label string
	Body        htmlBody
}

func newHTMLBodySlot(slot, label string, b htmlBody) htmlBodySlot {
	return htmlBodySlot{slot, label, b}
}

// Shown says that there is something to show.
func (s htmlBodySlot) Shown() bool { return s.Body.Text != htmlText{} }
