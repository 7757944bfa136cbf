package specs

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// bound is a value at a bound that the document states for a field, or beyond it.
type bound struct {
	name, title string // of the case
	right       bool   // it has to be taken; otherwise it is refused
	value       func(f *fixtures.Fake) (any, bool)
	states      string // the keyword of the schema
}

// bounds are the values that show whether a server keeps to what the document
// states of a field, as far as such values can be made.
func bounds(f *spec.Field) []bound {
	var all []bound
	for _, b := range slices.Concat(lengthBounds(f), numberBounds(f), patternBounds(f)) {
		if _, ok := b.value(fixtures.NewFake(0, "bounds")); ok {
			all = append(all, b)
		}
	}
	return all
}

func lengthBounds(f *spec.Field) []bound {
	if f.Type != openapi3.TypeString || len(f.Schema.Enum) > 0 {
		return nil
	}
	sized := func(n int) func(*fixtures.Fake) (any, bool) {
		return func(fake *fixtures.Fake) (any, bool) {
			text, ok := fake.Sized(f, n)
			return text, ok
		}
	}
	fewest, most := f.Lengths()
	var all []bound
	if fewest > 0 {
		all = append(all,
			bound{"shortest", fmt.Sprintf("with the fewest characters, %d,", fewest), true, sized(fewest), "minLength"},
			bound{"too-short", fmt.Sprintf("of %d characters, where %d are the fewest,", fewest-1, fewest), false, sized(fewest - 1), "minLength"})
	}
	if most >= 0 {
		all = append(all,
			bound{"longest", fmt.Sprintf("with the most characters, %d,", most), true, sized(most), "maxLength"},
			bound{"too-long", fmt.Sprintf("of %d characters, where %d are the most,", most+1, most), false, sized(most + 1), "maxLength"})
	}
	return all
}

func numberBounds(f *spec.Field) []bound {
	if !f.Numbers() || len(f.Schema.Enum) > 0 {
		return nil
	}
	var all []bound
	add := func(name, words, keyword string, right bool, v float64) {
		n := spec.Number(v)
		all = append(all, bound{name, fmt.Sprintf(words, n), right, func(*fixtures.Fake) (any, bool) {
			return n, f.Fits(n) == right
		}, keyword})
	}
	if least, below, ok := f.Least(); ok {
		add("least", "as %v, the least,", "minimum", true, least)
		add("too-small", "as %v, below the least,", "minimum", false, below)
	}
	if greatest, above, ok := f.Greatest(); ok {
		add("greatest", "as %v, the greatest,", "maximum", true, greatest)
		add("too-large", "as %v, above the greatest,", "maximum", false, above)
	}
	if step := f.Step(); f.Schema.MultipleOf != nil && step >= 2 && step == float64(int(step)) {
		if v, err := fixtures.NewFake(0, "step").Value(f, 1); err == nil {
			if n, ok := v.(int); ok {
				at := float64(n + 1)
				if greatest, _, bounded := f.Greatest(); bounded && at > greatest {
					at = float64(n - 1)
				}
				add("no-multiple", "as %v, no multiple of "+fmt.Sprint(step)+",", "multipleOf", false, at)
			}
		}
	}
	return all
}

func patternBounds(f *spec.Field) []bound {
	if f.Schema.Pattern == "" || f.Type != openapi3.TypeString || len(f.Schema.Enum) > 0 {
		return nil
	}
	return []bound{{"off-pattern", "that does not match " + f.Schema.Pattern, false, func(fake *fixtures.Fake) (any, bool) {
		return offPattern(fake, f)
	}, "pattern"}}
}

// offPattern is a text of an allowed length with which nothing but the pattern is
// wrong.
func offPattern(fake *fixtures.Fake, f *spec.Field) (string, bool) {
	free := *f.Schema
	free.Pattern = ""
	unbound := *f
	unbound.Schema = &free
	v, err := fake.Value(&unbound, 0)
	plain, ok := v.(string)
	if err != nil || !ok {
		return "", false
	}
	for _, text := range []string{plain, strings.ToLower(plain), strings.ToUpper(plain), odd(plain, "-"), odd(plain, "!"), odd(plain, " "), odd(plain, "7")} {
		if unbound.Fits(text) && !f.Fits(text) {
			return text, true
		}
	}
	return "", false
}

// odd is a text with another character in its middle.
func odd(text, character string) string {
	if text == "" {
		return character
	}
	at := len(text) / 2
	return text[:at] + character + text[at+1:]
}

// constraints plans values at the bounds that the document states for each field,
// and beyond them, and bodies without a field that it requires.
func (p *planner) constraints() {
	object, op := p.object(), p.op
	for _, f := range op.Body.Fields {
		clause := cmp.Or(f.Clause, op.Clause)
		for _, b := range bounds(f) {
			class, title := engine.ClassSuccess, fmt.Sprintf("%s %s is taken and shown.", f.Name, strings.TrimSuffix(b.title, ","))
			e := expect{Success: true, Clause: clause}
			if !b.right {
				class, title = engine.Class422, fmt.Sprintf("%s %s is answered 422, with an issue that names it.", f.Name, strings.TrimSuffix(b.title, ","))
				e = expect{Statuses: []int{http.StatusUnprocessableEntity}, Clause: clause, Field: f.Name}
			}
			p.add(class, slug(f.Name)+"-"+b.name, title, func(t *engine.T) {
				c := call(t, object(t), e)
				v, ok := b.value(t.Fake)
				if !ok {
					t.NotTested(engine.BySuite, "no such value was found this time")
					return
				}
				c.Body.Fields[f.Name] = v
				c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
				a := send(t, c)
				if a.OK && b.right {
					t.Read(c.Object) // it may be shown in full and kept cut short
				}
			}, clauses(clause, "ERR-10"), clauses(shownBy(op, b.right)...))
		}
		if f.Required {
			p.missing(f, clause)
		}
	}
	if p.closed() {
		p.add(engine.Class422, "unknown-field", "A field that the document rules out (additionalProperties: false) is answered 422.", func(t *engine.T) {
			c := call(t, object(t), expect{Statuses: []int{http.StatusUnprocessableEntity}, Clause: op.Clause})
			c.Body.Fields["adconformUnknown"] = unique(t)
			c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
			send(t, c)
		}, clauses(op.Clause))
	}
}

