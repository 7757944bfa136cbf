package specs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// wrongBodies returns bodies that are no JSON object.
func wrongBodies(op *spec.Operation) []Row[Change] {
	cutOff := func(call *Call) { Text(string(call.Body.Raw[:len(call.Body.Raw)-2]))(call) }
	// Some libraries read an array of the values in the order of the fields as the object.
	values := func(call *Call) {
		var values []any
		for _, f := range op.Body.Fields {
			values = append(values, call.Body.Fields[f.Name])
		}
		Text(string(oracle.JSON(values)))(call)
	}
	array, whole := finding.ArrayBody, Text("[]")
	if len(op.Body.Fields) == 1 { // others send an array of several values
		whole = func(call *Call) { Text("[" + string(call.Body.Raw) + "]")(call) }
	}
	return []Row[Change]{
		{"body-cut-off", "that is cut off", Change(cutOff).Called(finding.CutJSON), nil},
		{"body-array", "that is an array", combined(Raw, whole).Called(array), nil},
		{"body-array-of-values", "that is an array of the fields' values", Change(values).Called(array), nil},
		{"body-string", "that is a string", Text(`"x"`).Called(finding.TextBody), nil},
		{"body-number", "that is a number", Text("7").Called(finding.NumberBody), nil},
		{"body-null", "that is null", Text("null").Called(finding.NullBody), nil},
	}
}

// Interface document, Errors, 422: a body that is not a JSON object is badly formatted.
func malformedBodies(s *Specs, op *spec.Operation) {
	Table(s, "422", "A body %s is answered 422.", Options{Clause("ERR-3")}, wrongBodies(op),
		func(c Case, o *Object, row Row[Change]) {
			send(c, Request(c, o, row.Sends), BeRefused(422))
		})

	trailing := Change(func(call *Call) { Text(string(call.Body.Raw) + " x")(call) }).Called(finding.TrailingText)
	s.Case("422/body-trailing-text", "A body with text after the object is answered 422, or accepted as the object.",
		Options{Clause("ERR-3", "OPEN-8", op.Effects["shows"]), Observes("trailing-text")},
		func(c Case, o *Object) {
			a := send(c, Request(c, o, trailing), BeAccepted().Or(422, 400).Citing("ERR-3"))
			c.Observe("trailing-text", a.Acceptance())
			c.Compare().NoticeUndocumentedBody(a, "status 422 for a body with text after the object", a.StatusText())
			if a.OK {
				c.Read(o)
			}
		})
}

// Interface document, Errors, 422: a field of another type, or with a value that is not
// listed, is refused, and an issue names the field. Whether a number or boolean is accepted as
// its text is open. If the document requires a field, a body without it is refused, too.
func wrongFields(s *Specs, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		if f.Required {
			without := Change(func(call *Call) {
				delete(call.Body.Fields, f.Name)
				Fields(call.Body.Fields)(call)
				call.Note(finding.PlaceOf(finding.Field, f.Name), "a body without a required field", "")
			})
			s.Case("422/"+wording.Slug(f.Name)+"-missing",
				"A body without "+f.Name+", which the document requires, is answered 422, with an issue that names it.",
				Options{Clause(cmp.Or(f.Clause, op.Clause), "ERR-10")},
				func(c Case, o *Object) { send(c, Request(c, o, without), BeRefused(422).Naming(f.Name)) })
		}
		point, _ := judge.Coercion(f)
		for _, w := range wrongValues(op, f) {
			title := f.Name + " as " + w.title + " is answered 422, with an issue that names it"
			isFirst := w.name == "array" && f == op.Body.Fields[0]
			options := Options{Clause(w.clause(), "ERR-10"), optionIf(isFirst, Quick)}
			if w.acceptance != "" {
				title += w.acceptance
				options = append(options, Clause("OPEN-8"), Observes(point, f.Name))
			}
			s.Case("422/"+wording.Slug(f.Name)+"-is-"+w.name, title+".", options, func(c Case, o *Object) {
				a := sendWrong(c, o, f, w)
				if w.acceptance != "" && a.Status == 422 {
					c.Observe(point, spec.Refused.With("(%s as %s)", f.Name, w.title))
					c.Compare().NoticeUndocumentedBody(a, "", "")
				}
			})
		}
	}
}

// sendWrong sends a body in which one field has a value that it may not have, and reads back what the target
// accepts, as the stored value may differ from the shown one.
func sendWrong(c Case, o *Object, f *spec.Field, w wrongValue) *judge.Answer {
	to := BeRefused(422)
	if w.acceptance != "" {
		to = BeAccepted().Or(422)
	}
	if last, _ := o.Last(f.Name); w.acceptance == asListed && last == f.Enum[0] {
		c.Read(o)               // an update hides what refused ones before it did
		c.Write(o, Fresh(c, o)) // otherwise a target that ignores the value shows what one that takes it does
	}
	a := send(c, Request(c, o, wrong(f, w)), to.Naming(f.Name).Citing(w.clause()))
	if a.OK && w.acceptance != "" {
		c.Read(o)
	}
	return a
}

// wrong gives a field a value that it may not have.
func wrong(f *spec.Field, w wrongValue) Change {
	return func(call *Call) {
		value := w.value
		if w.name == "array" {
			value = []any{call.Body.Fields[f.Name]}
		}
		Set(f.Name, value).noted(w.describe)(call)
	}
}

// severalWrongFields: 422, and each issue names one of the wrong fields; the number of issues is open.
func severalWrongFields(s *Specs, op *spec.Operation) {
	fields, listed := op.Body.Fields, fieldsWhere(op, isListed)
	first, last := fields[0], fields[len(fields)-1]
	if len(fields) > 1 && (len(fields) > 2 || len(listed) < 2) {
		twoWrong(s, "422/two-wrong", first, last)
	}
	if len(listed) > 1 {
		twoWrong(s, "422/several-wrong", listed[0], listed[1])
	}
}

