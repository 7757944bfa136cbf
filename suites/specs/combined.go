package specs

import (
	"strings"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/dsl"
	"github.com/adconform/adconform/suites/input"
	"github.com/adconform/adconform/suites/judge/call"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/wire"
)

// A run with a budget cannot afford a request for each thing that may be wrong. These
// cases do in one what others do one by one, so that a breach shows for few requests; the
// others, which a larger budget pays for, then say which it is.

// oneTurn: the owner, nobody, and the stranger, one right after the other.
var oneTurn = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	if op.Lists() && op == s.Contract.ListOf("vastCreative") { // the first look has the answers, see doctor.FirstLook
		s.It("one-turn", "The owner gets the list, without a key it is refused with 401, and a stranger gets 403.",
			Class("state"), Combined, Clause("AUTH-3", "AUTH-1", "AUTH-2", "AUTH-4", op.Clause),
			func(c *Case) {
				for i, e := range usersAfter(c, object(c), exchange{Valid(c, object(c)), BeAccepted()}, 403) {
					e.Raw = i == 1
					c.Expect(c.Send(e.Call)).To(e.To)
				}
			})
	}
	if !op.Updates() {
		return
	}
	s.It("one-turn", "The owner's update succeeds; the same without a key, whatever user its headers name, gets 401, and a stranger's 403.",
		Class("state"), Combined, Clause("AUTH-3", "AUTH-1", "AUTH-2", "AUTH-4", op.Clause), Clause(shown(op)...),
		func(c *Case) {
			o := object(c)
			all := usersAfter(c, o, exchange{Valid(c, o), BeAccepted()}, 403)
			if user := c.UserID(); user != "" {
				for _, name := range userHeaders {
					Header(name, user)(&all[1].Call)
				}
			}
			inTurn(c, all...)
		})
}}

// joinedKey is a key that servers take for the owner's which compare only the start of a
// key, stop at a length, or take % for anything.
var joinedKey = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	s.It("joined-key", "A request with the owner's key and % after it, 200 characters in all, is answered 401.",
		Class(401), Combined, Clause("AUTH-1"),
		func(c *Case) {
			c.Expect(c.Send(Wrong(c, object(c), As(filledKey(c.Owner().Value))))).To(BeRefused(401))
		})
}}

func filledKey(owner string) wire.Credential {
	return derived("filled", owner+strings.Repeat("%", max(1, 200-len(owner))))
}

// manyTexts: all texts of an object are odd at once. Where that is refused they are
// less so.
var manyTexts = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	if len(freeTexts(op)) == 0 {
		return
	}
	s.It("all-at-once", "Texts that are odd in every way are refused with 422, or come back as they were sent, then and later.",
		Class("text"), Combined, Clause(op.Effects["shows"], op.Effects["persists"], "OPEN-6"),
		func(c *Case) {
			o := object(c)
			c.Prepare(o)
			a := sendTexts(c, o, 200)
			if a.Status == 422 || a.Status == 413 {
				a = sendTexts(c, o, 50)
			}
			if a.OK && len(c.Read(o)) == 0 { // one more tells what a text becomes from a fixed default
				sendTexts(c, o, 50)
				if len(c.Read(o)) == 0 {
					c.ConfirmDefault(o, c.Object(op, otherKey(op)))
				}
			}
		})
}}

// sendTexts updates an object with odd texts of so many characters. Hostnames are real ones,
// long and in mixed case.
func sendTexts(c *Case, o *Object, length int) *call.Answer {
	request := Valid(c, o)
	for _, f := range freeTexts(o.Op) {
		text := input.Many().Text("SELECT a FROM b<script> " + unique(c))
		text += strings.Repeat("n", max(0, length-len([]rune(text))))
		if f.Hostname {
			text = strings.ReplaceAll(input.LongHostname(unique(c)), ".example.", ".Example.")
		}
		Set(f.Name, text)(&request)
	}
	a := c.Send(request)
	c.Expect(a).To(BeAccepted().Or(422, 413).Citing("ERR-4"))
	return a
}

// partsInTurn: each field is updated alone, and one look shows all.
var partsInTurn = Behaviour{Of: fieldsAlone.Of, Specs: func(s *Specs, op *spec.Operation) {
	s.It("parts-in-turn", "Updates of one field each are all made, as a look at the end shows.",
		Class("effects"), Combined, Clause(op.Effects["shows"], op.Effects["persists"]),
		func(c *Case) {
			o := object(c)
			c.Prepare(o)
			send := func(f *spec.Field, value any) bool {
				return sendPart(c, o, []*spec.Field{f}, map[string]any{f.Name: value}).OK
			}
			taken := 0
			for _, f := range op.Body.Fields {
				if !send(f, apart(o, f, Fresh(c, o)[f.Name])) {
					continue
				}
				taken++
				if f.Optional && send(f, nil) {
					send(f, Fresh(c, o)[f.Name])
				}
			}
			if taken == 0 || len(c.Read(o)) == 0 {
				c.NotTested(ByTarget, "the target takes no update of one field alone, or shows no way to read the object back")
			}
		})
}}

// neighbours: one look at each object beside the one that was updated.
var neighbours = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	s.It("neighbours", "No update so far shows on another object.", Class("effects"), Combined, needsOther(op), Clause("EFFECT-2", "EFFECT-1"),
		func(c *Case) {
			c.Prepare(object(c))
			c.VerifyNoTraceOf(object(c))
			looked := readAll(c, others(c, op))
			if theirs := foreign(c, op); theirs != nil && c.Target.Credentials.Stranger != "" {
				looked += len(c.Read(theirs))
			}
			if looked == 0 {
				c.NotTested(ByTarget, "the target shows no way to read the other objects back")
			}
		})
}}

// strangerAgain: a refusal opens no way for the next request.
var strangerAgain = Behaviour{Of: Deletes, Specs: func(s *Specs, op *spec.Operation) {
	s.It("stranger-again", "A user without permission gets 403, again and again.",
		Class(403), Combined, Needs("credentials.stranger"), Clause("AUTH-2"),
		func(c *Case) {
			o := stillThere(c)
			if o == nil {
				c.NotTested(ByOperator, object(c).Name()+" and all others were deleted before")
				return
			}
			for range 3 {
				strangerDeletes(c, o)
			}
		})
}}
