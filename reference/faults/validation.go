package faults

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// validationFaults take requests whose content is wrong, or say wrongly what is
// wrong with them.
func validationFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		all = append(all, malformedBodies(op)...)
		for _, f := range op.Body.Fields {
			all = append(all, coerced(op, f)...)
		}
		all = append(all, severalFields(op)...)
		all = append(all, undeclared(op, "conflict", "{} is answered 409", http.StatusConflict, func(x *exchange, _ *answer) bool { return string(x.body) == "{}" }),
			undeclared(op, "precondition", "a refused body is answered 428", http.StatusPreconditionRequired, func(_ *exchange, a *answer) bool { return a.status == http.StatusUnprocessableEntity }))
	}
	list := c.Operation(mediaFileList)
	return append(all,
		undeclared(list, "gone", "what lists nothing is answered 410", http.StatusGone, func(_ *exchange, a *answer) bool { return a.status == http.StatusNotFound }),
		undeclared(list, "range", "a page beyond the last is answered 416", http.StatusRequestedRangeNotSatisfiable, func(x *exchange, _ *answer) bool { return x.query == "page=1000" }),
	)
}

// undeclared answers the owner with a status that the document does not list,
// where several that it lists would do.
func undeclared(op *spec.Operation, name, sentence string, status int, when func(x *exchange, a *answer) bool) Fault {
	return Fault{
		ID: "validation/" + name + "/" + op.ID, Clause: "ERR-12",
		Sentence: op.ID + ": " + sentence + ".",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			a := x.forward()
			if x.byOwner() && when(x, a) {
				return a.replaced(status, errorBody(status))
			}
			return a
		})),
	}
}

// repaired is a fault that puts a right body in place of a wrong one before the
// server looks at it.
func repaired(op *spec.Operation, name, clause, sentence string, repair func(x *exchange) []byte) Fault {
	return Fault{
		ID: "validation/" + name + "/" + op.ID, Clause: clause, Also: []string{"EFFECT-1", "ERR-4", op.Clause, op.Effects["shows"]}, Sentence: op.ID + ": " + sentence + ".",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			if body := repair(x); body != nil {
				return x.send(x.request.with(saying(body)))
			}
			return x.forward()
		})),
	}
}

// malformedBodies are bodies that are no JSON object and are taken.
func malformedBodies(op *spec.Operation) []Fault {
	kind := func(first string) func(*exchange) []byte {
		return func(x *exchange) []byte {
			if body := bytes.TrimSpace(x.body); len(body) > 0 && strings.Contains(first, string(body[:1])) {
				return []byte("{}")
			}
			return nil
		}
	}
	return []Fault{
		repaired(op, "cut-off-taken", "ERR-3", "a body that is cut off is taken as far as it goes", func(x *exchange) []byte {
			if whole := append(slices.Clone(x.body), `"}`...); len(x.body) > 0 && !json.Valid(x.body) && json.Valid(whole) {
				return whole
			}
			return nil
		}),
		repaired(op, "trailing-text-empties", "ERR-3", "an object with text after it is taken for {}", func(x *exchange) []byte {
			if i := bytes.LastIndexByte(x.body, '}'); i > 0 && i < len(x.body)-1 && json.Valid(x.body[:i+1]) {
				return []byte("{}")
			}
			return nil
		}),
		repaired(op, "malformed-taken", "ERR-3", "a body that is no JSON is taken for {}", func(x *exchange) []byte {
			if len(x.body) > 0 && !json.Valid(x.body) {
				return []byte("{}")
			}
			return nil
		}),
		repaired(op, "array-taken", "ERR-3", "an array is taken for {}", kind("[")),
		repaired(op, "string-taken", "ERR-3", "a string is taken for {}", kind(`"`)),
		repaired(op, "number-taken", "ERR-3", "a number is taken for {}", kind("0123456789-")),
		repaired(op, "null-taken", "ERR-3", "null is taken for {}", kind("n")),
		{
			ID: "validation/malformed-is-400/" + op.ID, Clause: "ERR-3", Also: []string{"ERR-12", "EFFECT-1"},
			Sentence: op.ID + ": a body that is no JSON is answered 400.",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				if a.status == http.StatusUnprocessableEntity && !json.Valid(x.body) {
					return a.replaced(http.StatusBadRequest, errorBody(http.StatusBadRequest))
				}
				return a
			})),
		},
		{
			ID: "validation/not-an-object-is-400/" + op.ID, Clause: "ERR-3", Also: []string{"ERR-12", "EFFECT-1"},
			Sentence: op.ID + ": a body that is JSON but no object is answered 400.",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				if a.status == http.StatusUnprocessableEntity && json.Valid(x.body) && x.fields() == nil {
					return a.replaced(http.StatusBadRequest, errorBody(http.StatusBadRequest))
				}
				return a
			})),
		},
	}
}

