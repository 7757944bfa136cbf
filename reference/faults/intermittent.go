package faults

import (
	"fmt"
	"net/http"

	"github.com/adconform/adconform/spec"
)

// intermittentFaults break one answer of several.
func intermittentFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		for _, n := range []int64{3, 7, 13} {
			all = append(all, sometimes(op, n)...)
		}
		all = append(all, onceOnly(op, 4)...)
	}
	return all
}

// sometimes breaks every n-th answer of an operation.
func sometimes(op *spec.Operation, n int64) []Fault {
	add := func(name, clause, sentence string, also []string, broken func(x *exchange, a *answer) *answer) Fault {
		return Fault{
			ID: fmt.Sprintf("intermittent/%s-%02d/%s", name, n, op.ID), Clause: clause, Also: also,
			Sentence: fmt.Sprintf("%s: every %d answers one %s.", op.ID, n, sentence),
			Wrap: fresh(func() behaviour {
				var seen counter
				return on(op.ID, func(x *exchange) *answer {
					if seen.next()%n != 0 {
						return x.forward()
					}
					return broken(x, x.forward())
				})
			}),
		}
	}
	all := []Fault{
		add("500", "HTTP-1", "is 500", nil, func(_ *exchange, a *answer) *answer { return a.replaced(500, errorBody(500)) }),
		add("502-page", "HTTP-1", "is a page of a gateway", nil, func(_ *exchange, a *answer) *answer {
			b := a.replaced(http.StatusBadGateway, nil)
			b.header.Set("Content-Type", "text/html")
			b.body = []byte("<html><body>Bad Gateway</body></html>")
			return b
		}),
	}
	if op.Deletes() {
		return all
	}
	return append(all,
		add("empty-object", op.Success.Field("data").Clause, "is {}", append(clausesOf(op.Success), "ERR-6", op.Clause), func(_ *exchange, a *answer) *answer {
			a.body = []byte("{}")
			return a
		}),
		add("no-body", op.Clause, "has no body", append(clausesOf(op.Success), "ERR-6", "JSON-1", "HTTP-3"), func(_ *exchange, a *answer) *answer {
			a.body = nil
			return a
		}),
		add("id-dropped", op.Representation().Field("id").Clause, "lacks an id", nil, func(_ *exchange, a *answer) *answer {
			return withoutField(op, a, "id")
		}),
		add("createdAt-dropped", op.Representation().Field("createdAt").Clause, "lacks createdAt", nil, func(_ *exchange, a *answer) *answer {
			return withoutField(op, a, "createdAt")
		}),
	)
}

// withoutField drops a field of every representation in a success. An answer
// that is no success stays.
func withoutField(op *spec.Operation, a *answer, name string) *answer {
	path := []string{"data", name}
	if op.Lists() {
		path = []string{"data", "*", name}
	}
	if !a.ok() {
		return a
	}
	return a.edit(func(doc map[string]any) {
		visit(doc, path, func(p map[string]any, n string) { delete(p, n) })
	})
}

// onceOnly breaks one answer of the whole run.
func onceOnly(op *spec.Operation, at int64) []Fault {
	return []Fault{{
		ID: "intermittent/once-500/" + op.ID, Clause: "HTTP-1", Sentence: fmt.Sprintf("%s: answer %d is 500, and no other.", op.ID, at),
		Wrap: fresh(func() behaviour {
			var seen counter
			return on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				if seen.next() == at {
					return a.replaced(500, errorBody(500))
				}
				return a
			})
		}),
	}}
}
