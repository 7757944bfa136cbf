package faults

import (
	"net/http"

	"github.com/adconform/adconform/spec"
)

// permissionFaults let a user do what only another may.
func permissionFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		add := func(name, sentence string, wrap func(http.Handler, Env) http.Handler) {
			all = append(all, Fault{
				ID: "permission/" + name + "/" + op.ID, Clause: "AUTH-2", Also: []string{"AUTH-3", "EFFECT-1"},
				Sentence: op.ID + ": " + sentence + ".", Wrap: wrap,
			})
		}
		allowed := func(when func(x *exchange, n int64) bool) func(http.Handler, Env) http.Handler {
			return fresh(func() behaviour {
				var seen counter
				return on(op.ID, func(x *exchange) *answer {
					if (x.byStranger() || x.byOwner()) && x.key() != x.holder() && when(x, seen.next()) {
						return x.send(x.asHolder())
					}
					return x.forward()
				})
			})
		}
		add("stranger-allowed", "any user may act on any object", allowed(func(*exchange, int64) bool { return true }))
		add("stranger-second-time", "a user without permission is refused once, then allowed", allowed(func(_ *exchange, n int64) bool { return n > 1 }))
		add("stranger-sometimes", "every third request without permission is allowed", allowed(func(_ *exchange, n int64) bool { return n%3 == 0 }))
		if !op.Deletes() {
			add("owner-on-foreign", "the first user may act on everybody's objects", allowed(func(x *exchange, _ int64) bool { return x.byOwner() }))
			add("stranger-on-own", "the second user may act on the first user's objects", allowed(func(x *exchange, _ int64) bool { return x.byStranger() }))
		}
		add("not-found-instead", "a user without permission is told that the object does not exist", each(on(op.ID, func(x *exchange) *answer {
			a := x.forward()
			if a.status == http.StatusForbidden {
				return a.replaced(http.StatusNotFound, errorBody(http.StatusNotFound))
			}
			return a
		})))
		add("not-authenticated-instead", "a user without permission is told to authenticate", each(on(op.ID, func(x *exchange) *answer {
			a := x.forward()
			if a.status == http.StatusForbidden {
				return a.replaced(http.StatusUnauthorized, errorBody(http.StatusUnauthorized))
			}
			return a
		})))
		if !op.Updates() {
			continue
		}
		add("empty-object-allowed", "{} of a user without permission is answered with the representation", each(on(op.ID, func(x *exchange) *answer {
			if x.byStranger() && !x.onForeign() && string(x.body) == "{}" {
				return x.send(x.asHolder())
			}
			return x.forward()
		})))
		add("shown-unchanged", "a user without permission is shown the object, unchanged", each(on(op.ID, func(x *exchange) *answer {
			if x.byStranger() && x.key() != x.holder() {
				return x.send(x.asHolder(saying([]byte("{}"))))
			}
			return x.forward()
		})))
		add("pretended", "a user without permission is answered as if the update were made", each(on(op.ID, func(x *exchange) *answer {
			if !x.byStranger() || x.key() == x.holder() {
				return x.forward()
			}
			return x.send(x.asHolder(saying([]byte("{}")))).shown(func(data map[string]any) {
				for name, v := range x.fields() {
					data[name] = v
				}
			})
		})))
	}
	return all
}
