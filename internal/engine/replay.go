package engine

import (
	"context"
	"slices"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/suites/report"
)

// Replayed is the outcome of sending cases of a report again.
type Replayed struct {
	Cases []ReplayedCase  `json:"cases"`
	Left  []report.Change `json:"left"` // objects that could not be restored
}

// ReplayedCase is a case of a report that was sent again.
type ReplayedCase struct {
	Case     string           `json:"case"`
	Status   ReplayStatus     `json:"status"`
	Reason   string           `json:"reason,omitempty"` // of NotReplayed
	Tries    int              `json:"tries"`
	Findings []report.Finding `json:"findings"`
	before   report.Status
}

// ReplayStatus is the outcome for a case.
type ReplayStatus string

// The outcomes of a replay.
const (
	Fixed       ReplayStatus = "fixed"
	Failing     ReplayStatus = "failing"
	Accepted    ReplayStatus = "accepted" // the baseline of the recorded run accepts the findings, or they do not count
	Passing     ReplayStatus = "passing"  // as before
	NotReplayed ReplayStatus = "not tested"
)

// replayTries is how often a case is sent before its finding, which may be intermittent, counts as gone.
const replayTries = 3

// Replay sends cases of a report again. The configuration must have the target, seed and depth of the recorded
// run. The first run has only these cases. Those that pass run again together with others, as their findings
// may be intermittent, or depend on what other cases showed, such as that a key is accepted. Cases that
// use something up can be sent only once, so the first run has others with them. If ctx ends, Replay returns
// the results so far.
func Replay(ctx context.Context, c *Config, recorded *report.Report, ids []string) (*Replayed, error) {
	again := *c
	again.Bases, again.Baseline, again.sequences = recorded.Bases, nil, map[string][]string{}
	known, planned := map[string]bool{}, map[string]*judge.Case{}
	for _, f := range recorded.Findings {
		known[f.CauseWords] = f.Known != ""
	}
	for _, cs := range again.Plan() {
		planned[cs.ID] = cs
	}
	all := &Replayed{Cases: []ReplayedCase{}, Left: []report.Change{}}
	for _, r := range recorded.Results {
		if slices.Contains(ids, r.ID) {
			all.Cases = append(all.Cases, ReplayedCase{
				Case: r.ID, Status: NotReplayed, Reason: "the plan for this target does not have this case",
				Findings: []report.Finding{}, before: r.Status,
			})
			for _, f := range r.Findings {
				if f.Sequence != "" {
					again.sequences[r.ID] = append(again.sequences[r.ID], f.Sequence)
				}
			}
		}
	}
	for try := range replayTries {
		var open []*ReplayedCase
		near, once := map[string]bool{judge.Class403: true, judge.ClassSuccess: true}, false // operations and classes
		for i := range all.Cases {
			r := &all.Cases[i]
			cs := planned[r.Case]
			if cs == nil || try > 0 && cs.Once || r.Status != Fixed && r.Status != NotReplayed {
				continue
			}
			open, once = append(open, r), once || cs.Once
			near[r.Case], near[cs.Operation.ID] = true, true
		}
		if len(open) == 0 || ctx.Err() != nil {
			break
		}
		again.Select = func(cs *judge.Case) bool {
			return near[cs.ID] || (once || try > 0 && !cs.Once) && (near[cs.Operation.ID] || near[cs.Class])
		}
		run, err := Execute(ctx, &again)
		if err != nil {
			return nil, err
		}
		for _, r := range open {
			r.compare(run, known)
		}
		for _, c := range run.Changes {
			known := func(l report.Change) bool { return l.Object == c.Object && l.ID == c.ID }
			if !c.Restored && c.Change != "deleted" && !slices.ContainsFunc(all.Left, known) {
				all.Left = append(all.Left, c)
			}
		}
	}
	return all, nil //nolint:nilerr // after an interruption, cases have the status not replayed
}

// compare sets the result of a run for the case; the baseline of the recorded run accepts the known causes.
func (r *ReplayedCase) compare(run *report.Report, known map[string]bool) {
	now := run.Results[slices.IndexFunc(run.Results, func(c report.Case) bool { return c.ID == r.Case })]
	accepted := false
	for _, f := range now.Findings {
		accepted = accepted || known[f.CauseWords] || f.Ignored != ""
		shown := func(other report.Finding) bool { return other.ID == f.ID }
		if f.Fails && !known[f.CauseWords] && !slices.ContainsFunc(r.Findings, shown) {
			r.Findings = append(r.Findings, f)
		}
	}
	was := r.Status
	r.Tries, r.Reason = r.Tries+1, ""
	switch {
	case len(r.Findings) > 0:
		r.Status = Failing
	case accepted:
		r.Status = Accepted
	case now.Status == judge.NotTested && was != Fixed:
		r.Status, r.Reason = NotReplayed, now.Reason
	case r.before == judge.Passed:
		r.Status = Passing
	default:
		r.Status = Fixed
	}
}
