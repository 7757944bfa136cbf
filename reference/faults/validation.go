package faults

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// undeclared answer the owner with statuses that the document does not list, where several that
// it lists would do.
func undeclared(op *spec.Operation) []row {
	add := func(name, sentence string, status int, is condition) []row {
		return []row{fault("validation/"+name, "ERR-12", sentence, when(is, replaces(status, errorBody(status))))}
	}
	switch {
	case op.Updates():
		return add("conflict", "{} is answered 409", 409, bodyIs("{}"))
	case op.Lists():
		return add("range", "a page beyond the last is answered 416", 416, all(byOwner, asks("page=1000")))
	}
	return nil
}

// taken are the clauses of a wrong body that is taken.
const taken = " EFFECT-1 ERR-4 operation shows"

// malformedBodies are bodies that are no JSON object and are taken.
func malformedBodies(*spec.Operation) []row {
	emptied := func(name, sentence string, is func(body []byte) bool) row {
		return fault("validation/"+name, "ERR-3"+taken, sentence+" is taken for {}", when(func(x *exchange) bool { return is(x.body) }, says(object{})))
	}
	begins := func(first string) func([]byte) bool {
		return func(b []byte) bool { return strings.HasPrefix(strings.TrimSpace(string(b)), first) }
	}
	malformed := func(b []byte) bool { return !json.Valid(b) }
	return []row{
		fault("validation/cut-off-taken", "ERR-3"+taken, "a body that is cut off is taken as far as it goes", when(cutOff, func(x *exchange) *answer {
			return says(completed(x.body))(x)
		})),
		emptied("trailing-text-empties", "an object with text after it",
			func(b []byte) bool { return malformed(b) && strings.Contains(string(b), "}") && completed(b) != nil }),
		emptied("malformed-taken", "a body that is no JSON", func(b []byte) bool { return len(b) > 0 && malformed(b) }),
		emptied("array-taken", "an array", begins("[")),
		emptied("null-taken", "null", begins("n")),
		fault("validation/malformed-is-400", "ERR-3 ERR-12 EFFECT-1", "a body that is no JSON is answered 400",
			restates(422, 400, func(x *exchange) bool { return malformed(x.body) })),
	}
}

// coerced is the text that a value of another type is taken for.
const coerced = "coerced.example.com"

// wrongValues are wrong values of a field that are taken for right ones; nil for those that are
// not wrong. Numbers and booleans for a free text are open, see coercions.
var wrongValues = []struct {
	name, clause, sentence string
	of                     func(f *spec.Field) bool
	right                  func(f *spec.Field, v any) any
}{
	{"number-taken", "ERR-4", "may be a number, which is taken for the first", listed, first(is[json.Number])},
	{"true-taken", "ERR-4", "may be true", listed, first(equals(true))},
	{"array-taken", "ERR-4", "may be an array, of which the first item is taken", anyField, func(f *spec.Field, v any) any {
		if list, wrong := v.([]any); wrong {
			return append(slices.Clone(list), placeholder(f, coerced))[0]
		}
		return nil
	}},
	{"object-taken", "ERR-4", "may be an object, which is stored as text", anyField, first(is[object])},
	{"any-type-taken", "ERR-4", "may be of any JSON type", anyField, first(noText)},
	{"unlisted-taken", "ERR-5", "may be any word, which is taken for the first", listed, func(f *spec.Field, v any) any {
		return first(aText(func(s string) bool { return !slices.Contains(f.Enum, strings.ToLower(s)) }))(f, v)
	}},
	{"prefix-taken", "ERR-5", "may go on after one of its values", listed, func(f *spec.Field, v any) any {
		for _, value := range f.Enum {
			if s, _ := v.(string); strings.HasPrefix(s, value) {
				return value
			}
		}
		return nil
	}},
	{"upper-case-taken", "ERR-5", "may be in upper case", listed, func(f *spec.Field, v any) any {
		if s, _ := v.(string); slices.Contains(f.Enum, strings.ToLower(s)) {
			return strings.ToLower(s)
		}
		return nil
	}},
}

// first takes a wrong value for the first of the field's values, or for a text.
func first(wrong func(v any) bool) func(*spec.Field, any) any {
	return func(f *spec.Field, v any) any {
		if !wrong(v) {
			return nil
		}
		return placeholder(f, coerced)
	}
}

// coercedFields take wrong values of a field for right ones, or leave them out.
func coercedFields(op *spec.Operation) (rows []row) {
	for _, f := range op.Body.Fields {
		for _, way := range wrongValues {
			if !way.of(f) {
				continue
			}
			rows = append(rows, fault("validation/"+f.Name+"-"+way.name, way.clause+taken, f.Name+" "+way.sentence,
				setting(func(_ *exchange, fields object) {
					if right := way.right(f, fields[f.Name]); right != nil {
						fields[f.Name] = right
					}
				})).choosing(permissive))
		}
		rows = append(rows, fault("validation/"+f.Name+"-ignored-when-wrong", "ERR-4"+taken, "a "+f.Name+" that is no text is ignored",
			setting(func(_ *exchange, fields object) {
				if noText(fields[f.Name]) {
					delete(fields, f.Name)
				}
			})))
	}
	if enums := fieldsOf(op, listed); len(enums) > 1 {
		rows = append(rows, fault("validation/several-wrong-taken", "ERR-5"+taken, "a body with several wrong actions is taken",
			setting(func(_ *exchange, fields object) {
				right := rightFields(fields, enums)
				for _, f := range enums {
					if len(right) == 0 {
						delete(fields, f.Name)
					}
				}
			})))
	}
	return rows
}