func shownBy(op *spec.Operation, right bool) []string {
	if right {
		return append(effects(op), op.Effects["persists"])
	}
	return nil
}

// missing plans a body that lacks a field which the document requires.
func (p *planner) missing(f *spec.Field, clause string) {
	object, op := p.object(), p.op
	p.add(engine.Class422, slug(f.Name)+"-missing", fmt.Sprintf("A body without %s, which the document requires, is answered 422, with an issue that names it.", f.Name), func(t *engine.T) {
		c := call(t, object(t), expect{Statuses: []int{http.StatusUnprocessableEntity}, Clause: clause, Field: f.Name})
		delete(c.Body.Fields, f.Name)
		c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
		send(t, c)
	}, clauses(clause, "ERR-10"))
}

// closed says whether the document rules out fields that it does not list.
func (p *planner) closed() bool {
	has := p.op.Body.Schema.AdditionalProperties.Has
	return has != nil && !*has
}

// Check says of which field of a request no valid value can be made: then no case
// of its operation could be sent.
func Check(c *spec.Contract) error {
	fake := fixtures.NewFake(0, "check")
	for _, op := range c.Operations {
		if op.Body == nil {
			continue
		}
		for _, f := range op.Body.Fields {
			if _, err := fake.Value(f, 0); err != nil {
				return fmt.Errorf("%s %s (%s) gets no case: the field %s of its request body %w", op.Method, op.Path, op.ID, f.Name, err)
			}
		}
	}
	return nil
}

// Unused lists what the document states and no case or check uses, in words.
func Unused(c *spec.Contract) []string {
	var all []string
	for _, op := range c.Operations {
		if op.Body != nil {
			for _, keyword := range unusedOfObject(op.Body.Schema) {
				all = append(all, fmt.Sprintf("%s of the request body of %s", keyword, op.ID))
			}
			for _, f := range op.Body.Fields {
				for _, keyword := range unusedOfField(f) {
					all = append(all, fmt.Sprintf("%s of %s.%s", keyword, op.ID, f.Name))
				}
			}
		}
		for _, place := range unusedFormats(op.Success) {
			all = append(all, fmt.Sprintf("%s in answers of %s", place, op.ID))
		}
	}
	return all
}

// unusedOfObject are keywords that are about a request body as a whole.
func unusedOfObject(s *openapi3.Schema) []string {
	return stated(map[string]bool{
		"minProperties": s.MinProps > 0, "maxProperties": s.MaxProps != nil, "allOf": len(s.AllOf) > 0, "anyOf": len(s.AnyOf) > 0,
		"oneOf": len(s.OneOf) > 0, "not": s.Not != nil, "additionalProperties": s.AdditionalProperties.Schema != nil,
	})
}

// unusedOfField are keywords for a field of a request for which no value at their
// bound, or none beyond it, is sent.
func unusedOfField(f *spec.Field) []string {
	s := f.Schema
	sent := map[string]bool{}
	for _, b := range bounds(f) {
		sent[fmt.Sprint(b.states, b.right)] = true
	}
	unused := func(keyword string, is bool, both bool) bool {
		return is && !(sent[keyword+"false"] && (sent[keyword+"true"] || !both))
	}
	return stated(map[string]bool{
		"minLength": unused("minLength", s.MinLength > 0, true), "maxLength": unused("maxLength", s.MaxLength != nil, true),
		"minimum": unused("minimum", s.Min != nil, true), "maximum": unused("maximum", s.Max != nil, true),
		"pattern": unused("pattern", s.Pattern != "", false), "multipleOf": unused("multipleOf", s.MultipleOf != nil, false),
		"format": s.Format != "" && s.Format != "int64" && s.Format != "int32",
		"allOf":  len(s.AllOf) > 0, "anyOf": len(s.AnyOf) > 0, "oneOf": len(s.OneOf) > 0, "not": s.Not != nil,
	})
}

// unusedFormats are formats of answers that nobody judges.
func unusedFormats(o *spec.Object) []string {
	if o == nil {
		return nil
	}
	var all []string
	for _, f := range o.Fields {
		format := f.Schema.Format
		_, judged := openapi3.SchemaStringFormats[format]
		if format != "" && !judged && !f.URL && !f.Numbers() {
			all = append(all, fmt.Sprintf("format %s of %s", format, f.Name))
		}
		all = append(all, append(unusedFormats(f.Object), unusedFormats(f.Items)...)...)
	}
	return all
}

// stated are the keywords that are set, in order.
func stated(keywords map[string]bool) []string {
	var all []string
	for keyword, is := range keywords {
		if is {
			all = append(all, keyword)
		}
	}
	slices.Sort(all)
	return all
}
