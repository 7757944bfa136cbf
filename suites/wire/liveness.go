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
	mu sync.Mutex

	workers    int // how many requests may be under way; 0: it is not known
	answered   int
	lastAnswer *Exchange // by when it was asked for
	right      int       // answers that are no failures
	took       time.Duration
	lost       []*Exchange
	inARow     int                // requests lost one after another
	hanging    map[string]*losses // by operation
	silenced   map[string]bool    // operations that are not asked any more
	over       string             // why the target is not waited for any more
	away       string             // that it was for longer than is waited for

	full, patience Patience // the whole, and as it holds now
	stalled        stall
	stalls         map[string]*stall // by operation
}

// NewLiveness returns one that has seen nothing yet, on a run with so many workers; 0 where that is
// not known.
func NewLiveness(p Patience, workers int) *Watch {
	return &Watch{
		hanging: map[string]*losses{}, silenced: map[string]bool{}, stalls: map[string]*stall{},
		workers: workers, full: p, patience: p,
	}
}

// Answered is the number of complete responses.
func (w *Watch) Answered() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answered
}

// How many requests may get lost one after another before an operation, and
// before the whole target, is taken not to answer any more. On a target that
// never answered fewer do, of two operations: one alone may be to blame.
const (
	hangingAfter, hangingAtFirst = 3, 2
	goneAfter                    = 10
)

// Gone says that the target cannot be reached, or no longer, or fails and takes too
// long for it, and why.
func (w *Watch) Gone() (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over != "":
	case w.stalled.over(w.patience.Target):
		w.over = "the target is not waited for any longer: " + w.stalled.inVain()
	case w.inARow >= goneAfter,
		w.answered == 0 && len(w.lost) > 0 && (slices.Contains(nobodyThere, w.lastLost().Err.Kind) || len(w.hanging) > 1):
		w.over = "the target does not answer: " + InWords(w.lastLost().Err)
	}
	return w.over, w.over != ""
}

// nobodyThere are failures that are the same for every request to the target: one operation
// cannot be to blame.
var nobodyThere = []Kind{DNS, Refused, Unreachable, Proxy, TLS}

// Silent says why an operation is asked no more, "" when it is.
func (w *Watch) Silent(op string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lost []*Exchange
	if l := w.hanging[op]; l != nil {
		lost = l.lost
	}
	switch stall := w.stalls[op]; {
	case w.silenced[op]:
		return "the operation is asked no more: " + InWords(lost[len(lost)-1].Err)
	case len(lost) >= hangingAfter, w.answered == 0 && (len(lost) >= hangingAtFirst || stall.over(w.patience.Operation/2)):
		return "the operation gives no answers any more"
	case stall.over(w.patience.Operation):
		return "the operation is not waited for any longer: " + stall.inVain()
	}
	return ""
}

// LastLost is why the last answer that was lost was lost, "" when none was.
func (w *Watch) LastLost() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ex := w.lastLost(); ex != nil {
		return ex.Err.Error()
	}
	return ""
}

func (w *Watch) lastLost() *Exchange {
	if len(w.lost) == 0 {
		return nil
	}
	return w.lost[len(w.lost)-1]
}

// InWords leaves out which part of Go's library noticed.
func InWords(err error) string {
	return strings.NewReplacer("net/http: HTTP/1.x transport connection broken: ", "", "net/http: ", "", "http: ", "").Replace(err.Error())
}

// losses are the answers that an operation lost since it last gave one.
type losses struct {
	lost  []*Exchange
	after int // answers, of any operation, to requests that were sent after the first of these
}

// sawAnswer notes the answer to another request.
func (l *losses) sawAnswer(ex *Exchange, workers int) {
	first := l.lost[0]
	switch {
	case ex.Start.After(first.Start.Add(first.Duration)):
		l.after = max(l.after, workers) // it was sent when the loss was known
	case ex.Start.After(first.Start):
		l.after++
	}
}

// Answer notes that an answer arrived whole.
func (w *Watch) Answer(ex *Exchange, operation string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered++
	w.inARow = 0
	delete(w.hanging, operation)
	delete(w.silenced, operation)
	for _, l := range w.hanging {
		l.sawAnswer(ex, w.workers)
	}
	if w.lastAnswer == nil || w.lastAnswer.Start.Before(ex.Start) {
		w.lastAnswer = ex
	}
	if ex.Response.Status >= 500 {
		w.fail(ex, operation)
	} else {
		w.right++
		w.took += ex.Duration
	}
}

