package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

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
	for _, id := range c.Findings {
		if f := byID(r, id); f != nil && len(f.NewCases) > 0 {
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
	lists := func(short bool) (all []string) {
		groups, of := byGroup(c.Cases)
		for _, g := range groups {
			names := strings.Join(of[g], ", ")
			if total := r.inGroup(g); short && total == len(of[g]) && total > 1 {
				names = fmt.Sprintf("all %d cases", total)
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
		all = lists(true)
	}
	if len(c.Cases) == 1 && len(c.Cases[0]) <= p.Width-fieldWidth { // to be copied
		all = c.Cases
	}
	for i, text := range all {
		p.field(faint, []string{"cases", ""}[min(i, 1)], text)
	}
	p.field(faint, "check", fmt.Sprintf("%s, see %s", c.often(r), explain(c.example)))
}

// inGroup is how many cases of an operation and class a run has.
func (r *Report) inGroup(group string) (n int) {
	for i := range r.Results {
		if strings.HasPrefix(r.Results[i].ID, group+"/") {
			n++
		}
	}
	return n
}

func byID(r *Report, id string) *oracle.Finding {
	i := slices.IndexFunc(r.Findings, func(f oracle.Finding) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Findings[i]
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
