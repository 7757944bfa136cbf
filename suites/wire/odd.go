package wire

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Odd says how a request is written that HTTP clients cannot write, or refuse to. It goes
// over a raw connection (HTTP/1.1); behind a proxy of the environment, and to a target that
// speaks HTTP/2 only, it is not sent.
type Odd struct {
	// Line is the request line, in which {method}, {target} and {origin} stand for those of
	// the request and for http://host; "": {method} {target} HTTP/1.1.
	Line    string
	Fields  []string // lines of the header after the others, as they are: "Host: a b"
	Without []string // names of header lines that are left out, in canonical form: Host
	// Framed says that the body is written as it is: nothing but Fields tells its length.
	Framed bool
	Cut    int  // bytes of the message that are left out at its end
	Ends   bool // nothing follows: the connection is closed for writing
}

// oddPatience is how long an answer is waited for to a request that may lack something.
const oddPatience = 2 * time.Second

// lines returns the values of the key's header.
func (c Credential) lines() []string { return slices.Repeat([]string{c.Value}, max(1, c.Times)) }

var errOnlyRaw = transportErrorf(BadRequest, "not sent: no raw connection shows what HTTP clients do not write")

// odd returns the message of an odd request.
func (c *Client) odd(caseID string, r Request) *message {
	return &message{
		method: r.Method, origin: c.origin, target: c.origin.base + r.Path, header: c.keyed(caseID, r),
		body: r.Body, hasBody: r.HasBody, odd: r.Odd,
	}
}

// bytes returns a message as it is written on a raw connection.
func (m *message) bytes(fields ...string) []byte {
	o := m.odd
	if o == nil {
		o = new(Odd)
	}
	line := strings.NewReplacer("{method}", m.method, "{target}", m.target, "{origin}", m.origin.scheme+"://"+m.origin.host).
		Replace(cmp.Or(o.Line, "{method} {target} HTTP/1.1"))
	header := maps.Clone(m.header)
	header["Connection"] = []string{"close"}
	if !o.Framed && (m.hasBody || sendsLength(m.method)) {
		header["Content-Length"] = []string{fmt.Sprint(len(m.body))}
	}
	for _, name := range o.Without {
		delete(header, name)
	}
	lines := []string{line}
	if !slices.Contains(o.Without, "Host") { // before all others (RFC 9110 §7.2)
		lines = append(lines, "Host: "+m.origin.host)
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, v := range header[name] {
			lines = append(lines, name+": "+v)
		}
	}
	lines = append(append(lines, fields...), o.Fields...)
	all := strings.Join(append(lines, "", string(m.body)), "\r\n")
	return []byte(all[:max(0, len(all)-o.Cut)])
}

// maxPause is how long the first half of a request waits for the answer to another
// before the second half follows: a target that serves one connection at a time
// answers the other only then.
const maxPause = 2 * time.Second

// around sends the first request in two halves, on a connection of its own, and
// the second, whole, between them; Exchange.Around of the first says whether that
// was answered before the second half was sent. Where it cannot be known what goes
// over the wire (a proxy of the environment, HTTP/2), or a target was seen to answer
// one request after another, the second is sent after the first.
func (c *Client) around(ctx context.Context, caseID string, requests []Request) []*Exchange {
	around, m := c.begin(caseID, requests[0])
	between, n := c.begin(caseID, requests[1])
	exchanges := []*Exchange{around, between}
	if m == nil || n == nil || c.proxy != nil || c.onlyHTTP2.Load() || c.servingHalf(m).oneByOne.Load() {
		c.run(ctx, around, m, c.transportFor(requests[0].Method), nil)
		c.run(ctx, between, n, c.transportFor(requests[1].Method), nil)
		return exchanges
	}
	group := c.gather(ctx, exchanges, len(exchanges))
	if group == nil {
		return exchanges
	}
	h := &halves{client: c, half: make(chan struct{}), answered: make(chan struct{})}
	var done sync.WaitGroup
	done.Go(func() {
		defer close(h.answered)
		c.run(ctx, between, n, h.afterHalf(c.via(c.fresh)), group) // a connection that comes after the other
	})
	c.run(ctx, around, m, h.send, group)
	done.Wait()
	around.Around = h.met && between.Err == nil
	switch serving := c.servingHalf(m); {
	case around.Around:
		serving.both.Store(true)
	case h.late && between.RateLimited+between.Unavailable == 0 && !serving.both.Load(): // else it is only slow this time
		serving.oneByOne.Store(true)
	}
	return exchanges
}

