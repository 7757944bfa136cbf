package wire

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// limiting answers 429 with the header a number of times, then 200.
func limiting(t *testing.T, times int64, retryAfter string) (url string, left *atomic.Int64) {
	return refusing(t, http.StatusTooManyRequests, times, retryAfter)
}

// refusing answers a status with Retry-After a number of times, then 200.
func refusing(t *testing.T, status int, times int64, retryAfter string) (url string, left *atomic.Int64) {
	left = new(atomic.Int64)
	left.Store(times)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if left.Add(-1) >= 0 {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, left
}

func TestRateLimitIsWaitedOut(t *testing.T) {
	tests := map[string]struct {
		retryAfter string
		times      int64
		wait       time.Duration
	}{
		"seconds":          {"3", 2, 6 * time.Second},
		"HTTP date":        {epoch.Add(5 * time.Second).Format(http.TimeFormat), 1, 5 * time.Second},
		"date in the past": {epoch.Add(-time.Hour).Format(http.TimeFormat), 1, 20 * time.Millisecond},
		"zero":             {"0", 8, 3260 * time.Millisecond}, // 20, 40, … 640 ms, then 1 s each
		"nothing":          {"", 4, 4 * time.Second},
		"nonsense":         {"soon", 1, time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, r := range []Request{patch("/x", "{}"), onRaw(patch("/x", "{}"))} {
				var clock clock
				url, _ := limiting(t, test.times, test.retryAfter)
				c := newClient(t, Options{BaseURL: url, Now: clock.Now, Sleep: clock.Sleep})
				ex := c.Do(t.Context(), "c", r)
				status(t, ex, 200)
				if ex.RateLimited != int(test.times) || ex.Attempts != int(test.times)+1 {
					t.Errorf("rate limited %d times in %d attempts", ex.RateLimited, ex.Attempts)
				}
				if waited := clock.Now().Sub(epoch); waited != test.wait {
					t.Errorf("waited %s, want %s", waited, test.wait)
				}
			}
		})
	}
}

// A target that limits for ever costs one exchange the bound and the others
// nothing, until it lets a request through.
func TestRateLimitForEver(t *testing.T) {
	for name, test := range map[string]struct {
		retryAfter string
		waits      int
		bound      time.Duration
	}{
		"by time":       {"7", 8, time.Minute},
		"by count":      {"1", maxRateLimited, time.Hour},
		"at once":       {"3600", 0, time.Minute},
		"beyond number": {"99999999999999999999", 0, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			var clock clock
			url, left := limiting(t, 1_000_000, test.retryAfter)
			c := newClient(t, Options{BaseURL: url, MaxRetryAfter: test.bound, Now: clock.Now, Sleep: clock.Sleep})
			first := c.Do(t.Context(), "c", get("/x"))
			expectKind(t, "first", first, RateLimited, "limits.rate")
			if first.RateLimited != test.waits || first.Response.Status != 429 || clock.Now().Sub(epoch) > test.bound {
				t.Errorf("%d waits, %s in all, want %d", first.RateLimited, clock.Now().Sub(epoch), test.waits)
			}
			next := c.Do(t.Context(), "c", get("/x"))
			expectKind(t, "next", next, RateLimited, "")
			if next.RateLimited != 0 {
				t.Errorf("the next exchange waited %d times", next.RateLimited)
			}
			left.Store(0)
			status(t, c.Do(t.Context(), "c", get("/x")), 200)
			if test.waits > 0 {
				left.Store(1)
				status(t, c.Do(t.Context(), "c", get("/x")), 200)
			}
		})
	}
}

// Eight workers against a bucket of two that is refilled once a second: nobody
// starves, as one waits at a time.
func TestRateLimitSharedByLanes(t *testing.T) {
	var clock clock
	var mu sync.Mutex
	taken := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if taken >= 2+int(clock.Now().Sub(epoch)/time.Second) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		taken++
	}))
	t.Cleanup(server.Close)
	c := newClient(t, Options{BaseURL: server.URL, MaxRetryAfter: 10 * time.Second, Now: clock.Now, Sleep: clock.Sleep})
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 5 {
				ex := c.Do(t.Context(), "c", get("/x"))
				if ex.Err != nil {
					t.Errorf("%v after %d waits", ex.Err, ex.RateLimited)
				}
			}
		})
	}
	workers.Wait()
	// 40 requests need 38 refills; a client that lets all workers wait on their
	// own sleeps several times as long.
	if waited := clock.Now().Sub(epoch); waited < 38*time.Second || waited > 50*time.Second {
		t.Errorf("slept %s, want about 38s", waited)
	}
}

