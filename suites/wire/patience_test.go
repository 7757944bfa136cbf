package wire

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// refusing answers with a status and Retry-After a number of times, and then with 200.
func refusing(t *testing.T, status int, times int64, retryAfter string) (url string, left *atomic.Int64) {
	left = new(atomic.Int64)
	left.Store(times)
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if left.Add(-1) >= 0 {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(status)
		}
	}), left
}

func TestRateLimitIsWaitedOut(t *testing.T) {
	for retryAfter, test := range map[string]struct {
		times int64
		wait  time.Duration
	}{
		"3": {2, 6 * time.Second},
		epoch.Add(5 * time.Second).Format(http.TimeFormat): {1, 5 * time.Second},
		epoch.Add(-time.Hour).Format(http.TimeFormat):      {1, 25 * time.Millisecond},
		"0":    {8, 5175 * time.Millisecond}, // 25, 50, … 1600 ms, then 2 s each
		"":     {4, 4 * time.Second},
		"soon": {1, time.Second},
	} {
		for _, r := range []Request{patch("/x", "{}"), onRaw(patch("/x", "{}"))} {
			var clock clock
			url, _ := refusing(t, 429, test.times, retryAfter)
			c := newClient(t, Options{BaseURL: url, Now: clock.Now, Sleep: clock.Sleep})
			ex := c.Do(t.Context(), "c", r)
			status(t, ex, 200)
			if ex.RateLimited != int(test.times) || ex.Attempts != int(test.times)+1 || clock.since() != test.wait || ex.Waited != test.wait {
				t.Errorf("%q: limited %d times in %d attempts, waited %s, reported %s, want %s",
					retryAfter, ex.RateLimited, ex.Attempts, clock.since(), ex.Waited, test.wait)
			}
		}
	}
}

// A target that limits the rate for ever makes one exchange wait up to the bound
// and the others not at all, until it lets a request through.
func TestRateLimitForEver(t *testing.T) {
	for retryAfter, waits := range map[string]int{"7": 8, "1": maxRateLimited, "3600": 0, "99999999999999999999": 0} {
		var clock clock
		url, left := refusing(t, 429, 1_000_000, retryAfter)
		c := newClient(t, Options{BaseURL: url, Now: clock.Now, Sleep: clock.Sleep})
		first := c.Do(t.Context(), "c", get("/x"))
		expectKind(t, retryAfter, first, RateLimited, "limits.rate")
		if first.RateLimited != waits || first.Response.Status != 429 || clock.since() > maxWaited {
			t.Errorf("%s: %d waits, %s in all, want %d", retryAfter, first.RateLimited, clock.since(), waits)
		}
		next := c.Do(t.Context(), "c", get("/x"))
		expectKind(t, retryAfter, next, RateLimited, "")
		if next.RateLimited != 0 {
			t.Errorf("%s: the next exchange waited %d times", retryAfter, next.RateLimited)
		}
		left.Store(0)
		status(t, c.Do(t.Context(), "c", get("/x")), 200)
		if waits > 0 {
			left.Store(1)
			status(t, c.Do(t.Context(), "c", get("/x")), 200)
		}
	}
}

// Eight workers share a bucket of two requests that is refilled at one a second: each request
// gets through, as only one waits at a time.
func TestWorkersShareARateLimit(t *testing.T) {
	var clock clock
	var mu sync.Mutex
	taken := 0
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if taken >= 2+int(clock.since()/time.Second) {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		taken++
	})
	c := newClient(t, Options{BaseURL: url, Now: clock.Now, Sleep: clock.Sleep})
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 5 {
				if ex := c.Do(t.Context(), "c", get("/x")); ex.Err != nil {
					t.Errorf("%v after %d waits", ex.Err, ex.RateLimited)
				}
			}
		})
	}
	workers.Wait()
	// 40 requests need 38 refills; a client that lets all workers wait
	// on their own sleeps several times as long.
	if waited := clock.since(); waited < 38*time.Second || waited > 50*time.Second {
		t.Errorf("slept %s, want about 38s", waited)
	}
}
