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
func malformedBodies(s *Specs, op *spec.Operation) {
	cutOff := func(call *Call) { Text(string(call.Body.Raw[:len(call.Body.Raw)-2]))(call) }
	raw := func(call *Call) { Raw(call); Text("[]")(call) }
	// Some libraries read an array of the values in the order of the fields as the object.
	values := func(call *Call) {
		var values []any
		for _, f := range op.Body.Fields {
			values = append(values, call.Body.Fields[f.Name])
		}
		Text(string(oracle.JSON(values)))(call)
	}
	const array = "a body that is an array"
	Table(s, "422", "A body %s is answered 422.", Options{Clause("ERR-3")}, []Row[Change]{
		{"body-cut-off", "that is cut off", Change(cutOff).Called("JSON that is cut off"), nil},
		{"body-array", "that is an array", Change(raw).Called(array), nil},
		{"body-array-of-values", "that is an array of the fields' values", Change(values).Called(array), nil},
		{"body-string", "that is a string", Text(`"x"`).Called("a body that is a text"), nil},
		{"body-number", "that is a number", Text("7").Called("a body that is a number"), nil},
		{"body-null", "that is null", Text("null").Called("a body that is null"), nil},
	}, func(c *Case, o *Object, body Change) { c.Expect(c.Send(Wrong(c, o, body))).To(BeRefused(422)) })

	trailing := Change(func(call *Call) { Text(string(call.Body.Raw) + " x")(call) }).Called("text after the JSON object")
	s.Case("422/body-trailing-text", "A body with text after the object is answered 422, or taken for the object.",
		Options{Clause("ERR-3", "OPEN-8", op.Effects["shows"]), Observes("trailing-text")},
		func(c *Case, o *Object) {
			a := send(c, Wrong(c, o, trailing), BeAccepted().Or(422, 400).Citing("ERR-3"))
			c.Observe("trailing-text", a.Acceptance())
			c.Test.Beyond(a, "status 422 for a body with text after the object", a.StatusText())
			if a.OK {
				c.Read(o)
			}
		})
}

// Interface document, Errors, 422: a field of another type, or with a value that is not
// listed, is refused, and an issue names the field. Whether a number or boolean is taken as the
// text of what was sent is open.
func wrongFields(s *Specs, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		for _, w := range wrongValues(f) {
			title := fmt.Sprintf("%s as %s is answered 422, with an issue that names it", f.Name, w.title)
			options := Options{Clause(w.clause, "ERR-10"), optionIf(w.name == "array" && f == op.Body.Fields[0], Quick)}
			if w.coercible {
				title += ", or taken as the text that was sent and shown so"
				options = append(options, Clause("OPEN-8"), Observes("scalar-coercion", f.Name))
			}
			s.Case("422/"+slug(f.Name)+"-is-"+w.name, title+".", options, func(c *Case, o *Object) {
				switch a := sendWrong(c, o, f, w); {
				case !w.coercible:
				case a.Status == 422:
					c.Observe("scalar-coercion", spec.Refused.With("(%s as %s)", f.Name, w.title))
					c.Test.Beyond(a, "", "")
				case a.OK:
					c.Read(o) // what is stored may be something else
				}
			})
		}
	}
}

// sendWrong sends a body in which one field has a value that it may not have.
func sendWrong(c *Case, o *Object, f *spec.Field, w wrongValue) *judge.Answer {
	request := Wrong(c, o)
	Set(f.Name, w.of(request.Body.Fields[f.Name])).Called(w.words)(&request)
	if w.coercible {
		return send(c, request, BeAccepted().Or(422).Naming(f.Name).Citing(w.clause))
	}
	return send(c, request, BeRefused(422).Naming(f.Name).Citing(w.clause))
}

// severalWrongFields: 422, and each issue names one of the fields that are wrong; how
// many come is open.
func severalWrongFields(s *Specs, op *spec.Operation) {
	fields, listed := op.Body.Fields, enums(op)
	if len(fields) > 1 && (len(fields) > 2 || len(listed) < 2) {
		twoWrong(s, "422/two-wrong", fields[0], fields[len(fields)-1])
	}
	if len(listed) > 1 {
		twoWrong(s, "422/several-wrong", listed[0], listed[1])
	}
	refusedChangesNothing(s, 422, nil, func(c *Case, o *Object) {
		c.Expect(c.Send(Wrong(c, o, inArray(fields[len(fields)-1])))).To(BeRefused(422).Citing("ERR-4"))
	})
}

