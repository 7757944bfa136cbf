package faults

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// undeclaredUpdates and undeclaredLists answer the owner with statuses that the document does not list, where
// several that it lists would do.
func undeclaredUpdates(*spec.Operation) []row {
	return []row{
		fault("conflict", "ERR-12", "{} is answered 409", when(bodyIs("{}"), replaces(409, errorBody(409)))),
		fault("precondition", "ERR-12", "a refused body is answered 428", restates(422, 428, byOwner)),
	}
}

func undeclaredLists(*spec.Operation) []row {
	return []row{
		fault("gone", "ERR-12", "what lists nothing is answered 410", restates(404, 410, byOwner)),
		fault("range", "ERR-12", "a page beyond the last is answered 416",
			when(all(byOwner, asks("page=1000")), replaces(416, errorBody(416)))),
	}
}

// taken are the clauses of a wrong body that is taken.
const taken = " EFFECT-1 ERR-4 operation shows"

// malformedBodies are bodies that are no JSON object and are taken.
func malformedBodies(*spec.Operation) []row {
	emptied := func(name, sentence string, is func(body []byte) bool) row {
		wrong := func(x *exchange) bool { return is(x.body) }
		return fault(name, "ERR-3"+taken, sentence+" is taken for {}", when(wrong, says(object{})))
	}
	begins := func(first string) func([]byte) bool {
		return func(b []byte) bool {
			b = bytes.TrimSpace(b)
			return len(b) > 0 && strings.Contains(first, string(b[:1]))
		}
	}
	unclosed := func(b []byte) []byte { return append(slices.Clone(b), `"}`...) }
	is400 := func(name, sentence string, is condition) row {
		return fault(name, "ERR-3 ERR-12 EFFECT-1", sentence+" is answered 400", restates(422, 400, is))
	}
	return []row{
		fault("cut-off-taken", "ERR-3"+taken, "a body that is cut off is taken as far as it goes", when(
			func(x *exchange) bool { return len(x.body) > 0 && !json.Valid(x.body) && json.Valid(unclosed(x.body)) },
			sends(func(x *exchange) func(*request) { return saying(unclosed(x.body)) }))),
		emptied("trailing-text-empties", "an object with text after it", func(b []byte) bool {
			i := bytes.LastIndexByte(b, '}')
			return i > 0 && i < len(b)-1 && json.Valid(b[:i+1])
		}),
		emptied("malformed-taken", "a body that is no JSON", func(b []byte) bool { return len(b) > 0 && !json.Valid(b) }),
		emptied("array-taken", "an array", begins("[")),
		emptied("string-taken", "a string", begins(`"`)),
		emptied("number-taken", "a number", begins("0123456789-")),
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
	{"false-taken", "ERR-4", "may be false", listed, first(equals(false))},
	{"array-taken", "ERR-4", "may be an array, of which the first item is taken", anyField, func(f *spec.Field, v any) (any, bool) {
		list, wrong := v.([]any)
		if len(list) > 0 {
			return list[0], wrong
		}
		return placeholder(f, coerced), wrong
	}},
	{"object-taken", "ERR-4", "may be an object, which is stored as text", anyField, first(is[object])},
	{"any-type-taken", "ERR-4", "may be of any JSON type", anyField, first(func(v any) bool { return !is[string](v) && v != nil })},
	{"unlisted-taken", "ERR-5", "may be any word, which is taken for the first", listed, func(f *spec.Field, v any) (any, bool) {
		s, text := v.(string)
		return f.Enum[0], text && !slices.Contains(f.Enum, s) && !slices.Contains(f.Enum, strings.ToLower(s))
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
	{"zero-is-first", "ERR-4", "may be 0, the first of its values", listed, first(equals(json.Number("0")))},
	{"two-is-third", "ERR-4", "may be 2, the third of its values", listed, func(f *spec.Field, v any) (any, bool) {
		return f.Enum[2], v == json.Number("2")
	}},
}

// coerced is the text that a value of another type is taken for.
const coerced = "coerced.example.com"

func listed(f *spec.Field) bool { return len(f.Enum) > 0 }

func anyField(*spec.Field) bool { return true }

func equals(want any) func(any) bool { return func(v any) bool { return v == want } }

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
				if v := fields[f.Name]; v != nil && !is[string](v) {
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
		if doc[f.Name] != nil && (!text || listed(f) && !slices.Contains(f.Enum, s)) {
			names = append(names, f.Name)
		}
	}
	return names
}

// misnamed are errors whose issues name other fields than those that are wrong.
func misnamed(op *spec.Operation) []row {
	named := func(name, sentence string, atLeast int, issues func(wrong []string) []string) row {
		enough := func(x *exchange) bool { return len(wrongFields(x)) >= atLeast }
		return fault(name, "ERR-10", sentence, inPlaceOf(422, enough, func(x *exchange, a *answer) *answer {
			return a.replaced(422, errorBody(422, issues(wrongFields(x))...))
		}))
	}
	always := func(field string) func([]string) []string { return func([]string) []string { return []string{field} } }
	fields := op.Body.Fields
	rows := []row{
		named("field-not-named", "no issue says which field is wrong", 1, func([]string) []string { return nil }),
		named("whole-body-named", "the issue names the body, not the field", 1, always("body")),
		named("sentence-for-field", "relatedField is a sentence", 1, func(wrong []string) []string {
			return []string{"the field " + wrong[0] + " is wrong"}
		}),
		named("plural-field", "relatedField names the field in the plural", 1, func(wrong []string) []string { return []string{wrong[0] + "s"} }),
	}
	for _, way := range spellings {
		if slices.ContainsFunc(fields, func(f *spec.Field) bool { return way.spell(f.Name) != f.Name }) {
			rows = append(rows, named("spelt-"+way.name, "relatedField names the field "+way.sentence, 1, func(wrong []string) []string {
				return []string{way.spell(wrong[0])}
			}))
		}
	}
	if len(fields) > 1 {
		rows = append(rows,
			bothIssues("both-name-first", "both issues name the first", func(wrong []string) []any { return []any{wrong[0], wrong[0]} }),
			bothIssues("both-name-last", "both issues name the last", func(wrong []string) []any { return []any{wrong[1], wrong[1]} }),
			bothIssues("second-unnamed", "the second issue names none", func(wrong []string) []any { return []any{wrong[0], nil} }),
			bothIssues("second-misnamed", "the second issue has the field in capitals", func(wrong []string) []any {
				return []any{wrong[0], strings.ToUpper(wrong[1])}
			}))
	}
	if len(enums(op)) < 2 {
		return rows
	}
	rows = append(rows,
		named("several-unknown-named", "of several wrong fields an issue names none", 2, always("id")),
		fault("several-wrong-taken", "ERR-5"+taken, "a body with several wrong actions is taken", setting(func(x *exchange, fields object) {
			if wrong := wrongFields(x); len(wrong) > 1 {
				for _, name := range wrong {
					delete(fields, name)
				}
			}
		})))
	if freeText(fields[0]) {
		rows = append(rows, named("first-field-blamed", "every wrong field is reported as "+fields[0].Name, 1, always(fields[0].Name)))
	}
	return rows
}

// spellings are names of a server's own that stand for those of fields.
var spellings = []struct {
	name, sentence string
	spell          func(field string) string
}{
	{"lower", "without capitals", strings.ToLower},
	{"capital", "with a capital", func(field string) string { return strings.ToUpper(field[:1]) + field[1:] }},
	{"snake", "with underscores", snake},
}

// sharedIssues are lists of issues that requests share: what one was refused for shows in the
// error of another.
func sharedIssues(*spec.Operation) []row {
	shared := func(name, sentence string, keeps condition, shown func(earlier, own []any) []any) row {
		return fault(name, "ERR-8 ERR-10", sentence, answers(func(x *exchange, a *answer) *answer {
			return a.edit(func(doc object) {
				section, failed := doc["error"].(object)
				own, _ := section["issues"].([]any)
				if !failed {
					return
				}
				earlier, _ := recall[[]any](x, "issues")
				if keeps(x) {
					x.keep("issues", append(slices.Clone(earlier), own...))
				}
				section["issues"] = shown(earlier, own)
			})
		}))
	}
	wrong := func(x *exchange) bool { return len(wrongFields(x)) == 1 }
	return []row{
		shared("issues-accumulate", "an error has the issues of all errors before it, too", always,
			func(earlier, own []any) []any { return slices.Concat(earlier, own) }),
		shared("issues-of-before", "an error has the issue of the last wrong field, too", wrong, func(earlier, own []any) []any {
			return slices.Concat(earlier[max(0, len(earlier)-1):], own)
		}),
	}
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
		return func(x *exchange) bool {
			_, given := x.fields()[name]
			return byOwner(x) && given
		}
	}
	named := func(name, sentence, field string, is condition, choices func(*reference.Choices)) row {
		refused := func(_ *exchange, a *answer) *answer {
			return a.replaced(422, errorBody(422, slices.DeleteFunc([]string{field}, func(f string) bool { return f == "" })...))
		}
		return fault(name, "ERR-10", sentence, inPlaceOf(422, is, refused)).choosing(choices)
	}
	unknown := func(c *reference.Choices) { c.UnknownFields = reference.Refuse }
	readOnly := func(c *reference.Choices) { c.ReadOnlyFields = reference.Refuse }
	all := func(c *reference.Choices) { c.RequireAllFields = true }
	rows := []row{
		named("unknown-type-named", "a field that nobody knows is refused, and the issue names its own type", "unknownField",
			sends("adconformUnknown"), unknown),
		named("unknown-sentence-named", "a field that nobody knows is refused, and relatedField is a sentence", "is no field",
			sends("adconformUnknown"), unknown),
		named("read-only-type-named", "a field that cannot be changed is refused, and the issue names its own type", "readOnlyField",
			sends("createdAt"), readOnly),
		named("read-only-other-named", "a field that cannot be changed is refused, and the issue names one that was not sent", "title",
			sends("createdAt"), readOnly),
	}
	if len(op.Body.Fields) == 1 {
		return rows
	}
	return append(rows,
		named("missing-type-named", "a missing field is refused, and the issue names its own type", "missingField", missing, all),
		named("missing-unnamed", "a missing field is refused, and no issue names it", "", missing, all),
		named("missing-other-named", "a missing field is refused, and the issue names the id", "id", missing, all))
}

// bothIssues are the right issues for two wrong fields, with other names in them.
func bothIssues(name, sentence string, fields func(wrong []string) []any) row {
	return fault(name, "ERR-10", "of two wrong fields "+sentence, answers(func(x *exchange, a *answer) *answer {
		wrong := wrongFields(x)
		if a.status != 422 || len(wrong) != 2 {
			return a
		}
		return a.edit(func(doc object) {
			i := 0
			visit(doc, []string{"error", "issues", "*", "relatedField"}, func(issue object, field string) {
				if i < 2 {
					issue[field] = fields(wrong)[i]
				}
				i++
			})
		})
	}))
}

// scalars are kinds of values that are no text.
var scalars = []struct {
	name, sentence string
	is             func(v any) bool
}{
	{"number", "a number", is[json.Number]},
	{"boolean", "a boolean", is[bool]},
	{"true", "true", equals(true)},
}

// coercions take a number or boolean for a text and do not show the text that was
// sent, or do not store it.
func coercions(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, s := range scalars {
			if freeText(f) {
				rows = append(rows, coercionsOf(op, f, s.name, s.sentence, s.is)...)
			}
		}
	}
	return rows
}

