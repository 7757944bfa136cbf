package suites

import (
	"slices"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Renewal is an entry as it has to be for a finding of a report.
type Renewal struct {
	*Entry          // without reason and expiry where there is none yet
	Before *Entry   // the one that is there; nil for none
	Fresh  []string // its cases that Before does not list
}

// Renewals are what a baseline lacks to cover the findings of a report that are
// wanted. An entry that is there keeps its reason and its day, and gets the cases that
// it does not list.
func (b *Baseline) Renewals(r *report.Report, wanted func(*oracle.Finding) bool) []Renewal {
	var all []Renewal
	for i := range r.Findings {
		f := &r.Findings[i]
		e := &Entry{Cause: f.Cause(), Cases: slices.Clone(f.Cases), Depth: r.Depth}
		before := b.Entry(e.Cause)
		switch {
		case !wanted(f):
			continue
		case before == nil:
			all = append(all, Renewal{Entry: e, Fresh: e.Cases})
			continue
		}
		fresh := before.NewCases(f)
		if len(fresh) == 0 {
			continue
		}
		e.Cases = slices.Concat(before.Cases, fresh)
		if !before.Shallower(r.Depth) && before.Depth != "" {
			e.Depth = before.Depth
		}
		e.Reason, e.Expires, e.Intermittent = before.Reason, before.Expires, before.Intermittent
		all = append(all, Renewal{e, before, fresh})
	}
	return all
}

// Passed are the cases of an entry that a whole run carried out without a finding. Of
// an intermittent one that says nothing.
func (e *Entry) Passed(r *report.Report) []string {
	if e.Intermittent || !r.Whole() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(e.Cases), func(id string) bool {
		return !slices.ContainsFunc(r.Results, func(c report.Case) bool { return c.ID == id && c.Status == judge.Passed })
	})
}
