package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"

	"github.com/adconform/adconform/spec"
)

// transportFaults break the message that carries the answer.
func transportFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		all = append(all, brokenOff(op)...)
		if !op.Deletes() {
			all = append(all, framing(op)...)
		}
	}
	return all
}

func transport(op *spec.Operation, name, sentence string, also []string, b func(x *exchange, n int64, a *answer) *answer) Fault {
	return Fault{
		ID: "transport/" + name + "/" + op.ID, Clause: "HTTP-2", Also: also, Sentence: op.ID + ": " + sentence + ".",
		Wrap: fresh(func() behaviour {
			var seen counter
			return on(op.ID, func(x *exchange) *answer { return b(x, seen.next(), x.forward()) })
		}),
	}
}

// brokenOff are answers that do not arrive whole, now and then.
func brokenOff(op *spec.Operation) []Fault {
	every := func(n int64, spoil func(a *answer) *answer) func(*exchange, int64, *answer) *answer {
		return func(_ *exchange, seen int64, a *answer) *answer {
			if seen%n == 0 {
				return spoil(a)
			}
			return a
		}
	}
	reset := func(a *answer) *answer {
		b := *a
		b.raw = []byte{}
		return &b
	}
	garbage := func(a *answer) *answer {
		b := *a
		b.raw = []byte("OK\r\n\r\n")
		return &b
	}
	half := func(a *answer) *answer {
		b := *a
		b.promised = len(a.body) + 1
		b.body = a.body[:len(a.body)/2]
		return &b
	}
	all := []Fault{
		transport(op, "closed", "every fourth request is not answered: the connection closes", nil, every(4, reset)),
		transport(op, "garbage", "every fourth answer is no HTTP", nil, every(4, garbage)),
	}
	if op.Deletes() {
		return all
	}
	return append(all,
		transport(op, "cut-off", "every fourth answer breaks off in its body", nil, every(4, half)),
		transport(op, "cut-off-always", "every answer breaks off in its body", nil, every(1, half)),
		transport(op, "chunk-missing", "every fourth answer is chunked and has no last chunk", nil, every(4, func(a *answer) *answer {
			b := *a
			b.raw = fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", a.status, len(a.body), a.body)
			return &b
		})),
	)
}

// framing are answers that arrive and are framed as HTTP does not allow.
func framing(op *spec.Operation) []Fault {
	message := func(a *answer, format string, args ...any) *answer {
		b := *a
		head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nConnection: close\r\n", a.status, http.StatusText(a.status))
		b.raw = append([]byte(head), fmt.Sprintf(format, args...)...)
		return &b
	}
	always := func(name, sentence string, also []string, b func(a *answer) *answer) Fault {
		return transport(op, name, sentence, append(also, "JSON-1"), func(_ *exchange, _ int64, a *answer) *answer { return b(a) })
	}
	return []Fault{
		always("two-lengths", "answers have two Content-Lengths that differ", nil, func(a *answer) *answer {
			return message(a, "Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s", len(a.body), len(a.body)+1, a.body)
		}),
		always("length-too-small", "Content-Length is smaller than the body", nil, func(a *answer) *answer {
			return message(a, "Content-Length: %d\r\n\r\n%s", len(a.body)-1, a.body)
		}),
		always("bytes-after", "bytes follow the body", nil, func(a *answer) *answer {
			return message(a, "Content-Length: %d\r\n\r\n%s\r\n<!-- 3 ms -->", len(a.body), a.body)
		}),
		always("length-and-chunks", "answers have a Content-Length and are chunked", nil, func(a *answer) *answer {
			return message(a, "Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(a.body), len(a.body), a.body)
		}),
		always("length-negative", "Content-Length is negative", nil, func(a *answer) *answer {
			return message(a, "Content-Length: -1\r\n\r\n%s", a.body)
		}),
		{
			ID: "transport/gzip-unasked/" + op.ID, Clause: "JSON-1", Also: []string{"HTTP-2", "HTTP-3"}, Sentence: op.ID + ": answers are compressed and do not say so.",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				var buf bytes.Buffer
				w := gzip.NewWriter(&buf)
				_, _ = w.Write(a.body)
				w.Close()
				a.body = buf.Bytes()
				return a
			})),
		},
	}
}
