package wire

import (
	"fmt"
	"time"
)

// Patience bounds how long a run waits for failures: for answers that are lost, and
// for 5xx as far as they take longer than right answers do. A target that is only
// slow is waited for. Zero values do not bound.
type Patience struct {
	Operation time.Duration // with one operation; then it is asked no more
	Target    time.Duration // with all; then nothing is sent any more, but to put back
}

// stall is the time that was waited for failures. What was waited for at once counts
// once.
type stall struct {
	spans []span // disjoint, in order
	total time.Duration
}

type span struct{ from, to time.Time }

// add counts a wait. Waits are added as they end.
func (s *stall) add(w span) {
	for n := len(s.spans); n > 0 && !s.spans[n-1].to.Before(w.from); n = len(s.spans) {
		last := s.spans[n-1]
		if last.from.Before(w.from) {
			w.from = last.from
		}
		if last.to.After(w.to) {
			w.to = last.to
		}
		s.total -= last.to.Sub(last.from)
		s.spans = s.spans[:n-1]
	}
	s.spans = append(s.spans, w)
	s.total += w.to.Sub(w.from)
}

// stalls are those of a run.
type stalls struct {
	patience Patience
	target   stall
	of       map[string]*stall // by operation
	right    int               // answers that are no failures
	took     time.Duration     // by all of those
}

// failed counts the wait for a failure.
func (s *stalls) failed(ex *Exchange, operation string) {
	w := span{ex.Start, ex.Start.Add(ex.Duration)}
	if ex.Err == nil && s.right > 0 {
		w.from = w.from.Add(s.took / time.Duration(s.right))
	}
	if !w.from.Before(w.to) {
		return
	}
	if s.of[operation] == nil {
		s.of[operation] = new(stall)
	}
	s.of[operation].add(w)
	s.target.add(w)
}

func (s *stalls) answered(ex *Exchange) {
	s.right++
	s.took += ex.Duration
}

func (s *stalls) operationOver(operation string) bool {
	return s.of[operation].over(s.patience.Operation)
}

// halfOver is operationOver for a target that never answered.
func (s *stalls) halfOver(operation string) bool {
	return s.of[operation].over(s.patience.Operation / 2)
}

func (s *stalls) targetOver() bool { return s.target.over(s.patience.Target) }

func (s *stall) over(bound time.Duration) bool { return s != nil && bound > 0 && s.total >= bound }

// inVain says why no more is waited for.
func (s *stall) inVain() string {
	return fmt.Sprintf("%s went by in waiting for answers that did not come or were 5xx", s.total.Round(100*time.Millisecond))
}

// Restoring begins to count anew while objects are put back: less is left for that, and
// least where nothing came in the end. What it returns says that they are: patience is as before
// with what is sent then.
func (w *Watch) Restoring() (restored func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := Patience{Operation: w.patience.Operation / 3, Target: w.patience.Target / 2}
	if w.inARow >= goneAfter || w.stalls.targetOver() {
		p.Target = p.Operation
	}
	w.stalls.patience, w.stalls.target, w.stalls.of = p, stall{}, map[string]*stall{}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stalls.patience = w.patience
	}
}

// Spared says that an object of an operation is not put back any more, as none was.
func (w *Watch) Spared(operation string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stalls.operationOver(operation) || w.stalls.targetOver()
}
