package suites

import (
	"context"
	"slices"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// ReplayStatus says what became of a recorded case.
type ReplayStatus string

// The outcomes of a replay.
const (
	Fixed        ReplayStatus = "fixed"         // nothing of what was found shows any more
	StillFailing ReplayStatus = "still failing" // the same is found
	Different    ReplayStatus = "different"     // something else is found
	StillPassing ReplayStatus = "still passing"
	NotReplayed  ReplayStatus = "not tested"
)

// Replayed is a recorded case that was sent again.
type Replayed struct {
	Case   string           `json:"case"`
	Status ReplayStatus     `json:"status"`
	Reason string           `json:"reason,omitempty"` // of NotReplayed
	Before []oracle.Finding `json:"before"`
	After  []oracle.Finding `json:"after"`
	Tries  int              `json:"tries"`
	Left   []session.Change `json:"left,omitempty"` // what its last run changed and could not put back
}

// replayTries is how often a case is sent before a finding counts as gone: it may have been
// intermittent.
const replayTries = 3

// Replay sends recorded cases again and compares what is found. The
// configuration has to be that of the recorded run; its Select is not used. Each
// case gets runs of its own, but those that use something up share the last one,
// as they can be sent only once. It ends early, with what it has, when ctx does.
func Replay(ctx context.Context, c *Config, recorded []report.Case) ([]Replayed, error) {
	all := make([]Replayed, len(recorded))
	planned, err := c.planned()
	if err != nil {
		return nil, err
	}
	var rest []*Replayed
	for i := range recorded {
		r := &all[i]
		*r = Replayed{Case: recorded[i].ID, Status: NotReplayed, Before: telling(recorded[i].Findings), After: []oracle.Finding{}}
		cs := planned[r.Case]
		switch {
		case cs == nil:
			r.Reason = "the plan for this target has no such case"
		case !cs.Once:
			err = c.replay(ctx, planned, r)
		}
		if err != nil || ctx.Err() != nil {
			return all, err
		}
		if cs != nil && r.Status == NotReplayed {
			rest = append(rest, r)
		}
	}
	if len(rest) > 0 {
		err = c.replayRun(ctx, planned, everyone, rest...)
	}
	return all, err
}

// company says which cases are sent beside those that are wanted. What was found
// may have rested on what others showed: that a key is accepted, that an object
// is there, which request reads back.
type company int

const (
	alone     company = iota
	repeaters         // cases of the same operation, or that show who may do what
	everyone          // those that use something up, too
)

// replay tries a case alone, then in company.
func (c *Config) replay(ctx context.Context, planned map[string]*judge.Case, r *Replayed) error {
	unseen := func() bool { return r.Tries == 0 || r.Status == Fixed || r.Status == NotReplayed }
	for with := alone; r.Tries < replayTries && unseen() && ctx.Err() == nil; with = repeaters {
		if err := c.replayRun(ctx, planned, with, r); err != nil {
			return err
		}
	}
	return nil
}

// replayRun makes one run of the cases.
func (c *Config) replayRun(ctx context.Context, planned map[string]*judge.Case, with company, cases ...*Replayed) error {
	wanted, operations := map[string]bool{}, map[string]bool{}
	for _, r := range cases {
		wanted[r.Case], operations[planned[r.Case].Operation.ID] = true, true
	}
	one := *c
	one.Select = func(cs *judge.Case) bool {
		near := operations[cs.Operation.ID] || cs.Class == judge.Class403 || cs.Class == judge.ClassSuccess
		return wanted[cs.ID] || with == repeaters && near && !cs.Once || with == everyone && near
	}
	run, err := Execute(ctx, &one)
	if err != nil {
		return err
	}
	for _, r := range cases {
		r.Tries++
		r.compare(run)
		r.Left = slices.DeleteFunc(slices.Clone(run.Changes), func(c session.Change) bool { return c.Restored || c.Change == "deleted" })
	}
	return nil
}

// planned are the cases of the plan by id.
func (c *Config) planned() (map[string]*judge.Case, error) {
	all := *c
	all.Select = nil
	plan, err := all.Plan()
	if err != nil {
		return nil, err
	}
	byID := map[string]*judge.Case{}
	for _, cs := range plan {
		byID[cs.ID] = cs
	}
	return byID, nil
}

// compare says what a run makes of the case.
func (r *Replayed) compare(run *report.Report) {
	r.Reason = ""
	now := run.Results[slices.IndexFunc(run.Results, func(c report.Case) bool { return c.ID == r.Case })]
	r.After = telling(now.Findings)
	if len(r.After) == 0 && shares(r.Before, run.Findings) { // it is another case that found it now
		r.After = telling(run.Findings)
	}
	r.mark()
	switch {
	case shares(r.Before, r.After):
		r.Status = StillFailing
	case len(r.After) > 0 && !slices.ContainsFunc(r.After, func(f oracle.Finding) bool { return f.Severity != oracle.Transport }):
		r.Status, r.Reason = NotReplayed, report.Sentence(&r.After[0])
	case len(r.After) > 0:
		r.Status = Different
	case now.Status == judge.NotTested:
		r.Status, r.Reason = NotReplayed, now.Reason
	case len(r.Before) > 0:
		r.Status = Fixed
	default:
		r.Status = StillPassing
	}
}

// Known says whether all that was found again is accepted by the recorded run's baseline.
func (r *Replayed) Known() bool {
	return len(r.After) > 0 && !slices.ContainsFunc(r.After, func(f oracle.Finding) bool { return f.Known == "" })
}

// mark says of what was found again that the recorded run's baseline accepts it.
func (r *Replayed) mark() {
	for i := range r.After {
		f := &r.After[i]
		if at := slices.IndexFunc(r.Before, func(b oracle.Finding) bool { return b.Cause() == f.Cause() }); at >= 0 {
			f.Known = r.Before[at].Known
		}
	}
}

// telling leaves out the notices, and all but the first finding of a cause.
func telling(findings []oracle.Finding) []oracle.Finding {
	told, seen := []oracle.Finding{}, map[oracle.Cause]bool{}
	for _, f := range findings {
		if f.Severity != oracle.Notice && !seen[f.Cause()] {
			seen[f.Cause()] = true
			told = append(told, f)
		}
	}
	return told
}

// shares says whether two lists have a cause in common.
func shares(a, b []oracle.Finding) bool {
	return slices.ContainsFunc(a, func(f oracle.Finding) bool {
		return slices.ContainsFunc(b, func(g oracle.Finding) bool { return f.Cause() == g.Cause() })
	})
}
