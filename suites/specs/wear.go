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
	if !op.Deletes() {
		worn(s, "success", "successes", nil, func(c *Case, o *Object) exchange { return exchange{Valid(c, o), BeAccepted()} })
	}
	if op.Lists() || op.Reads() {
		s.Case("wear/at-once", fmt.Sprintf("%d concurrent reads are all answered.", wornBy),
			Options{Deep, Clause("HTTP-2", op.Clause)}, readAtOnce)
	}
	if len(op.Params) > 0 {
		worn(s, "403", "refusals of another user", Options{NeedsStranger}, func(c *Case, o *Object) exchange {
			if op.Deletes() {
				o = cmp.Or(stillThere(c, op), o)
			}
			return ofStranger403(c, o)
		})
	}
	for i, param := range op.Params {
		worn(s, "404-"+noun(param), "refusals of an unknown "+param.Name, Options{s.FirstID(i)}, func(c *Case, o *Object) exchange {
			return unknownIn(c, o, i)
		})
	}
	if op.Updates() {
		wrong := Set(op.Body.Fields[0].Name, []any{"x"})
		worn(s, "422", "refusals of a wrong field", nil, func(c *Case, o *Object) exchange {
			return exchange{Wrong(c, o, wrong), BeRefused(422).Citing("ERR-4")}
		})
	}
}

// wrongKeysLast: a server may lock out a client that sends wrong keys repeatedly.
func wrongKeysLast(s *Specs, op *spec.Operation) {
	worn(s, "401", "refusals of a wrong key", Options{s.OrUnknown(), Last}, func(c *Case, o *Object) exchange {
		if op.Deletes() {
			o = c.Known().UnknownObject(op)
		}
		return ofUnknownKey(c, o)
	})
}

// Refused requests of wear and random sequences.

func ofUnknownKey(c *Case, o *Object) exchange {
	return exchange{Wrong(c, o, As(unknownKey(c, c.Owner().Value))), BeRefused(identityOr(o)...).Citing("AUTH-1")}
}

func ofStranger403(c *Case, o *Object) exchange {
	to := BeRefused(403).Citing("AUTH-2")
	if o.Deleted() {
		to.Or(404)
	}
	return exchange{Wrong(c, o, As(c.Stranger())), to}
}

// unknownIn returns a request with an unknown id at a position of the path.
func unknownIn(c *Case, o *Object, i int) exchange {
	to := BeRefused(404).Citing(unknownID(o.Op, i))
	if o.Op.Open["missing"] != "" {
		to = BeRefused(403, 404, 422).OrEmpty()
	}
	return exchange{Wrong(c, o, Unknown(c, i, 7), NoObject), to}
}

// worn registers a case that provokes one class of answer repeatedly.
func worn(s *Specs, class, answers string, options Options, next func(c *Case, o *Object) exchange) {
	s.Case("wear/"+class, fmt.Sprintf("After %d %s in a row the server answers as before.", wornBy, answers),
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
				a := c.Send(e.Call)
				if class == "401" && w.Answered > 0 && (a.Status != w.Status || a.Exchange.RateLimited > 0) {
					e.To = BeAnswered() // a lockout
				}
				c.Expect(a).To(e.To)
				if !c.Test.Wears(w, a) || a.Status != 0 && a.Status != w.Status || time.Since(began) > wornWithin {
					return
				}
			}
		})
}

// readAtOnce sends many reads at the same instant, once one has been answered.
func readAtOnce(c *Case, o *Object) {
	w := &judge.Wear{After: "many reads at once", Sent: oracle.Sent{At: "request:wear/at-once", What: "many others at the same time"}}
	read := Valid(c, o)
	read.Sent = []oracle.Sent{w.Sent}
	first := send(c, read, BeAccepted())
	if !c.Test.Wears(w, first) || first.Exchange.RateLimited > 0 {
		return
	}
	for _, a := range c.SendTogether(slices.Repeat([]Call{read}, wornBy)...) {
		c.Expect(a).To(BeAccepted())
		c.Test.Wears(w, a)
	}
}
