package suites

import (
	"time"

	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// applyBaseline marks the findings that the baseline excuses, and says which of
// its entries are out of date.
func (c *Config) applyBaseline(r *report.Report) {
	if c.Baseline == nil {
		return
	}
	b := &report.Baseline{File: c.Baseline.File, Stale: []report.Known{}, Expired: []report.Known{}, Unseen: []report.Known{}}
	r.Baseline = b
	for i := range r.Findings {
		if c.excuse(&r.Findings[i], r.Started) {
			b.Known++
		}
	}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			c.excuse(&r.Results[i].Findings[j], r.Started)
		}
	}
	for _, e := range c.Baseline.Entries {
		known := report.Known{Cause: e.Cause, Line: e.Line, Reason: e.Reason, Expires: e.Expires.Format(baseline.DateForm)}
		switch occurs := e.Occurs(r.Findings); {
		case occurs && e.Expired(r.Started):
			b.Expired = append(b.Expired, known)
		case occurs:
		case e.Gone(r):
			b.Stale = append(b.Stale, known)
		default:
			b.Unseen = append(b.Unseen, known)
		}
	}
}

// excuse marks a finding that is in the baseline and whose entry is still good.
func (c *Config) excuse(f *oracle.Finding, now time.Time) bool {
	e := c.Baseline.Entry(f.Cause())
	if e == nil || e.Expired(now) {
		return false
	}
	f.Known = e.Reason
	return true
}
