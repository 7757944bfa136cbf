package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// progress shows the progress of a run and the time left: on a terminal by one line that
// is rewritten, elsewhere by separate lines, which can be searched.
type progress struct {
	accepts  bool // a baseline may accept findings, so only the end of the run shows what fails it
	w        io.Writer
	columns  int // of the terminal; 0: no line is rewritten
	now      func() time.Time
	started  time.Time
	requests int

	mu       sync.Mutex
	drawn    time.Time // when the line was drawn; zero: never
	reported map[string]bool
}

const (
	redraw = 100 * time.Millisecond
	erase  = "\r\x1b[K"
	edge   = 3 // columns that the line leaves free
)

// progress returns a progress on standard error; with plain, it prints only separate lines.
func (a *app) progress(plain bool) *progress {
	columns := columnsOf(a.Stderr)
	if plain {
		columns = 0
	}
	return newProgress(a.Stderr, columns, time.Now)
}

// newProgress returns a progress that begins now and writes to w, a terminal of so many columns; 0 is none.
func newProgress(w io.Writer, columns int, now func() time.Time) *progress {
	return &progress{w: w, columns: columns, now: now, started: now(), reported: map[string]bool{}}
}

// line prints a line in place of the one that is rewritten.
func (p *progress) line(format string, args ...any) {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// end erases the rewritten line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.drawn.IsZero() {
		fmt.Fprint(p.w, erase)
	}
}

// result is called with each result as it comes, by one goroutine at a time. Findings that
// may still be dropped are left to the end.
func (p *progress) result(done, of int, r *judge.Result) {
	if r.Decided() {
		p.decided(r)
	}
	p.requests += len(r.Exchanges)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.columns == 0 || done < of && now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn = now
	took := max(now.Sub(p.started), time.Millisecond)
	left := time.Duration(float64(of-done) * float64(took) / float64(max(1, done)))
	text := fmt.Sprintf("%d/%d, %s, %.0f/s, about %s left: %s", done, of, wording.Count(len(p.reported), "finding"),
		float64(p.requests)/took.Seconds(), left.Round(time.Second), wording.Printable(r.Case.ID))
	fmt.Fprint(p.w, erase+wording.Clip(text, p.columns-edge))
}

// decided is called with each result again at the end, with its final findings, and reports
// causes that were not reported before. Notices are left to the summary.
func (p *progress) decided(r *judge.Result) {
	for _, f := range r.Findings {
		if f.Severity == oracle.Notice || p.reported[f.CauseWords] {
			continue
		}
		p.reported[f.CauseWords] = true
		mark := "FAIL"
		if p.accepts {
			mark = "found"
		}
		if p.columns == 0 {
			p.line("%s %s %s (%s): %s", mark, f.Case, f.Clause, f.Basis, report.Headline(f))
		}
	}
}

// exchange is called with every exchange, if --verbose is given.
func (p *progress) exchange(ex *wire.Exchange) { p.line("%s", wording.Printable(ex.String())) }
