package wire

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

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
		rate                  float64
		remaining, retryAfter string
		want                  time.Duration
	}{
		"nothing known":      {0, "0", "", time.Second},
		"a rate":             {4, "0", "", 250 * time.Millisecond},
		"Retry-After":        {4, "0", "3", 3 * time.Second},
		"Retry-After zero":   {4, "0", "0", 0},
		"a date":             {0, "0", epoch.Add(9 * time.Second).Format(http.TimeFormat), 9 * time.Second},
		"beyond the bound":   {0, "0", "86400", time.Minute},
		"below zero":         {0, "-1", "", time.Second},
		"some left":          {0, "1", "3", 0},
		"no number":          {0, "none", "3", 0},
		"the header is away": {0, "", "3", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBucket(Options{Rate: test.rate, RemainingHeader: remaining}.withDefaults())
			h := http.Header{}
			h.Set(remaining, test.remaining)
			h.Set("Retry-After", test.retryAfter)
			b.saw(h, epoch)
			if got := b.reserve(epoch); got != test.want {
				t.Errorf("held back %s, want %s", got, test.want)
			}
		})
	}
}

// Workers that find the bucket empty do not all go when one request was refilled.
func TestAnEmptyBucketLetsOneGoAtATime(t *testing.T) {
	b := newBucket(Options{RemainingHeader: remaining}.withDefaults())
	b.saw(http.Header{http.CanonicalHeaderKey(remaining): {"0"}}, epoch)
	for i := range 4 {
		if got, want := b.reserve(epoch), time.Duration(i+1)*time.Second; got != want {
			t.Errorf("request %d is held back %s, want %s", i+1, got, want)
		}
	}
	b.saw(http.Header{http.CanonicalHeaderKey(remaining): {"2"}}, epoch)
	if got := b.reserve(epoch); got != 0 {
		t.Errorf("held back %s with two left", got)
	}
}
