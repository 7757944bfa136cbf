package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Watch sees all that a target answers, and does not. Workers use it at the same time; but
// for what was lost last, nothing in it depends on who came first.
type Watch struct {
	mu         sync.Mutex
	workers    int // how many requests may be under way; 0: it is not known
	operations map[string]*service

	answered   int
	lastAnswer *Exchange // by when it was asked for
	right      int       // answers that are no failures
	took       time.Duration
	lost       []*Exchange
	inARow     int    // requests lost one after another
	over       string // why the target is not waited for any more
	away       string // that it was for longer than is waited for

	timeout time.Duration // of one request; 0: no wait for failures is bounded
	// How long failures are waited for: with an operation, which then is asked no more, and with all;
	// then nothing is sent any more, but to put back.
	operation, target time.Duration
	stall             stall // with all operations
}

// service is how an operation is served.
type service struct {
	lost  []*Exchange // answers since it last gave one
	after int         // answers, of any operation, to requests that were sent after the first of these
	// waited says that the last one was waited for as its target asked, and long enough.
	waited bool
	stall  stall
}

// NewLiveness returns one that has seen nothing yet, on a run with so many workers; 0 where that is
// not known. With what is put back afterwards a target that hangs takes less than a minute where the
// time-out is the usual one. One that is only slow is waited for.
func NewLiveness(timeout time.Duration, workers int) *Watch {
	w := &Watch{operations: map[string]*service{}, workers: workers, timeout: timeout}
	w.bePatient()
	return w
}

func (w *Watch) bePatient() { w.operation, w.target = 3*w.timeout/2, 5*w.timeout/2 }

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

