package faults

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/spec"
)

// brokenOff are answers that do not arrive whole, or are framed as HTTP does not allow.
func brokenOff(op *spec.Operation) []row {
	spoilt := func(name, sentence string, n int64, spoil func(a *answer)) row {
		return fault(name, "HTTP-2", sentence, when(nth(n), rewrites(spoil)))
	}
	half := func(a *answer) {
		a.promised = len(a.body) + 1
		a.body = a.body[:len(a.body)/2]
	}
	rows := []row{
		spoilt("closed", "every fourth request is not answered: the connection closes", 4, func(a *answer) { a.raw = []byte{} }),
		spoilt("garbage", "every fourth answer is no HTTP", 4, func(a *answer) { a.raw = []byte("OK\r\n\r\n") }),
	}
	if op.Deletes() {
		return rows
	}
	// framed writes in a format, in place of the end of the head and of the body, %[1]s the body, %[2]d its length,
	// and %[3]d and %[4]d one more and one less.
	framed := func(format string) func(a *answer) {
		return func(a *answer) {
			const head = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nConnection: close\r\n"
			n := len(a.body)
			a.raw = fmt.Appendf(fmt.Appendf(nil, head, a.status, http.StatusText(a.status)), format, a.body, n, n+1, n-1)
		}
	}
	always := func(name, sentence, format string) row {
		return fault(name, "HTTP-2 JSON-1", sentence, rewrites(framed(format)))
	}
	return append(rows,
		spoilt("cut-off", "every fourth answer breaks off in its body", 4, half),
		spoilt("cut-off-always", "every answer breaks off in its body", 1, half),
		spoilt("chunk-missing", "every fourth answer is chunked and has no last chunk", 4,
			framed("Transfer-Encoding: chunked\r\n\r\n%[2]x\r\n%[1]s\r\n")),
		always("length-too-small", "Content-Length is smaller than the body", "Content-Length: %[4]d\r\n\r\n%[1]s"),
		always("bytes-after", "bytes follow the body", "Content-Length: %[2]d\r\n\r\n%[1]s\r\n<!-- 3 ms -->"),
		always("length-and-chunks", "answers have a Content-Length and are chunked",
			"Content-Length: %[2]d\r\nTransfer-Encoding: chunked\r\n\r\n%[2]x\r\n%[1]s\r\n0\r\n\r\n"),
		always("length-negative", "Content-Length is negative", "Content-Length: -1\r\n\r\n%[1]s"),
		fault("gzip-unasked", "JSON-1 HTTP-2 HTTP-3", "answers are compressed and do not say so", rewrites(func(a *answer) {
			var buf bytes.Buffer
			w := gzip.NewWriter(&buf)
			_, _ = w.Write(a.body)
			w.Close()
			a.body = buf.Bytes()
		})))
}

// intermittent break one answer of several.
func intermittent(op *spec.Operation) []row {
	fourth := func(x *exchange) bool { return x.count() == 4 }
	rows := []row{fault("once-500", "HTTP-1", "answer 4 is 500, and no other", when(fourth, replaces(500, errorBody(500)))).graded(Major)}
	withBody := func(body string) behaviour { return rewrites(func(a *answer) { a.body = []byte(body) }) }
	for _, n := range []int64{3, 7, 13} {
		broken := func(name, clauses, sentence string, does behaviour) {
			rows = append(rows, fault(fmt.Sprintf("%s-%02d", name, n), clauses, fmt.Sprintf(sentence, n), when(nth(n), does)).graded(Major))
		}
		broken("500", "HTTP-1", "every %d answers one is 500", replaces(500, errorBody(500)))
		if !op.Deletes() {
			also := " " + strings.Join(op.Success.Clauses(), " ") + " ERR-6 operation"
			broken("empty-object", op.Success.Field("data").Clause+also, "every %d answers one is {}", withBody("{}"))
			broken("no-body", "operation"+also+" JSON-1 HTTP-3", "every %d answers one has no body", withBody(""))
		}
	}
	return rows
}

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
	var waiting sync.Map // connections that wait for a request
	s := &state{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := env.exchange(next, r, s)
		x.arrive()
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		for n := 1; ; n++ {
			a := x.forward()
			how := c.end(x, n, a)
			if how >= drops {
				env.Fired.Add(1)
			}
			err := how.write(conn, a)
			if c.sweep != nil && c.sweep(a) {
				waiting.Range(func(idle, _ any) bool {
					idle.(net.Conn).Close()
					return true
				})
			}
			if err != nil || how != keeps || r.Close {
				return
			}
			if r = c.next(conn, buffered.Reader, &waiting); r == nil {
				return
			}
			x = env.exchange(next, r, s)
			x.arrive()
		}
	})
}

