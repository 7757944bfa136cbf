package cases

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// updates plans the cases of an operation that changes the object of its path.
func (p *planner) updates() {
	p.succeeds()
	p.unauthenticated()
	p.forbidden()
	p.notFound()
	p.unprocessable()
	p.texts()
	p.openBodies()
	p.malformedIDs()
	p.unusual()
	p.updateEffects()
	p.usersInTurn()
	p.twoAtOnce()
	p.randomSequences()
}

// succeeds plans ordinary updates, and every combination of the values of
// enumerated fields.
func (p *planner) succeeds() {
	object, op := p.object(), p.op
	all := append([]string{op.Clause, "AUTH-4", "EFFECT-3"}, effects(op)...)
	all = append(all, marked(op.Body)...)
	p.add(engine.ClassSuccess, "ordinary", "The owner's update of all fields succeeds and shows what was sent.", func(t *engine.T) {
		t.Calibrate(object(t))
	}, clauses(all...), clauses(op.Effects["persists"]), quick, func(c *engine.Case) { c.Calibrates = true })
	p.add(engine.ClassSuccess, "raw", "The answer to an update is one well-framed HTTP message.", func(t *engine.T) {
		c := call(t, object(t), engine.Expect{Success: true, Clause: op.Clause})
		c.Raw = true
		t.Send(c)
	}, clauses("HTTP-2", op.Clause))
	for _, values := range combinations(op.Body) {
		var words []any
		for _, f := range op.Body.Fields {
			if v, ok := values[f.Name]; ok {
				words = append(words, v)
			}
		}
		p.add(engine.ClassSuccess, "values-"+slug(words...), fmt.Sprintf("An update with the values %s succeeds.", strings.Trim(fmt.Sprintln(words...), "\n")), func(t *engine.T) {
			o := object(t)
			body := t.Ordinary(o, 0)
			for name, v := range values {
				body[name] = v
			}
			t.Write(o, body)
		}, clauses(all...))
	}
}

// combinations are the value assignments of all enumerated fields together.
func combinations(o *spec.Object) []map[string]any {
	var all []map[string]any
	for _, f := range o.Fields {
		if len(f.Enum) == 0 {
			continue
		}
		if all == nil {
			all = []map[string]any{{}}
		}
		var next []map[string]any
		for _, values := range all {
			for _, v := range f.Enum {
				more := map[string]any{f.Name: v}
				for name, w := range values {
					more[name] = w
				}
				next = append(next, more)
			}
		}
		all = next
	}
	return all
}

// unprocessable plans bodies that are no JSON object, and bodies in which
// exactly one field is wrong.
func (p *planner) unprocessable() {
	object, op := p.object(), p.op
	refused := []int{http.StatusUnprocessableEntity}
	for _, b := range []struct {
		name, title string
		raw         func(valid []byte) string
	}{
		{"cut-off", "that is cut off", func(v []byte) string { return string(v[:len(v)-2]) }},
		{"array", "that is an array", func([]byte) string { return "[]" }},
		{"string", "that is a string", func([]byte) string { return `"x"` }},
		{"number", "that is a number", func([]byte) string { return "7" }},
		{"null", "that is null", func([]byte) string { return "null" }},
	} {
		p.add(engine.Class422, "body-"+b.name, "A body "+b.title+" is answered 422.", func(t *engine.T) {
			o := object(t)
			v := valid(t, o)
			c := call(t, o, engine.Expect{Statuses: refused, Clause: "ERR-3"})
			c.Body = &engine.Body{Fields: v.Fields, Raw: []byte(b.raw(v.Raw))}
			c.Raw = b.name == "array"
			t.Send(c)
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
		c := call(t, o, engine.Expect{Statuses: refused, Clause: "ERR-4"})
		last := op.Body.Fields[len(op.Body.Fields)-1].Name
		c.Body.Fields[last] = []any{c.Body.Fields[last]}
		c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
		t.Send(c)
	})
}

// trailingText plans a valid body with text after the object, which a parser may
// let pass.
func (p *planner) trailingText() {
	object, op := p.object(), p.op
	p.add(engine.Class422, "body-trailing-text", "A body with text after the object is answered 422, or taken for the object.", func(t *engine.T) {
		o := object(t)
		c := call(t, o, engine.Expect{Success: true, Statuses: either, Clause: "ERR-3", Odd: true})
		c.Body = &engine.Body{Fields: c.Body.Fields, Raw: append(c.Body.Raw, " x"...)}
		a := t.Send(c)
		t.Observe("trailing-text", a.Acceptance())
		t.Beyond(a, "status 422 for a body with text after the object", a.StatusText())
		if a.OK {
			t.Read(o)
		}
	}, clauses("ERR-3", "OPEN-8", op.Effects["shows"]), observes("trailing-text"))
}

// sendWrong sends a body in which one field has a value that it may not have.
func sendWrong(t *engine.T, o *engine.Object, f *spec.Field, w wrong) *engine.Answer {
	c := call(t, o, engine.Expect{Success: w.coercible(f), Odd: true, Statuses: []int{http.StatusUnprocessableEntity}, Clause: w.clause, Field: f.Name})
	c.Body.Fields[f.Name] = w.value(c.Body.Fields[f.Name])
	c.Body = engine.ObjectBody(o.Op.Body, c.Body.Fields)
	return t.Send(c)
}

// severalWrong plans a body in which all enumerated fields are wrong: 422, and
// each issue names one of them; how many come is open.
func (p *planner) severalWrong() {
	object, op := p.object(), p.op
	var names []string
	for _, f := range op.Body.Fields {
		if len(f.Enum) > 0 {
			names = append(names, f.Name)
		}
	}
	if len(names) < 2 {
		return
	}
	p.add(engine.Class422, "several-wrong", "A body with several wrong fields is answered 422, and each issue names one of them.", func(t *engine.T) {
		c := call(t, object(t), engine.Expect{Statuses: []int{http.StatusUnprocessableEntity}, Clause: "ERR-5"})
		for _, name := range names {
			c.Body.Fields[name] = "never"
		}
		c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
		a := t.Send(c)
		if a.Status == http.StatusUnprocessableEntity {
			t.JudgeNamedAmong(names, a)
		}
	}, clauses("ERR-5", "ERR-10"), observes("both-fields-wrong"))
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
	case "boolean":
		list = []wrong{all["string"], all["number"], all["array"], all["object"]}
	}
	if len(f.Enum) > 0 {
		list = append(list,
			wrong{"zero", "0", "ERR-4", fixed(0)}, wrong{"two", "2", "ERR-4", fixed(2)},
			wrong{"unlisted", "a value that is not in the list", "ERR-5", fixed("never")},
			wrong{"upper-case", "a listed value in upper case", "ERR-5", fixed(strings.ToUpper(f.Enum[0]))},
		)
	}
	return list
}
