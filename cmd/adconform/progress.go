package main

import (
	"fmt"
	"io"
	"sync"
	"time"

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
	requests int
}

const (
	redraw     = 100 * time.Millisecond
	clearLine  = "\r\x1b[K"
	toldACase  = 5 // findings of one case that get a line
	shownWords = 4 // columns that the end of the line stays away from the edge
)

func newProgress(w io.Writer, columns int, verbose bool, now func() time.Time) *progress {
	return &progress{w: w, columns: columns, verbose: verbose, now: now, started: now()}
}

func (p *progress) live() bool { return p.columns > 0 && !p.verbose }

// begin says what is tested.
func (p *progress) begin(target, depth string, seed uint64) {
	if !p.live() {
		fmt.Fprintf(p.w, "adconform: testing %s (depth %s, seed %d)\n", report.Printable(target), depth, seed)
	}
}

// result is told each result as it comes. Findings that may still be dropped are
// left to the summary.
func (p *progress) result(done, of int, r *engine.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var fresh []*oracle.Finding
	for _, f := range r.Findings {
		if f.Severity != oracle.Notice && !r.Doubtful {
			fresh = append(fresh, f)
		}
	}
	p.findings += len(fresh)
	p.requests += len(r.Exchanges)
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
	elapsed := now.Sub(p.started)
	left := elapsed / time.Duration(done) * time.Duration(of-done)
	rate := float64(p.requests) / max(elapsed, time.Millisecond).Seconds()
	word := "findings"
	if p.findings == 1 {
		word = "finding"
	}
	text := fmt.Sprintf("%d/%d, %d %s, %.0f/s, about %s left: %s", done, of, p.findings, word, rate, left.Round(time.Second), report.Printable(caseID))
	if runes := []rune(text); len(runes) > p.columns-shownWords {
		text = string(runes[:max(0, p.columns-shownWords)]) + "…"
	}
	fmt.Fprint(p.w, clearLine+text)
}

// exchange is told every exchange, with verbose.
func (p *progress) exchange(ex *wire.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w, report.Printable(ex.String()))
}

// end takes the rewritten line away.
func (p *progress) end() {
	if p.live() {
		fmt.Fprint(p.w, clearLine)
	}
}
