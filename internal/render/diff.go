// Package render writes reports: report.json for programs, and formats for people and other tools.
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

// Difference is the difference between two reports.
type Difference struct {
	Before       string           `json:"before"` // the headlines
	After        string           `json:"after"`
	New          []report.Finding `json:"new"`  // only in the second report
	Gone         []report.Finding `json:"gone"` // only in the first, although the second run tested for them
	Remaining    int              `json:"remaining"`
	Both         []report.Finding `json:"both"`         // the remaining ones, as the second report has them
	NewlyFailing []string         `json:"newlyFailing"` // cases that passed before, and fail the run now
	NotLookedFor []string         `json:"notLookedFor"` // in words, what the first run tested and the second did not

	target report.Target // of the second run
}

// Compare returns the difference from a to b. Two findings are the same if they have the same cause.
func Compare(a, b *report.Report) *Difference {
	d := &Difference{
		target: b.Target,
		Before: VerdictLine(a), After: VerdictLine(b), NotLookedFor: notLookedFor(a, b),
		New: []report.Finding{}, Gone: []report.Finding{},
		Both: []report.Finding{}, NewlyFailing: []string{},
	}
	in := func(r *report.Report, f report.Finding) bool {
		cause := func(f report.Finding) string {
			return cmp.Or(f.CauseWords, f.ID)
		}
		return slices.ContainsFunc(r.Findings,
			func(other report.Finding) bool { return cause(other) == cause(f) })
	}
	for _, f := range b.Findings {
		if in(a, f) {
			d.Both = append(d.Both, f)
		} else {
			d.New = append(d.New, f)
		}
	}
	d.Remaining = len(d.Both)
	for _, f := range a.Findings {
		if !in(b, f) && b.Ran(append(f.Cases, f.Case)) {
			d.Gone = append(d.Gone, f)
		}
	}
	for _, c := range b.Results {
		hasPassed := func(before report.Case) bool {
			return before.ID == c.ID && before.Status == report.Passed
		}
		passed := slices.ContainsFunc(a.Results, hasPassed)
		if passed && slices.ContainsFunc(c.Findings, func(f report.Finding) bool { return f.Fails }) {
			d.NewlyFailing = append(d.NewlyFailing, c.ID)
		}
	}
	return d
}

// notLookedFor describes what a tested for and b did not, so that its absence from b
// means nothing.
func notLookedFor(a, b *report.Report) []string {
	texts := []string{}
	cases := 0
	clauses := []string{}
	for _, basis := range spec.Bases() {
		if report.IsCounted(a.Bases, basis) && !report.IsCounted(b.Bases, basis) {
			texts = append(texts, fmt.Sprintf("what is %s (--basis)", basis))
		}
	}
	tested := map[string]bool{}
	for _, c := range b.Results {
		tested[c.ID] = c.Status != report.NotTested
	}
	for _, c := range a.Results {
		if c.Status != report.NotTested && !tested[c.ID] {
			cases++
		}
	}
	for _, c := range a.Clauses {
		judged := func(o report.Clause) bool {
			return o.Subject() == c.Subject() && o.Status != report.NotTested
		}
		if c.Status != report.NotTested && !spec.HangsOnTiming(c.ID) && !slices.ContainsFunc(b.Clauses, judged) {
			clauses = append(clauses, c.Subject())
		}
	}
	lost := Untested{Cases: cases, Clauses: clauses}
	return slices.DeleteFunc(append(texts, lost.costs()),
		func(text string) bool { return text == "" })
}

// ExitCode returns 1 if b is worse: a finding that fails it is new, or appears in a case that passed. Otherwise
// it returns 3 if b left out something that a tested for.
func (d *Difference) ExitCode() int {
	switch {
	case len(d.NewlyFailing) > 0, slices.ContainsFunc(d.New,
		func(f report.Finding) bool { return f.Fails }):
		return report.ExitNonconforming
	case len(d.NotLookedFor) > 0:
		return report.ExitInconclusive
	}
	return report.ExitConforming
}

// Sentence returns one line on whether the second report is worse, and what came and went.
func (d *Difference) Sentence() string {
	verdict := map[int]string{
		report.ExitConforming: "NOT WORSE", report.ExitNonconforming: "WORSE", report.ExitInconclusive: "CANNOT SAY",
	}[d.ExitCode()]
	found := wording.Count(len(d.New), "new finding")
	text := fmt.Sprintf("%s: %s, %d gone, %d remaining", verdict, found, len(d.Gone), d.Remaining)
	if n := len(d.NewlyFailing); n > 0 {
		text += fmt.Sprintf("; %s newly failing", wording.Count(n, "case"))
	}
	if len(d.NotLookedFor) > 0 {
		text += "; the second run did not test " + strings.Join(d.NotLookedFor, ", nor ")
	}
	return text
}

// WriteText writes a difference as text.
func (d *Difference) WriteText(w io.Writer, s Style) error {
	const most, rest = 20, ", --json shows all"
	p := newScreen(s)
	p.say(0, exitMarks[d.ExitCode()], "%s", d.Sentence())
	p.say(0, Faint, "before: %s", d.Before)
	p.say(0, Faint, "after:  %s", d.After)
	show := func(mark Mark) func(report.Finding) {
		return func(f report.Finding) {
			p.say(2, map[bool]Mark{true: mark}[f.Fails], "%s (%s) %s",
				f.Clause, f.Basis, Told(&f))
			p.curl(&f, f.Curl)
		}
	}
	section(p, "New findings", d.New, most, rest, show(Breaks))
	section(p, "Gone", d.Gone, most, rest, show(Conforms))
	p.define(d.target)
	section(p, "Remaining", d.Both, most, rest, func(f report.Finding) {
		p.say(2, Plain, "%s (%s) %s", f.Clause, f.Basis, f.Headline())
	})
	section(p, "Newly failing cases", d.NewlyFailing, most,
		rest, func(id string) { p.say(2, Breaks, "%s", id) })
	return p.write(w)
}
