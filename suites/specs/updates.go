package specs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// Interface document, operations 1 to 3: an update answers with the new representation
// of the object.
var acceptedUpdates = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	judged := slices.Concat([]string{op.Clause, "AUTH-4", "EFFECT-3"}, shown(op), op.Body.Clauses())

	s.It("ordinary", "The owner's update of all fields succeeds and shows what was sent.",
		Class("success"), Clause(judged...), Clause(op.Effects["persists"], "OPEN-12"), Quick, Probes,
		func(c *Case) { c.Probe(object(c)) })

	s.It("raw", "The answer to an update is one well-framed HTTP message.", Class("success"), Clause("HTTP-2", op.Clause),
		func(c *Case) { c.Expect(c.Send(Valid(c, object(c), Raw))).To(BeAccepted()) })

	s.It("same-again", "An update that sets what the object holds already succeeds, too.", Class("success"), Clause(judged...),
		func(c *Case) {
			o := object(c)
			if !o.Known() {
				c.Write(o, c.Ordinary(o, 0))
			}
			same := map[string]any{}
			for _, f := range op.Body.Fields {
				if v, known := o.Last(f.Name); known && v != nil { // null is taken or refused
					same[f.Name] = v
				}
			}
			if len(same) < len(op.Body.Fields) {
				c.NotTested(ByTarget, "the target does not show what an update set")
				return
			}
			c.Expect(c.Send(Plain(c, o, same))).To(BeAccepted())
		})

	s.DescribeTable("An update with the values %s succeeds.", Class("success"), Clause(judged...),
		func(c *Case, values map[string]any) {
			fields := c.Ordinary(object(c), 0)
			maps.Copy(fields, values)
			c.Expect(c.Send(Plain(c, object(c), fields))).To(BeAccepted())
		},
		combinations(op))
}}

// combinations has an entry for every combination of the values of enumerated fields.
func combinations(op *spec.Operation) []TableEntry {
	all := []map[string]any{{}}
	for _, f := range enums(op) {
		var next []map[string]any
		for _, values := range all {
			for _, v := range f.Enum {
				more := maps.Clone(values)
				more[f.Name] = v
				next = append(next, more)
			}
		}
		all = next
	}
	var entries []TableEntry
	for _, values := range all {
		var words []any
		for _, f := range enums(op) {
			words = append(words, values[f.Name])
		}
		if len(words) > 0 {
			entries = append(entries, Entry("values-"+slug(words...), strings.TrimSpace(fmt.Sprintln(words...)), values))
		}
	}
	return entries
}

// Interface document, operations 1 to 3: the update is made, to the object that the path
// names and to no other, as later answers show.
var updatesShow = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	s.It("persists", "What an update set shows in later answers.", Class("effects"), Clause(op.Effects["persists"]),
		func(c *Case) {
			o := settled(c)
			c.Write(o, c.Ordinary(o, 1))
			if len(c.Read(o)) == 0 {
				c.NotTested(ByTarget, unreadable)
			}
		})

	s.It("steady", "Every update of a series is made, not only most.", Class("effects"), Clause(op.Clause, op.Effects["persists"]),
		func(c *Case) { updateInSeries(c, settled(c)) })

	s.It("others-unchanged", "An update changes no other object.", Class("effects"), needsOther(op), Clause("EFFECT-2"),
		func(c *Case) {
			o := object(c)
			c.Probe(o)
			others := others(c, op)
			if len(others) == 0 {
				c.NotTested(ByOperator, "no second object of this kind is in the target file")
				return
			}
			readList(c)
			looked := readAll(c, others)
			c.Write(o, c.Ordinary(o, 2))
			looked += readAll(c, others)
			readList(c)
			if looked == 0 {
				c.NotTested(ByTarget, "the target shows no way to read the other objects back")
			}
		})
}}

// settled is the operation's object, once it is known how the target shows state and
// that no refused request left a trace.
func settled(c *Case) *Object {
	o := object(c)
	c.Probe(o)
	c.VerifyNoTraceOf(o)
	return o
}

// readAll reads objects back and says how many of their fields could be looked at.
func readAll(c *Case, objects []*Object) int {
	seen := 0
	for _, o := range objects {
		seen += len(c.Read(o))
	}
	return seen
}

// readList reads the list of a VAST creative, which no update may change.
func readList(c *Case) {
	if lists := c.Known().Contract.ListOf("vastCreative"); lists != nil && c.Object(lists, "vastCreative") != nil {
		list(c, c.Object(lists, "vastCreative"), 0)
	}
}

// inSeries is how many updates a series has, to meet faults that show now and then.
const inSeries = 6

