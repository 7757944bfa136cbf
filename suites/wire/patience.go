package wire

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// 429 is the target's rate limit. 502, 503 and 504 usually come from something in between: a
// limiter that is full, or a gateway while the server behind it restarts. The same is assumed of
// a connection that is refused, or ends without an answer, while no other request is answered
// either. Such a request waits and is sent again. If it fails while an ordinary request is
// answered, the failure is its own. Otherwise there is an outage: all requests wait together, no
// longer than outageTime in all.

const (
	defaultRetryAfter = time.Second           // where a 429 does not say how long to wait
	firstPause        = 20 * time.Millisecond // where it says zero; doubled each time, up to defaultRetryAfter
	maxRateLimited    = 20                    // waits for one exchange

	outageTime  = 30 * time.Second // and no more than outageTimes time-outs
	outageTimes = 3
	firstAway   = 25 * time.Millisecond // doubled each time, up to longestAway
	longestAway = 2 * time.Second
	onlyPauses  = 4 // pauses before an ordinary request is sent: a limiter lets the failing one through by then
	maxBeside   = 3 // answers to ordinary requests before a failing one is to blame
	maxAlone    = 3 // outages that begin with the same request before it is to blame
)

// patience waits for the target's rate limit. Once the target limits, requests are sent one at
// a time until one gets through: concurrent ones would use up the slot that another has waited
// for.
type patience struct {
	turn    *semaphore.Weighted            // of one
	limited atomic.Bool                    // the last answer asked to wait
	lost    atomic.Pointer[TransportError] // the bound was reached: no more waiting
}

// outage is what is known of the target's absence.
type outage struct {
	ordinary func() []Request // see Beside; nil: none are known
	answered atomic.Bool
	failing  sync.Map // operations with a request that fails by itself: for the next, fewer tries are enough

	mu     sync.Mutex
	began  time.Time // zero: the last request was answered
	ended  time.Time // of the last outage
	lasts  bool      // no more waiting
	losses [2]loss   // connections that ended in place of an answer: the last, and that of another request before
}

// loss is a request without an answer, and when that was noticed.
type loss struct {
	ex *Exchange
	at time.Time
}

// noteLoss notes that the connection ended in place of an answer.
func (o *outage) noteLoss(ex *Exchange, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.losses[0].ex != ex {
		o.losses[1] = o.losses[0]
	}
	o.losses[0] = loss{ex, now}
}

// lostBeside reports whether another request got no answer either since this one was sent.
func (o *outage) lostBeside(ex *Exchange, sent time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.losses[:], func(l loss) bool { return l.ex != nil && l.ex != ex && !l.at.Before(sent) })
}

// Beside sets the ordinary requests that are sent when another one fails, the best first: each
// has to be answered, and changes nothing. It is called before any request.
func (c *Client) Beside(ordinary func() []Request) { c.ordinary = sync.OnceValue(ordinary) }

// noteAnswer records that the target answers.
func (o *outage) noteAnswer(now time.Time) {
	o.answered.Store(true)
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.began.IsZero() {
		o.began, o.ended, o.lasts = time.Time{}, now, false
	}
}

// noteAway records that the target does not answer, and reports whether it was waited for long enough.
func (o *outage) noteAway(now time.Time, bound time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.began.IsZero() {
		o.began = now
	}
	o.lasts = o.lasts || now.Sub(o.began) >= bound
	return o.lasts
}

// during reports whether there is an outage that is not waited for, whether there is any, and
// whether one ended after a request was sent.
func (o *outage) during(ex *Exchange) (lasts, is, was bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lasts, !o.began.IsZero(), o.ended.After(ex.Start)
}

// away reports whether an attempt found the target busy or away.
func (ex *Exchange) away() bool {
	if ex.Err != nil {
		return ex.Request.Odd == nil && slices.Contains([]Kind{Refused, Reset, Closed}, ex.Err.Kind)
	}
	return slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, ex.Response.Status)
}

// waiting is an exchange and its place in the queue.
type waiting struct {
	*Client
	ex      *Exchange
	sent    time.Time // at first
	hasTurn bool

	aways  int // attempts that found the target away
	beside int // those where it answered an ordinary request
	alone  int // those where it did not, until later
}

// admit waits until the request may be sent, in turn where the target limits.
func (w *waiting) admit(ctx context.Context) error {
	if w.limited.Load() {
		if err := w.takeTurn(ctx); err != nil {
			return err
		}
	}
	return w.Client.admit(ctx)
}

func (w *waiting) takeTurn(ctx context.Context) (err error) {
	if !w.hasTurn {
		err = w.turn.Acquire(ctx, 1)
		w.hasTurn = err == nil
	}
	return err
}

func (w *waiting) giveTurn() {
	if w.hasTurn {
		w.turn.Release(1)
	}
}

// pause waits for its turn, and for a time; if the context ends, the exchange says so.
func (w *waiting) pause(ctx context.Context, d time.Duration) bool {
	start := w.opt.Now()
	err := w.takeTurn(ctx)
	w.ex.Waited += d
	if err == nil {
		err = w.sleep(ctx, d-w.opt.Now().Sub(start))
	}
	if err != nil {
		w.ex.Err = w.shown(notSent(err))
	}
	return err == nil
}

