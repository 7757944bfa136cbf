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
	again.Bases, again.Baseline = recorded.Bases, nil
	p := newReplay(&again, recorded, ids)
	for try := range replayTries {
		open := p.open(try)
		if len(open) == 0 || ctx.Err() != nil {
			break
		}
		again.Select = p.beside(open, try)
		run, err := Execute(ctx, &again)
		if err != nil {
			return nil, err
		}
		for _, r := range open {
			r.compare(run, p.known)
		}
		p.noteLeft(run.Changes)
	}
	return p.Replayed, nil //nolint:nilerr // after an interruption, cases have the status not replayed
}

// A replay sends cases of a report again.
type replay struct {
	*Replayed
	planned map[string]*judge.Case
	known   map[string]bool // causes that the baseline of the recorded run accepts
}

// newReplay returns the replay of some cases, and gives their random sequences to the configuration.
func newReplay(c *Config, recorded *report.Report, ids []string) *replay {
	p := &replay{
		&Replayed{Cases: []ReplayedCase{}, Left: []report.Change{}}, map[string]*judge.Case{}, map[string]bool{},
	}
	for _, f := range recorded.Findings {
		p.known[f.CauseWords] = f.Known != ""
	}
	for _, cs := range c.Plan() {
		p.planned[cs.ID] = cs
	}
	c.sequences = map[string][]string{}
	for _, r := range recorded.Results {
		if !slices.Contains(ids, r.ID) {
			continue
		}
		p.Cases = append(p.Cases, ReplayedCase{
			Case: r.ID, Status: NotReplayed, Reason: "the plan for this target does not have this case",
			Findings: []report.Finding{}, before: r.Status,
		})
		for _, f := range r.Findings {
			if f.Sequence != "" {
				c.sequences[r.ID] = append(c.sequences[r.ID], f.Sequence)
			}
		}
	}
	return p
}

// open returns the cases to send in a try: those without a finding so far, if they can be sent once more.
func (p *replay) open(try int) (open []*ReplayedCase) {
	for i := range p.Cases {
		r := &p.Cases[i]
		cs := p.planned[r.Case]
		if cs == nil || try > 0 && cs.Once {
			continue
		}
		if r.Status == Fixed || r.Status == NotReplayed {
			open = append(open, r)
		}
	}
	return open
}

// beside returns a selection of cases and of those that may have to run with them.
func (p *replay) beside(open []*ReplayedCase, try int) func(*judge.Case) bool {
	near, isOnce := map[string]bool{judge.Class403: true, judge.ClassSuccess: true}, false // operations and classes
	for _, r := range open {
		cs := p.planned[r.Case]
		near[r.Case], near[cs.Operation.ID] = true, true
		isOnce = isOnce || cs.Once
	}
	return func(cs *judge.Case) bool {
		mayGo := isOnce || try > 0 && !cs.Once
		isNear := near[cs.Operation.ID] || near[cs.Class]
		return near[cs.ID] || mayGo && isNear
	}
}

// noteLeft notes the objects that a run could not restore, each once.
func (p *replay) noteLeft(changes []report.Change) {
	for _, c := range changes {
		isSame := func(l report.Change) bool { return l.Object == c.Object && l.ID == c.ID }
		if !c.Restored && c.Change != "deleted" && !slices.ContainsFunc(p.Left, isSame) {
			p.Left = append(p.Left, c)
		}
	}
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
