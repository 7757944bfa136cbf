package spec

import (
	"math"

	"github.com/getkin/kin-openapi/openapi3"
)

// What a schema states beyond type and enumeration.

// Fits says whether a value is one that the document allows for a field of a
// request.
func (f *Field) Fits(v any) bool { return fits(f.Schema, v) }

// FitsButLength is Fits without regard to the length of a text.
func (f *Field) FitsButLength(v any) bool {
	s := *f.Schema
	s.MinLength, s.MaxLength = 0, nil
	return fits(&s, v)
}

func fits(s *openapi3.Schema, v any) bool {
	if i, ok := v.(int); ok {
		v = float64(i)
	}
	return s.VisitJSON(v, openapi3.VisitAsRequest()) == nil
}

// Lengths are the fewest and the most characters of a text; most is -1 where any
// number is allowed.
func (f *Field) Lengths() (fewest, most int) {
	most = -1
	if f.Schema.MaxLength != nil {
		most = int(min(*f.Schema.MaxLength, math.MaxInt32))
	}
	return int(min(f.Schema.MinLength, math.MaxInt32)), most
}

// Numbers says whether a field holds numbers.
func (f *Field) Numbers() bool {
	return f.Type == openapi3.TypeInteger || f.Type == openapi3.TypeNumber
}

// Least is the least number that a field may hold, and one below that nothing else
// is wrong with; false where there is no such bound.
func (f *Field) Least() (least, below float64, ok bool) {
	return f.bound(f.Schema.Min, f.Schema.ExclusiveMin, 1)
}

// Greatest is the greatest number that a field may hold, and one above.
func (f *Field) Greatest() (greatest, above float64, ok bool) {
	return f.bound(f.Schema.Max, f.Schema.ExclusiveMax, -1)
}

// bound is the number next to a bound on the side to which sign points, and the one
// on the other side.
func (f *Field) bound(at *float64, exclusive openapi3.ExclusiveBound, sign float64) (inside, outside float64, ok bool) {
	if at == nil {
		return 0, 0, false
	}
	step := f.Step()
	inside = *at
	if f.Type == openapi3.TypeInteger || f.Schema.MultipleOf != nil {
		inside = sign * math.Ceil(sign**at/step) * step
	}
	if exclusive.Bool != nil && *exclusive.Bool && inside == *at {
		inside += sign * step
	}
	return inside, inside - sign*step, true
}

// Step is the distance of two numbers that a field may hold.
func (f *Field) Step() float64 {
	if m := f.Schema.MultipleOf; m != nil && *m > 0 {
		return *m
	}
	return 1
}

// Number is a number as a request has it: an integer where it is one.
func Number(v float64) any {
	if i := int(v); float64(i) == v {
		return i
	}
	return v
}
