package specs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Authentication: each request is answered for its own user. A
// server that keeps the user in a place that all requests share works for two users as
// long as they come one after the other on different connections.

// usersInTurn sends, on one connection, as the owner, then without a key, then as the stranger.
// Deletes have a case of their own, since a deleted object is gone.
func usersInTurn(s *Specs, op *spec.Operation) {
	title := "After the owner's success the same request without a key gets 401."
	if len(op.Params) > 0 {
		title = "After the owner's success the same request without a key gets 401, and a stranger's gets 403."
	}
	s.Case("state/users-in-turn", title, Options{Clause("AUTH-3")}, func(c Case, o *Object) {
		for round := range 2 {
			all := usersAfter(c, o, served(c, o), 403)
			if round == 1 { // the stranger repeats what the owner sent, and right after it
				all[len(all)-1].Body = all[0].Body
				all = slices.Delete(all, 1, 2)
			}
			sendAll(c, c.SendInOrder, all...)
			c.VerifyNoTraceOf(o)
		}
		// The stranger's object is read again at the end; if it cannot be read, other cases judge that.
		if theirs := foreign(c, op); theirs != nil && op.Lists() && hasStranger(c, op) {
			send(c, Request(c, theirs), BeAccepted().Or(401, 403, 404, 422))
		}
	})
}

// usersAfter returns the owner's request, the same without a key, and the stranger's.
func usersAfter(c Case, o *Object, owner exchange, strangerGets ...int) []exchange {
	all := []exchange{owner, {Request(c, o, As(anonymous)), BeRefused(401)}}
	if hasStranger(c, o.Op) {
		all = append(all, exchange{Request(c, o, As(c.Stranger())), BeRefused(strangerGets...)})
	}
	return all
}

// usersAtOnce sends a request in two halves, with another user's request between them. A request
// without a body is complete only after the other's answer; then both are sent together. Every user
// has an own list that no id names. The owner's deletes name an unknown id, and the
// stranger's a disposable, which is lost only if the stranger is taken for the owner.
func usersAtOnce(s *Specs, op *spec.Operation) {
	if len(op.Params) == 0 && !op.Updates() {
		return
	}
	s.Case("state/users-at-once", "Concurrent requests of two users are each answered as their own.",
		Options{NeedsStranger, Clause("AUTH-3")},
		func(c Case, o *Object) {
			owners := func() exchange { return exchange{Request(c, o), BeAccepted().Citing("AUTH-3")} }
			// 404 instead of 403 belongs to another clause.
			strangers := func() exchange { return exchange{Request(c, o, As(c.Stranger())), BeRefused(403, 404)} }
			if op.Updates() {
				apart := around(c, owners(), strangers())
				c.VerifyNoTraceOf(o)
				if apart == "" {
					apart = around(c, strangers(), owners())
					c.VerifyNoTraceOf(o)
				}
				skipUnless(c, apart == "", judge.ByTarget, apart)
				return
			}
			owner := owners()
			if op.Deletes() {
				o = stillThere(c, op)
				skipUnless(c, o != nil, judge.ByOperator, "all "+op.Key()+" were deleted before")
				owner = exchange{Request(c, o, Unknown(c, 0, 0), NoObject), BeRefused(404)}
			}
			stranger := strangers()
			around(c, stranger, owner) // if this is impossible, the two below are still concurrent
			sendAll(c, c.SendTogether, owner, stranger)
			if op.Deletes() { // shows if the owner is taken for somebody else
				sendAll(c, c.SendTogether, owner, exchange{Request(c, o, As(anonymous)), BeRefused(401)})
			}
		})
}

// Interface document, operations 1 to 3: updates that reach the target at the same time
// all take effect, and each shows its own object.
func twoUpdatesAtOnce(s *Specs, op *spec.Operation) {
	s.Case("state/two-at-once", "Two objects that are updated at the same time each show their own values.",
		Options{writesOther(op), Clause(shown(op)...), Clause(op.Clause)},
		func(c Case, o *Object) {
			other := c.Object(op, spec.Other(op.Key()))
			c.Read(other) // the values to restore
			skipUnless(c, other.MayWrite(), judge.ByOperator, other.NotWritten())
			sendAll(c, c.SendTogether, served(c, o), served(c, other))
			if len(op.Body.Fields) > 1 { // one of these has a case for two writers of one object
				sendAll(c, c.SendTogether, served(c, o), served(c, other))
			} else { // a server may refuse the second, and show what the other wrote
				sendAll(c, c.SendTogether, exchange{Request(c, o), BeAnswered()}, exchange{Request(c, o), BeAnswered()})
				o.LoseTrack()
			}
			c.Read(o)
			c.Read(other)
		})

	if len(op.Body.Fields) < 2 || op.Replaces() {
		return
	}
	title := "If omitted fields are kept, two concurrent updates of different fields of one object are both kept."
	s.Case("state/two-writers", title,
		Options{Clause("OPEN-7"), Observes("concurrent-writers")},
		func(c Case, o *Object) {
			c.Write(o, c.Ordinary(o, 0))
			skipUnless(c, c.Target().KeepsOmitted(o), judge.ByTarget, "the target was not seen to keep omitted fields")
			lost := false
			for round := 0; round < 2 && !lost; round++ { // a faulty server does not lose an update each time
				values, all := Fresh(c, o), []exchange{}
				for _, f := range op.Body.Fields[:2] {
					part := Fields(map[string]any{f.Name: values[f.Name]})
					all = append(all, exchange{Request(c, o, part, Loose), BeAccepted().Or(400, 409, 422)})
				}
				answers := sendAll(c, c.SendTogether, all...)
				o.LoseTrack() // it is unknown which update came last
				skipUnless(c, answers[0].OK && answers[1].OK, judge.ByTarget,
					"the target does not accept two updates of one field each at the same time")
				seen := c.Read(o)
				readable(c, len(seen))
				lost = c.Compare().JudgeWriters(o, values, seen, answers)
			}
			choice := spec.Choice("both get their way")
			if lost {
				choice = "one overwrites the other"
			}
			c.Observe("concurrent-writers", choice)
		})
}