// twoWrong sends each of two fields wrong alone, and then both: two issues of the types
// that the fields get alone have to name both fields.
func twoWrong(s *Specs, name string, first, second *spec.Field) {
	clause := func(f *spec.Field) string {
		if len(f.Enum) > 0 {
			return "ERR-5"
		}
		return "ERR-4"
	}
	wrong := func(f *spec.Field) Change {
		if len(f.Enum) > 0 {
			return Set(f.Name, goingOn(f)).Called(offList)
		}
		return inArray(f)
	}
	title := "A body in which " + first.Name + " and " + second.Name + " are wrong is answered 422, and each issue names one of them; " +
		"two that tell the one from the other name both."
	s.Case(name, title, Options{Clause(clause(second), "ERR-10"), Observes("both-fields-wrong")}, func(c *Case, o *Object) {
		var alone []*judge.Answer
		for _, f := range []*spec.Field{first, second} {
			alone = append(alone, send(c, Wrong(c, o, wrong(f)), BeRefused(422).Naming(f.Name).Citing(clause(f))))
		}
		both := send(c, Wrong(c, o, wrong(first), wrong(second)), BeRefused(422))
		if both.Status == 422 {
			names := []string{first.Name, second.Name}
			c.Test.JudgeBothWrong(names, both)
			c.Test.JudgeBothNamed(names, alone, both)
		}
	})
}

// inArray sends a field as an array of its value.
func inArray(f *spec.Field) Change {
	return func(call *Call) {
		Set(f.Name, []any{call.Body.Fields[f.Name]}).Called("an array for " + typeWords(f))(call)
	}
}

// typeWords name what a field holds.
func typeWords(f *spec.Field) string {
	switch f.Type {
	case "integer":
		return "an integer"
	case "number", "boolean":
		return "a " + f.Type
	}
	return "a text"
}

// wrongValue is a value that a field may not have.
type wrongValue struct {
	name, title string // of the case
	words       string // of the value, for findings
	clause      string // that its acceptance breaks
	of          func(valid any) any
	coercible   bool // a number or boolean for a text, which a target may take as the text that was sent
}

// wrongOfType are the values of every other JSON type, by that of the field.
var wrongOfType = map[string][]string{
	"string":  {"number", "true", "false", "array", "object"},
	"integer": {"string", "decimal", "true", "false", "array", "object"},
	"number":  {"string", "true", "false", "array", "object"},
	"boolean": {"string", "number", "array", "object"},
}

// offList are the words for a value that an enumeration does not list.
const offList = "a value that is not listed"

// wrongValues are the values of every other JSON type, and, for an enumerated field,
// values that are not in the list.
func wrongValues(f *spec.Field) []wrongValue {
	is := func(v any) func(any) any { return func(any) any { return v } }
	listed := len(f.Enum) > 0
	number := "a number for " + typeWords(f)
	if listed {
		number = "a number for a listed value"
	}
	var all []wrongValue
	for _, w := range []wrongValue{
		{"string", "a string", "a text for " + typeWords(f), "ERR-4", is("x"), false},
		{"number", "1", number, "ERR-4", is(1), isFreeText(f)},
		{"decimal", "1.5", "a fraction for " + typeWords(f), "ERR-4", is(1.5), false},
		{"true", "true", "a boolean for " + typeWords(f), "ERR-4", is(true), isFreeText(f)},
		{"false", "false", "a boolean for " + typeWords(f), "ERR-4", is(false), isFreeText(f)},
		{"array", "an array of a valid value", "an array for " + typeWords(f), "ERR-4", func(v any) any { return []any{v} }, false},
		{"object", "{}", "an object for " + typeWords(f), "ERR-4", is(map[string]any{}), false},
	} {
		if slices.Contains(wrongOfType[f.Type], w.name) {
			all = append(all, w)
		}
	}
	const unlistedTitle = "a value that is not in the list"
	switch {
	case listed:
		all = append(all,
			wrongValue{"zero", "0", number, "ERR-4", is(0), false}, wrongValue{"two", "2", number, "ERR-4", is(2), false},
			wrongValue{"unlisted", unlistedTitle, offList, "ERR-5", is(unlisted(f)), false})
		if upper := strings.ToUpper(f.Enum[0]); !slices.Contains(f.Enum, upper) {
			all = append(all, wrongValue{
				"upper-case", "a listed value in upper case", "a listed value in other letter case", "ERR-5", is(upper), false,
			})
		}
	case f.Numbers() && len(f.Schema.Enum) > 0:
		all = append(all, wrongValue{"unlisted", unlistedTitle, offList, "ERR-5", is(unlistedNumber(f)), false})
	}
	return all
}

// unlisted is a text that an enumeration does not list: one that the published interface
// has in its place, where the vendor's document renames them.
func unlisted(f *spec.Field) string {
	if published, err := spec.Load(); err == nil {
		for _, op := range operations(published, (*spec.Operation).Updates) {
			if op.Body.Field(f.Meaning) == nil {
				continue
			}
			for _, text := range op.Body.Field(f.Meaning).Enum {
				if !slices.Contains(f.Enum, text) {
					return text
				}
			}
		}
	}
	return beside(f, "never", "x")
}

// goingOn is a text that an enumeration does not list and that begins with one that it does.
func goingOn(f *spec.Field) string { return beside(f, f.Enum[0]+"ing", "s") }

// beside is a text with as many endings as keep it out of an enumeration.
func beside(f *spec.Field, text, ending string) string {
	for slices.Contains(f.Enum, text) {
		text += ending
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
