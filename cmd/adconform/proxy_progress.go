package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/passive/traffic"
	"github.com/adconform/adconform/suites/report"
)

// proxyProgress tells what passes: a line for each finding of a new cause and,
// on a terminal, one line that is rewritten.
type proxyProgress struct {
	w        io.Writer
	columns  int
	quiet    bool
	mu       sync.Mutex
	drawn    time.Time
	passed   int
	findings int
}

func newProxyProgress(w io.Writer, columns int, quiet bool) *proxyProgress {
	return &proxyProgress{w: w, columns: columns, quiet: quiet}
}

func (p *proxyProgress) begin(base, target string, insecure bool) {
	if insecure {
		p.line(report.Insecure)
	}
	if !p.quiet {
		p.line("adconform: %s passes on to %s; interrupt to end", base, wording.Printable(target))
	}
}

// line prints a line and takes the rewritten one away.
func (p *proxyProgress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *proxyProgress) clear() {
	if p.columns > 0 && !p.quiet {
		fmt.Fprint(p.w, clearLine)
	}
}

func (p *proxyProgress) judged(findings []oracle.Finding) {
	for i, f := range findings {
		switch {
		case f.Severity == oracle.Notice:
			continue
		case p.quiet || i > toldACase:
		case i == toldACase:
			p.line("FAIL %s: … and %d more findings", f.Case, len(findings)-toldACase)
		default:
			p.line("FAIL %s %s (%s): %s", f.Case, f.Clause, f.Basis, report.Sentence(&f))
		}
		p.mu.Lock()
		p.findings++
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed++
	if now := time.Now(); p.columns > 0 && !p.quiet && now.Sub(p.drawn) >= redraw {
		p.drawn = now
		fmt.Fprintf(p.w, "%s%d exchanges judged, %d findings", clearLine, p.passed, p.findings)
	}
}

func (p *proxyProgress) refused(r traffic.Refusal) {
	if !p.quiet {
		p.line("REFUSED %s/%d %s: %s", r.Operation, r.Status, r.Clause, wording.Printable(r.Reason))
	}
}

func (p *proxyProgress) lost(why string) {
	if !p.quiet {
		p.line("LOST the target gave no answer: %s", wording.Printable(why))
	}
}

func (p *proxyProgress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
