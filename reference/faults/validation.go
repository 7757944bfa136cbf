package faults

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// undeclared answer the owner with statuses that the document does not list, where several that
// it lists would do.
func undeclared(op *spec.Operation) []row {
	switch {
	case op.Updates():
		return []row{
			fault("conflict", "ERR-12", "{} is answered 409", when(bodyIs("{}"), replaces(409, errorBody(409)))),
			fault("precondition", "ERR-12", "a refused body is answered 428", restates(422, 428, byOwner)),
		}
	case op.Lists():
		return []row{
			fault("gone", "ERR-12", "what lists nothing is answered 410", restates(404, 410, byOwner)),
			fault("range", "ERR-12", "a page beyond the last is answered 416", when(all(byOwner, asks("page=1000")), replaces(416, errorBody(416)))),
		}
	}
	return nil
}

// taken are the clauses of a wrong body that is taken.
const taken = " EFFECT-1 ERR-4 operation shows"

// malformedBodies are bodies that are no JSON object and are taken.
func malformedBodies(*spec.Operation) []row {
	emptied := func(name, sentence string, is func(body string) bool) row {
		return fault(name, "ERR-3"+taken, sentence+" is taken for {}", when(func(x *exchange) bool { return is(string(x.body)) }, says(object{})))
	}
	begins := func(first string) func(string) bool {
		return func(b string) bool { return strings.IndexAny(strings.TrimSpace(b), first) == 0 }
	}
	is400 := func(name, sentence string, is condition) row {
		return fault(name, "ERR-3 ERR-12 EFFECT-1", sentence+" is answered 400", restates(422, 400, is))
	}
	unclosed := func(b []byte) []byte { return append(slices.Clone(b), `"}`...) }
	return []row{
		fault("cut-off-taken", "ERR-3"+taken, "a body that is cut off is taken as far as it goes", func(x *exchange) *answer {
			if whole := unclosed(x.body); len(x.body) > 0 && !json.Valid(x.body) && json.Valid(whole) {
				return says(whole)(x)
			}
			return x.forward()
		}),
		emptied("trailing-text-empties", "an object with text after it", func(b string) bool {
			i := strings.LastIndexByte(b, '}')
			return i > 0 && i < len(b)-1 && json.Valid([]byte(b[:i+1]))
		}),
		emptied("malformed-taken", "a body that is no JSON", func(b string) bool { return len(b) > 0 && !json.Valid([]byte(b)) }),
		emptied("array-taken", "an array", begins("[")),
		emptied("null-taken", "null", begins("n")),
		is400("malformed-is-400", "a body that is no JSON", func(x *exchange) bool { return !json.Valid(x.body) }),
		is400("not-an-object-is-400", "a body that is JSON but no object",
			func(x *exchange) bool { return json.Valid(x.body) && x.fields() == nil }),
	}
}

// wrongValues are wrong values of a field that are taken for right ones. Numbers and
// booleans for a free text are open, see coercions.
var wrongValues = []struct {
	name, clause, sentence string
	of                     func(f *spec.Field) bool
	repair                 func(f *spec.Field, v any) (right any, wrong bool)
}{
	{"number-taken", "ERR-4", "may be a number, which is taken for the first", listed, first(is[json.Number])},
	{"true-taken", "ERR-4", "may be true", listed, first(equals(true))},
	{"array-taken", "ERR-4", "may be an array, of which the first item is taken", anyField, func(f *spec.Field, v any) (any, bool) {
		list, wrong := v.([]any)
		return append(slices.Clone(list), placeholder(f, coerced))[0], wrong
	}},
	{"object-taken", "ERR-4", "may be an object, which is stored as text", anyField, first(is[object])},
	{"any-type-taken", "ERR-4", "may be of any JSON type", anyField, first(noText)},
	{"unlisted-taken", "ERR-5", "may be any word, which is taken for the first", listed, func(f *spec.Field, v any) (any, bool) {
		s, text := v.(string)
		return f.Enum[0], text && !slices.Contains(f.Enum, strings.ToLower(s))
	}},
	{"prefix-taken", "ERR-5", "may go on after one of its values", listed, func(f *spec.Field, v any) (any, bool) {
		s, _ := v.(string)
		i := slices.IndexFunc(f.Enum, func(value string) bool { return strings.HasPrefix(s, value) })
		return f.Enum[max(0, i)], i >= 0 && s != f.Enum[i]
	}},
	{"upper-case-taken", "ERR-5", "may be in upper case", listed, func(f *spec.Field, v any) (any, bool) {
		s, text := v.(string)
		return strings.ToLower(s), text && !slices.Contains(f.Enum, s) && slices.Contains(f.Enum, strings.ToLower(s))
	}},
}

