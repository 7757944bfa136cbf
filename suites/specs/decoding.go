package specs

import (
	"net/http"
	"strings"

	"github.com/adconform/adconform/suites/engine"
)

// undecodable plans requests on which the decoders of paths and bodies fail. Any
// 4xx is right; only a server that nobody tried with them fails.
func (p *planner) undecodable() {
	object, op := p.object(), p.op
	if len(op.Params) == 0 {
		return
	}
	p.add(engine.ClassOpen, "undecodable-path", "An id with bad percent-encoding is refused, and does not make the server fail.", func(t *engine.T) {
		o := object(t)
		for _, id := range []string{"%zz", "%", "%ff"} {
			c := call(t, o, expect{AnyRefusal: true, Clause: "ERR-1", EmptyList: op.Lists()})
			c.Path, c.Encoded = o.Path(), true
			c.Path[len(c.Path)-1] = id
			c.Object = nil
			send(t, c)
		}
	}, clauses("HTTP-1", "ERR-1"), unknownIDs)
	if !op.Updates() {
		return
	}
	odd := expect{Success: true, AnyRefusal: true, Odd: true, Clause: op.Clause}
	judged := clauses("HTTP-1", op.Clause, op.Effects["shows"])
	p.add(engine.ClassOpen, "undecodable-body", "A body that is not of the coding or the character set that its header says is refused, or taken as it is, and does not make the server fail.", func(t *engine.T) {
		o := object(t)
		t.Settle(o)
		for _, h := range []http.Header{
			{"Content-Encoding": {"gzip"}}, // which the body is not
			{"Content-Encoding": {"adconform"}},
			{"Content-Type": {"application/json; charset=adconform"}},
		} {
			c := call(t, o, odd)
			c.Header = h
			send(t, c)
		}
		t.Settle(o)
	}, judged, clauses("EFFECT-1"))
	p.add(engine.ClassOpen, "megabyte-body", "A body of more than a megabyte is refused or taken, and does not make the server fail.", func(t *engine.T) {
		c := call(t, object(t), odd)
		c.Body = &engine.Body{Fields: c.Body.Fields, Raw: append([]byte("{"+strings.Repeat(" ", megabyte)), c.Body.Raw[1:]...)}
		send(t, c)
	}, judged)
}

// megabyte is more than many servers read of a body.
const megabyte = 1 << 20
