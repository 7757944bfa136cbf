package engine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// assemble makes the report at the end of a run.
func (e *execution) assemble(started time.Time, changes []report.Change) *report.Report {
	s, c, contract := e.outcome, e.config, e.config.contract()
	slices.SortFunc(e.shown, func(a, b report.Exchange) int { return a.Seq() - b.Seq() }) // as they were sent
	findings, of := s.Groups(contract)
	n, spent := s.Traffic, time.Since(started).Truncate(time.Microsecond)
	r := &report.Report{
		Schema: report.Schema, Suite: report.Suite{Name: "adconform", Version: Version(), SelfTest: report.SelfTest()},
		Target: c.described(),
		Seed:   c.Seed, Depth: c.Depth.String(), Started: started.UTC().Truncate(time.Microsecond),
		DurationSeconds: spent.Seconds(),
		Requests:        n.Requests, RateLimited: n.RateLimited, Unavailable: n.Unavailable, Resent: n.Resent,
		WaitedSeconds: min(n.Waited, spent).Seconds(), Lost: len(s.Liveness.Lost()),
		Insecure: c.TLS != nil && c.TLS.InsecureSkipVerify,
		Defects:  s.Defects, Mistakes: s.Mistakes(),
		Findings: []report.Finding{}, OpenPoints: []report.OpenPoint{}, Results: []report.Case{},
		Changes: append([]report.Change{}, changes...),
		Clauses: clauseStates(contract, e.plan, s), Exchanges: e.shown, Arrays: s.Arrays(),
		Bases: c.Bases, Disabled: c.Disabled, Places: map[string]report.Place{},
	}
	if c.Target.File != "" {
		r.Places[""] = report.Place{File: c.Target.File, Line: c.Target.Line("baseURL")}
	}
	for _, f := range findings {
		r.Findings = append(r.Findings, f.Row())
		if c.Target.File != "" {
			r.Places[f.ID] = report.Place{File: c.Target.File, Line: c.Target.Line(e.subject(f))}
		}
	}
	for _, o := range s.Observations() {
		point := contract.OpenPoint(o.Point)
		pinned, given := c.Target.Open[point.Pin]
		seen := report.OpenPoint{ID: o.Point, Question: point.Question, Pinned: pinned, Answers: answers(point, o)}
		for _, choice := range o.Choices() {
			seen.Observed = append(seen.Observed, string(choice))
		}
		if !given {
			seen.Pin = point.Pin
		}
		r.OpenPoints = append(r.OpenPoints, seen)
	}
	count := map[report.Status]int{}
	for _, res := range s.Results() {
		count[res.Status]++
		r.Results = append(r.Results, caseReport(res, of))
	}
	r.Cases = report.Counts{
		Planned: len(e.plan), Run: count[judge.Passed] + count[judge.Failed],
		Passed: count[judge.Passed], Failed: count[judge.Failed], NotTested: count[judge.NotTested],
	}
	return r
}

// subject returns the key of the object in the target file that a finding is about: of what its case needs, the object
// that the operation's path ends with, or else the last one.
func (e *execution) subject(f *finding.Finding) string {
	i := slices.IndexFunc(e.plan, func(cs *judge.Case) bool { return cs.ID == f.Case })
	if i < 0 {
		return judge.OwnKeys
	}
	subject, key := strings.TrimSuffix(judge.OwnKeys, "."), e.plan[i].Operation.Key()
	for _, need := range e.plan[i].Needs {
		switch {
		case need == judge.OwnKey(key):
			return need
		case need != judge.NeedStranger:
			subject = need
		}
	}
	return subject
}

// answers turns the observations at an open point into answers to its question.
func answers(point *spec.OpenPoint, o *judge.Observation) []report.PointAnswer {
	seen := map[string][]spec.Choice{} // by place
	for _, choice := range o.Choices() {
		for at := range o.At[choice] {
			seen[at] = append(seen[at], choice)
		}
	}
	var all []report.PointAnswer
	for _, choice := range o.Choices() {
		for _, at := range slices.Sorted(maps.Keys(o.At[choice])) {
			text := answerAmong(point, choice, seen[at])
			i := slices.IndexFunc(all, func(a report.PointAnswer) bool { return a.Answer == text })
			if i < 0 {
				i = len(all)
				all = append(all, report.PointAnswer{Answer: text})
			}
			all[i].Observed = slices.Compact(append(all[i].Observed, string(choice)))
			all[i].At = slices.Compact(slices.Sorted(slices.Values(append(all[i].At, at))))
		}
	}
	return all
}

// answerAmong returns the answer of a choice among all at the same place: "in part" where these say both yes and no.
func answerAmong(point *spec.OpenPoint, choice spec.Choice, all []spec.Choice) string {
	opposite := map[string]string{"yes": "no", "no": "yes"}
	text := point.Answer(choice)
	if slices.ContainsFunc(all, func(other spec.Choice) bool { return point.Answer(other) == opposite[text] }) {
		return "in part"
	}
	return text
}

// Planned returns a case as reports show it, without a result.
func Planned(cs *judge.Case) report.Case {
	return report.Case{
		ID: cs.ID, Operation: cs.Operation.ID, Class: cs.Class, Title: cs.Title,
		Clauses: append([]string{}, cs.Clauses...), // never null in JSON
	}
}

// Ran returns the result of a case as reports show it, while the causes of its findings are not known.
func Ran(res *judge.Result) report.Case { return caseReport(res, nil) }

func caseReport(res *judge.Result, of map[*finding.Sighting]*finding.Finding) report.Case {
	c := Planned(res.Case)
	c.Status, c.Reason, c.Cause = res.Status, res.Reason, res.Cause
	c.Requests, c.Seconds = len(res.Exchanges), res.Duration.Truncate(time.Microsecond).Seconds()
	for _, f := range res.Findings {
		c.Findings = append(c.Findings, f.Row(of[f]))
	}
	return c
}

// level sets how much the verdict of a run covers, and what was not shown.
func (e *execution) level(r *report.Report) {
	all := len(e.config.every())
	r.Selected = len(e.plan) < all
	r.NotShown = e.gaps(r.Selected)
	switch {
	case r.Selected:
		filters := e.config.Filters
		if len(filters) == 0 {
			filters = []string{"a selection in code"}
		}
		r.Level, r.Selection = report.Selected, &report.Selection{Filters: filters, Cases: len(e.plan), Of: all}
	case render.Counted(r) != "":
		r.Level = report.Selected
	case len(r.NotShown) > 0:
		r.Level = report.Partial
	default:
		r.Level = report.Complete
	}
}
