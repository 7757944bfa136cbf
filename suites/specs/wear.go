package specs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// Wear (depth deep): some leaks show only after many answers of a kind, such as a connection
// that a refusal does not return to its pool, which holds ten to thirty. So each class of
// answer is provoked many times in a row, and reads are also sent concurrently.
const (
	wornBy     = 40
	wornWithin = 30 * time.Second // for a class, so that a target with a rate limit is not kept busy for longer
)

// A successful delete uses something up, so it is not repeated.
func wear(s *Specs, op *spec.Operation) {
	accepted := func(c *Case, o *Object) exchange { return exchange{Request(c, o), BeAccepted()} }
	if !op.Deletes() {
		worn(s, "success", "successes in a row", nil, accepted)
	}
	if op.Lists() || op.Reads() {
		worn(s, atOnce, "concurrent reads", Options{Clause("HTTP-2", op.Clause)}, accepted)
	}
	if len(op.Params) > 0 {
		worn(s, "403", "refusals of another user in a row", Options{NeedsStranger}, func(c *Case, o *Object) exchange {
			if op.Deletes() {
				o = cmp.Or(stillThere(c, op), o)
			}
			return ofStranger403(c, o)
		})
	}
	for i, param := range op.Params {
		worn(s, "404-"+noun(param), "refusals of an unknown "+param.Name+" in a row", Options{s.FirstID(i)},
			func(c *Case, o *Object) exchange { return unknownIn(c, o, i) })
	}
	if op.Updates() {
		worn(s, "422", "refusals of a wrong field in a row", nil, func(c *Case, o *Object) exchange {
			return exchange{Request(c, o, Set(op.Body.Fields[0].Name, []any{"x"})), BeRefused(422).Citing("ERR-4")}
		})
	}
}

// wrongKeysLast: a server may lock out a client that sends wrong keys repeatedly.
func wrongKeysLast(s *Specs, op *spec.Operation) {
	worn(s, "401", "refusals of a wrong key in a row", Options{s.OrUnknown(), Last}, func(c *Case, o *Object) exchange {
		if op.Deletes() {
			o = c.Known().UnknownObject(op)
		}
		return ofUnknownKey(c, o)
	})
}

// Refused requests of wear and random sequences.

func ofUnknownKey(c *Case, o *Object) exchange {
	return exchange{Request(c, o, As(unknownKey(c, c.Owner().Value))), BeRefused(identityOr(o)...).Citing("AUTH-1")}
}

func ofStranger403(c *Case, o *Object) exchange {
	to := BeRefused(403).Citing("AUTH-2")
	if o.Deleted() {
		to.Or(404)
	}
	return exchange{Request(c, o, As(c.Stranger())), to}
}

// unknownIn returns a request with an unknown id at a position of the path.
func unknownIn(c *Case, o *Object, i int) exchange {
	to := BeRefused(404).Citing(unknownID(o.Op, i))
	if o.Op.Open["missing"] != "" {
		to = BeRefused(403, 404, 422).OrEmpty()
	}
	return exchange{Request(c, o, Unknown(c, i, 7), NoObject), to}
}

// atOnce is the class of requests that are sent at the same instant, once one of them has been answered.
const atOnce = "at-once"

// worn registers a case that provokes one class of answer repeatedly.
func worn(s *Specs, class, answers string, options Options, next func(c *Case, o *Object) exchange) {
	s.Case("wear/"+class, fmt.Sprintf("After %d %s the server answers as before.", wornBy, answers),
		append(options, Deep, Clause("HTTP-2", "HTTP-1")),
		func(c *Case, o *Object) {
			if o.Op.Updates() && !o.Placeholder() {
				defer c.VerifyNoTraceOf(o)
			}
			w := &judge.Wear{After: "many " + answers, Sent: oracle.Sent{At: "request:wear/" + class, What: "many " + answers + " before it"}}
			began := time.Now()
			for range wornBy {
				e := next(c, o)
				e.Sent = []oracle.Sent{w.Sent}
				if class == atOnce && w.Answered > 0 {
					for _, a := range c.SendTogether(slices.Repeat([]Call{e.Call}, wornBy)...) {
						c.Expect(a).To(e.To)
						c.Test.Wears(w, a)
					}
					return
				}
				a := c.Send(e.Call)
				limited := a.Exchange.RateLimited > 0
				if class == "401" && w.Answered > 0 && (a.Status != w.Status || limited) {
					e.To = BeAnswered() // a lockout
				}
				c.Expect(a).To(e.To)
				if !c.Test.Wears(w, a) || a.Status != 0 && a.Status != w.Status || time.Since(began) > wornWithin || class == atOnce && limited {
					return
				}
			}
		})
}
