package faults

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// end is what becomes of an answer and of the connection that it is due on.
type end int

const (
	keeps  end = iota // the answer goes out, the connection stays
	closes            // the answer goes out, then the connection ends; nobody said that it would
	resets            // the same, with RST in place of FIN
	drops             // the connection ends in place of an answer
	breaks            // it ends in the middle of the head of the answer
	cuts              // it is reset in the middle of the body
)

// connections is a server that keeps its connections in its own way.
type connections struct {
	// end says how the nth answer on a connection goes out.
	end func(x *exchange, n int, a *answer) end
	// idle is how long a connection without a request is kept; 0 is for ever.
	idle time.Duration
	// sweep ends the connections that wait for a request after such an answer.
	sweep func(a *answer) bool
}

// serve takes each connection from net/http at its first request, and serves it
// by hand.
func (c connections) serve(next http.Handler, env Env) http.Handler {
	var waiting pool
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := env.exchange(next, r)
		conn, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		for n := 1; ; n++ {
			a := x.forward()
			how := c.end(x, n, a)
			if how >= drops && env.Fired != nil {
				env.Fired.Add(1)
			}
			err := how.write(conn, a)
			if c.sweep != nil && c.sweep(a) {
				waiting.end()
			}
			if err != nil || how != keeps || r.Close {
				return
			}
			if r = c.next(conn, buffered.Reader, &waiting); r == nil {
				return
			}
			x = env.exchange(next, r)
		}
	})
}

// next waits for another request; nil when none comes.
func (c connections) next(conn net.Conn, in *bufio.Reader, waiting *pool) *http.Request {
	if c.idle > 0 {
		conn.SetReadDeadline(time.Now().Add(c.idle)) //nolint:errcheck // then it stays open
	}
	waiting.add(conn)
	_, err := in.Peek(1)
	waiting.remove(conn)
	if err != nil {
		return nil
	}
	conn.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	r, err := http.ReadRequest(in)
	if err != nil {
		return nil
	}
	return r
}

// write sends an answer, or what is left of it.
func (e end) write(conn net.Conn, a *answer) error {
	message := a.message()
	switch e {
	case drops:
		return nil
	case breaks:
		message = message[:len("HTTP/1.1 20")]
	case cuts:
		message = message[:len(message)-len(a.body)/2]
	}
	_, err := conn.Write(message)
	if tcp, ok := conn.(*net.TCPConn); ok && (e == resets || e == cuts) {
		tcp.SetLinger(0) //nolint:errcheck // then it is closed all the same
	}
	return err
}

// message is an answer as bytes.
func (a *answer) message() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status))
	a.header.WriteSubset(&b, map[string]bool{"Content-Length": true, "Connection": true}) //nolint:errcheck // into memory
	if a.status != http.StatusNoContent {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(a.body))
	}
	io.WriteString(&b, "\r\n") //nolint:errcheck // into memory
	if a.status != http.StatusNoContent {
		b.Write(a.body)
	}
	return b.Bytes()
}

// pool holds the connections that wait for a request.
type pool struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (p *pool) add(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns == nil {
		p.conns = map[net.Conn]bool{}
	}
	p.conns[c] = true
}

func (p *pool) remove(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *pool) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

// connectionVariants end connections whenever they like, but answer what they were
// asked on them.
func connectionVariants() []Variant {
	of := func(id, sentence string, c connections) Variant {
		return Variant{ID: "connection/" + id, Sentence: sentence + ".", Wrap: c.serve}
	}
	after := func(how end, when func(n int, a *answer) bool) func(*exchange, int, *answer) end {
		return func(_ *exchange, n int, a *answer) end {
			if when(n, a) {
				return how
			}
			return keeps
		}
	}
	each := func(int, *answer) bool { return true }
	refusals := func(_ int, a *answer) bool { return a.status >= http.StatusBadRequest }
	never := after(keeps, each)
	return []Variant{
		of("closed-after-each", "Each connection ends after one answer, which does not say so", connections{end: after(closes, each)}),
		of("reset-after-each", "Each connection is reset after one answer", connections{end: after(resets, each)}),
		of("closed-after-three", "Each connection ends after three answers, of which none says so", connections{end: after(closes, func(n int, _ *answer) bool { return n == 3 })}),
		of("closed-after-five", "Each connection ends after five answers, of which none says so", connections{end: after(closes, func(n int, _ *answer) bool { return n == 5 })}),
		of("reset-after-seven", "Each connection is reset after seven answers", connections{end: after(resets, func(n int, _ *answer) bool { return n == 7 })}),
		of("closed-after-refusal", "A connection ends after an answer that refuses something", connections{end: after(closes, refusals)}),
		of("reset-after-refusal", "A connection is reset after an answer that refuses something", connections{end: after(resets, refusals)}),
		of("all-closed-after-refusal", "After an answer that refuses something all connections end that wait for a request", connections{
			end: after(closes, refusals), sweep: func(a *answer) bool { return refusals(0, a) },
		}),
		of("all-closed-after-each", "After each answer all connections end that wait for a request", connections{end: never, sweep: func(*answer) bool { return true }}),
		of("idle-50-ms", "A connection that is idle for 50 ms ends", connections{end: never, idle: 50 * time.Millisecond}),
		of("idle-1-ms", "A connection that is idle for a millisecond ends", connections{end: never, idle: time.Millisecond}),
	}
}
