package specs

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operation 5: the owner gets a page of a list.
func shownLists(s *Specs, op *spec.Operation) {
	s.Case("success/ordinary", "The owner gets the list of "+op.Items+", the same each time.",
		Options{Quick, Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"], op.Effects["members"])},
		func(c *Case, o *Object) {
			for n := range 4 {
				a := send(c, Request(c, o), BeAccepted())
				if n == 2 && !(c.Test.ItemsMadeNow(a) && c.Pause(1100*time.Millisecond)) {
					return // otherwise their date of creation, in whole seconds, may be that of the read
				}
			}
		})

	framed(s, "a list")
}

// Every user has an own list that no id names.
func ownLists(s *Specs, op *spec.Operation) {
	if len(op.Params) > 0 || op.Holds == "" {
		return
	}
	s.Case("success/of-the-stranger", "Another user's list holds none of the owner's "+op.Items+", not even right after the owner's.",
		Options{NeedsStranger, Clause(op.Clause, op.Effects["holds"])},
		func(c *Case, o *Object) {
			answers := sendAll(c, c.SendInOrder, exchange{Request(c, o), BeAccepted()}, exchange{Call{Op: op, As: c.Stranger()}, BeAccepted()})
			c.Test.JudgeOthers(o, answers[1])
		})
}

// None of the five operations reads a single object; these specs are for one of a vendor's
// document that does.
func shownObjects(s *Specs, op *spec.Operation) {
	shown := Clause(op.Effects["identity"], op.Effects["stays"])

	s.Case("success/ordinary", "The owner gets the object of the path, the same each time.",
		Options{Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"]), shown, Quick},
		func(c *Case, o *Object) {
			first := send(c, Request(c, o), BeAccepted())
			for range 2 {
				c.Test.JudgeRepeat(o, first, send(c, Request(c, o), BeAccepted()))
			}
		})

	framed(s, "a read")

	for _, key := range keysOf(s.Target, op)[1:] {
		s.Case("success/of-"+wording.Slug(key), "A read of "+key+" shows that object, and no other.",
			Options{Needs(judge.OwnKey(key)), Clause(op.Clause), shown},
			func(c *Case, o *Object) {
				for _, o := range []*Object{c.Object(op, key), o} { // shows a cache whose key is less than the path
					c.Expect(c.Send(Request(c, o))).To(BeAccepted())
				}
			})
	}
}

// readsAfterUpdates: a read shows what an update of the same object set, and nothing that
// was refused.
func readsAfterUpdates(s *Specs, op *spec.Operation) {
	for _, update := range operations(s.Contract, (*spec.Operation).Updates) {
		if !update.SameObjects(op) {
			continue
		}
		s.Case("effects/after-"+wording.Slug(update.ID), fmt.Sprintf("A read shows what %s set, and nothing of what it refused.", update.ID),
			Options{Clause(op.Effects["shows"], "EFFECT-1"), Writes},
			func(c *Case, o *Object) {
				updated := c.Object(update, op.Key())
				read := func() { c.Expect(c.Send(Request(c, o))).To(BeAccepted()) }
				read() // the values to restore
				c.Survey(updated)
				for round := range 2 {
					c.Write(updated, c.Ordinary(updated, round))
					read()
				}
				c.Expect(c.Send(Request(c, updated, As(anonymous)))).To(BeRefused(401).Citing("AUTH-1"))
				read()
			})
	}
}

// RFC 9110, 13.1.2 and 13.1.3: a client requests a list only if it has changed. This applies
// to targets whose lists carry an entity tag or a date, which no server has to send.
func conditionalReads(s *Specs, op *spec.Operation) {
	s.Case("state/conditional", "A list with an entity tag or a date is answered 304 only to a request that names it.",
		Options{Clause("HTTP-4", "AUTH-1", "AUTH-2", "HTTP-2"), Observes("list-validators"), Quick},
		func(c *Case, o *Object) {
			// RFC 9110, 13.1.3: a date that is none is ignored.
			first := send(c, Request(c, o, Header("If-Modified-Since", "yesterday")), BeAccepted())
			if !first.Expected {
				return
			}
			v := first.Validators()
			c.Observe("list-validators", spec.Choice(v.String()))
			if tag := v.Tag; tag != "" {
				ask(c, o, unlessTag(tag), 304)
				ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s", %s`, c.Fake.Key(8), tag)), 304)
				ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s"`, c.Fake.Key(8))))
				if other, _ := changeMiddle(tag); other != tag {
					ask(c, o, unlessTag(other))
				}
				c.Expect(c.Send(Request(c, o, As(anonymous), unlessTag(tag)))).To(BeRefused(401).Citing("AUTH-1"))
				if c.Target.Credentials.Stranger != "" && len(o.IDs) > 0 {
					c.Expect(c.Send(Request(c, o, As(c.Stranger()), unlessTag(tag)))).To(BeRefused(403).Citing("AUTH-2"))
				}
				for _, odd := range []string{"*", "adconform", `"adconform`, "W/", strings.Repeat(`"adconform", `, 100) + tag} {
					c.Expect(c.Send(Request(c, o, unlessTag(odd)))).To(BeAnswered())
				}
			}
			if v.Modified.IsZero() {
				return
			}
			ask(c, o, unlessChangedSince(v.Modified), 304)
			ask(c, o, unlessChangedSince(v.Modified.AddDate(0, 0, -1)))
			future := unlessChangedSince(v.Modified.AddDate(50, 0, 0))
			for _, odd := range []Change{Header("If-Modified-Since", "0"), future} {
				c.Expect(c.Send(Request(c, o, odd))).To(BeAnswered())
			}
		})
}

// ask requests a list with a condition, on a raw connection, which alone shows what follows
// a 304.
func ask(c *Case, o *Object, condition Change, also ...int) {
	c.Expect(c.Send(Request(c, o, condition, Raw))).To(BeAccepted().Or(also...).Citing("HTTP-4"))
}

func unlessTag(tags string) Change { return Header("If-None-Match", tags) }

func unlessChangedSince(date time.Time) Change {
	return Header("If-Modified-Since", date.UTC().Format(http.TimeFormat))
}

// changedSince requests a list that has changed, as a client that knows the old list:
// 304 would leave it with stale items. Whether an empty list is 404 is open.
func changedSince(c *Case, o *Object, before judge.Validators) {
	if before.Tag != "" {
		ask(c, o, unlessTag(before.Tag), 404)
	}
	if before.Settled {
		ask(c, o, unlessChangedSince(before.Modified), 404)
	}
}