// next waits for another request; nil when none comes.
func (c connections) next(conn net.Conn, in *bufio.Reader, waiting *sync.Map) *http.Request {
	if c.idle > 0 {
		conn.SetReadDeadline(time.Now().Add(c.idle)) //nolint:errcheck // then it stays open
	}
	waiting.Store(conn, true)
	_, err := in.Peek(1)
	waiting.Delete(conn)
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

// lostAnswers end connections that a request was sent on and not answered, fresh
// ones too.
func lostAnswers(op *spec.Operation) []row {
	lost := func(name, sentence string, how end, is condition) row {
		c := connections{end: func(x *exchange, _ int, _ *answer) end {
			if of(op.ID)(x) && is(x) {
				return how
			}
			return keeps
		}}
		return row{name: name, clauses: "HTTP-2", sentence: sentence, wrap: c.serve}
	}
	done := func(x *exchange) bool { return x.last.ok() }
	rows := []row{
		lost("never-answered", "the connection ends in place of each answer", drops, always),
		lost("13th-lost", "the connection ends in place of every 13th answer", drops, nth(13)),
		lost("5th-broken-off", "every fifth answer breaks off in its status line", breaks, nth(5)),
		lost("done-and-lost", "what is carried out is not answered: the connection ends", drops, done),
		lost("no-key", "a request without a key is not answered: the connection ends", drops, noKey).graded(Minor),
	}
	if !op.Deletes() {
		rows = append(rows, lost("4th-reset", "every fourth connection is reset in the middle of the answer", cuts, nth(4)))
	}
	if op.Updates() {
		const words = "the connection ends in place of the answer to a character beyond the basic plane"
		rows = append(rows, lost("emoji", words, drops, bodyHas("😀")))
	}
	return rows
}

// connectionVariants end connections whenever they like, but answer what they were
// asked on them.
func connectionVariants() []Variant {
	ending := func(id, sentence string, c connections) Variant { return wrapped("connection/"+id, sentence, c.serve) }
	after := func(how end, is func(n int, a *answer) bool) connections {
		return connections{end: func(_ *exchange, n int, a *answer) end {
			if is(n, a) {
				return how
			}
			return keeps
		}}
	}
	number := func(nth int) func(int, *answer) bool { return func(n int, _ *answer) bool { return n == nth } }
	every := func(int, *answer) bool { return true }
	refused := func(a *answer) bool { return a.status >= http.StatusBadRequest }
	refusals := func(_ int, a *answer) bool { return refused(a) }
	never := after(keeps, every).end
	return []Variant{
		ending("closed-after-each", "Each connection ends after one answer, which does not say so", after(closes, every)),
		ending("reset-after-each", "Each connection is reset after one answer", after(resets, every)),
		ending("closed-after-three", "Each connection ends after three answers, of which none says so", after(closes, number(3))),
		ending("closed-after-five", "Each connection ends after five answers, of which none says so", after(closes, number(5))),
		ending("reset-after-seven", "Each connection is reset after seven answers", after(resets, number(7))),
		ending("closed-after-refusal", "A connection ends after an answer that refuses something", after(closes, refusals)),
		ending("reset-after-refusal", "A connection is reset after an answer that refuses something", after(resets, refusals)),
		ending("all-closed-after-refusal", "After an answer that refuses something all connections end that wait for a request",
			connections{end: after(closes, refusals).end, sweep: refused}),
		ending("all-closed-after-each", "After each answer all connections end that wait for a request",
			connections{end: never, sweep: func(*answer) bool { return true }}),
		ending("idle-50-ms", "A connection that is idle for 50 ms ends", connections{end: never, idle: 50 * time.Millisecond}),
		ending("idle-1-ms", "A connection that is idle for a millisecond ends", connections{end: never, idle: time.Millisecond}),
	}
}