// misnamed are errors whose issues name other fields than those that are wrong.
func misnamed(op *spec.Operation) (rows []row) {
	// named gives other names to the issues of a type of the reference's; first is what the first of them names.
	named := func(name, sentence, issueType string, as func(field, first string) any, choices func(*reference.Choices)) {
		rows = append(rows, fault("validation/"+name, "ERR-10", sentence, inPlaceOf(422, always, func(_ *exchange, a *answer) *answer {
			first := ""
			return a.edit(func(doc object) {
				visit(doc, []string{"error", "issues", "*", "relatedField"}, func(issue object, _ string) {
					if field, names := issue["relatedField"].(string); names && strings.HasPrefix(issue["type"].(string), issueType) {
						first = cmp.Or(first, field)
						issue["relatedField"] = as(field, first)
					}
				})
			})
		})).choosing(choices))
	}
	always := func(name string) func(string, string) any { return func(string, string) any { return name } }
	named("whole-body-named", "the issue names the body, not the field", "invalid", always("body"), nil)
	named("spelt-capital", "relatedField names the field with a capital", "invalid", func(field, _ string) any { return capital(field) }, nil)
	if slices.ContainsFunc(op.Body.Fields, func(f *spec.Field) bool { return snake(f.Name) != f.Name }) {
		named("spelt-snake", "relatedField names the field with underscores", "invalid", func(field, _ string) any { return snake(field) }, nil)
	}
	named("unknown-type-named", "a field that nobody knows is refused, and the issue names its own type", "unknownField",
		always("unknownField"), func(c *reference.Choices) { c.UnknownFields = reference.Refuse })
	named("read-only-other-named", "a field that cannot be changed is refused, and the issue names one that was not sent", "readOnlyField",
		always("title"), func(c *reference.Choices) { c.ReadOnlyFields = reference.Refuse })
	// A list that requests share: what one was refused for shows in the error of another.
	rows = append(rows, fault("validation/issues-accumulate", "ERR-8 ERR-10", "an error has the issues of all errors before it, too",
		answers(func(x *exchange, a *answer) *answer {
			return a.edit(func(doc object) {
				if section, failed := doc["error"].(object); failed {
					own, _ := section["issues"].([]any)
					earlier, _ := recall[[]any](x, "issues")
					section["issues"] = slices.Concat(earlier, own)
					x.keep("issues", section["issues"])
				}
			})
		})))
	if len(op.Body.Fields) == 1 {
		return rows
	}
	named("missing-other-named", "a missing field is refused, and the issue names the id", "missingField", always("id"),
		func(c *reference.Choices) { c.Required = "." })
	named("both-name-first", "of two wrong fields both issues name the first", "invalid",
		func(_, first string) any { return first }, nil)
	return rows
}

// scalars are kinds of values that are no text.
var scalars = []struct {
	name, sentence string
	is             func(v any) bool
}{{"number", "a number", is[json.Number]}, {"boolean", "a boolean", is[bool]}}

// coercions take a number or boolean for a text and do not show the text that was
// sent, or do not store it.
func coercions(op *spec.Operation) (rows []row) {
	for _, f := range fieldsOf(op, freeText) {
		for _, s := range scalars {
			also := " ERR-4 shows persists EFFECT-1 " + f.Clause + " " + op.Representation().Field(f.Meaning).Clause
			add := func(name, clause, sentence string, does behaviour) {
				given := func(x *exchange) bool { return s.is(x.fields()[f.Name]) }
				r := fault("coercion/"+f.Name+"-"+s.name+"-"+name, clause+also, s.sentence+" is taken for "+f.Name+" and "+sentence, when(given, does))
				rows = append(rows, r.choosing(func(c *reference.Choices) {
					permissive(c)
					c.ScalarCoercion = reference.Accept
				}))
			}
			add("shown-raw", "ERR-4", "shown as it is, not as a text", shows(func(x *exchange, data object) { data[f.Name] = x.fields()[f.Name] }))
			add("shown-otherwise", "ERR-4", "shown as another text",
				shows(func(x *exchange, data object) { data[f.Name] = capital(string(encode(x.fields()[f.Name]))) + ".0" }))
			add("ignored", "ERR-4", "ignored", setting(func(_ *exchange, fields object) { delete(fields, f.Name) }))
			add("stored-otherwise", "persists", "stored as another text than it shows",
				stores(func(_ *exchange, fields object) { fields[f.Name] = coerced }))
			add("refused-elsewhere", "ERR-10", "refused with another field's name", refuse(422, "id"))
		}
	}
	return rows
}
