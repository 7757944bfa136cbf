package faults

import (
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
)

// connectionFaults end connections that a request was sent on and not answered,
// fresh ones too.
func connectionFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		lost := func(id, sentence string, how end, when func(x *exchange, seen int64, a *answer) bool) {
			all = append(all, Fault{
				ID: "connection/" + id + "/" + op.ID, Clause: "HTTP-2", Sentence: op.ID + ": " + sentence + ".",
				Wrap: func(next http.Handler, env Env) http.Handler {
					var seen counter
					return connections{end: func(x *exchange, _ int, a *answer) end {
						if x.op == op && when(x, seen.next(), a) {
							return how
						}
						return keeps
					}}.serve(next, env)
				},
			})
		}
		every := func(n int64) func(*exchange, int64, *answer) bool {
			return func(_ *exchange, seen int64, _ *answer) bool { return seen%n == 0 }
		}
		lost("never-answered", "the connection ends in place of each answer", drops, every(1))
		lost("13th-lost", "the connection ends in place of every 13th answer", drops, every(13))
		lost("5th-broken-off", "every fifth answer breaks off in its status line", breaks, every(5))
		lost("done-and-lost", "what is carried out is not answered: the connection ends", drops, func(_ *exchange, _ int64, a *answer) bool { return a.ok() })
		lost("no-key", "a request without a key is not answered: the connection ends", drops, func(x *exchange, _ int64, _ *answer) bool { return x.key() == "" })
		if !op.Deletes() {
			lost("4th-reset", "every fourth connection is reset in the middle of the answer", cuts, every(4))
		}
		if op.Updates() {
			body := func(id, sentence string, is func(body string) bool) {
				lost(id, "the connection ends in place of the answer to "+sentence, drops, func(x *exchange, _ int64, _ *answer) bool {
					return x.byOwner() && is(string(x.body))
				})
			}
			body("emoji", "a character beyond the basic plane", func(b string) bool { return strings.Contains(b, "😀") })
			body("array", "a body that is an array", func(b string) bool { return b == "[]" })
			body("cut-off", "a body that is cut off", func(b string) bool { return strings.HasPrefix(b, "{") && !strings.Contains(b, "}") })
		}
		if op.Lists() {
			lost("second-page", "the connection ends in place of the second page", drops, func(x *exchange, _ int64, _ *answer) bool { return x.query == "page=2" })
		}
	}
	return all
}
