package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// loadProgress tells how a load goes: on a terminal by one line that is
// rewritten, else by a line now and then and one for each new finding.
type loadProgress struct {
	w       io.Writer
	columns int
	load    suites.Load
	mu      sync.Mutex
}

// How often progress is told on a terminal, and elsewhere.
const (
	loadRedraw = 500 * time.Millisecond
	loadLine   = 10 * time.Second
)

func newLoadProgress(w io.Writer, columns int, l suites.Load) *loadProgress {
	return &loadProgress{w: w, columns: columns, load: l}
}

func (p *loadProgress) live() bool { return p.columns > 0 }

func (p *loadProgress) tick() time.Duration {
	if p.live() {
		return loadRedraw
	}
	return loadLine
}

func (p *loadProgress) begin(target string) {
	if p.live() {
		fmt.Fprint(p.w, "a quiet round first")
		return
	}
	fmt.Fprintf(p.w, "adconform: loading %s, after a quiet round\n", wording.Printable(target))
}

// found tells the first finding of each cause.
func (p *loadProgress) found(f load.Finding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live() || f.Severity == oracle.Notice {
		return
	}
	fmt.Fprintf(p.w, "FAIL %s %s (%s): %s\n", f.Case, f.Clause, f.Basis, report.Sentence(&f.Finding))
}

func (p *loadProgress) snapshot(s load.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%s: %s, %.0f/s, p99 %s, %s, %s", p.far(s), wording.Count(s.Requests, "request"),
		float64(s.Requests)/max(s.Elapsed, time.Millisecond).Seconds(), s.P99.Round(10*time.Microsecond), wording.Count(s.Errors, "error"), wording.Count(s.Findings, "finding"))
	if !p.live() {
		fmt.Fprintln(p.w, "adconform: "+text)
		return
	}
	if len(text) > p.columns-shownWords {
		text = text[:max(0, p.columns-shownWords)] + "…"
	}
	fmt.Fprint(p.w, clearLine+text)
}

// far is how far the load is: "12s of 30s", "4200 of 10000".
func (p *loadProgress) far(s load.Snapshot) string {
	if p.load.Duration == 0 {
		return fmt.Sprintf("%d of %d", s.Requests, p.load.Requests)
	}
	return fmt.Sprintf("%s of %s", s.Elapsed.Round(time.Second), p.load.Duration)
}

func (p *loadProgress) end() {
	if p.live() {
		fmt.Fprint(p.w, clearLine)
	}
}
