package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
)

// brokenOff are answers that do not arrive whole, now and then.
func brokenOff(op *spec.Operation) []row {
	spoilt := func(name, sentence string, n int64, spoil func(a *answer)) row {
		return fault(name, "HTTP-2", sentence, when(nth(n), rewrites(func(a *answer) {
			spoil(a)
		})))
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
		broken("502-page", "HTTP-1", "is a page of a gateway", rewrites(func(a *answer) {
			a.status, a.body = http.StatusBadGateway, []byte("<html><body>Bad Gateway</body></html>")
			a.header.Set("Content-Type", "text/html")
		})),
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

// withoutField drops a field of every representation in a success.
func withoutField(op *spec.Operation, name string) behaviour {
	path := []string{"data", name}
	if op.Lists() {
		path = []string{"data", "*", name}
	}
	return rewrites(func(a *answer) {
		if a.ok() {
			a.edit(func(doc object) {
				visit(doc, path, func(parent object, name string) { delete(parent, name) })
			})
		}
	})
}
