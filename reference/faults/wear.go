package faults

import (
	"time"

	"github.com/adconform/adconform/spec"
)

// pool is how many connections to its database a server has that leaks them.
const pool = 30

// wornOut are servers that go wrong after many answers of one kind: each of them keeps a
// connection of the pool, and when none is left nothing is answered any more, or all fails.
func wornOut(op *spec.Operation) (rows []row) {
	fails := op.Deletes() || several(op) // every other one
	leaks := func(class, sentence string, is condition, status int) {
		way, words, clauses := behaviour(hangs), "the server hangs", "HTTP-2"
		if fails {
			way, words, clauses = refuse(500), "the server fails", "HTTP-1"
		}
		fails = !fails
		rows = append(rows, everywhere("leaks-"+class, clauses+" HTTP-1 HTTP-2", "*: after "+itoa(pool)+" "+sentence+" "+words,
			func(x *exchange) *answer {
				if x.counted.Load() >= pool {
					return way(x)
				}
				a := x.forward()
				if x.op == op && a.status == status && is(x) {
					x.count()
				}
				return a
			}))
	}
	if !op.Deletes() {
		leaks("success", "successes", always, 200)
	}
	leaks("401", "requests without a valid key", always, 401)
	leaks("403", "requests of a user without permission", always, 403)
	for i, p := range op.Params {
		leaks("404-"+p.Name, "requests for an unknown "+p.Name, func(x *exchange) bool { return len(x.ids[i]) == 10 }, 404)
	}
	if op.Updates() {
		leaks("422", "requests with a wrong field", always, 422)
	}
	if op.Lists() || op.ID == campaignUpdate {
		const words = "from the tenth on, each answer to a user without permission takes longer than the one before"
		rows = append(rows, fault("slows-403", "HTTP-2", words, inPlaceOf(403, always, func(x *exchange, a *answer) *answer {
			select {
			case <-time.After(time.Duration(x.count()-10) * 300 * time.Millisecond):
				return a
			case <-x.ctx.Done():
				return hangs(x)
			}
		})))
	}
	if op.Lists() { // reads that take two connections each, one after the other: when enough come at once each waits for a second one
		rows = append(rows, fault("hangs-at-once", "HTTP-2", "Reads hang where forty come at once", func(x *exchange) *answer {
			if x.counted.Add(1) > pool {
				return hangs(x)
			}
			time.Sleep(20 * time.Millisecond)
			a := x.forward()
			x.counted.Add(-1)
			return a
		}))
	}
	return rows
}

// hangs gives no answer.
func hangs(x *exchange) *answer {
	<-x.ctx.Done()
	return noAnswer(x)
}
