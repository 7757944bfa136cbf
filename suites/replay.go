package suites

import (
	"context"
	"slices"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// ReplayStatus is what became of a recorded case.
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

// replayTries is how often a case is sent before its finding, which may be intermittent, counts as gone.
const replayTries = 3

// Replay sends recorded cases again and compares the findings. The configuration has to be that of the
// recorded run; its Select is not used. Each case gets runs of its own, first alone, then with others: a
// finding may be intermittent, or may depend on what other cases showed, such as that a key is accepted.
// Cases that use something up can be sent only once, so they share a last run. When ctx ends, Replay
// returns what it has.
func Replay(ctx context.Context, c *Config, recorded []report.Case) ([]Replayed, error) {
	whole := *c
	whole.Select, whole.sequences = nil, map[string][]string{}
	for _, r := range recorded {
		for _, f := range r.Findings {
			if f.Sequence != "" {
				whole.sequences[r.ID] = append(whole.sequences[r.ID], f.Sequence)
			}
		}
	}
	plan, err := whole.Plan()
	if err != nil {
		return nil, err
	}
	planned := map[string]*judge.Case{}
	for _, cs := range plan {
		planned[cs.ID] = cs
	}
	all := make([]Replayed, len(recorded))
	var rest []*Replayed
	for i := range recorded {
		r := &all[i]
		*r = Replayed{Case: recorded[i].ID, Status: NotReplayed, Before: failures(recorded[i].Findings), After: []oracle.Finding{}}
		cs := planned[r.Case]
		if cs == nil {
			r.Reason = "the plan for this target has no such case"
			continue
		}
		for err == nil && !cs.Once && r.Tries < replayTries && (r.Status == NotReplayed || r.Status == Fixed) && ctx.Err() == nil {
			err = whole.replay(ctx, planned, r.Tries > 0, r)
		}
		if r.Status == NotReplayed {
			rest = append(rest, r)
		}
	}
	if err == nil && len(rest) > 0 && ctx.Err() == nil {
		err = whole.replay(ctx, planned, true, rest...)
	}
	return all, err
}

// replay makes one run of the cases, alone or with others: cases of the same operations, and those that
// show who may do what. Others that use something up run only if one of the cases does.
func (c *Config) replay(ctx context.Context, planned map[string]*judge.Case, others bool, cases ...*Replayed) error {
	near, once := map[string]bool{judge.Class403: true, judge.ClassSuccess: true}, false // operations and classes
	for _, r := range cases {
		near[r.Case], near[planned[r.Case].Operation.ID] = true, true
		once = once || planned[r.Case].Once
	}
	one := *c
	one.Select = func(cs *judge.Case) bool {
		return near[cs.ID] || others && (near[cs.Operation.ID] || near[cs.Class]) && (once || !cs.Once)
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

// compare sets what a run says of the case.
func (r *Replayed) compare(run *report.Report) {
	r.Reason = ""
	now := run.Results[slices.IndexFunc(run.Results, func(c report.Case) bool { return c.ID == r.Case })]
	r.After = failures(now.Findings)
	if len(r.After) == 0 && shares(r.Before, run.Findings) { // another case found it now
		r.After = failures(run.Findings)
	}
	for i := range r.After { // the recorded run's baseline accepts it still
		f := &r.After[i]
		if at := slices.IndexFunc(r.Before, func(b oracle.Finding) bool { return b.Cause() == f.Cause() }); at >= 0 {
			f.Known = r.Before[at].Known
		}
	}
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

// Known reports whether the recorded run's baseline accepts all that was found again.
func (r *Replayed) Known() bool {
	return len(r.After) > 0 && !slices.ContainsFunc(r.After, func(f oracle.Finding) bool { return f.Known == "" })
}

// failures returns the first finding of each cause, without notices.
func failures(findings []oracle.Finding) []oracle.Finding {
	first, seen := []oracle.Finding{}, map[oracle.Cause]bool{}
	for _, f := range findings {
		if f.Severity != oracle.Notice && !seen[f.Cause()] {
			seen[f.Cause()] = true
			first = append(first, f)
		}
	}
	return first
}

// shares reports whether two lists have a cause in common.
func shares(a, b []oracle.Finding) bool {
	return slices.ContainsFunc(a, func(f oracle.Finding) bool {
		return slices.ContainsFunc(b, func(g oracle.Finding) bool { return f.Cause() == g.Cause() })
	})
}
