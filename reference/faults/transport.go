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
	"sync/atomic"
	"time"

	"github.com/adconform/adconform/spec"
)

// brokenOff are answers that do not arrive whole, now and then.
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
	return append(rows,
		spoilt("cut-off", "every fourth answer breaks off in its body", 4, half),
		spoilt("cut-off-always", "every answer breaks off in its body", 1, half),
		spoilt("chunk-missing", "every fourth answer is chunked and has no last chunk", 4, func(a *answer) {
			const head = "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n"
			a.raw = fmt.Appendf(nil, head, a.status, len(a.body), a.body)
		}))
}

// framing are answers that arrive and are framed as HTTP does not allow.
func framing(op *spec.Operation) []row {
	if op.Deletes() {
		return nil
	}
	// always answers with these lines after the head, made of values of the body.
	always := func(name, sentence, format string, values func(body []byte) []any) row {
		return fault(name, "HTTP-2 JSON-1", sentence, rewrites(func(a *answer) {
			head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nConnection: close\r\n", a.status, http.StatusText(a.status))
			a.raw = append([]byte(head), fmt.Sprintf(format, values(a.body)...)...)
		}))
	}
	return []row{
		always("two-lengths", "answers have two Content-Lengths that differ", "Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s",
			func(b []byte) []any { return []any{len(b), len(b) + 1, b} }),
		always("length-too-small", "Content-Length is smaller than the body", "Content-Length: %d\r\n\r\n%s",
			func(b []byte) []any { return []any{len(b) - 1, b} }),
		always("bytes-after", "bytes follow the body", "Content-Length: %d\r\n\r\n%s\r\n<!-- 3 ms -->",
			func(b []byte) []any { return []any{len(b), b} }),
		always("length-and-chunks", "answers have a Content-Length and are chunked",
			"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
			func(b []byte) []any { return []any{len(b), len(b), b} }),
		always("length-negative", "Content-Length is negative", "Content-Length: -1\r\n\r\n%s",
			func(b []byte) []any { return []any{b} }),
		fault("gzip-unasked", "JSON-1 HTTP-2 HTTP-3", "answers are compressed and do not say so", rewrites(func(a *answer) {
			var buf bytes.Buffer
			w := gzip.NewWriter(&buf)
			_, _ = w.Write(a.body)
			w.Close()
			a.body = buf.Bytes()
		})),
	}
}

// intermittent break one answer of several.
func intermittent(op *spec.Operation) []row {
	var rows []row
	for _, n := range []int64{3, 7, 13} {
		rows = append(rows, everyNth(op, n)...)
	}
	fourth := func(x *exchange) bool { return x.count() == 4 }
	return append(rows, fault("once-500", "HTTP-1", "answer 4 is 500, and no other",
		when(fourth, replaces(500, errorBody(500)))).graded(Major))
}

// everyNth breaks every n-th answer of an operation.
func everyNth(op *spec.Operation, n int64) []row {
	broken := func(name, clauses, sentence string, does behaviour) row {
		sentence = fmt.Sprintf("every %d answers one %s", n, sentence)
		return fault(fmt.Sprintf("%s-%02d", name, n), clauses, sentence, when(nth(n), does)).graded(Major)
	}
	rows := []row{
		broken("500", "HTTP-1", "is 500", replaces(500, errorBody(500))),
		fault(fmt.Sprintf("502-page-%02d", n), "HTTP-1",
			fmt.Sprintf("one in %d requests is answered with a page of a gateway, each time that it is sent", n),
			when(eachNew(n), gatewayPage(http.StatusBadGateway))).graded(Major),
	}
	if op.Deletes() {
		return rows
	}
	withBody := func(body string) behaviour { return rewrites(func(a *answer) { a.body = []byte(body) }) }
	also := " " + strings.Join(op.Success.Clauses(), " ") + " ERR-6 operation"
	return append(rows,
		broken("empty-object", op.Success.Field("data").Clause+also, "is {}", withBody("{}")),
		broken("no-body", "operation"+also+" JSON-1 HTTP-3", "has no body", withBody("")),
		broken("id-dropped", op.Representation().Field("id").Clause, "lacks an id", withoutField(op, "id")),
		broken("createdAt-dropped", op.Representation().Field("createdAt").Clause, "lacks createdAt", withoutField(op, "createdAt")))
}

// eachNew is one in n of the requests that differ, each time that it comes.
func eachNew(n int64) condition {
	return func(x *exchange) bool {
		key := fmt.Sprint(x.method, x.path, x.query, x.key(), string(x.body))
		first, known := x.values.LoadOrStore(key, new(atomic.Bool))
		if fails := first.(*atomic.Bool); !known {
			fails.Store(x.count()%n == 0)
		}
		return first.(*atomic.Bool).Load()
	}
}

// withoutField drops a field of every representation in a success.
func withoutField(op *spec.Operation, name string) behaviour {
	path := []string{"data", name}
	if op.Lists() {
		path = []string{"data", "*", name}
	}
	return rewrites(func(a *answer) {
		if a.ok() {
			a.edit(func(doc object) { visit(doc, path, func(parent object, name string) { delete(parent, name) }) })
		}
	})
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
		conn, buffered, err := w.(http.Hijacker).Hijack()
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
	lost := func(name, sentence string, how end, is func(x *exchange, a *answer) bool) row {
		end := func(x *exchange, _ int, a *answer) end {
			if of(op.ID)(x) && is(x, a) {
				return how
			}
			return keeps
		}
		return row{name: name, clauses: "HTTP-2", sentence: sentence, wrap: connections{end: end}.serve}
	}
	where := func(is condition) func(*exchange, *answer) bool {
		return func(x *exchange, _ *answer) bool { return is(x) }
	}
	to := func(name, sentence string, is condition) row {
		return lost(name, "the connection ends in place of the answer to "+sentence, drops, where(is))
	}
	rows := []row{
		lost("never-answered", "the connection ends in place of each answer", drops, where(always)),
		lost("13th-lost", "the connection ends in place of every 13th answer", drops, where(nth(13))),
		lost("5th-broken-off", "every fifth answer breaks off in its status line", breaks, where(nth(5))),
		lost("done-and-lost", "what is carried out is not answered: the connection ends", drops,
			func(_ *exchange, a *answer) bool { return a.ok() }),
		lost("no-key", "a request without a key is not answered: the connection ends", drops, where(noKey)).graded(Minor),
	}
	if !op.Deletes() {
		rows = append(rows, lost("4th-reset", "every fourth connection is reset in the middle of the answer", cuts, where(nth(4))))
	}
	if op.Updates() {
		rows = append(rows,
			to("emoji", "a character beyond the basic plane", bodyHas("😀")),
			to("array", "a body that is an array", bodyIs("[]")).graded(Minor),
			to("cut-off", "a body that is cut off", cutOff).graded(Minor))
	}
	if op.Lists() {
		rows = append(rows, lost("second-page", "the connection ends in place of the second page", drops, where(asks("page=2"))))
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