// updateInSeries updates an object again and again and looks each time whether the last
// update was made. Updates of one field in turn show each other where the target takes
// them; else each is read back.
func updateInSeries(c *Case, o *Object) {
	fields := o.Op.Body.Fields
	for i := range inSeries {
		if c.Known().TakesParts(o) {
			sendPart(c, o, []*spec.Field{fields[i%len(fields)]}, Fresh(c, o))
			continue
		}
		c.Write(o, c.Ordinary(o, i))
		if len(c.Read(o)) == 0 {
			c.NotTested(ByTarget, unreadable)
			return
		}
	}
	c.Read(o)
}

// An update changes no object of another user.
var foreignUnchanged = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	rounds := 1
	if len(enums(op)) > 0 { // one of few values may have been there
		rounds = 2
	}
	s.It("foreign-unchanged", "An update changes no object of another user.", Class("effects"), needsForeign(op), Clause("EFFECT-2"),
		func(c *Case) {
			o, theirs := object(c), foreign(c, op)
			c.Probe(o)
			c.VerifyNoTraceOf(theirs)
			seen := theirs.Known() || len(c.Read(theirs)) > 0
			for range rounds {
				c.Write(o, Fresh(c, theirs))
				if !seen || len(c.Read(theirs)) == 0 {
					c.NotTested(ByTarget, "the target shows no way to read the other user's object back")
					return
				}
			}
		})
}}

// Each field is updated alone, and one that can be unset is unset and set again.
// A PUT takes all fields.
var fieldsAlone = Behaviour{
	Of: func(op *spec.Operation) bool { return op.Updates() && !op.Replaces() && len(op.Body.Fields) > 1 },
	Specs: func(s *Specs, op *spec.Operation) {
		s.It("alone", "An update of one field alone is made, to be unset and to be set again too.",
			Class("effects"), Clause(op.Effects["shows"], op.Effects["persists"]), Quick,
			func(c *Case) {
				o := settled(c)
				c.Write(o, Fresh(c, o)) // what comes back from before it shows
				looked := 0
				send := func(values map[string]any, fields ...*spec.Field) {
					if a := sendPart(c, o, fields, values); a.OK {
						looked += len(c.Read(o))
					}
				}
				for _, f := range op.Body.Fields {
					values := Fresh(c, o)
					values[f.Name] = apart(o, f, values[f.Name])
					send(values, f)
					if !f.Optional {
						continue
					}
					with := op.Body.Fields
					if c.Known().TakesParts(o) {
						with = []*spec.Field{f}
					}
					unset := Fresh(c, o)
					unset[f.Name] = nil
					send(unset, with...)
					send(Fresh(c, o), with...)
				}
				if looked == 0 {
					c.NotTested(ByTarget, "the target takes no update of one field alone, or shows no way to read the object back")
				}
			})
	},
}

// apart is a value of an enumerated field that no such field of the object holds, so
// that it shows where else it goes; the given one where there is none.
func apart(o *Object, field *spec.Field, given any) any {
	held := map[string]bool{} // shown, as it may be of any JSON type
	for _, f := range o.Op.Body.Fields {
		if v, known := o.Last(f.Name); known {
			held[oracle.Show(v)] = true
		}
	}
	for _, v := range field.Enum {
		if !held[oracle.Show(v)] {
			return v
		}
	}
	return given
}

// atRest is a last look at every object: it holds what the last success said, and no
// refused request left a trace.
var atRest = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	before := updateBefore(s, op)
	title := "In the end each object holds what the last success said, and nothing of what was refused."
	s.It("at-rest", title, Class("effects"), Last, Clause("EFFECT-1", "EFFECT-2", op.Effects["persists"], op.Effects["stays"]),
		func(c *Case) {
			o := c.Object(op, op.Key())
			c.Probe(o)
			// An update of another kind of object, which may not show here.
			if parent := c.Object(before, before.Key()); parent != nil && before != op {
				c.Write(parent, c.Ordinary(parent, 0))
			}
			readList(c) // which may have changed what follows
			seen := readAll(c, append([]*Object{o}, others(c, op)...))
			if theirs := foreign(c, op); theirs != nil && c.Target.Credentials.Stranger != "" {
				c.Read(theirs)
			}
			if seen == 0 {
				c.NotTested(ByTarget, "the target shows no way to read the objects back")
			}
		})
}}

// updateBefore is the update before this one in the document, the last before the first.
func updateBefore(s *Specs, op *spec.Operation) *spec.Operation {
	all := slices.DeleteFunc(slices.Clone(s.Contract.Operations), func(op *spec.Operation) bool { return !op.Updates() })
	return all[(slices.Index(all, op)+len(all)-1)%len(all)]
}

