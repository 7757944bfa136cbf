package wire

import (
	"context"
	"sync"
	"time"
)

// maxPause is how long the second half of a request waits for the answer to another request.
// A target that serves one connection at a time gives that answer only after both halves.
const maxPause = 2 * time.Second

// around sends the first request in two halves, on a connection of its own, and the second
// request between them; Exchange.Around of the first reports whether the second was answered
// before the second half was sent. Behind a proxy, with HTTP/2, and on a target that serves
// one connection after another, it sends the second request after the first.
func (c *Client) around(ctx context.Context, first, second *message) {
	if first.ex.Err != nil || second.ex.Err != nil || !c.seesRaw() || c.oneByOne.Load() {
		c.run(ctx, first, c.viaPool)
		c.run(ctx, second, c.viaPool)
		return
	}
	if !c.admitAll(ctx, first, second) {
		return
	}
	answered, met, late := make(chan struct{}), false, false
	other := sync.OnceFunc(func() {
		go func() {
			defer close(answered)
			c.run(ctx, second, c.via(c.fresh)) // on a connection opened after the first
		}()
	})
	c.run(ctx, first, c.raw(func(ctx context.Context, r *rawConn, m *message) error {
		return r.writeHalves(ctx, m, func() {
			other()
			select {
			case <-answered:
				met = true
			case <-time.After(min(maxPause, c.opt.Timeout/2)):
				late = true
			case <-ctx.Done():
			}
		})
	}))
	other() // in case no half was sent
	<-answered
	first.ex.Around = met && second.ex.Err == nil
	if late && second.ex.RateLimited+second.ex.Unavailable == 0 { // otherwise the target is only busy this time
		c.oneByOne.Store(true)
	}
}

// writeHalves writes the first half, calls between, and writes the second half. With 100 Continue (RFC 9110,
// 10.1.1) a target says that it has read the head of a request. Not all send it, so writeHalves waits
// for it no longer than a tenth of the time-out, and never again once it did not come.
func (r *rawConn) writeHalves(ctx context.Context, m *message, between func()) error {
	c := r.client
	all, body := m.bytes(), len(m.Body)
	half := len(all) - len("\r\n")
	if body > 0 {
		all = m.bytes("Expect: 100-continue")
		half = len(all) - body + body/2
	}
	head := min(half, len(all)-body)
	if _, err := r.Write(all[:head]); err != nil {
		return err
	}
	if body > 0 && !c.neverInvites.Load() && !r.arrives(ctx, c.opt.Timeout/10) {
		c.neverInvites.Store(true)
	}
	_, _ = r.Write(all[head:half]) // a failure shows when the answer is read
	between()
	r.arrives(ctx, time.Millisecond) // some servers answer the first half, and reset the connection at the second
	_, _ = r.Write(all[half:])
	return nil
}

// arrives waits for the beginning of an answer, and reports whether it came.
func (r *rawConn) arrives(ctx context.Context, within time.Duration) bool {
	r.SetReadDeadline(time.Now().Add(within))
	_, err := r.in.Peek(1)
	r.SetReadDeadline(time.Time{})
	if ctx.Err() != nil {
		r.SetReadDeadline(time.Unix(1, 0))
	}
	return err == nil
}
