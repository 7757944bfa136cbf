package oracle

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// fits says that a value surely matches its schema. kin-openapi takes about ten
// times as long to find nothing wrong, as it sorts the names of each object; it
// judges what does not fit, and whatever a schema says beyond isPlain.
func (n *shape) fits(v any) bool {
	if !n.plain {
		return false
	}
	s := n.schema
	switch value := v.(type) {
	case nil:
		return s.Nullable
	case bool:
		return s.Type.Is(openapi3.TypeBoolean)
	case json.Number:
		return s.Type.Is(openapi3.TypeInteger) && isSmall(value) || n.isMoment(v)
	case string:
		return s.Type.Is(openapi3.TypeString) && (value != "" || s.MinLength == 0) && (len(s.Enum) == 0 || slices.Contains(s.Enum, v))
	case []any:
		return s.Type.Is(openapi3.TypeArray) && (n.items == nil || !slices.ContainsFunc(value, n.items.fitsNot))
	case map[string]any:
		return s.Type.Is(openapi3.TypeObject) && n.fitsObject(value)
	}
	return false
}

// isMoment says that a value is a number in the place of a date, which is judged
// as a date.
func (n *shape) isMoment(v any) bool {
	_, number := v.(json.Number)
	if !number || !n.date {
		return false
	}
	_, _, _, ok := ReadDate(v)
	return ok
}

func (n *shape) fitsNot(v any) bool { return !n.fits(v) }

func (n *shape) fitsObject(object map[string]any) bool {
	for _, m := range n.members {
		if v, ok := object[m.name]; ok && !m.fits(v) {
			return false
		}
	}
	for _, name := range n.schema.Required {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	return true
}

// named is an object that may have any members with those that its schema names, and so
// the objects in it that are in no list: kin-openapi sorts the names of all.
func (n *shape) named(v any) any {
	object, ok := v.(map[string]any)
	if !ok || !n.plain || len(n.members) == 0 {
		return v
	}
	named := make(map[string]any, len(n.members))
	for _, m := range n.members {
		if member, ok := object[m.name]; ok {
			named[m.name] = m.named(member)
		}
	}
	return named
}

// isSmall: an integer that any reader takes for the same.
func isSmall(number json.Number) bool {
	const exact = 1 << 53 // beyond that floats of 64 bits skip some
	i, err := strconv.ParseInt(string(number), 10, 64)
	return err == nil && -exact < i && i < exact
}

// isPlain says that fits knows all that a schema asks of a response: types,
// members, texts that are listed or not empty, and null. What its members and items ask is theirs.
func isPlain(s *openapi3.Schema) bool {
	for _, v := range s.Enum {
		if _, ok := v.(string); !ok && v != nil {
			return false
		}
	}
	switch {
	case s.Type.Is(openapi3.TypeInteger):
		if s.Format != "" && s.Format != "int64" || s.Enum != nil || s.MinLength > 0 {
			return false
		}
	case s.Type.Is(openapi3.TypeString):
		if _, judged := openapi3.SchemaStringFormats[s.Format]; judged || s.MinLength > 1 {
			return false
		}
	default:
		if len(s.Type.Slice()) != 1 || s.Format != "" || s.Enum != nil || s.MinLength > 0 {
			return false
		}
	}
	rest := *s
	rest.Extensions, rest.Origin, rest.Title, rest.Description, rest.Example = nil, nil, "", "", nil
	rest.Type, rest.Format, rest.Enum, rest.Nullable, rest.ReadOnly = nil, "", nil, false, false
	rest.Required, rest.Properties, rest.Items, rest.MinLength = nil, nil, nil, 0
	return reflect.ValueOf(rest).IsZero()
}
