package cases

import (
	"bytes"
	"net/http"

	"github.com/adconform/adconform/suites/engine"
)

// undecodable plans requests on which the decoders of paths and bodies fail. Any
// 4xx is right; only a server that nobody tried with them fails.
func (p *planner) undecodable() {
	object, op := p.object(), p.op
	p.add(engine.ClassOpen, "undecodable-path", "An id with bad percent-encoding is refused, and does not make the server fail.", func(t *engine.T) {
		o := object(t)
		for _, id := range []string{"%zz", "%", "%ff"} {
			c := call(t, o, engine.Expect{AnyRefusal: true, Clause: "ERR-1", EmptyList: op.Lists()})
			c.Path, c.Encoded = o.Path(), true
			c.Path[len(c.Path)-1] = id
			c.Object = nil
			t.Send(c)
		}
	}, clauses("HTTP-1", "ERR-1"), nobody)
	if !op.Updates() {
		return
	}
	p.add(engine.ClassOpen, "undecodable-body", "A body that is not of the coding, the character set or the size that the server reads is refused or taken as it is, and does not make the server fail.", func(t *engine.T) {
		o := object(t)
		t.Settle(o)
		header := func(name, value string) http.Header { return http.Header{name: {value}} }
		for _, h := range []http.Header{
			header("Content-Encoding", "gzip"), // which the body is not
			header("Content-Encoding", "adconform"),
			header("Content-Type", "application/json; charset=adconform"),
			nil,
		} {
			c := call(t, o, engine.Expect{Success: true, AnyRefusal: true, Odd: true, Clause: op.Clause})
			if c.Header = h; h == nil {
				c.Body = &engine.Body{Fields: c.Body.Fields, Raw: bytes.Replace(c.Body.Raw, []byte("{"), append([]byte("{"), bytes.Repeat([]byte(" "), megabyte)...), 1)}
			}
			t.Send(c)
		}
		t.Settle(o)
	}, clauses("HTTP-1", op.Clause, op.Effects["shows"], "EFFECT-1"))
}

// megabyte is more than many servers read of a body.
const megabyte = 1 << 20
