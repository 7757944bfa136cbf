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

// progress shows how a run goes and how long it still takes: on a terminal by one line that
// is rewritten, elsewhere by lines that can be searched.
type progress struct {
	accepts  bool // a baseline may accept what is found: the end of the run says what fails it
	w        io.Writer
	columns  int // of the terminal; 0: no line is rewritten
	now      func() time.Time
	started  time.Time
	requests int

	mu       sync.Mutex
	drawn    time.Time // when the line was; zero: never
	reported map[string]bool
}

const (
	redraw = 100 * time.Millisecond
	erase  = "\r\x1b[K"
	edge   = 3 // columns that the line stays away from
)

// progress shows how something goes on standard error; with plain, by lines only.
func (a *app) progress(plain bool) *progress {
	columns := columnsOf(a.Stderr)
	if plain {
		columns = 0
	}
	return newProgress(a.harmless().Stderr, columns, time.Now)
}

// newProgress begins now. It writes to w, on a terminal of so many columns; 0 is none.
func newProgress(w io.Writer, columns int, now func() time.Time) *progress {
	return &progress{w: w, columns: columns, now: now, started: now(), reported: map[string]bool{}}
}

// line prints a line in the place of the one that is rewritten.
func (p *progress) line(format string, args ...any) {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// end takes the rewritten line away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.drawn.IsZero() {
		fmt.Fprint(p.w, erase)
	}
}

// result gets each result as it comes, by one goroutine at a time. Findings that
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

// decided gets each result once more, at the end, with what was found for certain, and reports
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

// exchange gets every exchange, with --verbose.
func (p *progress) exchange(ex *wire.Exchange) { p.line("%s", wording.Printable(ex.String())) }
