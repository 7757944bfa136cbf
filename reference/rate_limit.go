package reference

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// RemainingHeader tells how many requests an address may send at once
// (published).
const RemainingHeader = "X-RateLimit-IPRemaining"

// RateLimit is a bucket of requests for each client address: Burst at first,
// refilled with PerSecond a second. The zero value is no limit.
type RateLimit struct {
	Burst     int
	PerSecond float64
}

func (l RateLimit) handler(next http.Handler) http.Handler {
	if l.Burst <= 0 {
		return next
	}
	all := &buckets{limit: l, of: map[string]*rate.Limiter{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		remaining, wait := all.take(r.RemoteAddr, time.Now())
		w.Header()[RemainingHeader] = []string{strconv.Itoa(remaining)} // Set would change its letter case
		if wait > 0 {
			seconds := int64(math.Ceil(wait.Seconds()))
			w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10)) // RFC 9110, 10.2.3
			WriteError(w, http.StatusTooManyRequests, "rateLimitExceeded",
				fmt.Sprintf("Too many requests from this address; wait %d s.", seconds))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// maxBuckets bounds the memory for client addresses: with more, all begin anew.
const maxBuckets = 10_000

// buckets are those of the addresses seen of late.
type buckets struct {
	limit RateLimit
	mu    sync.Mutex
	of    map[string]*rate.Limiter
}

// take takes one request out of an address's bucket and tells how many remain,
// or how long to wait for the next one.
func (b *buckets) take(remoteAddr string, now time.Time) (remaining int, wait time.Duration) {
	address, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		address = remoteAddr
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	bucket := b.of[address]
	if bucket == nil {
		if len(b.of) >= maxBuckets {
			clear(b.of)
		}
		bucket = rate.NewLimiter(rate.Limit(b.limit.PerSecond), b.limit.Burst)
		b.of[address] = bucket
	}
	if bucket.AllowN(now, 1) {
		return int(bucket.TokensAt(now)), 0
	}
	missing := 1 - bucket.TokensAt(now)
	return 0, max(1, time.Duration(missing/b.limit.PerSecond*float64(time.Second)))
}