// coerced is the text that a value of another type is taken for.
const coerced = "coerced.example.com"

func listed(f *spec.Field) bool { return len(f.Enum) > 0 }

func anyField(*spec.Field) bool { return true }

func equals(want any) func(any) bool { return func(v any) bool { return v == want } }

func noText(v any) bool { return v != nil && !is[string](v) }

// first takes a wrong value for the first of the field's values, or for a text.
func first(wrong func(v any) bool) func(*spec.Field, any) (any, bool) {
	return func(f *spec.Field, v any) (any, bool) { return placeholder(f, coerced), wrong(v) }
}

// coercedFields take wrong values of a field for right ones, or leave them out.
func coercedFields(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, way := range wrongValues {
			if !way.of(f) {
				continue
			}
			rows = append(rows, fault(f.Name+"-"+way.name, way.clause+taken, f.Name+" "+way.sentence,
				setting(func(_ *exchange, fields object) {
					v, given := fields[f.Name]
					if right, wrong := way.repair(f, v); given && wrong {
						fields[f.Name] = right
					}
				})).choosing(permissive))
		}
		rows = append(rows, fault(f.Name+"-ignored-when-wrong", "ERR-4"+taken, "a "+f.Name+" that is no text is ignored",
			setting(func(_ *exchange, fields object) {
				if noText(fields[f.Name]) {
					delete(fields, f.Name)
				}
			})))
	}
	return rows
}

// wrongFields are the fields of a request whose values are of a wrong type, or unlisted.
func wrongFields(x *exchange) []string {
	var names []string
	doc := x.fields()
	for _, f := range x.op.Body.Fields {
		s, text := doc[f.Name].(string)
		if noText(doc[f.Name]) || text && listed(f) && !slices.Contains(f.Enum, s) {
			names = append(names, f.Name)
		}
	}
	return names
}

// misnamed are errors whose issues name other fields than those that are wrong.
func misnamed(op *spec.Operation) []row {
	// named gives other names to the issues, in place of that of the first wrong field.
	named := func(name, sentence string, names func(wrong string) []string) row {
		is := func(x *exchange) bool { return len(wrongFields(x)) > 0 }
		return fault(name, "ERR-10", sentence, inPlaceOf(422, is, func(x *exchange, a *answer) *answer {
			return a.replaced(422, errorBody(422, names(wrongFields(x)[0])...))
		}))
	}
	rows := []row{
		named("field-not-named", "no issue says which field is wrong", func(string) []string { return nil }),
		named("whole-body-named", "the issue names the body, not the field", func(string) []string { return []string{"body"} }),
	}
	for _, way := range []struct { // names of a server's own
		name, sentence string
		spell          func(field string) string
	}{{"lower", "without capitals", strings.ToLower}, {"capital", "with a capital", capital}, {"snake", "with underscores", snake}} {
		if slices.ContainsFunc(op.Body.Fields, func(f *spec.Field) bool { return way.spell(f.Name) != f.Name }) {
			rows = append(rows, named("spelt-"+way.name, "relatedField names the field "+way.sentence,
				func(wrong string) []string { return []string{way.spell(wrong)} }))
		}
	}
	if len(op.Body.Fields) > 1 {
		rows = append(rows,
			bothIssues("both-name-first", "both issues name the first", func(first string) any { return first }),
			bothIssues("second-unnamed", "the second issue names none", func(string) any { return nil }))
	}
	if len(enums(op)) > 1 {
		rows = append(rows, fault("several-wrong-taken", "ERR-5"+taken, "a body with several wrong actions is taken",
			setting(func(x *exchange, fields object) {
				if wrong := wrongFields(x); len(wrong) > 1 {
					for _, name := range wrong {
						delete(fields, name)
					}
				}
			})))
	}
	return rows
}

// bothIssues are the right issues for two wrong fields, but for the name in the second.
func bothIssues(name, sentence string, second func(first string) any) row {
	return fault(name, "ERR-10", "of two wrong fields "+sentence, answers(func(x *exchange, a *answer) *answer {
		wrong := wrongFields(x)
		if a.status != 422 || len(wrong) != 2 {
			return a
		}
		names := []any{wrong[0], second(wrong[0])}
		return a.edit(func(doc object) {
			visit(doc, []string{"error", "issues", "*", "relatedField"}, func(issue object, field string) {
				if len(names) > 0 {
					issue[field], names = names[0], names[1:]
				}
			})
		})
	}))
}

