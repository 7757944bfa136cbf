package wire

import (
	"net/http"
	"testing"
	"time"
)

// 503 with Retry-After is how some servers limit the rate: it is waited for, and
// counted apart from 429.
func TestUnavailableWithRetryAfterIsWaitedOut(t *testing.T) {
	for name, test := range map[string]struct {
		retryAfter string
		wait       time.Duration
	}{
		"seconds":   {"3", 6 * time.Second},
		"HTTP date": {epoch.Add(5 * time.Second).Format(http.TimeFormat), 5*time.Second + 40*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []Request{patch("/x", "{}"), {Method: "DELETE", Path: "/x"}} {
				var clock clock
				url, _ := refusing(t, http.StatusServiceUnavailable, 2, test.retryAfter)
				c := newClient(t, Options{BaseURL: url, Now: clock.Now, Sleep: clock.Sleep})
				ex := c.Do(t.Context(), "c", r)
				status(t, ex, 200)
				if ex.Unavailable != 2 || ex.RateLimited != 0 || ex.Attempts != 3 || ex.Waited != test.wait {
					t.Errorf("%s: %d answers 503 and %d answers 429 in %d attempts, waited %s, want %s", r.Method, ex.Unavailable,
						ex.RateLimited, ex.Attempts, ex.Waited, test.wait)
				}
				if waited := clock.Now().Sub(epoch); waited != test.wait {
					t.Errorf("%s: slept %s, want %s", r.Method, waited, test.wait)
				}
			}
		})
	}
}

// A 503 that says nothing of later, and one that does not clear in time, are
// answers to be judged: a target that fails must not hide behind a header.
func TestUnavailableIsAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		retryAfter string
		waits      int
	}{
		"no Retry-After":         {"", 0},
		"a Retry-After in words": {"soon", 0},
		"a negative Retry-After": {"-1", 0},
		"for ever":               {"7", 8}, // 56 s of the minute
		"beyond the bound":       {"3600", 0},
		"beyond numbers":         {"99999999999999999999", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var clock clock
			url, left := refusing(t, http.StatusServiceUnavailable, 1_000_000, test.retryAfter)
			c := newClient(t, Options{BaseURL: url, Now: clock.Now, Sleep: clock.Sleep})
			ex := c.Do(t.Context(), "c", get("/x"))
			status(t, ex, 503)
			if ex.Unavailable != test.waits || ex.Attempts != test.waits+1 {
				t.Errorf("%d waits in %d attempts, want %d waits", ex.Unavailable, ex.Attempts, test.waits)
			}
			next := c.Do(t.Context(), "c", get("/x"))
			if status(t, next, 503); next.Attempts != 1 {
				t.Errorf("the next exchange took %d attempts", next.Attempts)
			}
			left.Store(0)
			status(t, c.Do(t.Context(), "c", get("/x")), 200)
		})
	}
}
