package specs

import (
	"fmt"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Errors, 422: a field of another type, or with a value that is not
// listed, is refused, and an issue names the field.
var wrongFields = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		for _, w := range WrongValues(f) {
			name, title := slug(f.Name)+"-is-"+w.Name, fmt.Sprintf("%s as %s is answered 422, with an issue that names it", f.Name, w.Title)
			decorators := []Decorator{Class(422), Clause(w.Clause, "ERR-10"), quickIf(w.Name == "array" && f == op.Body.Fields[0])}
			if !w.Coercible(f) {
				s.It(name, title+".", decorators, func(c *Case) { sendWrong(c, object(c), f, w) })
				continue
			}
			s.It(name, title+", or taken as the text that was sent and shown so.", decorators, Clause("OPEN-8"), Observes("scalar-coercion", f.Name),
				func(c *Case) {
					o := object(c)
					switch a := sendWrong(c, o, f, w); {
					case a.Status == 422:
						c.Observe("scalar-coercion", fmt.Sprintf("refused (%s as %s)", f.Name, w.Title))
						c.Test.Beyond(a, "", "")
					case a.OK:
						c.Read(o) // what is stored may be something else
					}
				})
		}
	}
}}

// sendWrong sends a body in which one field has a value that it may not have.
func sendWrong(c *Case, o *Object, f *spec.Field, w WrongValue) *judge.Answer {
	request := Wrong(c, o, Odd)
	Set(f.Name, w.Value(request.Body.Fields[f.Name]))(&request)
	a := c.Send(request)
	if w.Coercible(f) {
		c.Expect(a).To(BeAccepted().Or(422).Naming(f.Name).Citing(w.Clause))
	} else {
		c.Expect(a).To(BeRefused(422).Naming(f.Name).Citing(w.Clause))
	}
	return a
}

// severalWrongFields: 422, and each issue names one of the fields that are wrong; how
// many come is open.
var severalWrongFields = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	fields, listed := op.Body.Fields, enums(op)
	if len(fields) > 1 && (len(fields) > 2 || len(listed) < 2) {
		twoWrong(s, "two-wrong", fields[0], fields[len(fields)-1])
	}
	if len(listed) > 1 {
		twoWrong(s, "several-wrong", listed[0], listed[1])
	}
	refusedChangesNothing(s, 422, func(c *Case, o *Object) {
		last := op.Body.Fields[len(op.Body.Fields)-1]
		c.Expect(c.Send(Wrong(c, o, InArray(last.Name)))).To(BeRefused(422).Citing("ERR-4"))
	})
}}

// twoWrong sends each of two fields wrong alone, and then both: two issues of the types
// that the fields get alone have to name both fields.
func twoWrong(s *Specs, name string, first, second *spec.Field) {
	title := "A body in which " + first.Name + " and " + second.Name + " are wrong is answered 422, and each issue names one of them; " +
		"two that tell the one from the other name both."
	s.It(name, title, Class(422), Clause(wrongClause(second), "ERR-10"), Observes("both-fields-wrong"),
		func(c *Case) {
			send := func(to *Matcher, wrong ...*spec.Field) *judge.Answer {
				request := Wrong(c, object(c))
				for _, f := range wrong {
					if len(f.Enum) > 0 {
						Set(f.Name, Unlisted(f))(&request)
					} else {
						InArray(f.Name)(&request)
					}
				}
				a := c.Send(request)
				c.Expect(a).To(to)
				return a
			}
			alone := []*judge.Answer{
				send(BeRefused(422).Naming(first.Name).Citing(wrongClause(first)), first),
				send(BeRefused(422).Naming(second.Name).Citing(wrongClause(second)), second),
			}
			both := send(BeRefused(422), first, second)
			if both.Status == 422 {
				names := []string{first.Name, second.Name}
				c.Test.JudgeBothWrong(names, both)
				c.Test.JudgeBothNamed(names, alone, both)
			}
		})
}

// wrongClause is the clause that the acceptance of a wrong value breaks.
func wrongClause(f *spec.Field) string {
	if len(f.Enum) > 0 {
		return "ERR-5"
	}
	return "ERR-4"
}

// InArray sends a field as an array of its value.
func InArray(field string) Change {
	return func(call *Call) { Set(field, []any{call.Body.Fields[field]})(call) }
}