// Interface document, operation 5: two concurrent lists each show their own items, and two concurrent
// reads of single objects, which a vendor's document may have, each their own object.
func twoReadsAtOnce(s *Specs, op *spec.Operation) {
	key, rounds, title := largest(op), 1, "Two lists that are read at the same time each show their own items."
	judged := Clause(op.Effects["members"], op.Effects["repeats"])
	if !op.Lists() {
		rounds, title = 2, "Two objects that are read at the same time each show themselves."
		judged = Clause(op.Clause, op.Effects["identity"])
	}
	if key == "" {
		return
	}
	s.Case("state/two-at-once", title, Options{Needs(judge.OwnKey(key)), judged}, func(c Case, o *Object) {
		for range rounds {
			sendAll(c, c.SendTogether, served(c, o), served(c, c.Object(op, key)))
		}
	})
}

// Wear (depth deep): some leaks show only after many answers of a kind, such as a connection
// that a refusal does not return to its pool, which holds ten to thirty. So each class of
// answer is provoked many times in a row, and reads are also sent concurrently.
const (
	wornBy     = 40
	wornWithin = 30 * time.Second // for a class, so that a target with a rate limit is not kept busy for longer
)

// A successful delete uses something up, so it is not repeated.
func wear(s *Specs, op *spec.Operation) {
	accepted := func(c Case, o *Object) Call { return Request(c, o) }
	if !op.Deletes() {
		worn(s, "success", "successes in a row", nil, accepted)
	}
	if op.Lists() || op.Reads() {
		worn(s, atOnce, "concurrent reads", Options{Clause("HTTP-2", op.Clause)}, accepted)
	}
	if len(op.Params) > 0 {
		worn(s, "403", "refusals of another user in a row", Options{NeedsStranger}, func(c Case, o *Object) Call {
			if op.Deletes() {
				o = cmp.Or(stillThere(c, op), o)
			}
			return Request(c, o, As(c.Stranger()))
		})
	}
	for i, param := range op.Params {
		worn(s, "404-"+noun(param), "refusals of an unknown "+param.Name+" in a row", Options{s.firstID(i)},
			func(c Case, o *Object) Call { return unknownIn(c, o, i) })
	}
	if op.Updates() {
		worn(s, "422", "refusals of a wrong field in a row", nil, func(c Case, o *Object) Call {
			return Request(c, o, Set(op.Body.Fields[0].Name, []any{"x"}))
		})
	}
}

// wrongKeysLast: a server may lock out a client that sends wrong keys repeatedly.
func wrongKeysLast(s *Specs, op *spec.Operation) {
	worn(s, "401", "refusals of a wrong key in a row", Options{s.orUnknown(), Last}, func(c Case, o *Object) Call {
		if op.Deletes() {
			o = c.Target().UnknownObject(op)
		}
		return ofUnknownKey(c, o)
	})
}

// Refused requests of wear and random sequences.

func ofUnknownKey(c Case, o *Object) Call { return Request(c, o, As(unknownKey(c, c.Owner().Value))) }

// unknownIn returns a request with an unknown id at a position of the path.
func unknownIn(c Case, o *Object, i int) Call { return Request(c, o, Unknown(c, i, 7), NoObject) }

// atOnce is the class of requests that are sent at the same instant, once one of them has been answered.
const atOnce = "at-once"

// worn registers a case that provokes one class of answer repeatedly.
func worn(s *Specs, class, answers string, options Options, next func(c Case, o *Object) Call) {
	s.Case("wear/"+class, fmt.Sprintf("After %d %s the server answers as before.", wornBy, answers),
		append(options, Deep, Clause("HTTP-2", "HTTP-1")),
		func(c Case, o *Object) {
			if o.Op.Updates() && !o.Placeholder() {
				defer c.VerifyNoTraceOf(o)
			}
			w := &judge.Wear{After: "many " + answers}
			w.Sent.At, w.Sent.What = finding.PlaceOf(finding.Class, "wear/"+class), finding.Oddity(w.After+" before it")
			began := time.Now()
			for n := 0; n < wornBy && time.Since(began) < wornWithin; n++ {
				call := next(c, o)
				call.Sent = []oracle.Sent{w.Sent}
				if class == atOnce && w.Answered > 0 {
					for _, a := range c.SendTogether(slices.Repeat([]Call{call}, wornBy)...) {
						sendWorn(c, w, class, a)
					}
					return
				}
				if !sendWorn(c, w, class, c.Send(call)) {
					return
				}
			}
		})
}

// sendWorn judges one of many answers of a class, and reports whether the next request may be sent.
func sendWorn(c Case, w *judge.Wear, class string, a *judge.Answer) bool {
	isLimited := a.Exchange.RateLimited > 0
	isLockout := class == "401" && w.Answered > 0 && (isLimited || a.Status != w.Status)
	if isLockout {
		c.Expect(a).To(BeAnswered())
	} else {
		c.Judge(a, c.Right(a))
	}
	isWorn, isOther := !c.Compare().Wears(w, a), a.Status != 0 && a.Status != w.Status
	return !isWorn && !isOther && !(class == atOnce && isLimited)
}