// Lose notes an answer that did not; waited, that this one was waited for as its
// target asked, and long enough.
func (w *Watch) Lose(ex *Exchange, operation string, waited bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = append(w.lost, ex)
	w.inARow++
	if ex.Away && w.away == "" {
		w.away = fmt.Sprintf("the target was not available from %s on: %s", named(ex), InWords(ex.Err))
	}
	if w.hanging[operation] == nil {
		w.hanging[operation] = new(losses)
	}
	l := w.hanging[operation]
	l.lost = append(l.lost, ex)
	if waited {
		w.silenced[operation] = true
	} else {
		w.fail(ex, operation)
	}
}

// atTheEnd are the answers that were lost and of which nothing shows that the target
// still answered others: as many requests as there are workers may have been under way
// when it stopped.
func (w *Watch) atTheEnd() []*Exchange {
	var all []*Exchange
	for _, op := range slices.Sorted(maps.Keys(w.hanging)) {
		if l := w.hanging[op]; w.workers > 0 && l.after < w.workers {
			all = append(all, l.lost...)
		}
	}
	return all
}

// Silence are the requests since which nothing that was sent was answered, the first first; none
// where one of them was not taken, or ended otherwise than by its time-out.
func (w *Watch) Silence() (lost []*Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, ex := range w.lost {
		if w.lastAnswer == nil || !w.lastAnswer.Start.Before(ex.Start.Add(ex.Duration)) {
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
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = "the target hangs: it takes connections and answers nothing"
}

// Ended says whether the answer to a request was lost when the target stopped answering, or was away.
func (w *Watch) Ended(seq int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.atTheEnd(), func(ex *Exchange) bool { return ex.Seq == seq })
}

// Lost is the number of requests without a complete response, on a target that
// otherwise answers: those since it stopped answering are not counted.
func (w *Watch) Lost() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lost) - len(w.atTheEnd())
}

// Stopped says that the target gave no answers any more, or that it was not waited
// for any longer, "" when neither is so.
func (w *Watch) Stopped() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := w.atTheEnd()
	switch {
	case w.answered == 0:
		return ""
	case len(end) > 1:
		first := end[0]
		for _, ex := range end {
			if ex.Start.Before(first.Start) {
				first = ex
			}
		}
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

// Patience bounds how long a run waits for failures: for answers that are lost, and
// for 5xx as far as they take longer than right answers do. A target that is only
// slow is waited for. Zero values do not bound.
type Patience struct {
	Operation time.Duration // with one operation; then it is asked no more
	Target    time.Duration // with all; then nothing is sent any more, but to put back
}

// stall is the time that was waited for failures. What was waited for at once counts
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

func (s *stall) over(bound time.Duration) bool { return s != nil && bound > 0 && s.total >= bound }

// inVain says why no more is waited for.
func (s *stall) inVain() string {
	return fmt.Sprintf("%s went by in waiting for answers that did not come or were 5xx", s.total.Round(100*time.Millisecond))
}

// fail counts the wait for a failure.
func (w *Watch) fail(ex *Exchange, operation string) {
	from := ex.Start
	if ex.Err == nil && w.right > 0 {
		from = from.Add(w.took / time.Duration(w.right))
	}
	if w.stalls[operation] == nil {
		w.stalls[operation] = new(stall)
	}
	w.stalls[operation].add(from, ex.Start.Add(ex.Duration))
	w.stalled.add(from, ex.Start.Add(ex.Duration))
}

// Restoring begins to count anew while objects are put back: less is left for that, and
// least where nothing came in the end. What it returns says that they are: patience is as before
// with what is sent then.
func (w *Watch) Restoring() (restored func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := w.full
	w.patience = Patience{Operation: whole.Operation / 3, Target: whole.Target / 2}
	if w.inARow >= goneAfter || w.stalled.over(whole.Target) {
		w.patience.Target = w.patience.Operation
	}
	w.stalled, w.stalls = stall{}, map[string]*stall{}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.patience = whole
	}
}

// Spared says that an object of an operation is not put back any more, as none was.
func (w *Watch) Spared(operation string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stalls[operation].over(w.patience.Operation) || w.stalled.over(w.patience.Target)
}
