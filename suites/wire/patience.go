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
// either. In all these cases the request waits and is sent again. If it fails while an ordinary
// request is answered, the failure is its own. Otherwise there is an outage: all requests wait
// together, no longer than outageTime in all.

const (
	ratePause      = time.Second           // if a 429 does not say how long to wait
	firstPause     = 25 * time.Millisecond // if it says zero, or for another failure; doubled each time
	longestPause   = 2 * time.Second
	maxRateLimited = 20 // waits of one exchange

	outageTime  = 30 * time.Second // but no more than outageTimes time-outs
	outageTimes = 3
	onlyPauses  = 4 // pauses before an ordinary request is sent: a limiter lets the failing one through by then
	maxTries    = 3 // answers to ordinary requests before a failing one is to blame; one more if they came late
)

// pauseOf returns the pause after n earlier ones.
func pauseOf(n int) time.Duration { return min(firstPause<<min(n, 10), longestPause) }

// patience holds what requests know about one another's waiting. Once the target limits the rate or is away, they are
// sent one at a time until one gets through: concurrent ones would use up the slot that another has waited for.
type patience struct {
	turn    *semaphore.Weighted            // held by the request whose turn it is
	limited atomic.Bool                    // the last answer asked the client to wait
	spent   atomic.Pointer[TransportError] // set once the bound on waiting for the rate limit is reached: nothing waits for it any more

	ordinary func() []Request // see Beside; nil if none are known
	answered atomic.Bool
	failing  sync.Map     // operations with a request that fails by itself: for the next, fewer tries are enough
	lost     atomic.Int64 // requests whose connection ended without an answer, and ordinary ones that got none
	away     atomic.Int64 // the time since which the target answers nothing, in nanoseconds, or 0
}

// Beside sets the ordinary requests that are sent if another one fails, the best first: each
// has to be answered, and changes nothing. Beside must be called before any request is sent.
func (c *Client) Beside(ordinary func() []Request) { c.ordinary = sync.OnceValue(ordinary) }

// noteAnswer records that the target answers.
func (p *patience) noteAnswer() {
	p.answered.Store(true)
	p.away.Store(0)
}

// outlasts reports whether the target has been away for longer than requests wait.
func (c *Client) outlasts() bool {
	since := c.away.Load()
	return since != 0 && c.opt.Now().Sub(time.Unix(0, since)) >= min(outageTime, outageTimes*c.opt.Timeout)
}

// away reports whether an attempt found the target busy or away.
func (ex *Exchange) away() bool {
	if ex.Err != nil {
		return ex.Request.Odd == nil && slices.Contains([]Kind{Refused, Reset, Closed}, ex.Err.Kind)
	}
	return slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, ex.Response.Status)
}

// A waiting is an exchange and its place in the queue.
type waiting struct {
	*Client
	ex      *Exchange
	hasTurn bool

	before int64 // patience.lost when it was last sent
	aways  int   // attempts that found the target away
	tries  int   // those that were followed by an answer to an ordinary request
}

// admit waits until the request may be sent, in turn if the target limits the rate.
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

// pause waits for its turn, and until d has passed in all. If the context ends, pause notes that in the exchange.
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

// forRate waits as long as a 429 (RFC 6585 §4) asks for, and reports whether to send the request again.
// Once the bound is reached, a 429 becomes an error, as there is no answer to judge.
func (w *waiting) forRate(ctx context.Context) (again bool) {
	ex := w.ex
	pause := retryAfter(ex.Response.Header, w.opt.Now(), ratePause)
	if pause <= 0 {
		pause = pauseOf(ex.RateLimited)
	}
	w.limited.Store(true)
	if ex.RateLimited == maxRateLimited || ex.Waited+pause > w.opt.MaxRetryAfter {
		w.spent.CompareAndSwap(nil, transportErrorf(RateLimited,
			"429 after %d waits (%s in all), asks for %s more, at most %s are waited: lower limits.rate in the target file",
			ex.RateLimited, ex.Waited, pause, w.opt.MaxRetryAfter))
	}
	if spent := w.spent.Load(); spent != nil {
		ex.Err = w.shown(spent)
		return false
	}
	ex.RateLimited++
	return w.pause(ctx, pause)
}

// retryAfter reads Retry-After: seconds or an HTTP date (RFC 9110 §10.2.3). Without it, it returns otherwise.
func retryAfter(h http.Header, now time.Time, otherwise time.Duration) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return date.Sub(now)
	}
	return otherwise
}

// forReturn waits until a request that found the target away may be sent again, and reports
// whether it may. Otherwise the exchange keeps the failure.
func (w *waiting) forReturn(ctx context.Context) (again bool) {
	ex := w.ex
	if ex.Err != nil {
		w.lost.Add(1)
		w.before++
	}
	others := func() bool { return w.lost.Load() > w.before } // if so, the target, or what is in front of it, was away for a moment
	switch {
	case w.ordinary == nil, ex.Err != nil && !w.answered.Load():
		return false // there is nothing to compare with
	case w.outlasts():
		return w.giveUp()
	case ex.Err != nil && w.aways == 0 && w.away.Load() == 0 && w.answersBeside(ctx) && !others():
		return false
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
	operation, _, _ := strings.Cut(ex.Case, "/")
	pauses, tries := onlyPauses, maxTries
	if _, fails := w.failing.Load(operation); fails {
		pauses, tries = 1, 1
	}
	pause := pauseOf(w.aways)
	if ex.Err == nil {
		if asked := retryAfter(ex.Response.Header, w.opt.Now(), 0); asked > 0 && ex.Waited+asked <= w.opt.MaxRetryAfter {
			pause = asked
		}
	}
	if w.aways++; (ex.Err != nil || w.aways > pauses) && (w.aways > 1 || !others()) {
		late := false
		for ; !w.answersBeside(ctx); pause = min(2*pause, longestPause) {
			w.lost.Add(1)
			w.away.CompareAndSwap(0, w.opt.Now().UnixNano())
			if w.outlasts() {
				return w.giveUp()
			}
			if !w.pause(ctx, pause) {
				return false
			}
			late = true
		}
		w.tries++
		if late {
			tries++
			pause = max(pause, firstPause<<(2*w.tries)) // in case the ordinary request has filled a limiter
		}
		if w.tries >= tries {
			w.failing.Store(operation, true)
			return false
		}
	}
	ex.Unavailable++
	ex.Unsure = ex.Unsure || ex.Err != nil || ex.Response.Status != http.StatusServiceUnavailable
	return w.pause(ctx, pause)
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
		m := w.begin("preflight/beside", r)
		beside := m.ex
		if beside.Err != nil {
			continue
		}
		if err := w.Client.admit(ctx); err != nil {
			return false
		}
		w.attempt(ctx, m, w.viaPool)
		w.ex.Beside++
		switch {
		case beside.Err != nil:
			return false
		case !beside.away():
			w.noteAnswer()
			return beside.Response.Status != http.StatusTooManyRequests
		}
	}
	return false
}

// hangTimes is the number of time-outs without any answer after which a target hangs.
const hangTimes = 2

// Hangs sends an ordinary request until it is answered or hangTimes time-outs have gone by after
// since. It returns the last exchange, or nil if there is none to send, and whether none was answered.
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