// serving is what a target was seen to do while half of a request is there: answer
// others all the same, or no other.
type serving struct{ both, oneByOne atomic.Bool }

// servingHalf returns what the target does while half of such a request is there.
func (c *Client) servingHalf(m *message) *serving {
	if len(m.body) > 0 {
		return &c.halfBody
	}
	return &c.halfHead
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

// afterHalf returns a sender that waits for the first half.
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

// send sends the request in two halves.
func (h *halves) send(ctx context.Context, a *attempt, m *message) (*Response, error) {
	defer h.begun()
	r, err := h.client.openRaw(ctx, a)
	a.arrive(false)
	if refusesHTTP1(err) {
		h.client.onlyHTTP2.Store(true)
		h.begun()
		return h.client.transportFor(m.method)(ctx, a, m)
	}
	if err != nil {
		return nil, err
	}
	defer r.conn.Close()
	all, body := m.bytes(), len(m.body)
	half := len(all) - len("\r\n")
	if body > 0 {
		all = m.bytes("Expect: 100-continue")
		half = len(all) - body + body/2
	}
	head := min(half, len(all)-body)
	if _, err := r.conn.Write(all[:head]); err != nil {
		return nil, err
	}
	w := &watch{interim: make(chan struct{}, 1), final: make(chan struct{})}
	go r.await(w)
	if body > 0 {
		h.client.invited(ctx, w)
	}
	_, _ = r.conn.Write(all[head:half]) // a failure shows where the answer is read
	h.begun()
	h.pause(ctx, w)
	_, _ = r.conn.Write(all[half:])
	a.reached(awaiting)
	<-w.final
	return r.answer(ctx, m.method)
}

func (h *halves) begun() { h.once.Do(func() { close(h.half) }) }

// pause waits for the other answer, within a bound, or until the first half is answered
// already, as that of a user who may do nothing is by some servers.
func (h *halves) pause(ctx context.Context, w *watch) {
	bound := time.NewTimer(min(maxPause, h.client.opt.Timeout/2))
	defer bound.Stop()
	select {
	case <-w.final:
		h.met = true
	case <-h.answered:
		h.met = true
	case <-bound.C:
		h.late = true
	case <-ctx.Done():
	}
}

// invited waits until the target has read the head of a request, which it tells by
// inviting the body (RFC 9110, 10.1.1). Not all do: it may take a tenth of the time-out,
// and one that never did is not waited for again.
func (c *Client) invited(ctx context.Context, w *watch) {
	if c.neverInvites.Load() {
		return
	}
	bound := time.NewTimer(c.opt.Timeout / 10)
	defer bound.Stop()
	select {
	case <-w.interim:
		c.invites.Store(true)
	case <-w.final:
	case <-bound.C:
		c.neverInvites.Store(!c.invites.Load())
	case <-ctx.Done():
	}
}

// watch reports what comes on a connection before the answer is read.
type watch struct {
	interim chan struct{} // holds something when an interim answer came
	final   chan struct{} // closed when the final one begins, or the connection has ended
}

// await reads interim answers up to the final one.
func (r *rawReader) await(w *watch) {
	defer close(w.final)
	const line = "HTTP/1.1 101"
	for {
		begin, err := r.in.Peek(len(line))
		if err != nil || begin[len(line)-3] != '1' || string(begin[len(line)-3:]) == "101" {
			return
		}
		if _, err := r.head(); err != nil {
			return
		}
		select {
		case w.interim <- struct{}{}:
		default:
		}
	}
}
