package specs

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// unprocessable plans bodies that are no JSON object, and bodies in which
// exactly one field is wrong.
func (p *planner) unprocessable() {
	object, op := p.object(), p.op
	refused := []int{http.StatusUnprocessableEntity}
	for _, b := range []struct {
		name, title string
		raw         func(valid *engine.Body) string
	}{
		{"cut-off", "that is cut off", func(v *engine.Body) string { return string(v.Raw[:len(v.Raw)-2]) }},
		{"array", "that is an array", func(*engine.Body) string { return "[]" }},
		{"array-of-values", "that is an array of the fields' values", func(v *engine.Body) string { return valuesOf(op.Body, v) }},
		{"string", "that is a string", func(*engine.Body) string { return `"x"` }},
		{"number", "that is a number", func(*engine.Body) string { return "7" }},
		{"null", "that is null", func(*engine.Body) string { return "null" }},
	} {
		p.add(engine.Class422, "body-"+b.name, "A body "+b.title+" is answered 422.", func(t *engine.T) {
			o := object(t)
			v := valid(t, o)
			c := call(t, o, expect{Statuses: refused, Clause: "ERR-3"})
			c.Body = &engine.Body{Fields: v.Fields, Raw: []byte(b.raw(v))}
			c.Raw = b.name == "array"
			send(t, c)
		}, clauses("ERR-3"))
	}
	p.trailingText()
	for _, f := range op.Body.Fields {
		for _, w := range wrongValues(f) {
			options := []option{clauses(w.clause, "ERR-10")}
			title := "%s as %s is answered 422, with an issue that names it."
			if w.coercible(f) {
				options = append(options, clauses("OPEN-8"), observes("scalar-coercion"))
				title = "%s as %s is answered 422, with an issue that names it, or taken as the text that was sent and shown so."
			}
			if w.name == "number" || w.name == "unlisted" {
				options = append(options, quick)
			}
			p.add(engine.Class422, slug(f.Name)+"-is-"+w.name, fmt.Sprintf(title, f.Name, w.title), func(t *engine.T) {
				o := object(t)
				a := sendWrong(t, o, f, w)
				switch {
				case !w.coercible(f):
				case a.Status == http.StatusUnprocessableEntity:
					t.Observe("scalar-coercion", fmt.Sprintf("refused (%s as %s)", f.Name, w.title))
					t.Beyond(a, "", "")
				case a.OK:
					t.Read(o) // what is stored may be something else
				}
			}, options...)
		}
	}
	p.severalWrong()
	p.changesNothing(engine.Class422, func(t *engine.T, o *engine.Object) {
		c := call(t, o, expect{Statuses: refused, Clause: "ERR-4"})
		last := op.Body.Fields[len(op.Body.Fields)-1].Name
		c.Body.Fields[last] = []any{c.Body.Fields[last]}
		c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
		send(t, c)
	})
}

// valuesOf is an array of the values in the order of the fields, which some
// libraries read as the object.
func valuesOf(o *spec.Object, body *engine.Body) string {
	var values []any
	for _, f := range o.Fields {
		values = append(values, body.Fields[f.Name])
	}
	return string(engine.JSON(values))
}

// trailingText plans a valid body with text after the object, which a parser may
// let pass.
func (p *planner) trailingText() {
	object, op := p.object(), p.op
	p.add(engine.Class422, "body-trailing-text", "A body with text after the object is answered 422, or taken for the object.", func(t *engine.T) {
		o := object(t)
		c := call(t, o, expect{Success: true, Statuses: either, Clause: "ERR-3", Odd: true})
		c.Body = &engine.Body{Fields: c.Body.Fields, Raw: append(c.Body.Raw, " x"...)}
		a := send(t, c)
		t.Observe("trailing-text", a.Acceptance())
		t.Beyond(a, "status 422 for a body with text after the object", a.StatusText())
		if a.OK {
			t.Read(o)
		}
	}, clauses("ERR-3", "OPEN-8", op.Effects["shows"]), observes("trailing-text"))
}

// sendWrong sends a body in which one field has a value that it may not have.
func sendWrong(t *engine.T, o *engine.Object, f *spec.Field, w wrong) *engine.Answer {
	c := call(t, o, expect{Success: w.coercible(f), Odd: true, Statuses: []int{http.StatusUnprocessableEntity}, Clause: w.clause, Field: f.Name})
	c.Body.Fields[f.Name] = w.value(c.Body.Fields[f.Name])
	c.Body = engine.ObjectBody(o.Op.Body, c.Body.Fields)
	return send(t, c)
}

