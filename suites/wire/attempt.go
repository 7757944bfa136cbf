package wire

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// sender makes one attempt: it sends the request and reads the answer to its
// end. With an error, the response is what had arrived by then, or nil.
type sender func(context.Context, *attempt, *message) (*Response, error)

// attempt is what one attempt finds out about its connection. net/http calls
// back from several goroutines, hence the atomics.
type attempt struct {
	dialing atomic.Int32 // stage before a connection is there
	stage   atomic.Int32 // stage from then on
	conns   int          // connections that net/http took for it
	reused  bool
	http2   bool
	group   *group // set when it has to wait for others
	arrived sync.Once
}

func (a *attempt) reached(s stage) { a.stage.Store(int32(s)) }

func (a *attempt) at() stage {
	if s := stage(a.stage.Load()); s >= sending {
		return s
	}
	return stage(a.dialing.Load())
}

// group holds requests that are released at the same instant.
type group struct {
	waiting sync.WaitGroup // for those that have no connection yet
	slots   int64          // taken ahead for all, given back together
	pending atomic.Int64   // see leave
}

// gather lets so many requests that can be put on the wire be sent as a group; nil, and Err
// of each exchange set, where they may not be.
func (c *Client) gather(ctx context.Context, exchanges []*Exchange, sendable int) *group {
	g := &group{slots: min(int64(sendable), int64(c.opt.Concurrency))}
	g.waiting.Add(sendable)
	g.pending.Store(int64(sendable))
	_, err := c.admit(ctx, g.slots, sendable)
	if err == nil {
		return g
	}
	for _, ex := range exchanges {
		if ex.Err == nil {
			ex.Err = c.shown(notSent(err))
		}
	}
	return nil
}

// arrive blocks until every request of the group has its connection or failed.
func (a *attempt) arrive(wait bool) {
	if a.group == nil {
		return
	}
	a.arrived.Do(a.group.waiting.Done)
	if wait {
		a.group.waiting.Wait()
	}
}

// run makes attempts until one has an answer or a failure to keep.
func (c *Client) run(ctx context.Context, ex *Exchange, m *message, send sender, together *group) *Exchange {
	if m == nil {
		return ex
	}
	queue := &queuer{patience: c.patience}
	defer queue.leave()
	resent := false
	for {
		if together == nil {
			err := queue.join(ctx)
			if err == nil {
				var held time.Duration
				held, err = c.admit(ctx, 1, 1)
				ex.Waited += held
			}
			if err != nil {
				ex.Err = c.shown(notSent(err))
				return ex
			}
		}
		a := c.attempt(ctx, ex, m, send, together)
		together = nil
		switch {
		case !resent && a.reused && a.saysNothing(ex.Err):
			resent = true
			ex.Resent++
			c.unkept.Store(true)
			send = c.via(c.fresh)
		case ex.asksToWait():
			if again, err := queue.wait(ctx, c, ex); err != nil {
				ex.Err = c.shown(err)
				return ex
			} else if !again {
				return ex
			}
		default:
			if ex.Response != nil {
				queue.answered()
			}
			return ex
		}
	}
}

// admit waits for the bounds on concurrency and rate, and until the target has
// requests left. held is how long that last wait was.
func (c *Client) admit(ctx context.Context, slots int64, requests int) (held time.Duration, err error) {
	if err := c.slots.Acquire(ctx, slots); err != nil {
		return 0, err
	}
	for range requests {
		now := c.opt.Now()
		var own time.Duration
		if c.limiter != nil {
			own = c.limiter.ReserveN(now, 1).DelayFrom(now)
		}
		delay := max(own, c.bucket.reserve(now))
		if delay <= 0 {
			continue
		}
		held += delay - max(own, 0)
		if err := c.opt.Sleep(ctx, delay); err != nil {
			c.slots.Release(slots)
			return held, err
		}
	}
	return held, nil
}

// attempt makes one attempt, records it, and gives back what admit took.
func (c *Client) attempt(ctx context.Context, ex *Exchange, m *message, send sender, together *group) *attempt {
	a := &attempt{group: together}
	if together == nil {
		defer c.slots.Release(1)
	} else {
		defer together.leave(c)
	}
	timed, cancel := finishing(ctx, c.opt.Timeout)
	defer cancel()
	ex.Attempts++
	ex.Start = c.opt.Now()
	response, err := send(timed, a, m)
	a.arrive(false) // it may have failed before it had a connection
	ex.Duration = c.opt.Now().Sub(ex.Start)
	ex.Response, ex.Err, ex.Reused = response, nil, a.reused
	if response != nil {
		c.bucket.saw(response.Header, c.opt.Now())
	}
	if a.conns > 1 {
		ex.Resent++ // the connection was gone before the target took the request: net/http sent it on another
	}
	switch {
	case err == nil:
	case ctx.Err() != nil && timed.Err() != nil:
		ex.Err = &TransportError{Canceled, "interrupted while it was under way"}
	default:
		failure := classify(err, a.at(), c.opt.Timeout)
		if a.reused {
			failure.Detail += " (on a connection used before)"
		}
		ex.Err = c.shown(failure)
	}
	return a
}

// finishTime is how long a request that is under way when the run is interrupted
// may take to end. One that is cut off may be carried out all the same, after what
// it changed was put back.
const finishTime = time.Second

// finishing bounds a request by its time-out, and once ctx has ended by finishTime.
func finishing(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(finishTime, cancel)
		context.AfterFunc(timed, func() { late.Stop() })
	})
	return timed, func() { stop(); cancel() }
}

// saysNothing reports whether a failure on a connection that was used before tells
// nothing of the request. A server may end such a connection at any time (RFC 9112
// §9.5): when it is idle, or after what went before on it, of which something may be
// left over, too.
func (a *attempt) saysNothing(err *TransportError) bool {
	switch {
	case err == nil:
		return false
	case err.Kind == Closed, err.Kind == Reset:
		return a.at() <= awaiting
	case err.Kind == Malformed:
		return a.at() == readingHead
	}
	return false
}

// leave gives back the group's slots when its last request is through.
func (g *group) leave(c *Client) {
	if g.pending.Add(-1) == 0 {
		c.slots.Release(g.slots)
	}
}

func notSent(err error) *TransportError {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return transportErrorf(Canceled, "not sent: the time for the run is over")
	case errors.Is(err, context.Canceled):
		return transportErrorf(Canceled, "not sent: interrupted")
	}
	return transportErrorf(Canceled, "not sent: %v", err)
}
