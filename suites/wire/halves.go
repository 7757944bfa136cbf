package wire

import (
	"context"
	"sync"
	"time"
)

// maxPause is how long the second half of a request waits for the answer to another request:
// a target that serves one connection at a time gives that answer only after both halves.
const maxPause = 2 * time.Second

// What a target was seen to do after the first half of a request.
const (
	servesOthers = 1 + iota
	servesOneByOne
)

// around sends the first request in two halves, on a connection of its own, and the second
// request between them; Exchange.Around of the first says whether the second was answered
// before the second half was sent. Behind a proxy, with HTTP/2, and on a target that serves
// one connection after another, the second request is sent after the first.
func (c *Client) around(ctx context.Context, exchanges []*Exchange, messages []*message) {
	first, second, m := exchanges[0], exchanges[1], messages[0]
	if m == nil || messages[1] == nil || !c.seesRaw() || c.halved.Load() == servesOneByOne {
		c.run(ctx, first, m, c.viaPool, false)
		c.run(ctx, second, messages[1], c.viaPool, false)
		return
	}
	if !c.admitAll(ctx, exchanges) {
		return
	}
	answered, met, late := make(chan struct{}), false, false
	other := sync.OnceFunc(func() {
		go func() {
			defer close(answered)
			c.run(ctx, second, messages[1], c.via(c.fresh), true) // a connection that comes after the other
		}()
	})
	c.run(ctx, first, m, c.raw(func(ctx context.Context, r *rawConn, m *message) error {
		return r.writeHalves(ctx, m, func(final chan struct{}) {
			other()
			select {
			case <-final: // some servers answer the first half: that of a user without permission
				met = true
			case <-answered:
				met = true
			case <-time.After(min(maxPause, c.opt.Timeout/2)):
				late = true
			case <-ctx.Done():
			}
		})
	}), true)
	other() // where no half was sent
	<-answered
	first.Around = met && second.Err == nil
	switch {
	case first.Around:
		c.halved.Store(servesOthers)
	case late && second.RateLimited+second.Unavailable == 0: // else it is only slow this time
		c.halved.CompareAndSwap(0, servesOneByOne)
	}
}

// writeHalves writes the first half, calls between, and writes the second half. With 100 Continue (RFC 9110,
// 10.1.1) a target says that it has read the head of a request. Not all do: it is waited for no
// longer than a tenth of the time-out, and not again after it did not come.
func (r *rawConn) writeHalves(ctx context.Context, m *message, between func(final chan struct{})) error {
	c := r.client
	all, body := m.bytes(c.origin), len(m.Body)
	half := len(all) - len("\r\n")
	if body > 0 {
		all = m.bytes(c.origin, "Expect: 100-continue")
		half = len(all) - body + body/2
	}
	head := min(half, len(all)-body)
	if _, err := r.Write(all[:head]); err != nil {
		return err
	}
	interim, final := make(chan struct{}, 1), make(chan struct{})
	go r.await(interim, final)
	if body > 0 && !c.neverInvites.Load() {
		select {
		case <-interim:
		case <-final:
		case <-time.After(c.opt.Timeout / 10):
			c.neverInvites.Store(true)
		case <-ctx.Done():
		}
	}
	_, _ = r.Write(all[head:half]) // a failure shows where the answer is read
	between(final)
	_, _ = r.Write(all[half:])
	r.attempt.reached(awaiting)
	<-final
	return nil
}

// await reads answers up to the final one, and signals each interim one.
func (r *rawConn) await(interim, final chan struct{}) {
	defer close(final)
	const line = "HTTP/1.1 101"
	for {
		begin, err := r.in.Peek(len(line))
		if err != nil || begin[len(line)-3] != '1' || string(begin[len(line)-3:]) == "101" {
			return
		}
		if r.head() != nil {
			return
		}
		select {
		case interim <- struct{}{}:
		default:
		}
	}
}
