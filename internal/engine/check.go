package engine

import (
	"fmt"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/traffic"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// Check judges the recorded exchanges below the base URL of Config.Target, and what they show together if the target
// has the owner's key. Clauses that no exchange shows count as not tested, but the result is inconclusive only if
// nothing could be judged.
func Check(c *Config, a *traffic.Archive) (*report.Report, error) {
	contract := c.contract()
	if err := c.check(); err != nil {
		return nil, err
	}
	base := c.Target.BaseURL
	j, err := traffic.NewJudge(judge.ModelOptions{
		Contract: contract, Target: c.Target, Disabled: c.Disabled, ReadDelay: c.ReadDelay,
	}, a.Keys(base, c.Target.Credentials.Form()))
	if err != nil {
		return nil, err
	}
	e := &execution{config: c, outcome: j.Outcome()}
	n := &report.Recording{Skipped: map[string]int{}, Others: a.Others}
	started := time.Now()
	var below []traffic.Entry
	for _, entry := range a.Entries {
		if entry.Base == base || entry.Base == "" {
			below = append(below, entry)
		} else {
			n.Others++
		}
	}
	j.JudgeAll(below, func(entry traffic.Entry) {
		if entry.Missing != "" {
			n.Skipped[entry.Missing]++
			return
		}
		e.keep(entry.Exchange)
		n.Judged++
	})
	for _, r := range e.outcome.Results() {
		r.Case.Clauses = judge.Sorted(r.Judged)
		e.plan = append(e.plan, r.Case)
	}
	r := e.assemble(started, nil)
	r.Depth, r.Selected, r.Level, r.Recording = report.Recorded, true, report.Observed, n
	for i := range r.Clauses { // the operator left nothing out
		if c := &r.Clauses[i]; c.Status == report.NotTested {
			c.Reason, c.Cause = "no recorded exchange shows it", judge.ByTarget
		}
	}
	e.decide(r)
	if r.Verdict == report.Conforming {
		totals := render.Totals(r)
		r.Reason = fmt.Sprintf("%d of %s could be judged in %s",
			held(totals), wording.Count(len(totals), "clause"), wording.Count(n.Judged, "exchange"))
		if render.Counted(r) != "" {
			r.Reason += uncounted(0)
		}
	}
	if n.Judged == 0 {
		r.Reason = "no exchange of the five operations was recorded"
	}
	return r, nil
}
