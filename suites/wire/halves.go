package wire

import (
	"bufio"
	"bytes"
	"context"
	"sync"
	"time"
)

// maxPause is how long the first half of a request waits for the answer to another
// before the second half follows: a target that serves one connection at a time
// answers the other only then.
const maxPause = 2 * time.Second

// DoAround sends the first request in two halves, on a connection of its own, and
// the second, whole, between them; Exchange.Around of the first says whether that
// was answered before the second half was sent. Where it cannot be known what goes
// over the wire (a proxy of the environment, HTTP/2), or a target was seen to answer
// one request after another, the second is sent after the first.
func (c *Client) DoAround(ctx context.Context, caseID string, requests ...Request) []*Exchange {
	around, m := c.begin(caseID, requests[0])
	between, n := c.begin(caseID, requests[1])
	exchanges := []*Exchange{around, between}
	if m == nil || n == nil || c.proxy != nil || c.onlyHTTP2.Load() || c.oneByOne.Load() {
		c.run(ctx, around, m, c.transportFor(requests[0].Method), nil)
		c.run(ctx, between, n, c.transportFor(requests[1].Method), nil)
		return exchanges
	}
	group := &group{slots: min(2, int64(c.opt.Concurrency))}
	group.waiting.Add(2)
	group.pending.Store(2)
	if _, err := c.admit(ctx, group.slots, 2); err != nil {
		for _, ex := range exchanges {
			ex.Err = c.shown(notSent(err))
		}
		return exchanges
	}
	h := &halves{client: c, half: make(chan struct{}), answered: make(chan struct{})}
	var done sync.WaitGroup
	done.Go(func() {
		defer close(h.answered)
		c.run(ctx, between, n, h.afterHalf(c.transportFor(requests[1].Method)), group)
	})
	c.run(ctx, around, m, h.send, group)
	done.Wait()
	around.Around = h.met && between.Err == nil
	if h.late && between.RateLimited+between.Unavailable == 0 {
		c.oneByOne.Store(true)
	}
	return exchanges
}

// halves is a request that is sent in two, and another between.
type halves struct {
	client   *Client
	once     sync.Once
	half     chan struct{} // closed when the first half is sent, or will not be
	answered chan struct{} // closed when the other request has its answer
	met      bool          // the first half had to wait for that no longer than it may
	late     bool          // it had to
}

// afterHalf is a sender that waits for the first half.
func (h *halves) afterHalf(send sender) sender {
	return func(ctx context.Context, a *attempt, m *message) (*Response, error) {
		select {
		case <-h.half:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return send(ctx, a, m)
	}
}

// send is the sender of the request in two halves.
func (h *halves) send(ctx context.Context, a *attempt, m *message) (*Response, error) {
	defer h.begun()
	conn, err := h.client.dialRaw(ctx, a)
	a.arrive(false)
	if refusesHTTP1(err) {
		h.client.onlyHTTP2.Store(true)
		h.begun()
		return h.client.transportFor(m.method)(ctx, a, m)
	}
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	a.reached(sending)
	first, second := m.halves(ctx)
	if _, err := conn.Write(first); err != nil {
		return nil, err
	}
	h.begun()
	reader := &rawReader{client: h.client, attempt: a, in: bufio.NewReader(conn), headLeft: h.client.opt.MaxHeader}
	answer := make(chan bool, 1)
	go func() { answer <- reader.final() }()
	if !h.pause(ctx, answer) {
		_, _ = conn.Write(second) // a failure shows where the answer is read
		a.reached(awaiting)
		<-answer
	}
	response, err := reader.response(ctx, m.method)
	if err == nil {
		reader.surplus(ctx, conn, response)
	}
	return response, err
}

func (h *halves) begun() { h.once.Do(func() { close(h.half) }) }

// pause waits for the other answer, within a bound. It is true when the first half is
// answered already, as that of a user who may do nothing is by some servers, or the
// connection has ended.
func (h *halves) pause(ctx context.Context, answer chan bool) (over bool) {
	bound := time.NewTimer(min(maxPause, h.client.opt.Timeout/4))
	defer bound.Stop()
	for {
		select {
		case over = <-answer:
			answer <- over // it is waited for once more
			if over {
				h.met = true
				return true
			}
			answer = nil // an interim one
		case <-h.answered:
			h.met = true
			return false
		case <-bound.C:
			h.late = true
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// halves are the bytes of a request: its head and the first half of its body; of one
// without a body, the head up to the empty line that ends it. Both have the key.
func (m *message) halves(ctx context.Context) (first, second []byte) {
	var all bytes.Buffer
	request := m.http(ctx)
	request.Close = true
	_ = request.Write(&all) // into memory
	cut := all.Len() - len(m.body) + len(m.body)/2
	if len(m.body) == 0 {
		cut -= len("\r\n")
	}
	return all.Bytes()[:cut], all.Bytes()[cut:]
}

// final waits for the beginning of an answer, or the end of the connection, and says
// whether it is more than an interim one.
func (r *rawReader) final() bool {
	const upToStatus = len("HTTP/1.1 1")
	begin, err := r.in.Peek(upToStatus)
	return err != nil || begin[upToStatus-1] != '1'
}
