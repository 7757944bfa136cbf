package wire

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

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
