package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
)

// fuzzProgress shows how fuzz goes, and how long it still takes.
type fuzzProgress struct {
	*progress
	of suites.Fuzz

	mu   sync.Mutex
	told time.Time // the last line, where none is rewritten
}

// fuzzLine is how often a line is printed where none is rewritten.
const fuzzLine = 10 * time.Second

// show gets how far it is, from several goroutines.
func (p *fuzzProgress) show(s suites.FuzzProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%s, %d of %d classes, %s, %.0f/s, %s left", wording.Count(s.Requests, "request"), s.Classes, s.Of,
		wording.Count(s.Findings, "finding"), float64(s.Requests)/max(s.Elapsed, time.Millisecond).Seconds(), p.left(s).Round(time.Second))
	p.draw(false, "%s", text)
	if now := p.now(); !p.live() && s.Elapsed > fuzzLine && now.Sub(p.told) >= fuzzLine {
		p.told = now
		p.line("adconform: %s", text)
	}
}

// left is about how long it still takes.
func (p *fuzzProgress) left(s suites.FuzzProgress) time.Duration {
	var left time.Duration
	if p.of.Duration > 0 {
		left = max(0, p.of.Duration-s.Elapsed)
	}
	if p.of.Requests > 0 {
		byRequests := time.Duration(float64(s.Elapsed) / float64(max(1, s.Requests)) * float64(p.of.Requests-s.Requests))
		if left == 0 || byRequests < left {
			left = byRequests
		}
	}
	return left
}
