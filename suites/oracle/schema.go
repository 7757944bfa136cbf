package oracle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

// asResponse: all mismatches, not only the first.
var asResponse = []openapi3.SchemaValidationOption{openapi3.MultiErrors(), openapi3.VisitAsResponse()}

// judgeSchema lets kin-openapi judge the body. What it misses is judged by the
// checks on integers, URLs and dates.
func judgeSchema(j *judging) {
	j.shape.marks(j.Value, func(clause string) {
		if !slices.Contains(ofWholeLists, clause) { // a number's type is the least of them
			j.judged(clause)
		}
	})
	if j.shape.fits(j.Value) {
		return
	}
	inParts(j.shape.named(j.Value), func(part any, from int) (goOn bool) {
		found := mismatches(j.shape, part)
		for _, m := range found {
			j.mismatch(m.clause, shifted(m.pointer, from), m.expected, m.got)
		}
		return len(found) < enoughMismatches
	})
}

// ofWholeLists are the clauses of numbers that the checks of lists judge, by more than
// their type.
var ofWholeLists = []string{"MEDIA-4", "MEDIA-5", "MEDIA-6"}

// mismatch is a place where a body differs from its schema.
type mismatch struct {
	clause, pointer, expected, got string
}

func mismatches(n *shape, body any) []mismatch {
	var list []mismatch
	for _, err := range flatten(nil, n.schema.VisitJSON(body, asResponse...)) {
		var e *openapi3.SchemaError
		if !errors.As(err, &e) {
			list = append(list, mismatch{n.clause, "", expected(n.schema), err.Error()})
			continue
		}
		tokens := e.JSONPointer()
		place := n.at(tokens)
		m := mismatch{clause: place.clause, pointer: pointer(tokens...), got: "nothing"}
		if v, ok := lookup(body, tokens); ok {
			if place.isMoment(v) {
				continue
			}
			m.got = show(v)
		}
		switch e.SchemaField {
		case "type", "required", "nullable", "enum", "format":
			m.expected = expected(place.schema)
		default:
			m.expected = e.Reason
		}
		list = append(list, m)
	}
	return list
}

// flatten lists the single errors of nested ones.
func flatten(list []error, err error) []error {
	var many openapi3.MultiError
	if errors.As(err, &many) {
		for _, e := range many {
			list = flatten(list, e)
		}
		return list
	}
	if err != nil {
		list = append(list, err)
	}
	return list
}

// lookup follows a pointer into a decoded body.
func lookup(v any, tokens []string) (any, bool) {
	for _, token := range tokens {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[token]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// expected says what a schema asks for.
func expected(s *openapi3.Schema) string {
	var text string
	switch {
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			if v != nil {
				values = append(values, fmt.Sprint(v))
			}
		}
		text = "one of " + strings.Join(values, ", ")
	case s.Type.Is(openapi3.TypeInteger):
		text = "an integer of 64 bits"
	case s.Type.Is(openapi3.TypeObject):
		text = "an object"
		if len(s.Required) > 0 {
			text += " with " + strings.Join(s.Required, ", ")
		}
	case s.Type.Is(openapi3.TypeArray):
		text = "an array"
	case s.Format == "uri":
		text = expectedURL
	case spec.IsDate(s):
		text = expectedDate
	default:
		text = "a " + strings.Join(s.Type.Slice(), " or a ")
	}
	if s.Nullable {
		text += ", or null"
	}
	return text
}
