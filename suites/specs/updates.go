package specs

import (
	"slices"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operations 1 to 3: an update answers with the new representation
// of the object.
func acceptedUpdates(s *Specs, op *spec.Operation) {
	judged := Clause(slices.Concat([]string{op.Clause, "AUTH-4", "EFFECT-3"}, shown(op), op.Body.Clauses())...)

	s.Case("success/ordinary", "The owner's update of all fields succeeds and shows what was sent.",
		Options{judged, Clause(op.Effects["persists"], "OPEN-12"), Quick},
		func(c Case, o *Object) { c.Survey(o) }) // by updates with all fields
}

// Interface document, operations 1 to 3: the update takes effect on the object that the path
// names and on no other, as later answers show.
func updatesShow(s *Specs, op *spec.Operation) {
	s.Case("effects/persists", "Later answers show what an update set.",
		Options{Clause(op.Effects["persists"], "OPEN-13")},
		func(c Case, o *Object) {
			values := allButLast(c, o)
			c.Write(o, values)
			readable(c, len(c.Read(o)))
			if len(op.Body.Fields) == 1 { // effects/alone does so with one of several
				inOtherLetters(o, op.Body.Fields[0], values)
				c.Write(o, values)
				c.Read(o)
			}
		})

	s.Case("effects/others-unchanged", "An update changes no other object.",
		Options{needsOther(op), Clause("EFFECT-2")},
		func(c Case, o *Object) {
			others := others(c, op)
			readList(c)
			looked := readAll(c, others)
			c.Write(o, c.Ordinary(o, 2))
			looked += readAll(c, others)
			readList(c)
			readable(c, looked)
		})
}

// allButLast returns new values for the last field, and for the others those that the object holds: a server may
// compare only one to see whether anything changes.
func allButLast(c Case, o *Object) map[string]any {
	values := Fresh(c, o)
	for _, f := range o.Op.Body.Fields[:len(o.Op.Body.Fields)-1] {
		if last, known := o.Last(f.Name); known && last != nil && last != "" {
			values[f.Name] = last
		}
	}
	return values
}

// readAll reads objects back and returns how many of their fields it could read.
func readAll(c Case, objects []*Object) int {
	seen := 0
	for _, o := range objects {
		seen += len(c.Read(o))
	}
	return seen
}

// readable ends the case if nothing could be read back: that is why the effect of a request is not tested.
func readable(c Case, fields int) { skipUnless(c, fields > 0, judge.ByTarget, unreadable) }

const unreadable = "the target shows no way to read the object back"

// readList reads the list of a VAST creative, which no update may change.
func readList(c Case) {
	if lists := c.Run().Contract.ListOf("vastCreative"); lists != nil && c.Object(lists, "vastCreative") != nil {
		list(c, c.Object(lists, "vastCreative"), 0)
	}
}

// An update changes no object of another user.
func foreignUnchanged(s *Specs, op *spec.Operation) {
	rounds := 1
	if len(fieldsWhere(op, isListed)) > 0 { // an enumerated value may have been there before
		rounds = 2
	}
	s.Case("effects/foreign-unchanged", "An update changes no object of another user.",
		Options{needsForeign(op), Clause("EFFECT-2")},
		func(c Case, o *Object) {
			theirs := strangers(c, op)
			c.VerifyNoTraceOf(theirs)
			seen := theirs.Known() || len(c.Read(theirs)) > 0
			for range rounds {
				c.Write(o, Fresh(c, theirs))
				skipUnless(c, seen && len(c.Read(theirs)) > 0, judge.ByTarget, unreadable)
			}
		})
}

// Each field is updated alone, and one that can be unset is unset and set again.
// A PUT takes all fields.
func fieldsAlone(s *Specs, op *spec.Operation) {
	if op.Replaces() || len(op.Body.Fields) < 2 {
		return
	}
	s.Case("effects/alone", "An update of a single field takes effect, also when it unsets the field or sets it again.",
		Options{Clause(op.Effects["shows"], op.Effects["persists"]), Quick},
		func(c Case, o *Object) {
			c.Write(o, Fresh(c, o)) // a value from before the update shows
			looked := 0
			update := func(values map[string]any, fields ...*spec.Field) {
				if a := sendPart(c, o, values, fields...); a.OK {
					looked += len(c.Read(o))
				}
			}
			for _, f := range op.Body.Fields {
				values := Fresh(c, o)
				values[f.Name] = apart(o, f, values[f.Name])
				inOtherLetters(o, f, values)
				update(values, f)
				if !f.Optional {
					continue
				}
				with := op.Body.Fields
				if c.Target().TakesParts(o) {
					with = []*spec.Field{f}
				}
				values = Fresh(c, o)
				values[f.Name] = nil
				update(values, with...)
				update(Fresh(c, o), with...)
			}
			skipUnless(c, looked > 0, judge.ByTarget,
				"the target takes no update of one field alone, or shows no way to read the object back")
		})
}

// inOtherLetters gives a text the last value in other letter case: no other value is so easily taken for the last.
func inOtherLetters(o *Object, f *spec.Field, values map[string]any) {
	last, _ := o.Last(f.Name)
	if text, is := last.(string); is && isFreeText(f) && !f.Hostname {
		if other, _ := inOtherCase(text); other != text {
			values[f.Name] = other
		}
	}
}

// apart returns a value of an enumerated field that no such field of the object holds, so
// that it shows if it is stored elsewhere; the given one if there is none.
func apart(o *Object, field *spec.Field, given any) any {
	for _, v := range field.Enum {
		if !slices.ContainsFunc(o.Op.Body.Fields, func(f *spec.Field) bool {
			last, known := o.Last(f.Name)
			return known && last == any(v)
		}) {
			return v
		}
	}
	return given
}

// Interface document, date of update: it is the date of the last update. A server that keeps
// one date, such as the date of its start, seems right for the duration of a run.
func datesMove(s *Specs, op *spec.Operation) {
	if op.Effects["updatedAt"] == "" {
		return
	}
	Table(s, "effects", "updatedAt %s.", Options{Clause(op.Effects["updatedAt"], op.Effects["stays"])}, []Row[bool]{
		{"dated", "is the date of the last update, not of one before it", false, nil},
		{"dated-later", "moves with an update a second later", true, Options{Deep}},
	}, func(c Case, o *Object, row Row[bool]) {
		patient := row.Sends
		dates := func(update func() *judge.Answer) {
			for again := true; again; {
				a := update()
				wait := c.Compare().StandsStill(o, a, patient)
				again = a.OK && a.Expected && wait > 0 && c.Pause(wait)
			}
		}
		dates(func() *judge.Answer { return send(c, Request(c, o), BeAccepted()) })
		if !c.Target().TakesParts(o) {
			return
		}
		for i, f := range op.Body.Fields { // a hook may run only for the first, which most updates are about
			if i > 0 || patient {
				dates(func() *judge.Answer { return sendPart(c, o, Fresh(c, o), f) })
			}
		}
	})
}

// atRest reads every object a last time: it must hold the values of the last success, and no
// refused request may have left a trace.
func atRest(s *Specs, op *spec.Operation) {
	all := operations(s.Contract, (*spec.Operation).Updates)
	before := all[(slices.Index(all, op)+len(all)-1)%len(all)] // the last update before the first
	title := "In the end each object holds the values of the last success, and none of a refused request."
	judged := Clause("EFFECT-1", "EFFECT-2", op.Effects["persists"], op.Effects["stays"])
	s.Case("effects/at-rest", title, Options{Last, judged},
		func(c Case, _ *Object) {
			o := c.Object(op, op.Key())
			// An update of another kind of object, which may not show here.
			if parent := c.Object(before, before.Key()); parent != nil && before != op {
				c.VerifyNoTraceOf(parent)
				c.Write(parent, c.Ordinary(parent, 0))
			}
			readList(c) // which may have changed what follows
			seen := readAll(c, append([]*Object{o}, others(c, op)...))
			if theirs := foreign(c, op); theirs != nil && hasStranger(c, op) {
				c.Read(theirs)
			}
			readable(c, seen)
		})
}

// Whether an update needs any field is open. A PUT takes all fields.
func partialBodies(s *Specs, op *spec.Operation) {
	if op.Replaces() {
		return
	}
	s.Case("open/empty-object", "{} is accepted or refused.",
		Options{Observes("empty-object"), Clause(op.Effects["persists"], "ERR-4")},
		func(c Case, o *Object) {
			c.Observe("empty-object", sendPart(c, o, nil).Acceptance())
		})
}
