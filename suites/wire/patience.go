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
	maxRateLimited = 20          // waits of one exchange
	maxWaited      = time.Minute // that 429 and 503 may ask of one exchange

	outageTime  = 30 * time.Second // but no more than outageTimes time-outs
	outageTimes = 3
	onlyPauses  = 4 // pauses before an ordinary request is sent: a limiter lets the failing one through by then
	maxTries    = 3 // answers to ordinary requests before a failing one is to blame
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
	return since != 0 && time.Since(time.Unix(0, since)) >= min(outageTime, outageTimes*c.opt.Timeout)
}

// away reports whether an attempt found the target busy or away.
func (ex *Exchange) away() bool {
	if ex.Err != nil {
		return ex.Request.Odd == nil && slices.Contains([]Kind{Refused, Reset, Closed}, ex.Err.Kind)
	}
	return slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, ex.Response.Status)
}

// admit waits until the message may be sent, after a pause.
func (m *message) admit(ctx context.Context, pause time.Duration) error {
	if m.admitted {
		return ctx.Err()
	}
	if err := m.wait(ctx, pause); err != nil {
		return err
	}
	return m.Client.admit(ctx)
}

// wait waits until d has passed, and for its turn, if the target limits the rate or is away.
func (m *message) wait(ctx context.Context, d time.Duration) error {
	start := time.Now()
	m.ex.Waited += d
	if m.limited.Load() && !m.hasTurn {
		if err := m.turn.Acquire(ctx, 1); err != nil {
			return err
		}
		m.hasTurn = true
	}
	return sleep(ctx, d-time.Since(start))
}

// forRate returns how long to wait before the request is sent again, as a 429 (RFC 6585 §4) asks, and whether to
// send it. Once the bound is reached, a 429 becomes an error, as there is no answer to judge.
func (m *message) forRate() (pause time.Duration, again bool) {
	ex := m.ex
	pause = retryAfter(ex.Response.Header, ratePause)
	if pause <= 0 {
		pause = pauseOf(ex.RateLimited)
	}
	m.limited.Store(true)
	if ex.RateLimited == maxRateLimited || ex.Waited+pause > maxWaited {
		m.spent.CompareAndSwap(nil, transportErrorf(RateLimited,
			"429 after %d waits (%s in all); it asks for %s more, and a request waits at most %s: lower limits.rate in the target file",
			ex.RateLimited, ex.Waited, pause, maxWaited))
	}
	if spent := m.spent.Load(); spent != nil {
		ex.Err = m.shown(spent)
		return 0, false
	}
	ex.RateLimited++
	return pause, true
}

// retryAfter reads Retry-After: seconds or an HTTP date (RFC 9110 §10.2.3). Without it, it returns otherwise.
func retryAfter(h http.Header, otherwise time.Duration) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return time.Until(date)
	}
	return otherwise
}

// forReturn waits until a request that found the target away may be sent again, after a last pause, and reports
// whether it may. Otherwise the exchange keeps the failure.
func (m *message) forReturn(ctx context.Context) (pause time.Duration, again bool) {
	ex := m.ex
	if ex.Err != nil {
		m.lost.Add(1)
		m.before++
	}
	others := func() bool { return m.lost.Load() > m.before } // if so, the target, or what is in front of it, was away for a moment
	switch {
	case m.ordinary == nil, ex.Err != nil && !m.answered.Load():
		return 0, false // there is nothing to compare with
	case m.outlasts():
		return m.giveUp()
	case ex.Err != nil && ex.Unavailable == 0 && m.away.Load() == 0 && m.answersBeside(ctx) && !others():
		return 0, false
	}
	m.limited.Store(true)
	defer func() {
		if !again {
			m.limited.Store(false)
		}
	}()
	operation, _, _ := strings.Cut(ex.Case, "/")
	pauses, tries := onlyPauses, maxTries
	if _, fails := m.failing.Load(operation); fails {
		pauses, tries = 1, 1
	}
	pause = pauseOf(ex.Unavailable)
	if ex.Err == nil {
		if asked := retryAfter(ex.Response.Header, 0); asked > 0 && ex.Waited+asked <= maxWaited {
			pause = asked
		}
	}
	err := m.wait(ctx, 0)
	if (ex.Err != nil || ex.Unavailable >= pauses) && (ex.Unavailable > 0 || !others()) {
		late := false
		for ; err == nil && !m.answersBeside(ctx); pause = min(2*pause, longestPause) {
			m.lost.Add(1)
			m.away.CompareAndSwap(0, time.Now().UnixNano())
			if m.outlasts() {
				return m.giveUp()
			}
			err, late = m.wait(ctx, pause), true
		}
		m.tries++
		if late && m.tries > 1 { // the ordinary requests may take all that a limiter allows: it allows more in that time
			pause = max(pause, time.Since(m.served)*5/4)
		}
		m.served = time.Now()
		if err == nil && m.tries >= tries {
			m.failing.Store(operation, true)
			return 0, false
		}
	}
	ex.Unavailable++
	ex.Unsure = ex.Unsure || ex.Err != nil || ex.Response.Status != http.StatusServiceUnavailable
	return pause, true // even if the context has ended: then the request is not sent
}

// giveUp records that the target was away for too long.
func (m *message) giveUp() (pause time.Duration, again bool) {
	if m.ex.Away = true; m.ex.Err == nil {
		m.ex.Err = transportErrorf(Unavailable, "still %d after %s, for ordinary requests too: the target, or a gateway before it, "+
			"is away or overloaded: lower limits.rate in the target file", m.ex.Response.Status, m.ex.Waited.Round(time.Millisecond))
	}
	return 0, false
}

// answersBeside reports whether the target answers an ordinary request.
func (m *message) answersBeside(ctx context.Context) bool {
	for _, r := range m.ordinary() {
		other := m.begin("preflight/beside", r)
		beside := other.ex
		if beside.Err != nil {
			continue
		}
		if err := m.Client.admit(ctx); err != nil {
			return false
		}
		m.attempt(ctx, other, m.viaPool)
		m.ex.Beside++
		switch {
		case beside.Err != nil:
			return false
		case !beside.away():
			m.noteAnswer()
			return beside.Response.Status != http.StatusTooManyRequests
		}
	}
	return false
}
