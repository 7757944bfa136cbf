package wire

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// refusing answers with a status and Retry-After a number of times, and then with 200.
func refusing(status int, times int64, retryAfter string) (handle http.HandlerFunc, left *atomic.Int64) {
	left = new(atomic.Int64)
	left.Store(times)
	return func(w http.ResponseWriter, _ *http.Request) {
		if left.Add(-1) >= 0 {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(status)
		}
	}, left
}

// A limiter itself sets, within bounds, how long the client waits for it.
func TestRateLimitIsWaitedOut(t *testing.T) {
	for _, test := range []struct {
		status, times int
		retryAfter    string
		wait          time.Duration
	}{
		{429, 2, "3", 6 * time.Second},
		{429, 1, epoch.Add(5 * time.Second).Format(http.TimeFormat), 5 * time.Second},
		{429, 1, epoch.Add(-time.Hour).Format(http.TimeFormat), 25 * time.Millisecond},
		{429, 8, "0", 5175 * time.Millisecond}, // 25, 50, … 1600 ms, then 2 s each
		{429, 4, "", 4 * time.Second},
		{429, 1, "soon", time.Second},
		{503, 2, "3", 6 * time.Second},
		{503, 2, "3600", 75 * time.Millisecond},
		{503, 2, "soon", 75 * time.Millisecond},
	} {
		for _, r := range []Request{patch("/x", "{}"), onRaw(patch("/x", "{}")), {Method: "DELETE", Path: "/x"}} {
			handle, _ := refusing(test.status, int64(test.times), test.retryAfter)
			inBubble(t, Options{}, handle, func(t *testing.T, c *Client) {
				c.Beside(func() []Request { return []Request{get("/ordinary")} })
				ex := c.Do(t.Context(), "c", r)
				status(t, ex, 200)
				waited := time.Since(epoch)
				if times := map[int]int{429: ex.RateLimited, 503: ex.Unavailable}; times[test.status] != test.times ||
					ex.RateLimited+ex.Unavailable != test.times || waited != test.wait || ex.Waited != test.wait || ex.Unsure ||
					test.status == 429 && ex.Attempts != test.times+1 {
					t.Errorf("%d, %q: refused %v times in %d attempts, waited %s, reported %s, want %s; unsure: %t",
						test.status, test.retryAfter, times, ex.Attempts, waited, ex.Waited, test.wait, ex.Unsure)
				}
			})
		}
	}
}

// A target that limits the rate for ever makes one exchange wait up to the bound
// and the others not at all, until it lets a request through.
func TestRateLimitForEver(t *testing.T) {
	for retryAfter, waits := range map[string]int{"7": 8, "1": maxRateLimited, "3600": 0, "99999999999999999999": 0} {
		handle, left := refusing(429, 1_000_000, retryAfter)
		inBubble(t, Options{}, handle, func(t *testing.T, c *Client) {
			first := c.Do(t.Context(), "c", get("/x"))
			expectKind(t, retryAfter, first, RateLimited, "limits.rate")
			if waited := time.Since(epoch); first.RateLimited != waits || first.Response.Status != 429 || waited > maxWaited {
				t.Errorf("%s: %d waits, %s in all, want %d", retryAfter, first.RateLimited, waited, waits)
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
		})
	}
}

// Eight workers share a bucket of two requests that is refilled at one a second: each request
// gets through, as only one waits at a time.
func TestWorkersShareARateLimit(t *testing.T) {
	var mu sync.Mutex
	taken := 0
	handle := func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if taken >= 2+int(time.Since(epoch)/time.Second) {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		taken++
	}
	inBubble(t, Options{}, handle, func(t *testing.T, c *Client) {
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
		// 40 requests need 38 refills.
		if waited := time.Since(epoch); waited < 38*time.Second || waited > 50*time.Second {
			t.Errorf("waited %s, want about 38s", waited)
		}
	})
}

func TestRate(t *testing.T) {
	inBubble(t, Options{Rate: 10}, func(http.ResponseWriter, *http.Request) {}, func(t *testing.T, c *Client) {
		for range 3 {
			status(t, c.Do(t.Context(), "c", get("/x")), 200)
		}
		c.DoAll(t.Context(), "c", Together, get("/x"), get("/x"))
		if got := time.Since(epoch); got != 400*time.Millisecond {
			t.Errorf("five requests at 10/s took %s, want 400ms", got)
		}
	})
}

func TestInterruption(t *testing.T) {
	hanging := make(chan struct{})
	c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
		readRequest(conn)
		hanging <- struct{}{}
		untilGone(conn)
	}), Timeout: time.Hour})
	for _, r := range []Request{get("/x"), onRaw(get("/x"))} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-hanging; cancel() }()
		expectKind(t, "under way", c.Do(ctx, "c", r), Canceled, "under way")
		ex := c.Do(ctx, "c", r)
		expectKind(t, "after", ex, Canceled, "not sent")
		if ex.Attempts != 0 {
			t.Errorf("%d attempts after the interruption", ex.Attempts)
		}
		for _, ex := range append(c.DoAll(ctx, "c", Together, get("/x"), get("/y")), c.DoAll(ctx, "c", InOrder, get("/x"))...) {
			expectKind(t, "after", ex, Canceled, "not sent")
		}
	}
}

