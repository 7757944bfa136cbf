package main

import (
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
)

// RunProgress shows how a run goes, and how long it still takes.
type RunProgress struct {
	*Progress
	started  time.Time
	requests int
	pace     []mark // the last cases
	rate     float64
	until    time.Time // when a deadline ends the run; zero: none is known
}

// mark is how many cases were done at a time.
type mark struct {
	at   time.Time
	done int
}

// paceOver is how many results the pace is taken from; the first requests may be free
// of a rate limit that holds later.
const paceOver = 30

// NewRunProgress begins now.
func NewRunProgress(p *Progress) *RunProgress {
	now := p.Now()
	return &RunProgress{Progress: p, started: now, pace: []mark{{now, 0}}}
}

// Bounds sets what the run is bound by: requests a second, and a time after
// which it ends; 0 is no bound.
func (p *RunProgress) Bounds(rate float64, deadline time.Duration) {
	p.rate = rate
	if deadline > 0 {
		p.until = p.started.Add(deadline)
	}
}

// left is about how long the other cases take: at the pace of the last ones, at
// the rate at best, and no longer than a bound on the run lets them.
func (p *RunProgress) left(done, of int) time.Duration {
	now, first := p.Now(), p.pace[0]
	todo := float64(of - done)
	left := time.Duration(todo * float64(now.Sub(first.at)) / float64(max(1, done-first.done)))
	if p.rate > 0 {
		left = max(left, time.Duration(todo*float64(p.requests)/float64(done)/p.rate*float64(time.Second)))
	}
	if !p.until.IsZero() {
		left = min(left, max(0, p.until.Sub(now)))
	}
	return left
}

// Result gets each result as it comes, by one goroutine at a time. Findings that
// may still be dropped are left to the summary.
func (p *RunProgress) Result(done, of int, r *judge.Result) {
	if !r.Tentative {
		p.Found(r.Case.ID, r.Findings)
	}
	p.requests += len(r.Exchanges)
	p.pace = append(p.pace[max(0, len(p.pace)-paceOver):], mark{p.Now(), done})
	rate := PerSecond(p.requests, p.Now().Sub(p.started))
	p.Draw(done == of, "%d/%d, %s, %.0f/s, about %s left: %s",
		done, of, wording.Count(p.Findings, "finding"), rate, p.left(done, of).Round(time.Second), wording.Printable(r.Case.ID))
}