// twoWrong sends each of two fields wrong alone, and then both: two issues of the types
// that the fields get alone must name both fields.
func twoWrong(s *Specs, name string, fields ...*spec.Field) {
	var values []wrongValue
	for i, f := range fields {
		w := inArray(f)
		if isListed(f) { // a check may compare only a part
			listed := f.Enum[0]
			text := listed + "ing"
			if i > 0 && len(listed) > 2 {
				text = listed[1 : len(listed)-1]
			}
			w = wrongValue{what: offList, value: beside(f, text, "s")}
		}
		values = append(values, w)
	}
	title := "A body in which " + strings.Join(fieldNames(fields), " and ") +
		" are wrong is answered 422, and each issue names one of them; two that tell the one from the other name both."
	judged := Clause(values[1].clause(), "ERR-10")
	s.Case(name, title, Options{judged, Observes("both-fields-wrong")}, func(c Case, o *Object) {
		var alone []*judge.Answer
		var changes []Change
		for i, f := range fields {
			alone = append(alone, sendWrong(c, o, f, values[i]))
			changes = append(changes, wrong(f, values[i]))
		}
		if both := send(c, Request(c, o, changes...), BeRefused(422)); both.Status == 422 {
			c.Compare().JudgeBothWrong(fieldNames(fields), alone, both)
		}
	})
}

// wrongValue is a value that a field may not have.
type wrongValue struct {
	name, title string // of the case
	what        finding.Oddity
	of          string // the type of the field, where the value is of another one, or finding.Listed
	value       any
	acceptance  string // how a target may accept it, at the end of the title; "" if it has to refuse it
}

// Values that an enumeration does not list.
const (
	offList   = finding.Unlisted
	otherCase = finding.OtherCase
	padding   = finding.Padded
)

// describe completes the description of the field that has the value.
func (w wrongValue) describe(part *finding.Sent) { part.What, part.Declared = w.what, w.of }

// How a target may accept a wrong value, at the end of a title.
const (
	asText   = ", or accepted as the text that was sent and shown as such"
	asListed = ", or accepted and shown as the listed value"
)

// clause returns the clause that the acceptance of a value breaks.
func (w wrongValue) clause() string {
	if slices.Contains([]finding.Oddity{offList, otherCase, padding}, w.what) {
		return "ERR-5"
	}
	return "ERR-4"
}

// ofOtherTypes are values of each JSON type, with the types of the fields for which they are wrong.
var ofOtherTypes = []struct {
	types string
	wrongValue
}{
	{"integer number boolean", wrongValue{"string", "a string", finding.AText, "", "x", ""}},
	{"string boolean", wrongValue{"number", "1", finding.ANumber, "", 1, asText}},
	{"integer", wrongValue{"decimal", "1.5", finding.AFraction, "", 1.5, ""}},
	{"string integer number", wrongValue{"true", "true", finding.ABoolean, "", true, asText}},
	{"string integer number", wrongValue{"false", "false", finding.ABoolean, "", false, asText}},
	{anyType, wrongValue{"array", "an array of a valid value", finding.AnArray, "", nil, ""}}, // see wrong
	{anyType, wrongValue{"object", "{}", finding.AnObject, "", map[string]any{}, ""}},
}

const anyType = "string integer number boolean"

// wrongValues returns values of every other JSON type and, for an enumerated field, values
// that are not in the list.
func wrongValues(op *spec.Operation, f *spec.Field) (all []wrongValue) {
	for _, row := range ofOtherTypes {
		w := row.wrongValue
		w.of = f.Type
		if !isFreeText(f) {
			w.acceptance = ""
		}
		if isListed(f) && w.name == "number" {
			w.of = finding.Listed
		}
		if slices.Contains(strings.Fields(row.types), f.Type) {
			all = append(all, w)
		}
	}
	const unlisted = "a value that is not in the list"
	switch {
	case isListed(f):
		word := "never"
		if f != fieldsWhere(op, isListed)[0] {
			word = "constructor" // which every object of a widespread language has
		}
		all = append(all, wrongValue{"zero", "0", finding.ANumber, finding.Listed, 0, ""},
			wrongValue{"two", "2", finding.ANumber, finding.Listed, 2, ""},
			wrongValue{"unlisted", unlisted, offList, "", beside(f, word, "x"), ""})
		if upper := strings.ToUpper(f.Enum[0]); !slices.Contains(f.Enum, upper) {
			all = append(all, wrongValue{"upper-case", "a listed value in upper case", otherCase, "", upper, asListed})
		}
		if padded := " " + f.Enum[0] + " "; !slices.Contains(f.Enum, padded) {
			words := "a listed value with spaces around it"
			all = append(all, wrongValue{"padded", words, padding, "", padded, asListed})
		}
	case f.Numbers() && len(f.Schema.Enum) > 0:
		n := 1
		for slices.Contains(f.Schema.Enum, any(float64(n))) {
			n++
		}
		all = append(all, wrongValue{"unlisted", unlisted, offList, "", n, ""})
	}
	return all
}

// inArray is an array of a valid value of a field.
func inArray(f *spec.Field) wrongValue {
	return wrongValue{name: "array", what: finding.AnArray, of: f.Type}
}

// beside returns a text, extended until an enumeration does not list it.
func beside(f *spec.Field, text, ending string) string {
	for slices.Contains(f.Enum, text) {
		text += ending
	}
	return text
}
