package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// progress shows the progress of a run and the time left on a terminal, by one line that is rewritten.
// Elsewhere it writes a line for each finding, which can be searched, and one at each tick of a clock.
type progress struct {
	w       io.Writer
	columns int          // of the terminal; 0: no line is rewritten
	accepts bool         // a baseline may accept findings, so only the end of the run shows what fails it
	bases   []spec.Basis // of the violations that fail the run
	started time.Time

	mu       sync.Mutex
	done, of int // cases
	requests int
	reported map[finding.Cause]bool
}

const (
	erase = "\r\x1b[K"
	edge  = 3 // columns that the line leaves free

	// Without a terminal: a run in a pipeline takes minutes, and silence looks like a hang.
	betweenLines = 30 * time.Second
)

// clock returns the ticks of a clock, and stops it.
type clock func(every time.Duration) (ticks <-chan time.Time, stop func())

func systemClock(every time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(every)
	return t.C, t.Stop
}

// follow writes a line at each tick until the function that it returns is called.
func (p *progress) follow(c clock) (stop func()) {
	ticks, stopClock := c(betweenLines)
	ended := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() {
		for {
			select {
			case now := <-ticks:
				p.tick(now)
			case <-ended:
				return
			}
		}
	})
	return func() {
		stopClock()
		close(ended)
		following.Wait()
	}
}

// tick writes how far the run is.
func (p *progress) tick(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := now.Sub(p.started)
	then := "confirming findings and restoring objects"
	switch {
	case p.done == 0:
		then = "time left unknown"
	case p.done < p.of:
		then = "about " + p.timeLeft(spent) + " left"
	}
	fmt.Fprintf(p.w, "adconform: after %s: %d of %s, %s, %s; %s\n",
		spent.Round(time.Second), p.done, wording.Count(p.of, "case"),
		wording.Count(p.requests, "request"), wording.Count(len(p.reported), "finding"), then)
}

// timeLeft estimates the time left.
func (p *progress) timeLeft(spent time.Duration) string {
	perCase := spent / time.Duration(p.done)
	left := perCase * time.Duration(p.of-p.done)
	return left.Round(time.Second).String()
}

// end erases the rewritten line.
func (p *progress) end() {
	if p.columns > 0 {
		fmt.Fprint(p.w, erase)
	}
}

// exchange counts requests.
func (p *progress) exchange(ex *wire.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests += ex.Attempts + ex.Beside
}

// result is called with each result as it comes. Findings that may still be dropped are left to the end.
func (p *progress) result(done, of int, r *judge.Result) {
	if r.Decided() {
		p.decided(r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = done
	p.of = of
	if p.columns == 0 {
		return
	}
	text := fmt.Sprintf("%d/%d, %s, about %s left: %s", done, of, wording.Count(len(p.reported), "finding"),
		p.timeLeft(time.Since(p.started)), wording.Printable(r.Case.ID))
	fmt.Fprint(p.w, erase+wording.Clip(text, p.columns-edge))
}

// decided is called with each result again at the end, with its final findings, and reports
// causes that were not reported before. Notices are left to the summary.
func (p *progress) decided(r *judge.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range r.Findings {
		if f.Severity == report.Notice || p.reported[f.Cause] {
			continue
		}
		p.reported[f.Cause] = true
		if p.columns > 0 {
			continue
		}
		mark := "found"
		if !p.accepts && report.IsCounted(p.bases, f.Basis) {
			mark = "FAIL"
		}
		fmt.Fprintf(p.w, "%s %s %s (%s): %s\n", mark, f.Case, f.Clause, f.Basis, f.Headline())
	}
}