// A target returns the status of its answer to a request, at a time since the first one; 0 for no answer.
type target func(at time.Duration, r *http.Request) (status int)

// limiter returns a target that accepts one request in each interval, and answers 503 to others.
func limiter(every time.Duration, of func(*http.Request) bool) target {
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

// outage returns a target that answers with a status for some time.
func outage(status int, from, to time.Duration) target {
	return func(at time.Duration, _ *http.Request) int {
		if at >= from && at < to {
			return status
		}
		return 200
	}
}

// A failure that waiting cures is not an answer of the target. A failure while an ordinary request
// is answered is one.
// dying returns a target that each request for /x brings down for two seconds.
func dying() target {
	back := time.Duration(-1)
	return func(at time.Duration, r *http.Request) int {
		if r.URL.Path == "/x" && at > back {
			back = at + 2*time.Second
		}
		return outage(502, 0, back+1)(at, r)
	}
}

// failingAtX returns a target that answers /x with one status.
func failingAtX(status int) target {
	return func(_ time.Duration, r *http.Request) int {
		if r.URL.Path == "/x" {
			return status
		}
		return 200
	}
}

// expectWait sends a request that waits for so long at most, and reports that.
func expectWait(t *testing.T, c *Client, most time.Duration) *Exchange {
	t.Helper()
	before := time.Now()
	ex := c.Do(t.Context(), "updateIt/case", patch("/x", "{}"))
	if took := time.Since(before); took > most || ex.Waited != took {
		t.Errorf("slept %s, reported %s, want at most %s", took, ex.Waited, most)
	}
	return ex
}

func TestOutages(t *testing.T) {
	any := func(*http.Request) bool { return true }
	writes := func(r *http.Request) bool { return r.Method != "GET" }
	busy := func(_ time.Duration, r *http.Request) int { // a limiter that says it in two ways
		return map[string]int{"GET": 429, "PATCH": 503}[r.Method]
	}
	for name, test := range map[string]struct {
		of     target
		status int           // in the end; 0 for Unavailable
		waits  time.Duration // the longest wait of the first request
		next   time.Duration // and that of the next one
	}{
		"a limiter of 10 a second":        {limiter(time.Second/10, any), 200, time.Second, time.Second},
		"a limiter of 1 a second":         {limiter(time.Second, any), 200, 5 * time.Second, 5 * time.Second},
		"a limiter of writes, 1 a second": {limiter(time.Second, writes), 200, 5 * time.Second, 5 * time.Second},
		"a limiter of 1 in 8 s":           {limiter(8*time.Second, any), 200, 40 * time.Second, 40 * time.Second},
		"a restart of 4 s":                {outage(502, 0, 4*time.Second), 200, 8 * time.Second, 0},
		"a restart of 29 s":               {outage(504, 0, 29*time.Second), 200, 32 * time.Second, 0},
		"connections lost for 3 s":        {outage(0, 1, 3*time.Second), 200, 6 * time.Second, 0},
		"away for good":                   {outage(503, 0, time.Hour), 0, 33 * time.Second, 0},
		"502 to one request":              {failingAtX(502), 502, 2 * time.Second, 100 * time.Millisecond},
		"503 to one request":              {failingAtX(503), 503, 2 * time.Second, 100 * time.Millisecond},
		"429 to ordinary requests":        {busy, 0, 33 * time.Second, 0},
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
				c.gate.note(served)
				time.Sleep(time.Nanosecond)
				for _, most := range []time.Duration{test.waits, test.next} {
					ex := expectWait(t, c, most)
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
	c.gate.note(served)
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

func took(status int, d time.Duration) *Exchange {
	return &Exchange{Response: &Response{Status: status}, Duration: d}
}

func lost(kind Kind, d time.Duration) *Exchange {
	return &Exchange{Err: &TransportError{Kind: kind, Detail: "gone"}, Duration: d}
}

// noteAt records an exchange that began at a time.
func (w *Watch) noteAt(ex *Exchange, operation string, start time.Time) {
	ex.Start = start
	w.Note(ex, operation)
}

// In the end no more requests are sent to a target that fails, but they are to one that is only slow.
func TestHowLongFailuresAreWaitedFor(t *testing.T) {
	hung, right := lost(Timeout, 10*time.Second), took(404, time.Millisecond)
	for name, test := range map[string]struct {
		first, then, third *Exchange // the first answer, later ones, and every third one unless nil
		operations         int       // number of operations, called in turn
		sent               int       // number of requests sent, of 100
		says               string
	}{
		"hangs":             {right, hung, nil, 1, 3, "stopped calling the operation: 20s were lost"},
		"all hang":          {right, hung, nil, 5, 4, "stopped calling the target: 30s were lost"},
		"slow 500":          {right, took(500, 6*time.Second), nil, 1, 4, "stopped calling the operation: 18s were lost"},
		"all slow 500":      {right, took(500, 6*time.Second), nil, 5, 6, "stopped calling the target: 30s were lost"},
		"slow and right":    {right, took(404, 9*time.Second), nil, 5, 100, ""},
		"slow, some 500":    {right, took(404, 2*time.Second), took(500, 2*time.Second), 5, 100, ""},
		"quick 500":         {right, took(500, time.Millisecond), nil, 5, 100, ""},
		"every third hangs": {right, right, hung, 1, 6, "stopped calling the operation"},
		"quickly lost":      {right, lost(Reset, 0), nil, 1, 4, "the operation no longer answers"},
		"all quickly lost":  {right, lost(Reset, 0), nil, 5, 11, "the target does not answer: reset"},
		"never there":       {lost(Refused, 0), right, nil, 1, 1, "the target does not answer: refused"},
		"rate limits":       {right, lost(RateLimited, time.Hour), nil, 1, 2, "stopped calling the operation: rate-limited"},
	} {
		w, now, sent, says := NewLiveness(10*time.Second), epoch, 0, ""
		for n := range 100 {
			operation := fmt.Sprint(n % test.operations)
			if says = cmp.Or(w.Gone(), w.Silent(operation)); says != "" {
				continue
			}
			ex := *test.then
			switch sent++; {
			case sent == 1:
				ex = *test.first
			case sent%3 == 0 && test.third != nil:
				ex = *test.third
			}
			w.noteAt(&ex, operation, now)
			now = now.Add(ex.Duration)
		}
		if sent != test.sent || !strings.HasPrefix(says, test.says) || test.says == "" && says != "" {
			t.Errorf("%s: %d requests, then %q", name, sent, says)
		}
	}
}

// Lost answers count on a target that otherwise answers. Those after the target stopped
// answering do not count, but the first of them is named.
func TestWhatIsLostAtTheEnd(t *testing.T) {
	// A and a are answers of operation a, B and b those of operation b; x and X are answers that a and b lose.
	// Each request takes a second; one after ~ is under way at the same time as the one before.
	for script, test := range map[string]struct {
		lost    int
		stopped string // the last request that was answered, and the first that was not
	}{
		"AaBb":    {0, ""},
		"AabxX":   {0, "2 3"},
		"xAB":     {1, ""}, // one is lost, and then answers come
		"AxxABab": {2, ""},
		"Axxbb":   {2, ""}, // b answers requests that were sent later
		"Axx~b":   {0, "2 1"},
		"Axx":     {0, "0 1"},
		"AxxX":    {0, "0 1"},
		"AxBBxX":  {1, "3 4"}, // the first that is lost blocks one worker of several
		"Ax":      {0, ""},    // a single lost answer does not show that it stopped
		"xxXX":    {0, ""},    // it never answered, which is reported elsewhere
	} {
		w, second := NewLiveness(0), 0
		for _, c := range script {
			if c == '~' {
				second--
				continue
			}
			ex := took(404, time.Second)
			if c == 'x' || c == 'X' {
				ex = lost(Closed, time.Second)
			}
			ex.Case = fmt.Sprint(second)
			w.noteAt(ex, map[bool]string{false: "a", true: "b"}[strings.ContainsRune("bBX", c)], epoch.Add(time.Duration(second)*time.Second))
			second++
		}
		stopped := strings.Join(regexp.MustCompile(`\d+\)`).FindAllString(w.Stopped(), -1), " ")
		if stopped = strings.ReplaceAll(stopped, ")", ""); len(w.Lost()) != test.lost || stopped != test.stopped {
			t.Errorf("%s: %d lost, %q", script, len(w.Lost()), w.Stopped())
		}
	}
}

// Time in which several requests wait counts once, whichever wait ends first.
func TestTimeSpentWaiting(t *testing.T) {
	for _, test := range []struct {
		waits [][2]int
		want  int
	}{
		{[][2]int{{0, 10}, {0, 10}, {1, 11}}, 11},
		{[][2]int{{0, 10}, {20, 30}}, 20},
		{[][2]int{{5, 6}, {0, 10}}, 5}, // the second wait adds only the time after the first
		{[][2]int{{0, 10}, {3, 9}}, 10},
	} {
		var s service
		for _, w := range test.waits {
			s.Add(epoch.Add(time.Duration(w[0])*time.Second), epoch.Add(time.Duration(w[1])*time.Second))
		}
		if s.Spent != time.Duration(test.want)*time.Second {
			t.Errorf("%v: %s, want %d s", test.waits, s.Spent, test.want)
		}
	}
}

// Putting back has time of its own for failures, and the least if the target did not answer
// in the end.
func TestPatienceInPuttingBack(t *testing.T) {
	for _, gone := range []bool{false, true} {
		w := NewLiveness(10 * time.Second)
		if gone {
			w.target.lost = make([]*Exchange, goneAfter)
		}
		w.Restoring()
		if w.Spared("a") {
			t.Error("nothing is put back")
		}
		w.noteAt(lost(Timeout, 5*time.Second), "a", epoch) // a third of one and a half time-outs
		if !w.Spared("a") || w.Spared("b") != gone {
			t.Errorf("gone: %t; an operation that hung is still tried, or another one is wrongly spared", gone)
		}
	}
}

// Requests that wait for each other do so for one attempt each: while one waits for its next, the other has the turn.
func TestRequestsThatAreRefusedTogether(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	var dials atomic.Int64
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if n := dials.Add(1); n == 2 || n == 3 {
			both.Done()
			both.Wait()
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	c := newClient(t, Options{BaseURL: serve(t, func(http.ResponseWriter, *http.Request) {}), Dial: dial})
	c.Beside(func() []Request { return []Request{get("/ordinary")} })
	status(t, c.Do(t.Context(), "c", get("/ordinary")), 200)
	got := c.DoAll(t.Context(), "c", Together, get("/x"), get("/y"))
	if got[0].Err != nil && got[1].Err != nil {
		t.Errorf("both requests are lost: %v, %v", got[0].Err, got[1].Err)
	}
}
