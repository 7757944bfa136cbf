package suites

import (
	"time"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// level says how much the verdict of a run is about, and what was not shown.
func (e *Execution) level(r *report.Report) {
	all := len(e.plan)
	if e.config.Select != nil || len(e.config.Filters) > 0 {
		all = len(e.config.every(e.contract))
	}
	r.Selected = len(e.plan) < all
	r.NotShown = e.config.coverage(e.contract, e.plan).Gaps(e.outcome.Results(), r.Selected)
	switch {
	case r.Selected:
		r.Level, r.Selection = report.Selected, &report.Selection{Filters: e.config.filters(), Cases: len(e.plan), Of: all}
	case len(r.NotShown) > 0:
		r.Level = report.Partial
	default:
		r.Level = report.Complete
	}
}

// observed is the report of what no plan was made for: of what it leaves untested nobody is
// to blame, but why.
func (e *Execution) observed(started time.Time, changes []session.Change, depth, why string) *report.Report {
	r := e.assemble(started, changes)
	r.Depth, r.Selected, r.Level, r.Selection, r.NotShown = depth, true, report.Observed, nil, nil
	for i := range r.Clauses {
		if c := &r.Clauses[i]; c.Status == report.NotTested {
			c.Reason, c.Cause = why, judge.ByTarget
		}
	}
	return r
}

// filters are what left cases out, in words.
func (c *Config) filters() []string {
	if len(c.Filters) == 0 {
		return []string{"a selection in code"}
	}
	return c.Filters
}
