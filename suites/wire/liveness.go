package wire

import (
	"strings"
	"sync"
)

// Watch sees all that a target answers, and does not. Workers use it at the same time; but
// for what was lost last, nothing in it depends on who came first.
type Watch struct {
	mu sync.Mutex

	answered   int
	lost       []*Exchange
	inARow     int                // requests lost one after another
	hanging    map[string]*losses // by operation
	silenced   map[string]bool    // operations that are not asked any more
	lastAnswer *Exchange          // by when it was asked for
	stalls     stalls
	over       string   // why the target is not waited for any more
	workers    int      // how many requests may be under way; 0: it is not known
	patience   Patience // but for putting back, which has less
}

// New returns one that has seen nothing yet, on a run with so many workers; 0 where that is
// not known.
func NewLiveness(p Patience, workers int) *Watch {
	return &Watch{
		hanging: map[string]*losses{}, silenced: map[string]bool{}, workers: workers, patience: p,
		stalls: stalls{patience: p, of: map[string]*stall{}},
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
	case w.stalls.targetOver():
		w.over = "the target is not waited for any longer: " + w.stalls.target.inVain()
	case len(w.lost) > 0 && (w.inARow >= goneAfter || w.answered == 0 && (nobodyThere(w.lastLost().Err.Kind) || len(w.hanging) > 1)):
		w.over = "the target does not answer: " + InWords(w.lastLost().Err)
	}
	return w.over, w.over != ""
}

// nobodyThere says whether a failure is the same for every request to the
// target: one operation cannot be to blame.
func nobodyThere(k Kind) bool {
	switch k {
	case DNS, Refused, Unreachable, Proxy, TLS:
		return true
	}
	return false
}

// Silent says why an operation is asked no more, "" when it is.
func (w *Watch) Silent(op string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lost := 0
	if l := w.hanging[op]; l != nil {
		lost = len(l.lost)
	}
	switch {
	case w.silenced[op]:
		return "the operation is asked no more: " + InWords(w.hanging[op].lost[lost-1].Err)
	case lost >= hangingAfter, w.answered == 0 && (lost >= hangingAtFirst || w.stalls.halfOver(op)):
		return "the operation gives no answers any more"
	case w.stalls.operationOver(op):
		return "the operation is not waited for any longer: " + w.stalls.of[op].inVain()
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
