package wire

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

// A target returns the status of its answer to a request, at a time since the first one; 0 for no answer.
type target func(at time.Duration, r *http.Request) (status int)

// limited returns a target that accepts one request in each interval, and answers 503 to others.
func limited(every time.Duration, of func(*http.Request) bool) target {
	next := time.Duration(0)
	return func(at time.Duration, r *http.Request) int {
		switch {
		case !of(r):
		case at < next:
			return 503
		default:
			next = at + every
		}
		return 200
	}
}

func away(status int, from, to time.Duration) target {
	return func(at time.Duration, _ *http.Request) int {
		if at >= from && at < to {
			return status
		}
		return 200
	}
}

// A failure that waiting cures is not an answer of the target. A failure while an ordinary request
// is answered is one.
func TestOutages(t *testing.T) {
	any := func(*http.Request) bool { return true }
	writes := func(r *http.Request) bool { return r.Method != "GET" }
	dying := func() target { // each request for /x brings it down for two seconds
		back := time.Duration(-1)
		return func(at time.Duration, r *http.Request) int {
			if r.URL.Path == "/x" && at > back {
				back = at + 2*time.Second
			}
			return away(502, 0, back+1)(at, r)
		}
	}
	always := func(status int) target {
		return func(_ time.Duration, r *http.Request) int {
			if r.URL.Path == "/x" {
				return status
			}
			return 200
		}
	}
	for name, test := range map[string]struct {
		of     target
		status int           // in the end; 0 for Unavailable
		waits  time.Duration // the longest wait of the first request
		next   time.Duration // and that of the next one
	}{
		"a limiter of 10 a second":        {limited(time.Second/10, any), 200, time.Second, time.Second},
		"a limiter of 1 a second":         {limited(time.Second, any), 200, 5 * time.Second, 5 * time.Second},
		"a limiter of writes, 1 a second": {limited(time.Second, writes), 200, 5 * time.Second, 5 * time.Second},
		"a limiter of 1 in 8 s":           {limited(8*time.Second, any), 200, 40 * time.Second, 40 * time.Second},
		"a restart of 4 s":                {away(502, 0, 4*time.Second), 200, 8 * time.Second, 0},
		"a restart of 29 s":               {away(504, 0, 29*time.Second), 200, 32 * time.Second, 0},
		"connections lost for 3 s":        {away(0, 1, 3*time.Second), 200, 6 * time.Second, 0},
		"away for good":                   {away(503, 0, time.Hour), 0, 33 * time.Second, 0},
		"502 to one request":              {always(502), 502, 2 * time.Second, 100 * time.Millisecond},
		"503 to one request":              {always(503), 503, 2 * time.Second, 100 * time.Millisecond},
		"a crash of each":                 {dying(), 502, 20 * time.Second, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			handle := func(w http.ResponseWriter, r *http.Request) {
				status := test.of(time.Since(epoch), r)
				if status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(status)
			}
			inBubble(t, Options{}, handle, func(t *testing.T, c *Client) {
				c.Beside(func() []Request { return []Request{get("/ordinary"), patch("/other", "{}")} })
				c.answered.Store(true)
				time.Sleep(time.Nanosecond)
				for i, most := range []time.Duration{test.waits, test.next} {
					before := time.Now()
					ex := c.Do(t.Context(), "updateIt/case", patch("/x", "{}"))
					if took := time.Since(before); took > most || ex.Waited != took {
						t.Errorf("request %d: slept %s, reported %s, want at most %s", i, took, ex.Waited, most)
					}
					if test.status > 0 {
						status(t, ex, test.status)
					} else {
						expectKind(t, name, ex, Unavailable, "limits.rate")
					}
				}
				if r := c.Do(t.Context(), "listIt/case", get("/y")); r.Err == nil {
					status(t, r, 200)
				}
			})
		})
	}
}

// Requests whose connections end at the same time were lost in one outage: all but at most one are sent again.
func TestRequestsThatAreLostTogether(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	var mu sync.Mutex
	seen := map[string]bool{}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		lost := r.URL.Path != "/ordinary" && !seen[r.URL.Path]
		seen[r.URL.Path] = true
		mu.Unlock()
		if lost {
			both.Done()
			both.Wait()
			panic(http.ErrAbortHandler)
		}
	})
	c := newClient(t, Options{BaseURL: url})
	c.Beside(func() []Request { return []Request{get("/ordinary")} })
	c.answered.Store(true)
	var got [2]*Exchange
	var all sync.WaitGroup
	for i, path := range []string{"/x", "/y"} {
		all.Go(func() { got[i] = c.Do(t.Context(), "updateIt/case", patch(path, "{}")) })
	}
	all.Wait()
	if got[0].Err != nil && got[1].Err != nil {
		t.Errorf("both requests are lost: %v, %v", got[0].Err, got[1].Err)
	}
}
