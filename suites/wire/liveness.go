package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Watch records which requests a target answers and which it does not. Workers use it
// concurrently; only the last loss depends on the order in which they do.
type Watch struct {
	mu         sync.Mutex
	operations map[string]*service

	answered   int
	lastAnswer *Exchange // to the request that was sent last
	right      int       // answers below 500
	took       time.Duration
	lost       []*Exchange
	inARow     int    // requests lost one after another
	over       string // why the run no longer waits for the target

	// How long the run waits for failures in all: of one operation, which is then no longer called, and
	// of the target, to which then only requests that put objects back are sent. 0 means no bound.
	operation, target time.Duration
	stall             stall // of all operations
}

// A service records how a target serves one operation.
type service struct {
	lost  []*Exchange // answers lost since the last one that came
	stall stall
}

// NewLiveness returns an empty Watch. With the usual time-out a target that hangs costs less than a
// minute, including the putting back of objects. The run waits for a target that is only slow.
func NewLiveness(timeout time.Duration) *Watch {
	return &Watch{operations: map[string]*service{}, operation: 3 * timeout / 2, target: 5 * timeout / 2}
}

func (w *Watch) lock() (unlock func()) {
	w.mu.Lock()
	return w.mu.Unlock
}

func (w *Watch) of(operation string) *service {
	if w.operations[operation] == nil {
		w.operations[operation] = new(service)
	}
	return w.operations[operation]
}

// Answer records an answer that arrived whole.
func (w *Watch) Answer(ex *Exchange, operation string) {
	defer w.lock()()
	w.answered++
	w.inARow = 0
	s := w.of(operation)
	s.lost = nil
	if w.lastAnswer == nil || w.lastAnswer.Start.Before(ex.Start) {
		w.lastAnswer = ex
	}
	if ex.Response.Status >= 500 {
		w.fail(ex, s)
		return
	}
	w.right++
	w.took += ex.Duration
}

// Lose records an answer that did not arrive whole.
func (w *Watch) Lose(ex *Exchange, operation string) {
	defer w.lock()()
	w.lost = append(w.lost, ex)
	w.inARow++
	s := w.of(operation)
	s.lost = append(s.lost, ex)
	if !rateLimited(ex) { // the client waited for that as the target asked
		w.fail(ex, s)
	}
}

// fail adds the time spent waiting for a failure: for a 5xx, the time beyond that of right answers.
func (w *Watch) fail(ex *Exchange, s *service) {
	from := ex.Start
	if ex.Err == nil && w.right > 0 {
		from = from.Add(w.took / time.Duration(w.right))
	}
	s.stall.add(from, ex.end())
	w.stall.add(from, ex.end())
}

func rateLimited(ex *Exchange) bool { return ex.Err.Kind == RateLimited }

func (ex *Exchange) end() time.Time { return ex.Start.Add(ex.Duration) }

// Answered returns the number of complete responses.
func (w *Watch) Answered() int {
	defer w.lock()()
	return w.answered
}

// How many requests have to be lost one after another before an operation, or the whole target,
// counts as not answering. On a target that never answered, two operations are enough: one alone
// may be to blame.
const (
	silentAfter = 3
	goneAfter   = 10
)

// ofTheTarget lists the failures that every request to the target meets: no single operation can
// be to blame.
var ofTheTarget = []Kind{DNS, Refused, Unreachable, Proxy, TLS}

// Gone reports whether the target cannot be reached, does not answer any more, or takes too long
// to fail, and why.
func (w *Watch) Gone() (string, bool) {
	defer w.lock()()
	switch n := len(w.lost); {
	case w.over != "":
	case w.stall.over(w.target):
		w.over = "the target is not waited for any longer: " + w.stall.inVain()
	case n > 0 && (w.inARow >= goneAfter || w.answered == 0 && (len(w.operations) > 1 || slices.Contains(ofTheTarget, w.lost[n-1].Err.Kind))):
		w.over = "the target does not answer: " + InWords(w.lost[n-1].Err)
	}
	return w.over, w.over != ""
}

// Silent returns why an operation is no longer called, or "" if it still is.
func (w *Watch) Silent(operation string) string {
	defer w.lock()()
	switch s := w.of(operation); {
	case slices.ContainsFunc(s.lost, rateLimited):
		return "the operation is asked no more: " + InWords(s.lost[len(s.lost)-1].Err)
	case len(s.lost) >= silentAfter:
		return "the operation gives no answers any more"
	case s.stall.over(w.operation):
		return "the operation is not waited for any longer: " + s.stall.inVain()
	}
	return ""
}

