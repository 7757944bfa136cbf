package wire

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	defaultRetryAfter = time.Second           // where a 429 does not say how long to wait
	firstPause        = 20 * time.Millisecond // where it says zero; doubled each time, up to defaultRetryAfter
	maxRateLimited    = 20                    // waits for one exchange
)

// patience lets the target's rate limit pass. Once it answered 429, requests go
// one at a time until one gets through: concurrent ones would take the slot that
// another has waited for.
type patience struct {
	turn    chan struct{} // holds a token while nobody has the turn
	limited *atomic.Bool  // the last answer was 429
	lost    *atomic.Bool  // the bound was reached: a 429 is not waited for any more
}

func newPatience() patience {
	p := patience{make(chan struct{}, 1), new(atomic.Bool), new(atomic.Bool)}
	p.turn <- struct{}{}
	return p
}

// queuer is the place of one exchange in the queue.
type queuer struct {
	patience
	hasTurn bool
	waited  time.Duration
}

func (p patience) queue() *queuer { return &queuer{patience: p} }

// join waits for the turn while the target limits; otherwise it is free.
func (q *queuer) join(ctx context.Context) error {
	if q.hasTurn || !q.limited.Load() {
		return nil
	}
	return q.take(ctx)
}

func (q *queuer) take(ctx context.Context) error {
	select {
	case <-q.turn:
		q.hasTurn = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queuer) leave() {
	if q.hasTurn {
		q.turn <- struct{}{}
		q.hasTurn = false
	}
}

// answered notes that the target takes requests again.
func (q *queuer) answered() {
	q.limited.Store(false)
	q.lost.Store(false)
}

// wait waits as long as the 429 asks for, or says why not.
func (q *queuer) wait(ctx context.Context, c *Client, ex *Exchange) *TransportError {
	now := c.opt.Now()
	pause := retryAfter(ex.Response.Header, now, ex.RateLimited)
	q.limited.Store(true)
	switch {
	case q.lost.Load():
		return transportErrorf(RateLimited, "429, as before: the target lets no request through")
	case ex.RateLimited == maxRateLimited || q.waited+pause > c.opt.MaxRetryAfter:
		q.lost.Store(true)
		return transportErrorf(RateLimited, "429 after %d waits (%s in all), asks for %s more, at most %s are waited: lower limits.rate in the target file",
			ex.RateLimited, q.waited, pause, c.opt.MaxRetryAfter)
	}
	ex.RateLimited++
	q.waited += pause
	if !q.hasTurn {
		if err := q.take(ctx); err != nil {
			return notSent(err)
		}
	}
	if left := pause - c.opt.Now().Sub(now); left > 0 {
		if err := c.opt.Sleep(ctx, left); err != nil {
			return notSent(err)
		}
	}
	return nil
}

// retryAfter reads Retry-After: seconds or an HTTP date (RFC 9110 §10.2.3).
// Where it asks for no wait at all, pauses grow with the number of waits before.
func retryAfter(h http.Header, now time.Time, waits int) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return defaultRetryAfter
	}
	pause := defaultRetryAfter
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		pause = time.Duration(min(seconds, math.MaxInt32)) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		pause = date.Sub(now)
	}
	if pause <= 0 {
		return min(firstPause<<min(waits, 10), defaultRetryAfter)
	}
	return pause
}
