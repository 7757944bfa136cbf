package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Watch records which requests a target answers and which it does not. Workers use it
// concurrently; only the last loss and the usual time depend on the order in which they do.
type Watch struct {
	guard
	operations map[string]*service
	target     service // all operations

	lastAnswer *Exchange     // to the request that was sent last; nil if none came
	usual      time.Duration // how long an answer below 500 took
	lost       []*Exchange
	over       string // why stopped calling the target
	isSpent    bool   // over as failures took too long

	// How long the run waits for failures in all: of one operation, which is then no longer called, and
	// of the target, to which then only requests that put objects back are sent.
	perOperation, perTarget time.Duration
}

// A service records how a target serves one operation, or all of them.
type service struct {
	lost []*Exchange // answers lost since the last one that came
	Span             // spent waiting for failures
}

// A Span adds up times. Time in which several requests wait counts once.
type Span struct {
	Spent time.Duration
	until time.Time // the end of the last one
}

// Add adds the time from one moment to another.
func (s *Span) Add(from, to time.Time) {
	if from.Before(s.until) {
		from = s.until
	}
	if from.Before(to) {
		s.Spent += to.Sub(from)
		s.until = to
	}
}

// NewLiveness returns an empty Watch. With the usual time-out a target that hangs costs less than a
// minute, including the putting back of objects. The run waits for a target that is only slow.
func NewLiveness(timeout time.Duration) *Watch {
	w := &Watch{operations: map[string]*service{}}
	w.perOperation = 3 * timeout / 2
	w.perTarget = 5 * timeout / 2
	return w
}

func (w *Watch) serviceOf(operation string) *service {
	if w.operations[operation] == nil {
		w.operations[operation] = new(service)
	}
	return w.operations[operation]
}

// Note records an answer that arrived whole, or one that did not.
func (w *Watch) Note(ex *Exchange, operation string) {
	defer w.lock()()
	isFailure := !isRateLimited(ex) // then the client waited as the target asked
	from := ex.Start
	switch {
	case ex.Err != nil:
		w.lost = append(w.lost, ex)
	case ex.Response.Status >= 500: // only the time beyond a usual answer's was spent waiting for the failure
		from = from.Add(w.usual)
	default:
		isFailure = false
		w.usual = ex.Duration
	}
	isLatest := w.lastAnswer == nil || w.lastAnswer.Start.Before(ex.Start)
	if ex.Err == nil && isLatest {
		w.lastAnswer = ex
	}
	for _, s := range []*service{&w.target, w.serviceOf(operation)} {
		if s.lost = append(s.lost, ex); ex.Err == nil {
			s.lost = nil
		}
		if isFailure {
			s.Add(from, ex.End())
		}
	}
}

// arrival returns when the target can have got the request.
func (ex *Exchange) arrival() time.Time {
	if ex.Written.IsZero() {
		return ex.End()
	}
	return ex.Written
}

// End returns when the answer was complete, or given up.
func (ex *Exchange) End() time.Time {
	return ex.Start.Add(ex.Duration)
}

