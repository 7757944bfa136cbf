package suites

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/verdict"
)

// Repeat says how a run is made several times.
type Repeat struct {
	Rounds int
	// Target is that of a round, and what ends it; nil: all have that of the configuration,
	// which then lasts from round to round.
	Target func(context.Context) (*fixtures.Target, func(), error)
	Begin  func(round int) // is told before a round is begun; nil tells nobody
	Ginkgo GinkgoOptions
}

// RunRepeatedly makes a run several times and merges the reports: what any round finds is
// found. Each is a whole run that puts back what it changed. Where no provision brings back
// the disposables that earlier rounds used up, a round leaves out the cases that need them,
// and the report says so. It ends early when ctx does, when a round ends before all its
// cases were sent, and when nothing is left to be tested.
func RunRepeatedly(ctx context.Context, c *Config, o Repeat) (*report.Report, error) {
	if c.Deadline > 0 { // it is that of all rounds
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, c.Deadline, session.Deadline{After: c.Deadline})
		defer stop()
	}
	all := repeated{config: c, options: o, gone: map[int64]bool{}}
	for round := 1; round <= o.Rounds && (round == 1 || ctx.Err() == nil); round++ {
		if o.Begin != nil {
			o.Begin(round)
		}
		e, err := all.round(ctx, round)
		if errors.As(err, new(*SelectionError)) && round > 1 {
			all.ended = "what they need was used up"
			break
		}
		if err != nil {
			return nil, err
		}
		if e.report.Stopped != "" || e.ending.Answered == 0 {
			all.ended = cmp.Or(e.report.Stopped, e.ending.Left)
			break
		}
	}
	return all.merge(ctx), nil
}

// repeated are the rounds of a run so far.
type repeated struct {
	config  *Config
	options Repeat
	gone    map[int64]bool // disposables that a round used up
	made    []*Execution
	leftOut []int  // cases of each round
	ended   string // why not all were made
}

// round makes one round.
func (a *repeated) round(ctx context.Context, round int) (*Execution, error) {
	c := *a.config
	c.Baseline, c.Require = nil, "" // they are for all rounds together
	if c.Mark != "" {
		c.Mark = NewMark()
	}
	leftOut := 0
	switch {
	case a.options.Target != nil && round > 1:
		target, stop, err := a.options.Target(ctx)
		if err != nil {
			return nil, err
		}
		defer stop()
		c.Target = target
	case round > 1 && !c.provisions():
		lacking, err := a.leaveOut(&c)
		if err != nil {
			return nil, err
		}
		leftOut = len(lacking)
	}
	e, err := runGinkgo(ctx, &c, a.options.Ginkgo)
	if err == nil {
		a.made, a.leftOut = append(a.made, e), append(a.leftOut, leftOut)
		for _, change := range e.report.Changes {
			a.gone[change.ID] = a.gone[change.ID] || change.Change == "deleted"
		}
	}
	return e, err
}

// leaveOut gives a round the disposables that are not gone, and leaves the cases out that
// have too few: with other ids they would judge less.
func (a *repeated) leaveOut(c *Config) (map[string]bool, error) {
	left := *a.config.Target
	left.Objects = left.Objects.WithDisposables(func(c *fixtures.Container) bool {
		return !a.gone[c.ID] && !slices.ContainsFunc(c.MediaFileIDs, func(id int64) bool { return a.gone[id] })
	})
	lacking, err := c.lacking(&left)
	if c.Target = &left; len(lacking) > 0 {
		chosen := c.Select
		c.Select = func(cs *testcase.Case) bool { return !lacking[cs.ID] && (chosen == nil || chosen(cs)) }
		c.Filters = append(slices.Clone(c.Filters), "without what rounds before used up")
	}
	return lacking, err
}

// lacking are the cases for its target that need what is no more of what is left.
func (c *Config) lacking(left *fixtures.Target) (map[string]bool, error) {
	plan, err := c.Plan()
	lacking := map[string]bool{}
	for _, cs := range plan {
		if slices.ContainsFunc(cs.Needs, func(need string) bool { return testcase.Has(c.Target, need) && !testcase.Has(left, need) }) {
			lacking[cs.ID] = true
		}
	}
	return lacking, err
}

// merge makes one report of the rounds, with a verdict of its own: nothing that one of them
// lacks is made up for by another, but for what was used up.
func (a *repeated) merge(ctx context.Context) *report.Report {
	reports := make([]*report.Report, 0, len(a.made))
	for _, e := range a.made {
		reports = append(reports, e.report)
	}
	r := report.Merge(a.options.Rounds, reports, a.leftOut)
	r.Repeat.Ended = a.ended
	whole := verdict.Ending{Excusable: true}
	for i, e := range a.made {
		whole.Answered += e.ending.Answered
		whole.Lost = max(whole.Lost, e.ending.Lost)
		if e.ending.Left != "" && (whole.Left == "" || whole.Excusable && !e.ending.Excusable) {
			whole.Left = r.InRound(i+1, e.ending.Left)
		}
		whole.Excusable = whole.Excusable && e.ending.Excusable
	}
	if first := a.made[0].ending.Left; !slices.ContainsFunc(a.made, func(e *Execution) bool { return e.ending.Left != first }) {
		whole.Left = first // of each round
	}
	if r.Stopped == "" && ctx.Err() != nil { // between two rounds
		r.Stopped = session.StopReason(ctx)
		r.Interrupted = !errors.As(context.Cause(ctx), new(session.Deadline))
		whole.Left, whole.Excusable, r.Repeat.Ended = r.Stopped, false, r.Stopped
	}
	a.config.rules().Conclude(r, whole)
	return r
}