// forRate waits as long as a 429 (RFC 6585 §4) asks for; then the request may be sent again.
// When the bound is reached a 429 is an error, as there is no answer to judge.
func (w *waiting) forRate(ctx context.Context) (again bool) {
	ex := w.ex
	pause, given := retryAfter(ex.Response.Header, w.opt.Now())
	switch {
	case !given:
		pause = defaultRetryAfter
	case pause <= 0:
		pause = min(firstPause<<min(ex.RateLimited, 10), defaultRetryAfter)
	}
	w.limited.Store(true)
	if ex.RateLimited == maxRateLimited || ex.Waited+pause > w.opt.MaxRetryAfter {
		w.lost.CompareAndSwap(nil, transportErrorf(RateLimited,
			"429 after %d waits (%s in all), asks for %s more, at most %s are waited: lower limits.rate in the target file",
			ex.RateLimited, ex.Waited, pause, w.opt.MaxRetryAfter))
	}
	if lost := w.lost.Load(); lost != nil {
		ex.Err = w.shown(lost)
		return false
	}
	ex.RateLimited++
	return w.pause(ctx, pause)
}

// retryAfter reads Retry-After: seconds or an HTTP date (RFC 9110 §10.2.3).
func retryAfter(h http.Header, now time.Time) (pause time.Duration, given bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return date.Sub(now), true
	}
	return 0, false
}

// forReturn waits until a request that found the target away may be sent again, and reports
// whether it may. Otherwise the exchange keeps the failure.
func (w *waiting) forReturn(ctx context.Context) (again bool) {
	ex := w.ex
	if w.ordinary == nil {
		return false // there is no ordinary request to compare with
	}
	lasts, is, was := w.during(ex)
	switch {
	case lasts:
		return w.giveUp()
	case ex.Err != nil && (!w.answered.Load() || w.aways == 0 && !is && !was && w.failsAlone(ctx)):
		return false // it never answered, or answers other requests
	}
	w.limited.Store(true)
	defer func() {
		if !again {
			w.limited.Store(false)
		}
	}()
	if !w.pause(ctx, 0) {
		return false
	}
	_, _, was = w.during(ex) // while this one waited for its turn
	operation, _, _ := strings.Cut(ex.Case, "/")
	_, believed := w.failing.Load(operation)
	w.aways++
	pause := min(firstAway<<min(w.aways-1, 10), longestAway)
	if ex.Err == nil {
		if asked, _ := retryAfter(ex.Response.Header, w.opt.Now()); asked > 0 && ex.Waited+asked <= w.opt.MaxRetryAfter {
			pause = asked
		}
	}
	blamed := false
	switch {
	case ex.Err == nil && (w.aways == 1 || w.aways <= onlyPauses && !believed), w.aways == 1 && was:
	case w.answersBeside(ctx):
		w.beside++
		blamed = w.beside == maxBeside || believed
	default:
		wait := pause
		for ; !w.answersBeside(ctx); wait = min(2*wait, longestAway) {
			if w.noteAway(w.opt.Now(), min(outageTime, outageTimes*w.opt.Timeout)) {
				return w.giveUp()
			}
			if !w.pause(ctx, wait) {
				return false
			}
		}
		w.alone++
		blamed = w.alone > maxAlone || believed && w.alone > 1
		pause = max(wait, firstAway<<(2*w.alone)) // for a limiter that the other request has filled
	}
	if blamed {
		w.failing.Store(operation, true)
		return false
	}
	ex.Unavailable++
	ex.Unsure = ex.Unsure || ex.Err != nil || ex.Response.Status != http.StatusServiceUnavailable
	return w.pause(ctx, pause)
}

// failsAlone reports whether a request gets no answer while an ordinary one does, and no other was lost
// with it: then the target, or what is before it, was away for a moment.
func (w *waiting) failsAlone(ctx context.Context) bool {
	w.noteLoss(w.ex, w.opt.Now())
	return w.answersBeside(ctx) && !w.lostBeside(w.ex, w.sent)
}

// giveUp records that the target was away for too long.
func (w *waiting) giveUp() (again bool) {
	if w.ex.Away = true; w.ex.Err == nil {
		w.ex.Err = transportErrorf(Unavailable, "%d, and to ordinary requests too, after %s of waiting: the target, or what is before it, "+
			"is away or wants fewer requests: lower limits.rate in the target file", w.ex.Response.Status, w.ex.Waited.Round(time.Millisecond))
	}
	return false
}

// answersBeside reports whether the target answers an ordinary request.
func (w *waiting) answersBeside(ctx context.Context) bool {
	for _, r := range w.ordinary() {
		beside, m := w.begin("preflight/beside", r)
		if m == nil {
			continue
		}
		if err := w.Client.admit(ctx); err != nil {
			return false
		}
		w.attempt(ctx, beside, m, w.viaPool)
		w.ex.Beside++
		switch {
		case beside.Err != nil:
			return false
		case !beside.away():
			w.noteAnswer(w.opt.Now())
			return beside.Response.Status != http.StatusTooManyRequests
		}
	}
	return false
}

// hangTimes is the number of time-outs without any answer after which a target hangs.
const hangTimes = 2

// Hangs sends an ordinary request until it is answered or hangTimes time-outs have gone by since
// then. It reports whether none was answered, and returns the last; nil where there is none to send.
func (c *Client) Hangs(ctx context.Context, since time.Time) (last *Exchange, hangs bool) {
	if c.ordinary == nil || len(c.ordinary()) == 0 {
		return nil, false
	}
	for first := true; first || c.opt.Now().Sub(since) < hangTimes*c.opt.Timeout; first = false {
		last = c.Do(ctx, "preflight/beside", c.ordinary()[0])
		if last.Err == nil || last.Err.Kind != Timeout {
			return last, false
		}
	}
	return last, true
}
