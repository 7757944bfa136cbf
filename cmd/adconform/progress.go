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

// Progress shows how something goes: on a terminal by one line that is rewritten,
// elsewhere by lines that can be searched.
type Progress struct {
	Now      func() time.Time
	Known    func(*oracle.Finding) string // why a baseline accepts a finding, "" where it does not; nil: there is none
	Findings int                          // each of another cause

	w        io.Writer
	columns  int // of the terminal; 0: no line is rewritten
	mu       sync.Mutex
	drawn    time.Time // when the line was; zero: never
	reported map[oracle.Cause]bool
}

const (
	redraw       = 100 * time.Millisecond
	erase        = "\r\x1b[K"
	linesPerCase = 5 // findings of one case that get a line
	edge         = 3 // columns that the line stays away from
)

// Progress shows how something goes on standard error; with plain, by lines only.
func (t *Terminal) Progress(plain bool) *Progress {
	p := newProgress(t.Harmless().Stderr, Columns(t.Stderr))
	if plain {
		p.columns = 0
	}
	return p
}

// newProgress writes to w, on a terminal of so many columns; 0 is none.
func newProgress(w io.Writer, columns int) *Progress {
	return &Progress{w: w, columns: columns, Now: time.Now, reported: map[oracle.Cause]bool{}}
}

func (p *Progress) live() bool { return p.columns > 0 }

// Begin says what is done, where no line is rewritten.
func (p *Progress) Begin(format string, args ...any) {
	if !p.live() {
		p.Line("adconform: "+format, args...)
	}
}

// Line prints a line in the place of the one that is rewritten.
func (p *Progress) Line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *Progress) clear() {
	if !p.drawn.IsZero() {
		fmt.Fprint(p.w, erase)
	}
}

// Found reports the findings of a case whose causes were not reported before. Notices are
// left to the summary.
func (p *Progress) Found(caseID string, findings []*oracle.Finding) {
	lines := 0
	for _, f := range findings {
		if f.Severity == oracle.Notice || !p.count(f) {
			continue
		}
		if lines++; lines <= linesPerCase && !p.live() {
			mark := "FAIL"
			if p.Known != nil && p.Known(f) != "" {
				mark = "known"
			}
			p.Line("%s %s %s (%s): %s", mark, f.Case, f.Clause, f.Basis, report.Headline(f))
		}
	}
	if more := lines - linesPerCase; more > 0 && !p.live() {
		p.Line("FAIL %s: … and %d more findings", caseID, more)
	}
}

// count counts a finding, if it is the first of its cause.
func (p *Progress) count(f *oracle.Finding) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if first = !p.reported[f.Cause()]; first {
		p.reported[f.Cause()] = true
		p.Findings++
	}
	return first
}

// Draw rewrites the line, unless it was rewritten just now; with always, even then.
func (p *Progress) Draw(always bool, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if !p.live() || !always && now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn = now
	fmt.Fprint(p.w, erase+wording.Clip(fmt.Sprintf(format, args...), p.columns-edge))
}

// End takes the rewritten line away.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// PerSecond is a rate, also where hardly any time has passed.
func PerSecond(requests int, in time.Duration) float64 {
	return float64(requests) / max(in, time.Millisecond).Seconds()
}

// Exchange gets every exchange, with --verbose.
func (p *Progress) Exchange(ex *wire.Exchange) { p.Line("%s", wording.Printable(ex.String())) }
