package wire

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// 502, 503 and 504 are first of all the word of somebody in between: a limiter that is
// full, a gateway whose server restarts. So is a connection that is refused, or ends without
// an answer, while nothing else is answered either. Such a request waits and is sent again. What
// fails while an ordinary request beside it is answered fails by itself; the rest is an outage,
// in which all requests wait together, and not longer than outageTime in all.

const (
	outageTime  = 30 * time.Second // and no more than outageTimes time-outs
	outageTimes = 3
	firstAway   = 25 * time.Millisecond // doubled each time, up to longestAway
	longestAway = 2 * time.Second
	onlyPauses  = 4 // before anything is sent beside: a limiter lets the request through by then
	besides     = 3 // ordinary requests that are answered beside one that fails by itself
	alone       = 3 // outages that a request begins, each time that it is sent, where it is to blame
)

// outage is what is known of the target's absence.
type outage struct {
	ordinary func() []Request // see Beside; nil: none are known
	answered atomic.Bool
	failing  sync.Map // operations with a request that fails by itself: the next is believed sooner

	mu    sync.Mutex
	began time.Time // zero: the target was there when it was asked last
	ended time.Time // of the last one
	over  bool      // it lasts: nothing is waited for any more
}

// Beside gives the requests that are sent beside one that fails, the best first: each has
// to be answered, and changes nothing. It is called before any request.
func (c *Client) Beside(ordinary func() []Request) { c.outage.ordinary = sync.OnceValue(ordinary) }

// away says whether an attempt tells of a target that is busy or away.
func (ex *Exchange) away() bool {
	if ex.Err != nil {
		return ex.Request.Odd == nil && slices.Contains([]Kind{Refused, Reset, Closed}, ex.Err.Kind)
	}
	return slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, ex.Response.Status)
}

// answers notes that the target is there.
func (o *outage) answers(now time.Time) {
	o.answered.Store(true)
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.began.IsZero() {
		o.began, o.ended, o.over = time.Time{}, now, false
	}
}

// lasts notes that the target is not there, and says whether it was waited for long enough.
func (o *outage) lasts(now time.Time, bound time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.began.IsZero() {
		o.began = now
	}
	o.over = o.over || now.Sub(o.began) >= bound
	return o.over
}

// state says whether an outage that lasts is under way, whether another is or was after a
// request was sent, and whether that one has ended.
func (o *outage) state(ex *Exchange) (lasts, hit, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ended = o.ended.After(ex.Start)
	return o.over, ended || !o.began.IsZero(), ended
}

// outlast waits until a request that found the target away may be sent again, and says
// whether it may. Otherwise the exchange tells what the target did to it.
func (q *queuer) outlast(ctx context.Context, c *Client, ex *Exchange) (again bool) {
	o := &c.outage
	lasts, hit, _ := o.state(ex)
	switch {
	case o.ordinary == nil:
		return false // an answer is an answer where nobody can tell
	case lasts:
		return c.unavailable(ex)
	case ex.Err != nil && (!o.answered.Load() || q.aways == 0 && !hit && c.answersBeside(ctx, ex)):
		return false // it was never there, or ends connections while it answers others
	}
	q.limited.Store(true)
	defer func() {
		if !again {
			q.limited.Store(false)
		}
	}()
	if err := q.take(ctx); err != nil {
		ex.Err = c.shown(notSent(err))
		return false
	}
	_, _, ended := o.state(ex) // while this one waited for its turn
	operation, _, _ := strings.Cut(ex.Case, "/")
	_, believed := o.failing.Load(operation)
	q.aways++
	pause := min(firstAway<<min(q.aways-1, 10), longestAway)
	if ex.Err == nil {
		if asked, _ := readRetryAfter(ex.Response.Header, c.opt.Now()); asked > 0 && q.waited+asked <= c.opt.MaxRetryAfter {
			pause = asked
		}
	}
	switch {
	case ex.Err == nil && (q.aways == 1 || q.aways <= onlyPauses && !believed), q.aways == 1 && ended:
	case c.answersBeside(ctx, ex):
		if q.besides++; q.besides == besides || believed {
			o.failing.Store(operation, true)
			return false
		}
	default:
		wait := pause
		for ; !c.answersBeside(ctx, ex); wait = min(2*wait, longestAway) {
			if o.lasts(c.opt.Now(), c.outageTime()) {
				return c.unavailable(ex)
			}
			if !q.pause(ctx, c, ex, wait) {
				return false
			}
		}
		if q.alone++; q.alone > alone || believed && q.alone > 1 {
			o.failing.Store(operation, true)
			return false
		}
		pause = max(wait, firstAway<<(2*q.alone)) // for a limiter that the other request has filled
	}
	ex.Unavailable++
	ex.Unsure = ex.Unsure || ex.Err != nil || ex.Response.Status != http.StatusServiceUnavailable
	return q.pause(ctx, c, ex, pause)
}

// pause waits; where that is cut short the exchange says so.
func (q *queuer) pause(ctx context.Context, c *Client, ex *Exchange, d time.Duration) bool {
	q.waited += d
	ex.Waited += d
	if err := c.opt.Sleep(ctx, d); err != nil {
		ex.Err = c.shown(notSent(err))
		return false
	}
	return true
}

func (c *Client) outageTime() time.Duration { return min(outageTime, outageTimes*c.opt.Timeout) }

// unavailable says of an exchange that the target was away for too long.
func (c *Client) unavailable(ex *Exchange) (again bool) {
	if ex.Away = true; ex.Err == nil {
		ex.Err = transportErrorf(Unavailable, "%d, and to ordinary requests too, after %s of waiting: the target, or what is before it, "+
			"is away or wants fewer requests: lower limits.rate in the target file", ex.Response.Status, ex.Waited.Round(time.Millisecond))
	}
	return false
}

// hangTimes is for how many time-outs nothing may be answered before a target hangs.
const hangTimes = 2

// Hangs says whether the target takes an ordinary request and does not answer it, until hangTimes
// time-outs have gone by since then, and gives the last one; nil where it cannot be asked.
func (c *Client) Hangs(ctx context.Context, since time.Time) (last *Exchange, hangs bool) {
	if c.outage.ordinary == nil || len(c.outage.ordinary()) == 0 {
		return nil, false
	}
	for first := true; first || c.opt.Now().Sub(since) < hangTimes*c.opt.Timeout; first = false {
		last = c.Do(ctx, "preflight/beside", c.outage.ordinary()[0])
		if last.Err == nil || last.Err.Kind != Timeout {
			return last, false
		}
	}
	return last, true
}

// answersBeside says whether the target answers an ordinary request.
func (c *Client) answersBeside(ctx context.Context, ex *Exchange) bool {
	for _, r := range c.outage.ordinary() {
		beside, m := c.begin("preflight/beside", r)
		if m == nil {
			continue
		}
		if _, err := c.admit(ctx, 1, 1); err != nil {
			return false
		}
		c.attempt(ctx, beside, m, c.transportFor(r.Method), nil)
		ex.Beside++
		switch {
		case beside.Err != nil:
			return false
		case !beside.away():
			c.outage.answers(c.opt.Now())
			return beside.Response.Status != http.StatusTooManyRequests
		}
	}
	return false
}
