package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
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
	always := func(name, sentence, format string) row {
		return fault(name, "HTTP-2 JSON-1", sentence, rewrites(framed(format)))
	}
	return append(rows,
		spoilt("cut-off", "every fourth answer breaks off in its body", 4, half),
		spoilt("cut-off-always", "every answer breaks off in its body", 1, half),
		spoilt("chunk-missing", "every fourth answer is chunked and has no last chunk", 4,
			framed("Transfer-Encoding: chunked\r\n\r\n%[2]x\r\n%[1]s\r\n")),
		always("length-too-small", "Content-Length is smaller than the body", "Content-Length: %[3]d\r\n\r\n%[1]s"),
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

// framed writes an answer as it is framed in a format, in place of the end of the head and of the body: %[1]s
// is the body, %[2]d its length, and %[3]d one less.
func framed(format string) func(a *answer) {
	return func(a *answer) {
		const head = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nConnection: close\r\n"
		n := len(a.body)
		a.raw = fmt.Appendf(fmt.Appendf(nil, head, a.status, http.StatusText(a.status)), format, a.body, n, n-1)
	}
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
type end func(a *answer)

// closes ends the connection after the answer, which does not say so.
func closes(a *answer) {
	r := http.Response{StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: a.header, ContentLength: int64(len(a.body))}
	r.Body = io.NopCloser(bytes.NewReader(a.body))
	var b bytes.Buffer
	_ = r.Write(&b) // into memory
	a.raw = b.Bytes()
}

// resets is closes with RST in place of FIN.
func resets(a *answer) { closes(a); a.reset = true }

// drops ends it in place of an answer, breaks in the middle of its head, and cuts in the middle of its body.
func drops(a *answer)  { a.raw = []byte{} }
func breaks(a *answer) { a.raw = []byte("HTTP/1.1 20") }
func cuts(a *answer)   { resets(a); a.raw = a.raw[:len(a.raw)-len(a.body)/2] }

// lostAnswers end connections that a request was sent on and not answered, fresh
// ones too.
func lostAnswers(op *spec.Operation) []row {
	lost := func(name, sentence string, how end, is condition) row {
		return fault(name, "HTTP-2", sentence, answers(func(x *exchange, a *answer) *answer {
			if is(x) {
				how(a)
			}
			return a
		}))
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
	ending := func(id, sentence string, is func(nth int, a *answer) bool, how func(x *exchange, a *answer)) Variant {
		return variant("connection/"+id, sentence, "", answers(func(x *exchange, a *answer) *answer {
			nth, _ := recall[int](x, x.remote)
			x.keep(x.remote, nth+1)
			if is(nth+1, a) {
				how(x, a)
			}
			return a
		}))
	}
	own := func(how end) func(*exchange, *answer) { return func(_ *exchange, a *answer) { how(a) } }
	// idle ends, a time after an answer, the connections that wait for a request.
	idle := func(after time.Duration) func(*exchange, *answer) {
		return func(x *exchange, _ *answer) {
			server := x.ctx.Value(http.ServerContextKey).(*http.Server)
			time.AfterFunc(after, func() {
				server.SetKeepAlivesEnabled(false)
				server.SetKeepAlivesEnabled(true)
			})
		}
	}
	each := func(int, *answer) bool { return true }
	number := func(n int) func(int, *answer) bool { return func(nth int, _ *answer) bool { return nth == n } }
	refusal := func(_ int, a *answer) bool { return a.status >= http.StatusBadRequest }
	return []Variant{
		ending("closed-after-each", "Each connection ends after one answer, which does not say so", each, own(closes)),
		ending("reset-after-each", "Each connection is reset after one answer", each, own(resets)),
		ending("closed-after-three", "Each connection ends after three answers, of which none says so", number(3), own(closes)),
		ending("closed-after-five", "Each connection ends after five answers, of which none says so", number(5), own(closes)),
		ending("reset-after-seven", "Each connection is reset after seven answers", number(7), own(resets)),
		ending("closed-after-refusal", "A connection ends after an answer that refuses something", refusal, own(closes)),
		ending("reset-after-refusal", "A connection is reset after an answer that refuses something", refusal, own(resets)),
		ending("all-closed-after-refusal", "After an answer that refuses something all connections end that wait for a request", refusal,
			func(x *exchange, a *answer) { idle(0)(x, a); closes(a) }),
		ending("all-closed-after-each", "After each answer all connections end that wait for a request", each, idle(0)),
		ending("idle-50-ms", "A connection that is idle for 50 ms ends", each, idle(50*time.Millisecond)),
		ending("idle-1-ms", "A connection that is idle for a millisecond ends", each, idle(time.Millisecond)),
	}
}
