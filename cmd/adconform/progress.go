package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// progress shows how something goes: on a terminal by one line that is rewritten,
// elsewhere by lines that can be searched.
type progress struct {
	w       io.Writer
	columns int  // of the terminal; 0: no line is rewritten
	listing bool // each finding has a line of its own, on a terminal too
	now     func() time.Time
	known   func(*oracle.Finding) string // why a baseline accepts a finding, "" where it does not; nil: there is none

	mu       sync.Mutex
	drawn    time.Time // when the line was; zero: never
	stated   time.Time // the last line that says how far it is
	reported map[oracle.Cause]bool
	findings int
}

const (
	redraw       = 100 * time.Millisecond
	clearLine    = "\r\x1b[K"
	linesPerCase = 5 // findings of one case that get a line
	edge         = 3 // columns that the line stays away from
	stateEvery   = 10 * time.Second
)

// progress shows how something goes on standard error; with plain, by lines only.
func (t *terminal) progress(plain bool) *progress {
	p := newProgress(t.harmless().stderr, columns(t.stderr))
	if plain {
		p.columns = 0
	}
	return p
}

func newProgress(w io.Writer, columns int) *progress {
	return &progress{w: w, columns: columns, now: time.Now, reported: map[oracle.Cause]bool{}}
}

func (p *progress) live() bool { return p.columns > 0 }

// begin says what is done, where no line is rewritten.
func (p *progress) begin(format string, args ...any) {
	if !p.live() {
		p.stated = p.now()
		p.line("adconform: "+format, args...)
	}
}

// state says how far it is: in the line that is rewritten, elsewhere now and then in one of its
// own.
func (p *progress) state(format string, args ...any) {
	p.draw(false, format, args...)
	p.mu.Lock()
	now := p.now()
	due := !p.live() && now.Sub(p.stated) >= stateEvery
	if due {
		p.stated = now
	}
	p.mu.Unlock()
	if due {
		p.line("adconform: "+format, args...)
	}
}

// line prints a line in the place of the one that is rewritten.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *progress) clear() {
	if !p.drawn.IsZero() {
		fmt.Fprint(p.w, clearLine)
	}
}

// found reports the findings of a case whose causes were not reported before. Notices are
// left to the summary.
func (p *progress) found(caseID string, findings []*oracle.Finding) {
	lines := 0
	for _, f := range findings {
		if f.Severity == oracle.Notice || !p.count(f) {
			continue
		}
		if lines++; lines <= linesPerCase && (p.listing || !p.live()) {
			mark := "FAIL"
			if p.known != nil && p.known(f) != "" {
				mark = "known"
			}
			p.line("%s %s %s (%s): %s", mark, f.Case, f.Clause, f.Basis, report.Headline(f))
		}
	}
	if more := lines - linesPerCase; more > 0 && (p.listing || !p.live()) {
		p.line("FAIL %s: … and %d more findings", caseID, more)
	}
}

// count counts a finding, if it is the first of its cause.
func (p *progress) count(f *oracle.Finding) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if first = !p.reported[f.Cause()]; first {
		p.reported[f.Cause()] = true
		p.findings++
	}
	return first
}

// draw rewrites the line, unless it was rewritten just now; with always, even then.
func (p *progress) draw(always bool, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if !p.live() || !always && now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn = now
	fmt.Fprint(p.w, clearLine+wording.Clip(fmt.Sprintf(format, args...), p.columns-edge))
}

// end takes the rewritten line away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func perSecond(requests int, in time.Duration) float64 {
	return float64(requests) / max(in, time.Millisecond).Seconds()
}

// exchange gets every exchange, with --verbose.
func (p *progress) exchange(ex *wire.Exchange) { p.line("%s", wording.Printable(ex.String())) }