// Answer notes that an answer arrived whole.
func (w *Watch) Answer(ex *Exchange, operation string) {
	defer w.lock()()
	w.answered++
	w.inARow = 0
	s := w.of(operation)
	s.lost, s.after, s.waited = nil, 0, false
	for _, s := range w.operations {
		switch {
		case len(s.lost) == 0:
		case ex.Start.After(s.lost[0].end()): // it was sent when the loss was known
			s.after = max(s.after, w.workers)
		case ex.Start.After(s.lost[0].Start):
			s.after++
		}
	}
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

// Lose notes an answer that did not; waited, that this one was waited for as its
// target asked, and long enough.
func (w *Watch) Lose(ex *Exchange, operation string, waited bool) {
	defer w.lock()()
	w.lost = append(w.lost, ex)
	w.inARow++
	if ex.Away && w.away == "" {
		w.away = fmt.Sprintf("the target was not available from %s on: %s", named(ex), InWords(ex.Err))
	}
	s := w.of(operation)
	s.lost = append(s.lost, ex)
	if s.waited = s.waited || waited; !waited {
		w.fail(ex, s)
	}
}

// fail counts the wait for a failure.
func (w *Watch) fail(ex *Exchange, s *service) {
	from := ex.Start
	if ex.Err == nil && w.right > 0 {
		from = from.Add(w.took / time.Duration(w.right))
	}
	s.stall.add(from, ex.end())
	w.stall.add(from, ex.end())
}

func (ex *Exchange) end() time.Time { return ex.Start.Add(ex.Duration) }

// Answered returns the number of complete responses.
func (w *Watch) Answered() int {
	defer w.lock()()
	return w.answered
}

// How many requests may get lost one after another before an operation, and
// before the whole target, is taken not to answer any more. On a target that
// never answered fewer do, of two operations: one alone may be to blame.
const (
	hangingAfter, hangingAtFirst = 3, 2
	goneAfter                    = 10
)

// nobodyThere are failures that are the same for every request to the target: one operation
// cannot be to blame.
var nobodyThere = []Kind{DNS, Refused, Unreachable, Proxy, TLS}

// Gone reports that the target cannot be reached, or no longer, or fails and takes too
// long for it, and why.
func (w *Watch) Gone() (string, bool) {
	defer w.lock()()
	hanging := 0
	for _, s := range w.operations {
		hanging += min(1, len(s.lost))
	}
	switch n := len(w.lost); {
	case w.over != "":
	case w.stall.over(w.target):
		w.over = "the target is not waited for any longer: " + w.stall.inVain()
	case n > 0 && (w.inARow >= goneAfter || w.answered == 0 && (hanging > 1 || slices.Contains(nobodyThere, w.lost[n-1].Err.Kind))):
		w.over = "the target does not answer: " + InWords(w.lost[n-1].Err)
	}
	return w.over, w.over != ""
}

// Silent returns why an operation is asked no more, "" when it is.
func (w *Watch) Silent(operation string) string {
	defer w.lock()()
	switch s := w.of(operation); {
	case s.waited:
		return "the operation is asked no more: " + InWords(s.lost[len(s.lost)-1].Err)
	case len(s.lost) >= hangingAfter, w.answered == 0 && (len(s.lost) >= hangingAtFirst || s.stall.over(w.operation/2)):
		return "the operation gives no answers any more"
	case s.stall.over(w.operation):
		return "the operation is not waited for any longer: " + s.stall.inVain()
	}
	return ""
}

// LastLost returns why the last answer that was lost was lost, "" when none was.
func (w *Watch) LastLost() string {
	defer w.lock()()
	if n := len(w.lost); n > 0 {
		return w.lost[n-1].Err.Error()
	}
	return ""
}

// InWords returns an error's text without which part of Go's library noticed.
func InWords(err error) string {
	return strings.NewReplacer("net/http: HTTP/1.x transport connection broken: ", "", "net/http: ", "", "http: ", "").Replace(err.Error())
}

// atTheEnd returns the answers that were lost and of which nothing shows that the target
// still answered others: as many requests as there are workers may have been under way
// when it stopped.
func (w *Watch) atTheEnd() (all []*Exchange) {
	for _, op := range slices.Sorted(maps.Keys(w.operations)) {
		if s := w.operations[op]; s.after < w.workers {
			all = append(all, s.lost...)
		}
	}
	return all
}

// Silence returns the requests since which nothing that was sent was answered, the first first; none
// where one of them was not taken, or ended otherwise than by its time-out.
func (w *Watch) Silence() (lost []*Exchange) {
	defer w.lock()()
	for _, ex := range w.lost {
		if w.lastAnswer == nil || !w.lastAnswer.Start.Before(ex.end()) {
			continue
		}
		if ex.Err.Kind != Timeout || strings.Contains(ex.Err.Detail, connecting.String()) {
			return nil
		}
		lost = append(lost, ex)
	}
	slices.SortStableFunc(lost, func(a, b *Exchange) int { return a.Start.Compare(b.Start) })
	return lost
}

// Hang notes that the target hangs.
func (w *Watch) Hang() {
	defer w.lock()()
	w.over = "the target hangs: it takes connections and answers nothing"
}

// Ended reports whether the answer to a request was lost when the target stopped answering, or was away.
func (w *Watch) Ended(seq int) bool {
	defer w.lock()()
	return slices.ContainsFunc(w.atTheEnd(), func(ex *Exchange) bool { return ex.Seq == seq })
}

// Lost returns the number of requests without a complete response, on a target that
// otherwise answers: those since it stopped answering are not counted.
func (w *Watch) Lost() int {
	defer w.lock()()
	return len(w.lost) - len(w.atTheEnd())
}

// Stopped returns the sentence that the target gave no answers any more, or that it was not waited
// for any longer, "" when neither is so.
func (w *Watch) Stopped() string {
	defer w.lock()()
	end := w.atTheEnd()
	switch {
	case w.answered == 0:
		return ""
	case len(end) > 1:
		first := slices.MinFunc(end, func(a, b *Exchange) int { return a.Start.Compare(b.Start) })
		return fmt.Sprintf("the target stopped answering: the last request that it answered was %s, the first that it did not was %s: %s",
			named(w.lastAnswer), named(first), InWords(first.Err))
	case w.over != "":
		return w.over
	}
	return w.away
}

func named(ex *Exchange) string {
	return fmt.Sprintf("%s %s at %s (%s)", ex.Request.Method, ex.URL, ex.Start.UTC().Format(time.TimeOnly), ex.Case)
}

// stall is the time that was waited for failures: for answers that were lost, and for 5xx as far as
// they took longer than right answers. What was waited for at once counts
// once, as waits are added when they end.
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

// inVain returns why no more is waited for.
func (s *stall) inVain() string {
	return fmt.Sprintf("%s went by in waiting for answers that did not come or were 5xx", s.total.Round(100*time.Millisecond))
}

// Restoring counts anew while objects are put back: less is left for that, and
// least where nothing came in the end. What it returns says that they are: patience is as before
// with what is sent then.
func (w *Watch) Restoring() (restored func()) {
	defer w.lock()()
	gone := w.inARow >= goneAfter || w.stall.over(w.target)
	w.operation, w.target = w.timeout/2, 5*w.timeout/4
	if gone {
		w.target = w.operation
	}
	w.stall = stall{}
	for _, s := range w.operations {
		s.stall = stall{}
	}
	return func() {
		defer w.lock()()
		w.bePatient()
	}
}

// Spared reports that an object of an operation is not put back any more, as none was.
func (w *Watch) Spared(operation string) bool {
	defer w.lock()()
	return w.of(operation).stall.over(w.operation) || w.stall.over(w.target)
}