// coerced are wrong values of one field that are taken for right ones.
func coerced(op *spec.Operation, f *spec.Field) []Fault {
	valid := "coerced.example.com"
	if len(f.Enum) > 0 {
		valid = f.Enum[0]
	}
	var all []Fault
	taken := func(name, clause, sentence string, repair func(v any) (any, bool)) {
		fault := repaired(op, f.Name+"-"+name, clause, f.Name+" "+sentence, func(x *exchange) []byte {
			fields := x.fields()
			v, sent := fields[f.Name]
			if !sent {
				return nil
			}
			good, wrong := repair(v)
			if !wrong {
				return nil
			}
			fields[f.Name] = good
			return encode(fields)
		})
		fault.Choices = permissive
		all = append(all, fault)
	}
	if len(f.Enum) > 0 { // for a free text that is open, see coercionFaults
		is := func(kind any) func(any) (any, bool) {
			return func(v any) (any, bool) { return valid, v == kind }
		}
		taken("number-taken", "ERR-4", "may be a number, which is taken for the first", func(v any) (any, bool) {
			_, wrong := v.(json.Number)
			return valid, wrong
		})
		taken("true-taken", "ERR-4", "may be true", is(true))
		taken("false-taken", "ERR-4", "may be false", is(false))
	}
	taken("array-taken", "ERR-4", "may be an array, of which the first item is taken", func(v any) (any, bool) {
		list, wrong := v.([]any)
		if len(list) > 0 {
			return list[0], wrong
		}
		return valid, wrong
	})
	taken("object-taken", "ERR-4", "may be an object, which is stored as text", func(v any) (any, bool) {
		_, wrong := v.(map[string]any)
		return valid, wrong
	})
	taken("any-type-taken", "ERR-4", "may be of any JSON type", func(v any) (any, bool) {
		_, text := v.(string)
		return valid, !text && v != nil
	})
	all = append(all, wrongFieldIgnored(op, f))
	if len(f.Enum) == 0 {
		return all
	}
	outside := func(s string) bool { return !slices.Contains(f.Enum, s) }
	taken("unlisted-taken", "ERR-5", "may be any word, which is taken for the first", func(v any) (any, bool) {
		s, text := v.(string)
		return valid, text && outside(s) && outside(strings.ToLower(s))
	})
	taken("upper-case-taken", "ERR-5", "may be in upper case", func(v any) (any, bool) {
		s, text := v.(string)
		return strings.ToLower(s), text && outside(s) && !outside(strings.ToLower(s))
	})
	taken("zero-is-first", "ERR-4", "may be 0, the first of its values", func(v any) (any, bool) { return valid, v == json.Number("0") })
	taken("two-is-third", "ERR-4", "may be 2, the third of its values", func(v any) (any, bool) { return f.Enum[2], v == json.Number("2") })
	return all
}

// wrongFieldIgnored updates the right fields of a body and leaves a wrong one
// out.
func wrongFieldIgnored(op *spec.Operation, f *spec.Field) Fault {
	return repaired(op, f.Name+"-ignored-when-wrong", "ERR-4", "a "+f.Name+" that is no text is ignored", func(x *exchange) []byte {
		fields := x.fields()
		v, sent := fields[f.Name]
		if _, text := v.(string); !sent || text || v == nil {
			return nil
		}
		delete(fields, f.Name)
		return encode(fields)
	})
}