// noLonger returns why the run no longer waits for an operation or the target.
func (s *service) noLonger(what string) string {
	return fmt.Sprintf("stopped calling the %s: %s were lost waiting for missing or failing answers",
		what, s.Spent.Round(100*time.Millisecond))
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

// Gone returns why no more requests are sent: the target cannot be reached, does not answer any more,
// or takes too long to fail. It returns "" if none of these is so.
func (w *Watch) Gone() string {
	defer w.lock()()
	switch {
	case w.over != "":
	case w.target.Spent >= w.perTarget:
		w.over = w.target.noLonger("target")
		w.isSpent = true
	case w.gone(), w.neverAnswered():
		w.over = "the target does not answer: " + w.lost[len(w.lost)-1].Err.Error()
	}
	return w.over
}

// neverAnswered reports whether the target answered nothing, and no operation is to blame.
func (w *Watch) neverAnswered() bool {
	n := len(w.lost)
	if n == 0 || w.lastAnswer != nil {
		return false
	}
	return len(w.operations) > 1 || w.lost[n-1].Failed(ofTheTarget...)
}

func isRateLimited(ex *Exchange) bool { return ex.Failed(RateLimited) }

func (w *Watch) gone() bool { return len(w.target.lost) >= goneAfter }

// Silent returns why an operation is no longer called, or "" if it still is.
func (w *Watch) Silent(operation string) string {
	defer w.lock()()
	switch s := w.serviceOf(operation); {
	case slices.ContainsFunc(s.lost, isRateLimited):
		return "stopped calling the operation: " + s.lost[len(s.lost)-1].Err.Error()
	case len(s.lost) >= silentAfter:
		return "the operation no longer answers"
	case s.Spent >= w.perOperation:
		return s.noLonger("operation")
	}
	return ""
}

// Answered reports whether an answer arrived.
func (w *Watch) Answered() bool {
	defer w.lock()()
	return w.lastAnswer != nil
}

// Unanswered returns why the target gave no answer at all, or nil if it gave one.
func (w *Watch) Unanswered() error {
	defer w.lock()()
	switch n := len(w.lost); {
	case w.lastAnswer != nil:
		return nil
	case n > 0:
		return w.lost[n-1].Err
	}
	return &TransportError{Unsent, "no case has everything it needs"}
}

// atTheEnd returns the requests that were lost after the target had stopped answering, in the order in
// which they were sent: once the first of an operation was lost, no request sent later was answered. An
// answer to a request that was under way at that time does not show that the target went on.
func (w *Watch) atTheEnd() (all []*Exchange) {
	for _, s := range w.operations {
		i := slices.IndexFunc(s.lost, func(ex *Exchange) bool {
			return w.lastAnswer == nil || !w.lastAnswer.Start.After(ex.End())
		})
		if i >= 0 { // what was lost before blocked one worker of several
			all = append(all, s.lost[i:]...)
		}
	}
	// The target got them in the order in which they were written, which is not the order in which they were begun:
	// some waited for a connection.
	slices.SortFunc(all, func(a, b *Exchange) int {
		return cmp.Or(a.arrival().Compare(b.arrival()), a.Seq-b.Seq)
	})
	return all
}

// Silence returns the requests that were lost after the target had stopped answering, in order, or none
// if it never answered, or if one of them got no connection or did not end by its time-out.
func (w *Watch) Silence() []*Exchange {
	defer w.lock()()
	end := w.atTheEnd()
	isOtherwiseLost := func(ex *Exchange) bool {
		return ex.Err.Kind != Timeout || strings.Contains(ex.Err.Detail, connecting.String())
	}
	if w.lastAnswer == nil || slices.ContainsFunc(end, isOtherwiseLost) {
		return nil
	}
	return end
}

// Hang records that the target hangs.
func (w *Watch) Hang() {
	defer w.lock()()
	w.over = "the target hangs: it takes connections and answers nothing"
	w.isSpent = false
}

// End records why the run no longer sends requests.
func (w *Watch) End(why string) {
	defer w.lock()()
	w.over = cmp.Or(w.over, why)
}

// Lost returns the requests without a complete response, except for those since the target stopped answering.
func (w *Watch) Lost() []*Exchange {
	defer w.lock()()
	end := w.atTheEnd()
	isOfEnd := func(ex *Exchange) bool { return slices.Contains(end, ex) }
	return slices.DeleteFunc(slices.Clone(w.lost), isOfEnd)
}

// TimedOut returns how many requests got no answer within the time-out if the run spent its time on such; else 0.
func (w *Watch) TimedOut() (n int) {
	defer w.lock()()
	for _, ex := range w.lost {
		if w.isSpent && ex.Failed(Timeout) {
			n++
		}
	}
	return n
}

// Stopped describes how the target stopped answering, or why the run no longer waited for it, or
// returns "" if it did neither.
func (w *Watch) Stopped() string {
	defer w.lock()()
	end := w.atTheEnd()
	switch {
	case w.lastAnswer == nil:
		return ""
	case len(end) > 1:
		return fmt.Sprintf("the target stopped answering: the last request that it answered was %s, "+
			"the first that it did not was %s: %s", describe(w.lastAnswer), describe(end[0]), end[0].Err)
	case w.over != "":
		return w.over
	}
	if i := slices.IndexFunc(w.lost, func(ex *Exchange) bool { return ex.Away }); i >= 0 {
		return fmt.Sprintf("the target was not available from %s on: %s", describe(w.lost[i]), w.lost[i].Err)
	}
	return ""
}

func describe(ex *Exchange) string {
	start := ex.Start.UTC().Format(time.TimeOnly)
	return fmt.Sprintf("%s %s at %s (%s)", ex.Request.Method, ex.URL, start, ex.Case)
}

// Restoring is called before objects are put back at the end of a run: it counts the time spent in vain
// from zero, with lower bounds, and the lowest if the target did not answer in the end.
func (w *Watch) Restoring() {
	defer w.lock()()
	gone := w.gone() || w.target.Spent >= w.perTarget
	w.perOperation /= 3
	w.perTarget /= 2
	if gone {
		w.perTarget = w.perOperation
	}
	w.target.Spent = 0
	for _, s := range w.operations {
		s.Spent = 0
	}
}

// Spared reports whether no more objects of an operation are put back, because that keeps failing.
func (w *Watch) Spared(operation string) bool {
	defer w.lock()()
	return w.serviceOf(operation).Spent >= w.perOperation || w.target.Spent >= w.perTarget
}