// refusedChangesNothing takes down a look at the object after requests that are refused
// with a status: nothing that they sent may show (interface document, Errors: a request
// that fails changes nothing).
func refusedChangesNothing(s *Specs, status int, refuse func(*Case, *Object), decorators ...Decorator) {
	if !s.Op.Updates() {
		return
	}
	title := fmt.Sprintf("What was refused with %d changes nothing.", status)
	body := func(c *Case) {
		o := object(c)
		c.Probe(o)
		refuse(c, o)
		c.VerifyNoTraceOf(o)
		if o.Refused() {
			c.NotTested(ByTarget, unreadable)
		}
	}
	s.It("changes-nothing", title, decorators, Class(status), Clause("EFFECT-1"), body)
}

// Which fields are required is open, and so is what becomes of the others: they keep
// their value or get a fixed default.
var partialBodies = Behaviour{
	Of: func(op *spec.Operation) bool { return op.Updates() && !op.Replaces() }, // a PUT takes all fields
	Specs: func(s *Specs, op *spec.Operation) {
		s.It("empty-object", "{} is taken or refused.", Class("open"), Observes("empty-object"), Clause(op.Effects["persists"], "ERR-4"),
			func(c *Case) {
				c.VerifyNoTraceOf(object(c))
				c.Observe("empty-object", sendPart(c, object(c), nil, Fresh(c, object(c))).Acceptance())
			})

		if len(op.Body.Fields) < 2 {
			return
		}
		title := "A body with some of the fields is taken or refused; what it leaves out keeps its value or gets a fixed default."
		s.It("partial-bodies", title, Class("open"), Observes("required-fields"), Clause(shown(op)...),
			Clause(op.Effects["persists"], "ERR-4", "ERR-10"),
			func(c *Case) {
				c.Probe(object(c))
				taken, refused, required := 0, 0, slices.Clone(op.Body.Fields) // required: in all that are taken
				optional, missing := map[string]bool{}, map[string]*judge.Answer{}
				for _, subset := range subsets(op.Body.Fields) {
					a := sendPart(c, object(c), subset, Fresh(c, object(c)))
					if len(subset) == len(op.Body.Fields)-1 && a.Status == 422 { // what is missing, or goes with it
						c.Test.JudgeNoneElse(append(fieldNames(op), "body"), a)
					}
					for _, f := range op.Body.Fields {
						switch {
						case slices.Contains(subset, f):
						case a.Status != 422:
							optional[f.Name] = true
						case len(subset) == len(op.Body.Fields)-1:
							missing[f.Name] = a
						}
					}
					switch {
					case a.OK:
						taken++
						required = slices.DeleteFunc(required, func(f *spec.Field) bool { return !slices.Contains(subset, f) })
					case a.Acceptance() != "":
						refused++
					}
				}
				for _, name := range fieldNames(op) { // one without the other may be refused as well, and neither is missing
					if missing[name] != nil && !optional[name] {
						c.Test.JudgeMissing(name, missing[name])
					}
				}
				switch {
				case taken+refused == 0: // it is not there, or nothing is answered
				case refused == 0:
					c.Observe("required-fields", spec.NoField)
				case taken == 0:
					c.Observe("required-fields", spec.EveryField)
				case len(required) == 0:
					c.Observe("required-fields", "some beside others")
				default:
					c.Observe("required-fields", spec.Choice(requiring(op, required)))
				}
			})
	},
}

// requiring says which fields an update requires: all but those that the document calls optional,
// or some.
func requiring(op *spec.Operation, required []*spec.Field) string {
	names := func(fields []*spec.Field) string {
		var all []string
		for _, f := range fields {
			all = append(all, f.Name)
		}
		return strings.Join(all, ", ")
	}
	left := slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return slices.Contains(required, f) })
	if slices.ContainsFunc(left, func(f *spec.Field) bool { return !f.Optional }) {
		return "some (" + names(required) + ")"
	}
	return "all but " + names(left)
}

// subsets are those of fields that have one at least and not all.
func subsets(fields []*spec.Field) [][]*spec.Field {
	var all [][]*spec.Field
	for bits := 1; bits < 1<<len(fields)-1; bits++ {
		var subset []*spec.Field
		for i, f := range fields {
			if bits&(1<<i) != 0 {
				subset = append(subset, f)
			}
		}
		all = append(all, subset)
	}
	return all
}

// sendPart sends those of the values that belong to the subset.
func sendPart(c *Case, o *Object, subset []*spec.Field, values map[string]any) *judge.Answer {
	body := map[string]any{}
	for _, f := range subset {
		body[f.Name] = values[f.Name]
	}
	a := c.Send(Plain(c, o, body, Part))
	c.Expect(a).To(BeAccepted().Or(422, 400).Citing("ERR-4"))
	return a
}