// misnamedFields are refusals at an open point, of a field that is missing or that a body may
// not have, whose issue names something else.
func misnamedFields(op *spec.Operation) []row {
	missing := func(x *exchange) bool {
		fields := x.fields()
		return byOwner(x) && len(fields) > 0 && slices.ContainsFunc(op.Body.Fields, func(f *spec.Field) bool {
			_, given := fields[f.Name]
			return !given
		})
	}
	sends := func(name string) condition {
		return func(x *exchange) bool { return byOwner(x) && x.fields()[name] != nil }
	}
	named := func(name, sentence string, is condition, choices func(*reference.Choices), fields ...string) row {
		refused := func(_ *exchange, a *answer) *answer { return a.replaced(422, errorBody(422, fields...)) }
		return fault(name, "ERR-10", sentence, inPlaceOf(422, is, refused)).choosing(choices)
	}
	all := func(c *reference.Choices) { c.RequireAllFields = true }
	rows := []row{
		named("unknown-type-named", "a field that nobody knows is refused, and the issue names its own type",
			sends("adconformUnknown"), func(c *reference.Choices) { c.UnknownFields = reference.Refuse }, "unknownField"),
		named("read-only-other-named", "a field that cannot be changed is refused, and the issue names one that was not sent",
			sends("createdAt"), func(c *reference.Choices) { c.ReadOnlyFields = reference.Refuse }, "title"),
	}
	if len(op.Body.Fields) == 1 {
		return rows
	}
	return append(rows,
		named("missing-unnamed", "a missing field is refused, and no issue names it", missing, all),
		named("missing-other-named", "a missing field is refused, and the issue names the id", missing, all, "id"))
}

// sharedIssues are lists of issues that requests share: what one was refused for shows in the
// error of another.
func sharedIssues(*spec.Operation) []row {
	const words = "an error has the issues of all errors before it, too"
	return []row{fault("issues-accumulate", "ERR-8 ERR-10", words, answers(func(x *exchange, a *answer) *answer {
		return a.edit(func(doc object) {
			if section, failed := doc["error"].(object); failed {
				own, _ := section["issues"].([]any)
				earlier, _ := recall[[]any](x, "issues")
				section["issues"] = slices.Concat(earlier, own)
				x.keep("issues", section["issues"])
			}
		})
	}))}
}

// scalars are kinds of values that are no text.
var scalars = []struct {
	name, sentence string
	is             func(v any) bool
}{{"number", "a number", is[json.Number]}, {"boolean", "a boolean", is[bool]}}

// coercions take a number or boolean for a text and do not show the text that was
// sent, or do not store it.
func coercions(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, s := range scalars {
			if !freeText(f) {
				continue
			}
			also := " ERR-4 shows persists EFFECT-1 " + f.Clause + " " + op.Representation().Field(f.Meaning).Clause
			add := func(name, clause, sentence string, does behaviour) {
				given := func(x *exchange) bool { return s.is(x.fields()[f.Name]) }
				r := fault(f.Name+"-"+s.name+"-"+name, clause+also, s.sentence+" is taken for "+f.Name+" and "+sentence, when(given, does))
				rows = append(rows, r.choosing(func(c *reference.Choices) {
					permissive(c)
					c.ScalarCoercion = reference.Accept
				}))
			}
			add("shown-raw", "ERR-4", "shown as it is, not as a text", shows(func(x *exchange, data object) { data[f.Name] = x.fields()[f.Name] }))
			add("shown-otherwise", "ERR-4", "shown as another text", shows(func(x *exchange, data object) {
				data[f.Name] = string(encode(x.fields()[f.Name])) + ".0"
				if x.fields()[f.Name] == true {
					data[f.Name] = "True"
				}
			}))
			add("ignored", "ERR-4", "ignored", setting(func(_ *exchange, fields object) { delete(fields, f.Name) }))
			add("stored-otherwise", "persists", "stored as another text than it shows",
				stores(func(_ *exchange, fields object) { fields[f.Name] = coerced }))
			add("refused-elsewhere", "ERR-10", "refused with another field's name", refuse(422, "id"))
		}
	}
	return rows
}