func coercionsOf(op *spec.Operation, f *spec.Field, kind, what string, is func(v any) bool) []row {
	also := " ERR-4 shows persists EFFECT-1 " + f.Clause + " " + op.Representation().Field(f.Meaning).Clause
	given := func(x *exchange) bool { return is(x.fields()[f.Name]) }
	coercion := func(name, clause, sentence string, does behaviour) row {
		return fault(f.Name+"-"+kind+"-"+name, clause+also, what+" is taken for "+f.Name+" and "+sentence, when(given, does)).
			choosing(func(c *reference.Choices) {
				permissive(c)
				c.ScalarCoercion = reference.Accept
			})
	}
	shown := func(as func(sent any) any) behaviour {
		return shows(func(x *exchange, data object) { data[f.Name] = as(x.fields()[f.Name]) })
	}
	return []row{
		coercion("shown-raw", "ERR-4", "shown as it is, not as a text", shown(func(sent any) any { return sent })),
		coercion("shown-otherwise", "ERR-4", "shown as another text", shown(func(sent any) any {
			if sent == true {
				return "True"
			}
			return string(encode(sent)) + ".0"
		})),
		coercion("shown-empty", "ERR-4", "shown as an empty text", shown(func(any) any { return "" })),
		coercion("ignored", "ERR-4", "ignored", setting(func(_ *exchange, fields object) { delete(fields, f.Name) })),
		coercion("stored-otherwise", "persists", "stored as another text than it shows",
			stores(func(_ *exchange, fields object) { fields[f.Name] = coerced })),
		coercion("refused-elsewhere", "ERR-10", "refused with another field's name", refuse(422, "id")),
	}
}
