package wire

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	defaultRetryAfter = time.Second           // where a 429 does not say how long to wait
	firstPause        = 20 * time.Millisecond // where it says zero; doubled each time, up to defaultRetryAfter
	maxRateLimited    = 20                    // waits for one exchange
)

// patience lets the target's rate limit pass. Once the target limits, requests go
// one at a time until one gets through: concurrent ones would take the slot that
// another has waited for.
type patience struct {
	turn    *semaphore.Weighted            // of one
	limited atomic.Bool                    // the last answer asked to wait
	lost    atomic.Pointer[TransportError] // that the bound was reached: nothing is waited for any more
}

// queuer is the place of one exchange in the queue.
type queuer struct {
	*patience
	hasTurn bool
	waited  time.Duration

	aways   int // attempts that found the target away
	besides int // of those, where it answered an ordinary request beside
	alone   int // and where it did not, until later
}

// take waits for the turn while the target limits.
func (q *queuer) take(ctx context.Context) error {
	if q.hasTurn {
		return nil
	}
	err := q.turn.Acquire(ctx, 1)
	q.hasTurn = err == nil
	return err
}

func (q *queuer) leave() {
	if q.hasTurn {
		q.turn.Release(1)
	}
}

// asksToWait says whether the answer is the target's rate limit (429, RFC 6585 §4).
func (ex *Exchange) asksToWait() bool {
	return ex.Err == nil && ex.Response != nil && ex.Response.Status == http.StatusTooManyRequests
}

// wait waits as long as the answer asks for; then the request may go again.
// Where the bound is reached a 429 is an error, as it says nothing that could be judged.
func (q *queuer) wait(ctx context.Context, c *Client, ex *Exchange) (again bool, _ *TransportError) {
	now := c.opt.Now()
	waits := ex.RateLimited
	pause := retryAfter(ex.Response.Header, now, waits)
	q.limited.Store(true)
	if q.lost.Load() == nil && (waits == maxRateLimited || q.waited+pause > c.opt.MaxRetryAfter) {
		q.lost.Store(transportErrorf(RateLimited,
			"429 after %d waits (%s in all), asks for %s more, at most %s are waited: lower limits.rate in the target file",
			waits, q.waited, pause, c.opt.MaxRetryAfter))
	}
	if lost := q.lost.Load(); lost != nil {
		return false, lost
	}
	ex.RateLimited++
	q.waited += pause
	ex.Waited += pause
	if err := q.take(ctx); err != nil {
		return false, notSent(err)
	}
	if left := pause - c.opt.Now().Sub(now); left > 0 {
		if err := c.opt.Sleep(ctx, left); err != nil {
			return false, notSent(err)
		}
	}
	return true, nil
}

// retryAfter is how long to wait: as Retry-After says, else defaultRetryAfter.
// Where it asks for no wait at all, pauses grow with the number of waits before.
func retryAfter(h http.Header, now time.Time, waits int) time.Duration {
	pause, given := readRetryAfter(h, now)
	switch {
	case !given:
		return defaultRetryAfter
	case pause <= 0:
		return min(firstPause<<min(waits, 10), defaultRetryAfter)
	}
	return pause
}

// readRetryAfter reads Retry-After: seconds or an HTTP date (RFC 9110 §10.2.3).
func readRetryAfter(h http.Header, now time.Time) (pause time.Duration, given bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return date.Sub(now), true
	}
	return 0, false
}

// bucket holds requests back while the target says, in a header of its answers,
// that none is left. It spares the target the 429 that would come.
type bucket struct {
	header   string // empty: none
	interval time.Duration
	longest  time.Duration

	mu    sync.Mutex
	empty bool
	next  time.Time // when one more request can have been refilled
}

func newBucket(o Options) *bucket {
	b := &bucket{header: o.RemainingHeader, interval: time.Second, longest: o.MaxRetryAfter}
	if o.Rate > 0 {
		b.interval = time.Duration(float64(time.Second) / o.Rate)
	}
	return b
}

// saw takes note of an answer's header. What is no number says nothing.
func (b *bucket) saw(h http.Header, now time.Time) {
	if b.header == "" {
		return
	}
	left, err := strconv.ParseInt(strings.TrimSpace(h.Get(b.header)), 10, 64)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.empty = left <= 0; !b.empty {
		b.next = time.Time{}
		return
	}
	pause := b.interval
	if asked, given := readRetryAfter(h, now); given {
		pause = max(asked, 0)
	}
	if at := now.Add(min(pause, b.longest)); at.After(b.next) {
		b.next = at
	}
}

// reserve says how long a request has to wait, and lets the one after it wait
// for one more.
func (b *bucket) reserve(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.empty {
		return 0
	}
	if b.next.Before(now) {
		b.next = now
	}
	delay := b.next.Sub(now)
	b.next = b.next.Add(min(b.interval, b.longest))
	return delay
}