// The time in which a request waits for its turn counts as waiting.
func TestRateLimitWaitsPassTogether(t *testing.T) {
	var clock clock
	var asked atomic.Int64
	begun, done := make(chan struct{}), make(chan struct{})
	c := newClient(t, Options{BaseURL: "http://a", Sleep: clock.Sleep, Now: func() time.Time {
		if asked.Add(1) == 2 { // it waits from then on
			defer close(begun)
		}
		return clock.Now()
	}})
	limited := &Exchange{Response: &Response{Status: 429, Header: http.Header{"Retry-After": {"30"}}}}
	first, second := &waiting{Client: c}, &waiting{Client: c, ex: limited}
	if err := first.takeTurn(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		if !second.forRate(t.Context()) {
			t.Error(limited.Err)
		}
	}()
	<-begun
	clock.Sleep(t.Context(), 25*time.Second) // what the first one waits
	first.giveTurn()
	<-done
	if waited := clock.Now().Sub(epoch); waited != 30*time.Second {
		t.Errorf("waited %s, want 30s", waited)
	}
}

// While one request waits, another is not sent. It gives up in the end here, as
// the wait lasts until then.
func TestRateLimitHoldsTheOthersBack(t *testing.T) {
	url, _ := limiting(t, 1, "1")
	var c *Client
	var other *Exchange
	c = newClient(t, Options{BaseURL: url, Sleep: func(ctx context.Context, _ time.Duration) error {
		brief, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		other = c.Do(brief, "c", get("/other"))
		return nil
	}})
	status(t, c.Do(t.Context(), "c", get("/x")), 200)
	expectKind(t, "other", other, Canceled, "not sent")
	if other.Attempts != 0 {
		t.Errorf("the other was sent %d times", other.Attempts)
	}
}

const remaining = "X-RateLimit-IPRemaining"

// bucketServer is a target with a bucket of three requests that is refilled at
// one a second and told in a header. It counts the 429 it had to give.
func bucketServer(t *testing.T, now func() time.Time) (url string, refused func() int) {
	var mu sync.Mutex
	taken, over := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		left := 3 + int(now().Sub(epoch)/time.Second) - taken
		if left <= 0 {
			over++
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		taken++
		w.Header().Set(remaining, fmt.Sprint(left-1))
	}))
	t.Cleanup(server.Close)
	return server.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return over
	}
}

func TestRemainingRequestsAreRespected(t *testing.T) {
	for name, test := range map[string]struct {
		header  string
		refused int
	}{
		"named":     {remaining, 0},
		"not named": {"", 7},
	} {
		t.Run(name, func(t *testing.T) {
			var clock clock
			url, refused := bucketServer(t, clock.Now)
			c := newClient(t, Options{BaseURL: url, RemainingHeader: test.header, Now: clock.Now, Sleep: clock.Sleep})
			var waited time.Duration
			for range 10 {
				ex := c.Do(t.Context(), "c", get("/x"))
				status(t, ex, 200)
				waited += ex.Waited
			}
			if refused() != test.refused {
				t.Errorf("%d requests were refused, want %d", refused(), test.refused)
			}
			if slept := clock.Now().Sub(epoch); slept != 7*time.Second || waited != slept {
				t.Errorf("slept %s, said to have waited %s, want 7s", slept, waited)
			}
		})
	}
}

func TestHowLongAnEmptyBucketHoldsBack(t *testing.T) {
	for name, test := range map[string]struct {
		rate      float64
		remaining string
		want      time.Duration // of the second request
	}{
		"nothing known": {0, "0", time.Second},
		"a rate":        {4, "0", 250 * time.Millisecond},
		"below zero":    {0, "-1", time.Second},
		"some left":     {0, "1", 0},
		"no number":     {0, "none", 0},
		"no header":     {0, "", 0},
	} {
		var clock clock
		c := newClient(t, Options{BaseURL: "http://a", Rate: test.rate, RemainingHeader: remaining, Now: clock.Now, Sleep: clock.Sleep})
		c.noteRemaining(http.Header{http.CanonicalHeaderKey(remaining): {test.remaining}})
		for i := range 3 { // those that find the bucket empty do not all go when one request was refilled
			c.noteRemaining(http.Header{http.CanonicalHeaderKey(remaining): {test.remaining}})
			if got, want := c.refill.ReserveN(epoch, 1).DelayFrom(epoch), time.Duration(i+1)*test.want; got != want {
				t.Errorf("%s: request %d is held back %s, want %s", name, i+1, got, want)
			}
		}
		c.noteRemaining(http.Header{http.CanonicalHeaderKey(remaining): {"2"}})
		if got := c.refill.ReserveN(epoch, 1).DelayFrom(epoch); got != 0 {
			t.Errorf("%s: held back %s with two left", name, got)
		}
	}
}