// severalFields are errors in which a body with several fields is misjudged.
func severalFields(op *spec.Operation) []Fault {
	fields := op.Body.Fields
	var enums []string
	for _, f := range fields {
		if len(f.Enum) > 0 {
			enums = append(enums, f.Name)
		}
	}
	wrong := func(x *exchange) []string {
		var names []string
		doc := x.fields()
		for _, f := range fields {
			v, sent := doc[f.Name]
			s, text := v.(string)
			if sent && v != nil && (!text || len(f.Enum) > 0 && !slices.Contains(f.Enum, s)) {
				names = append(names, f.Name)
			}
		}
		return names
	}
	renamedTo := func(name, sentence string, also []string, issues func(names []string) []string, min int) Fault {
		return Fault{
			ID: "validation/" + name + "/" + op.ID, Clause: "ERR-10", Also: also, Sentence: op.ID + ": " + sentence + ".",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				if names := wrong(x); a.status == http.StatusUnprocessableEntity && len(names) >= min {
					return a.replaced(a.status, errorBody(a.status, issues(names)...))
				}
				return a
			})),
		}
	}
	all := []Fault{
		renamedTo("field-not-named", "no issue says which field is wrong", nil, func([]string) []string { return nil }, 1),
		renamedTo("whole-body-named", "the issue names the body, not the field", nil, func([]string) []string { return []string{"body"} }, 1),
		renamedTo("sentence-for-field", "relatedField is a sentence", nil, func(n []string) []string { return []string{"the field " + n[0] + " is wrong"} }, 1),
		renamedTo("plural-field", "relatedField names the field in the plural", nil, func(n []string) []string { return []string{n[0] + "s"} }, 1),
	}
	if len(fields) > 1 {
		all = append(all,
			bothIssues(op, wrong, "both-name-first", "both issues name the first", func(n []string) []any { return []any{n[0], n[0]} }),
			bothIssues(op, wrong, "both-name-last", "both issues name the last", func(n []string) []any { return []any{n[1], n[1]} }),
			bothIssues(op, wrong, "second-unnamed", "the second issue names none", func(n []string) []any { return []any{n[0], nil} }),
			bothIssues(op, wrong, "second-misnamed", "the second issue has the field in capitals", func(n []string) []any { return []any{n[0], strings.ToUpper(n[1])} }),
		)
	}
	if len(enums) < 2 {
		return all
	}
	all = append(all,
		renamedTo("several-unknown-named", "of several wrong fields an issue names none", nil, func([]string) []string { return []string{"id"} }, 2),
		repaired(op, "several-wrong-taken", "ERR-5", "a body with several wrong actions is taken", func(x *exchange) []byte {
			if len(wrong(x)) < 2 {
				return nil
			}
			doc := x.fields()
			for _, name := range wrong(x) {
				delete(doc, name)
			}
			return encode(doc)
		}),
	)
	if first := fields[0]; len(first.Enum) == 0 {
		all = append(all, renamedTo("first-field-blamed", "every wrong field is reported as "+first.Name, nil, func([]string) []string { return []string{first.Name} }, 1))
	}
	return all
}

// bothIssues are the right issues for two wrong fields, with other names in them.
func bothIssues(op *spec.Operation, wrong func(x *exchange) []string, name, sentence string, fields func(names []string) []any) Fault {
	return Fault{
		ID: "validation/" + name + "/" + op.ID, Clause: "ERR-10", Sentence: op.ID + ": of two wrong fields " + sentence + ".",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			a := x.forward()
			names := wrong(x)
			if a.status != http.StatusUnprocessableEntity || len(names) != 2 {
				return a
			}
			return a.edit(func(doc map[string]any) {
				section, _ := doc["error"].(map[string]any)
				issues, _ := section["issues"].([]any)
				for i, issue := range issues[:min(len(issues), 2)] {
					issue.(map[string]any)["relatedField"] = fields(names)[i]
				}
			})
		})),
	}
}