// LastLost returns why the last lost answer was lost, or "" if none was.
func (w *Watch) LastLost() string {
	defer w.lock()()
	if n := len(w.lost); n > 0 {
		return w.lost[n-1].Err.Error()
	}
	return ""
}

// InWords returns an error's text without the name of the part of Go's library that found it.
func InWords(err error) string {
	return strings.NewReplacer("net/http: HTTP/1.x transport connection broken: ", "", "net/http: ", "", "http: ", "").Replace(err.Error())
}

// atTheEnd returns the requests that were lost after the target had stopped answering, in the order in
// which they were sent: once the first of an operation was lost, no request sent later was answered. An
// answer to a request that was under way at that time does not show that the target went on.
func (w *Watch) atTheEnd() (all []*Exchange) {
	for _, s := range w.operations {
		if len(s.lost) > 0 && (w.lastAnswer == nil || !w.lastAnswer.Start.After(s.lost[0].end())) {
			all = append(all, s.lost...)
		}
	}
	slices.SortFunc(all, func(a, b *Exchange) int { return cmp.Or(a.Start.Compare(b.Start), a.Seq-b.Seq) })
	return all
}

// Silence returns the requests that were lost after the target had stopped answering, in order, or none
// if it never answered, or if one of them got no connection or did not end by its time-out.
func (w *Watch) Silence() []*Exchange {
	defer w.lock()()
	end := w.atTheEnd()
	if w.answered == 0 || slices.ContainsFunc(end, func(ex *Exchange) bool {
		return ex.Err.Kind != Timeout || strings.Contains(ex.Err.Detail, connecting.String())
	}) {
		return nil
	}
	return end
}

// Hang records that the target hangs.
func (w *Watch) Hang() {
	defer w.lock()()
	w.over = "the target hangs: it takes connections and answers nothing"
}

// Ended reports whether the answer to a request was lost after the target had stopped answering.
func (w *Watch) Ended(seq int) bool {
	defer w.lock()()
	return slices.ContainsFunc(w.atTheEnd(), func(ex *Exchange) bool { return ex.Seq == seq })
}

// Lost returns the number of requests without a complete response, not counting those
// since the target stopped answering.
func (w *Watch) Lost() int {
	defer w.lock()()
	return len(w.lost) - len(w.atTheEnd())
}

// Stopped describes how the target stopped answering, or why the run no longer waited for it, or
// returns "" if it did neither.
func (w *Watch) Stopped() string {
	defer w.lock()()
	end := w.atTheEnd()
	switch {
	case w.answered == 0:
		return ""
	case len(end) > 1:
		return fmt.Sprintf("the target stopped answering: the last request that it answered was %s, the first that it did not was %s: %s",
			named(w.lastAnswer), named(end[0]), InWords(end[0].Err))
	case w.over != "":
		return w.over
	}
	if i := slices.IndexFunc(w.lost, func(ex *Exchange) bool { return ex.Away }); i >= 0 {
		return fmt.Sprintf("the target was not available from %s on: %s", named(w.lost[i]), InWords(w.lost[i].Err))
	}
	return ""
}

func named(ex *Exchange) string {
	return fmt.Sprintf("%s %s at %s (%s)", ex.Request.Method, ex.URL, ex.Start.UTC().Format(time.TimeOnly), ex.Case)
}

// A stall is the time spent waiting for failures. Time in which several requests waited counts once.
type stall struct {
	until time.Time
	total time.Duration
}

func (s *stall) add(from, to time.Time) {
	if from.Before(s.until) {
		from = s.until
	}
	if from.Before(to) {
		s.until = to
		s.total += to.Sub(from)
	}
}

func (s *stall) over(bound time.Duration) bool { return bound > 0 && s.total >= bound }

// inVain describes the time that was spent in vain.
func (s *stall) inVain() string {
	return fmt.Sprintf("%s went by in waiting for answers that did not come or were 5xx", s.total.Round(100*time.Millisecond))
}

// Restoring is called before objects are put back at the end of a run: it counts the time spent in vain
// from zero, with lower bounds, and the lowest if the target did not answer in the end.
func (w *Watch) Restoring() {
	defer w.lock()()
	gone := w.inARow >= goneAfter || w.stall.over(w.target)
	w.operation, w.target = w.operation/3, w.target/2
	if gone {
		w.target = w.operation
	}
	w.stall = stall{}
	for _, s := range w.operations {
		s.stall = stall{}
	}
}

// Spared reports whether no more objects of an operation are put back, because that keeps failing.
func (w *Watch) Spared(operation string) bool {
	defer w.lock()()
	return w.of(operation).stall.over(w.operation) || w.stall.over(w.target)
}
