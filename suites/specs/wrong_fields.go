package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// Interface document, Errors, 422: a body that is no JSON object is badly formatted.
var malformedBodies = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	text := func(body string) func(*oracle.Body) string { return func(*oracle.Body) string { return body } }

	s.DescribeTable("A body %s is answered 422.", Class(422), Clause("ERR-3"),
		func(c *Case, of func(valid *oracle.Body) string, changes ...Change) {
			request := Wrong(c, object(c), changes...)
			Text(of(request.Body))(&request)
			c.Expect(c.Send(request)).To(BeRefused(422))
		},
		Entry("body-cut-off", "that is cut off", func(v *oracle.Body) string { return string(v.Raw[:len(v.Raw)-2]) }),
		Entry("body-array", "that is an array", text("[]"), Raw),
		Entry("body-array-of-values", "that is an array of the fields' values", func(v *oracle.Body) string { return valuesOf(op, v) }),
		Entry("body-string", "that is a string", text(`"x"`)),
		Entry("body-number", "that is a number", text("7")),
		Entry("body-null", "that is null", text("null")),
	)

	s.It("body-trailing-text", "A body with text after the object is answered 422, or taken for the object.",
		Class(422), Clause("ERR-3", "OPEN-8", op.Effects["shows"]), Observes("trailing-text"),
		func(c *Case) {
			o := object(c)
			request := Wrong(c, o, Odd)
			request.Body.Raw = append(request.Body.Raw, " x"...)
			a := c.Send(request)
			c.Expect(a).To(BeAccepted().Or(422, 400).Citing("ERR-3"))
			c.Observe("trailing-text", a.Acceptance())
			c.Test.Beyond(a, "status 422 for a body with text after the object", a.StatusText())
			if a.OK {
				c.Read(o)
			}
		})
}}

// valuesOf is an array of the values in the order of the fields, which some libraries
// read as the object.
func valuesOf(op *spec.Operation, body *oracle.Body) string {
	var values []any
	for _, f := range op.Body.Fields {
		values = append(values, body.Fields[f.Name])
	}
	return string(oracle.JSON(values))
}

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
						c.Observe("scalar-coercion", spec.Refused.With("(%s as %s)", f.Name, w.Title))
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
						Set(f.Name, goingOn(f))(&request)
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

// WrongValue is a value that a field may not have.
type WrongValue struct {
	Name, Title, Clause string
	Value               func(valid any) any
}

// Coercible says whether a target may take the value as the text that was sent.
func (w WrongValue) Coercible(f *spec.Field) bool {
	_, coercible := oracle.TextOf(f, w.Value(nil))
	return coercible
}

// wrongOfType are the names of the values of every other JSON type.
var wrongOfType = map[string][]string{
	"string":  {"number", "true", "false", "array", "object"},
	"integer": {"string", "decimal", "true", "false", "array", "object"},
	"number":  {"string", "true", "false", "array", "object"},
	"boolean": {"string", "number", "array", "object"},
}

// WrongValues are the values of every other JSON type, and, for an enumerated field,
// values that are not in the list.
func WrongValues(f *spec.Field) []WrongValue {
	fixed := func(v any) func(any) any { return func(any) any { return v } }
	all := map[string]WrongValue{
		"string":  {"string", "a string", "ERR-4", fixed("x")},
		"number":  {"number", "1", "ERR-4", fixed(1)},
		"true":    {"true", "true", "ERR-4", fixed(true)},
		"false":   {"false", "false", "ERR-4", fixed(false)},
		"array":   {"array", "an array of a valid value", "ERR-4", func(v any) any { return []any{v} }},
		"object":  {"object", "{}", "ERR-4", fixed(map[string]any{})},
		"decimal": {"decimal", "1.5", "ERR-4", fixed(1.5)},
	}
	var list []WrongValue
	for _, name := range wrongOfType[f.Type] {
		list = append(list, all[name])
	}
	const offList = "a value that is not in the list"
	if len(f.Enum) > 0 {
		list = append(list,
			WrongValue{"zero", "0", "ERR-4", fixed(0)}, WrongValue{"two", "2", "ERR-4", fixed(2)},
			WrongValue{"unlisted", offList, "ERR-5", fixed(Unlisted(f))},
			WrongValue{"upper-case", "a listed value in upper case", "ERR-5", fixed(strings.ToUpper(f.Enum[0]))},
		)
	} else if f.Numbers() && len(f.Schema.Enum) > 0 {
		list = append(list, WrongValue{"unlisted", offList, "ERR-5", fixed(unlistedNumber(f))})
	}
	return slices.DeleteFunc(list, func(w WrongValue) bool { // such as a listed value that has no lower case
		text, ok := w.Value("").(string)
		return ok && slices.Contains(f.Enum, text)
	})
}

// Unlisted is a text that an enumeration does not list: one that the published interface
// has in its place, where the vendor's document renames them.
func Unlisted(f *spec.Field) string {
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

// goingOn is a text that an enumeration does not list and that begins with one that it does.
func goingOn(f *spec.Field) string {
	text := f.Enum[0] + "ing"
	for slices.Contains(f.Enum, text) {
		text += "s"
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
