package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// progress tells a run as it goes: on a terminal by one line that is rewritten,
// else by a line for each finding.
type progress struct {
	w        io.Writer
	columns  int  // of the terminal; 0 when there is none
	verbose  bool // a line for each exchange, no rewritten line
	now      func() time.Time
	started  time.Time
	mu       sync.Mutex
	drawn    time.Time
	findings int
	told     map[oracle.Cause]bool
	requests int
	pace     []mark // the last cases
	rate     float64
	until    time.Time // when a deadline or budget ends the run; zero: none is known
}

// mark is how many cases were done at a time.
type mark struct {
	at   time.Time
	done int
}

const (
	redraw     = 100 * time.Millisecond
	clearLine  = "\r\x1b[K"
	toldACase  = 5  // findings of one case that get a line
	shownWords = 4  // columns that the end of the line stays away from the edge
	paceOver   = 30 // results; the first requests may be free of a rate limit that holds later
)

func newProgress(w io.Writer, columns int, verbose bool, now func() time.Time) *progress {
	started := now()
	return &progress{w: w, columns: columns, verbose: verbose, now: now, started: started, pace: []mark{{started, 0}}, told: map[oracle.Cause]bool{}}
}

// bounds tells what the run is bound by: requests a second, and times after
// which it ends; 0 is no bound.
func (p *progress) bounds(rate float64, times ...time.Duration) {
	p.rate = rate
	for _, d := range times {
		if end := p.started.Add(d); d > 0 && (p.until.IsZero() || end.Before(p.until)) {
			p.until = end
		}
	}
}

// left is about how long the other cases take: at the pace of the last ones, at
// the rate at best, and no longer than a bound on the run lets them.
func (p *progress) left(done, of int) time.Duration {
	now, first := p.now(), p.pace[0]
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

func (p *progress) live() bool { return p.columns > 0 && !p.verbose }

// begin says what is tested.
func (p *progress) begin(target, depth string, seed uint64) {
	if !p.live() {
		fmt.Fprintf(p.w, "adconform: testing %s (depth %s, seed %d)\n", wording.Printable(target), depth, seed)
	}
}

// result is told each result as it comes. Findings that may still be dropped are
// left to the summary.
func (p *progress) result(done, of int, r *engine.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var fresh []*oracle.Finding // of causes that were not told yet
	for _, f := range r.Findings {
		if f.Severity != oracle.Notice && !r.Doubtful && !p.told[f.Cause()] {
			p.told[f.Cause()] = true
			fresh = append(fresh, f)
		}
	}
	p.findings += len(fresh)
	p.requests += len(r.Exchanges)
	p.pace = append(p.pace[max(0, len(p.pace)-paceOver):], mark{p.now(), done})
	if p.live() {
		p.draw(done, of, r.Case.ID)
		return
	}
	for _, f := range fresh[:min(len(fresh), toldACase)] {
		fmt.Fprintf(p.w, "FAIL %s %s (%s): %s\n", f.Case, f.Clause, f.Basis, report.Sentence(f))
	}
	if more := len(fresh) - toldACase; more > 0 {
		fmt.Fprintf(p.w, "FAIL %s: … and %d more findings\n", r.Case.ID, more)
	}
}

// draw rewrites the line, not more often than an eye can follow.
func (p *progress) draw(done, of int, caseID string) {
	now := p.now()
	if done < of && now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn = now
	rate := float64(p.requests) / max(now.Sub(p.started), time.Millisecond).Seconds()
	text := fmt.Sprintf("%d/%d, %s, %.0f/s, about %s left: %s", done, of, wording.Count(p.findings, "finding"), rate, p.left(done, of).Round(time.Second), wording.Printable(caseID))
	if runes := []rune(text); len(runes) > p.columns-shownWords {
		text = string(runes[:max(0, p.columns-shownWords)]) + "…"
	}
	fmt.Fprint(p.w, clearLine+text)
}

// exchange is told every exchange, with verbose.
func (p *progress) exchange(ex *wire.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w, wording.Printable(ex.String()))
}

// end takes the rewritten line away.
func (p *progress) end() {
	if p.live() {
		fmt.Fprint(p.w, clearLine)
	}
}