// severalWrong plans bodies with two wrong fields: 422, and each issue names one
// of them; how many come is open.
func (p *planner) severalWrong() {
	fields := p.op.Body.Fields
	var enums []*spec.Field
	for _, f := range fields {
		if len(f.Enum) > 0 {
			enums = append(enums, f)
		}
	}
	if len(fields) > 1 && (len(fields) > 2 || len(enums) < 2) {
		p.twoWrong("two-wrong", fields[0], fields[len(fields)-1])
	}
	if len(enums) > 1 {
		p.twoWrong("several-wrong", enums[0], enums[1])
	}
}

// twoWrong sends each of two fields wrong alone, and then both: two issues of the
// types that the fields get alone have to name both fields.
func (p *planner) twoWrong(name string, first, second *spec.Field) {
	object, op := p.object(), p.op
	p.add(engine.Class422, name, "A body in which "+first.Name+" and "+second.Name+" are wrong is answered 422, and each issue names one of them; two that tell the one from the other name both.", func(t *engine.T) {
		send := func(clause, named string, wrong ...*spec.Field) *engine.Answer {
			c := call(t, object(t), expect{Statuses: []int{http.StatusUnprocessableEntity}, Clause: clause, Field: named})
			for _, f := range wrong {
				if len(f.Enum) > 0 {
					c.Body.Fields[f.Name] = unlisted(f)
				} else {
					c.Body.Fields[f.Name] = []any{c.Body.Fields[f.Name]}
				}
			}
			c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
			return send(t, c)
		}
		alone := []*engine.Answer{send(wrongClause(first), first.Name, first), send(wrongClause(second), second.Name, second)}
		both := send(wrongClause(second), "", first, second)
		if both.Status == http.StatusUnprocessableEntity {
			names := []string{first.Name, second.Name}
			t.JudgeNamedAmong(names, both)
			t.JudgeBothNamed(names, alone, both)
		}
	}, clauses(wrongClause(second), "ERR-10"), observes("both-fields-wrong"))
}

// wrongClause is the clause that the acceptance of a wrong value breaks.
func wrongClause(f *spec.Field) string {
	if len(f.Enum) > 0 {
		return "ERR-5"
	}
	return "ERR-4"
}

// wrong is a value that a field may not have.
type wrong struct {
	name, title, clause string
	value               func(valid any) any
}

// coercible says whether the value is a number or boolean for a text, which a
// target may take as the text that was sent.
func (w wrong) coercible(f *spec.Field) bool {
	return f.Type == "string" && len(f.Enum) == 0 && slices.Contains([]string{"number", "true", "false"}, w.name)
}

// wrongValues are the values of every other JSON type, and, for an enumerated
// field, values that are not in the list.
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
	switch f.Type {
	case "string":
		list = []wrong{all["number"], all["true"], all["false"], all["array"], all["object"]}
	case "integer":
		list = []wrong{all["string"], all["decimal"], all["true"], all["false"], all["array"], all["object"]}
	case "number":
		list = []wrong{all["string"], all["true"], all["false"], all["array"], all["object"]}
	case "boolean":
		list = []wrong{all["string"], all["number"], all["array"], all["object"]}
	}
	if len(f.Enum) > 0 {
		list = append(list,
			wrong{"zero", "0", "ERR-4", fixed(0)}, wrong{"two", "2", "ERR-4", fixed(2)},
			wrong{"unlisted", "a value that is not in the list", "ERR-5", fixed(unlisted(f))},
			wrong{"upper-case", "a listed value in upper case", "ERR-5", fixed(strings.ToUpper(f.Enum[0]))},
		)
	} else if f.Numbers() && len(f.Schema.Enum) > 0 {
		list = append(list, wrong{"unlisted", "a value that is not in the list", "ERR-5", fixed(unlistedNumber(f))})
	}
	return slices.DeleteFunc(list, func(w wrong) bool { // such as a listed value that has no lower case
		text, ok := w.value("").(string)
		return ok && slices.Contains(f.Enum, text)
	})
}

// unlisted is a text that an enumeration does not list.
func unlisted(f *spec.Field) string {
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
