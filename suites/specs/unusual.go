package specs

import (
	"net/http"

	"github.com/adconform/adconform/suites/engine"
)

// unusual plans requests that no client of the interface sends: other methods, a
// query that nobody knows, an Accept that cannot be met. How they are answered is
// open, but a server that fails on them was not written for what strangers send.
// Methods go to ids that nobody has, as it is not known what they would do.
func (p *planner) unusual() {
	object, op := p.object(), p.op
	p.add(engine.ClassOpen, "unusual", "A method, query or header that nobody expects does not make the server fail.", func(t *engine.T) {
		o := object(t)
		nowhere := make([]string, len(op.Params))
		for i := range nowhere {
			nowhere[i] = t.UnknownID(i)
		}
		for _, method := range []string{http.MethodTrace, http.MethodPost} {
			send(t, request{Call: engine.Call{Op: op, Method: method, Path: nowhere, As: t.Owner()}, Expect: expect{OnlyCrash: true}})
		}
		for _, odd := range []request{
			{Call: engine.Call{Query: "adconformUnknown=1"}},
			{Call: engine.Call{Header: http.Header{"Accept": {"text/html"}}}},
			{Call: engine.Call{Header: http.Header{"Accept": {"image/png"}}}},
		} {
			c := request{Call: engine.Call{Op: op, Object: o, As: t.Owner(), Query: odd.Query, Header: odd.Header}, Expect: expect{OnlyCrash: true}}
			switch {
			case op.Updates():
				c.Body = valid(t, o)
				c.Expect = expect{Success: true, Statuses: []int{
					http.StatusBadRequest, http.StatusNotFound, http.StatusNotAcceptable, http.StatusUnprocessableEntity,
				}}
			case op.Deletes():
				c.Object, c.Path = nil, nowhere
			}
			send(t, c)
		}
	}, clauses("HTTP-1"), deep)
}
