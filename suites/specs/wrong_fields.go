package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge/call"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Errors, 422: a field of another type, or with a value that is not
// listed, is refused, and an issue names the field.
var wrongFields = Behaviour{Updates, func(s *Specs, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		for _, w := range wrongValues(f) {
			name, title := slug(f.Name)+"-is-"+w.name, fmt.Sprintf("%s as %s is answered 422, with an issue that names it", f.Name, w.title)
			decorators := []Decorator{Class(422), Clause(w.clause, "ERR-10")}
			if w.name == "number" || w.name == "unlisted" {
				decorators = append(decorators, Quick)
			}
			if !w.coercible(f) {
				s.It(name, title+".", decorators, func(c *Case) { sendWrong(c, object(c), f, w) })
				continue
			}
			s.It(name, title+", or taken as the text that was sent and shown so.", decorators, Clause("OPEN-8"), Observes("scalar-coercion", f.Name),
				func(c *Case) {
					o := object(c)
					switch a := sendWrong(c, o, f, w); {
					case a.Status == 422:
						c.Observe("scalar-coercion", fmt.Sprintf("refused (%s as %s)", f.Name, w.title))
						c.Test.Beyond(a, "", "")
					case a.OK:
						c.Read(o) // what is stored may be something else
					}
				})
		}
	}
}}

// sendWrong sends a body in which one field has a value that it may not have.
func sendWrong(c *Case, o *Object, f *spec.Field, w wrong) *call.Answer {
	request := Wrong(c, o, Odd)
	Set(f.Name, w.value(request.Body.Fields[f.Name]))(&request)
	a := c.Send(request)
	if w.coercible(f) {
		c.Expect(a).To(BeAccepted().Or(422).Naming(f.Name).Citing(w.clause))
	} else {
		c.Expect(a).To(BeRefused(422).Naming(f.Name).Citing(w.clause))
	}
	return a
}

// severalWrongFields: 422, and each issue names one of the fields that are wrong; how
// many come is open.
var severalWrongFields = Behaviour{Updates, func(s *Specs, op *spec.Operation) {
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
			send := func(to *Matcher, wrong ...*spec.Field) *call.Answer {
				request := Wrong(c, object(c))
				for _, f := range wrong {
					if len(f.Enum) > 0 {
						Set(f.Name, unlisted(f))(&request)
					} else {
						InArray(f.Name)(&request)
					}
				}
				a := c.Send(request)
				c.Expect(a).To(to)
				return a
			}
			alone := []*call.Answer{
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

// wrong is a value that a field may not have.
type wrong struct {
	name, title, clause string
	value               func(valid any) any
}

// coercible says whether the value is a number or boolean for a text, which a target
// may take as the text that was sent.
func (w wrong) coercible(f *spec.Field) bool {
	return f.Type == "string" && len(f.Enum) == 0 && slices.Contains([]string{"number", "true", "false"}, w.name)
}

// wrongOfType are the names of the values of every other JSON type.
var wrongOfType = map[string][]string{
	"string":  {"number", "true", "false", "array", "object"},
	"integer": {"string", "decimal", "true", "false", "array", "object"},
	"number":  {"string", "true", "false", "array", "object"},
	"boolean": {"string", "number", "array", "object"},
}

// wrongValues are the values of every other JSON type, and, for an enumerated field,
// values that are not in the list.
func wrongValues(f *spec.Field) []wrong {
	fixed := func(v any) func(any) any { return func(any) any { return v } }
	all := map[string]wrong{
		"string":  {"string", "a string", "ERR-4", fixed("x")},
		"number":  {"number", "1", "ERR-4", fixed(1)},
		"true":    {"true", "true", "ERR-4", fixed(true)},
		"false":   {"false", "false", "ERR-4", fixed(false)},
		"array":   {"array", "an array of a valid value", "ERR-4", func(v any) any { return []any{v} }},
		"object":  {"object", "{}", "ERR-4", fixed(map[string]any{})},
		"decimal": {"decimal", "1.5", "ERR-4", fixed(1.5)},
	}
	var list []wrong
	for _, name := range wrongOfType[f.Type] {
		list = append(list, all[name])
	}
	const offList = "a value that is not in the list"
	if len(f.Enum) > 0 {
		list = append(list,
			wrong{"zero", "0", "ERR-4", fixed(0)}, wrong{"two", "2", "ERR-4", fixed(2)},
			wrong{"unlisted", offList, "ERR-5", fixed(unlisted(f))},
			wrong{"upper-case", "a listed value in upper case", "ERR-5", fixed(strings.ToUpper(f.Enum[0]))},
		)
	} else if f.Numbers() && len(f.Schema.Enum) > 0 {
		list = append(list, wrong{"unlisted", offList, "ERR-5", fixed(unlistedNumber(f))})
	}
	return slices.DeleteFunc(list, func(w wrong) bool { // such as a listed value that has no lower case
		text, ok := w.value("").(string)
		return ok && slices.Contains(f.Enum, text)
	})
}

// unlisted is a text that an enumeration does not list: one that the published interface
// has in its place, where the vendor's document renames them.
func unlisted(f *spec.Field) string {
	if published, err := spec.Load(); err == nil {
		for _, op := range published.Operations {
			if op.Body == nil || op.Body.Field(f.Meaning) == nil {
				continue
			}
			for _, text := range op.Body.Field(f.Meaning).Enum {
				if !slices.Contains(f.Enum, text) {
					return text
				}
			}
		}
	}
	text := "never"
	for slices.Contains(f.Enum, text) {
		text += "x"
	}
	return text
}

// unlistedNumber is an integer that an enumeration does not list.
func unlistedNumber(f *spec.Field) int {
	n := 1
	for slices.ContainsFunc(f.Schema.Enum, func(v any) bool { return v == float64(n) }) {
		n++
	}
	return n
}
