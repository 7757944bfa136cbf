package suites

import (
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// applyBaseline marks the findings that the baseline excuses, and says which of
// its entries are out of date.
func (c *Rules) applyBaseline(r *report.Report) {
	if c.Baseline == nil {
		return
	}
	b := &report.Baseline{
		File:  c.Baseline.File,
		Stale: []report.Known{}, Expired: []report.Known{}, Unseen: []report.Known{},
		Outgrown: []report.Known{},
	}
	r.Baseline = b
	for i := range r.Findings {
		f := &r.Findings[i]
		if c.Accept(f, r.Started) {
			b.Known++
		} else if len(f.NewCases) > 0 {
			e := c.Baseline.Entry(f.Cause())
			known := knownEntry(e)
			known.NewCases, known.Deeper = f.NewCases, e.Shallower(r.Depth)
			b.Outgrown = append(b.Outgrown, known)
		}
	}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			c.Accept(&r.Results[i].Findings[j], r.Started)
		}
	}
	for _, e := range c.Baseline.Entries {
		switch occurs := c.Baseline.Occurs(e, r.Findings); {
		case occurs && e.Expired(r.Started):
			b.Expired = append(b.Expired, knownEntry(e))
		case occurs:
		case e.Gone(r) && !spec.HangsOnTiming(e.Clause):
			b.Stale = append(b.Stale, knownEntry(e))
		default:
			b.Unseen = append(b.Unseen, knownEntry(e))
		}
	}
}

func knownEntry(e *Entry) report.Known {
	return report.Known{Cause: e.Cause, Line: e.Line, Reason: e.Reason, Expires: e.Expires.Format(DateForm)}
}

// Accept marks a finding that is in the baseline and whose entry is still good. One
// that shows in cases that the entry does not list counts, and says which they are.
func (c *Rules) Accept(f *oracle.Finding, now time.Time) bool {
	e := c.Baseline.Entry(f.Cause())
	if e == nil || e.Expired(now) {
		return false
	}
	if f.NewCases = e.NewCases(f); len(f.NewCases) > 0 {
		return false
	}
	f.Known = e.Reason
	return true
}
