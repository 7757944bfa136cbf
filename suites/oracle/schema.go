package oracle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	inParts(j.Value, func(part any, from int) (goOn bool) {
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

// shape is a schema with what the checks ask of it again and again: the clause
// of each place, and its members without a look into maps.
type shape struct {
	schema  *openapi3.Schema
	mark    string // x-clause of this very schema, or ""
	clause  string // of the deepest marked schema on the way here
	members []member
	items   *shape // nil: no array

	optional []member // that an object need not have

	integer, url, date bool // what is looked at closely
}

type member struct {
	name string
	*shape
}

func newShape(s *openapi3.Schema, clause string) *shape {
	n := &shape{schema: s, mark: spec.ClauseOf(s)}
	n.clause = cmp.Or(n.mark, clause)
	for name, p := range s.Properties {
		n.members = append(n.members, member{name, newShape(p.Value, n.clause)})
	}
	slices.SortFunc(n.members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	for _, m := range n.members {
		if !slices.Contains(s.Required, m.name) && !spec.MayBeAbsent(m.schema) {
			n.optional = append(n.optional, m)
		}
	}
	if s.Items != nil {
		n.items = newShape(s.Items.Value, n.clause)
	}
	n.integer, n.url, n.date = s.Type.Is(openapi3.TypeInteger), s.Format == "uri", spec.IsDate(s)
	return n
}

// at is the deepest place that the document knows on the way of a pointer.
func (n *shape) at(tokens []string) *shape {
	for _, token := range tokens {
		next := n.items
		for _, m := range n.members {
			if m.name == token {
				next = m.shape
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// path is a way into a body. It is only written out as a pointer for a finding.
type path struct {
	parent *path
	name   string
	index  int // of an array item, -1 for a member
}

func (p *path) String() string {
	if p == nil {
		return ""
	}
	token := p.name
	if p.index >= 0 {
		token = strconv.Itoa(p.index)
	}
	return p.parent.String() + pointer(token)
}

// walk visits each place of a body that the document describes.
func (n *shape) walk(v any, at *path, visit func(n *shape, v any, at *path)) {
	visit(n, v, at)
	switch v := v.(type) {
	case map[string]any:
		here := path{parent: at, index: -1}
		for _, m := range n.members {
			if value, ok := v[m.name]; ok {
				here.name = m.name
				m.walk(value, &here, visit)
			}
		}
	case []any:
		if n.items == nil {
			return
		}
		here := path{parent: at}
		for i, value := range v {
			here.index = i
			n.items.walk(value, &here, visit)
		}
	}
}

// marks calls judged with the clauses of the places that a body shows or has to
// show: a member that may be absent, and is, shows nothing. Of an array the first item
// stands for all, but for what only others have.
func (n *shape) marks(v any, judged func(string)) {
	if n.mark != "" {
		judged(n.mark)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, m := range n.members {
			if value, shown := v[m.name]; shown || !slices.ContainsFunc(n.optional, func(o member) bool { return o.name == m.name }) {
				m.marks(value, judged)
			}
		}
	case []any:
		if n.items == nil {
			return
		}
		if len(v) > 0 {
			n.items.marks(v[0], judged)
		}
		for _, m := range n.items.optional {
			if value, shown := firstShown(v, m.name); shown {
				m.marks(value, judged)
			}
		}
	}
}

// firstShown is a member of the first item that has it.
func firstShown(items []any, name string) (value any, shown bool) {
	for _, item := range items {
		object, _ := item.(map[string]any)
		if value, shown = object[name]; shown {
			return value, true
		}
	}
	return nil, false
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// pointer writes tokens as an RFC 6901 pointer.
func pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		_, _ = escapePointer.WriteString(&b, t) // a Builder takes everything
	}
	return b.String()
}

const (
	// partSize is how many items of a long array are shown to kin-openapi at
	// once: it keeps a kibibyte for each mismatch.
	partSize = 500
	// enoughMismatches in one part say that the rest is no better.
	enoughMismatches = 1000
)

// inParts gives the longest array of a body to judge in parts of partSize items,
// each in the place of the whole, until judge has had enough. Of a short body
// there is one part, the body itself. from is the index of a part's first item.
func inParts(body any, judge func(part any, from int) bool) {
	way, items := longestArray(body, nil)
	if len(items) <= partSize {
		judge(body, 0)
		return
	}
	for from := 0; from < len(items); from += partSize {
		part := items[from:min(from+partSize, len(items))]
		if !judge(replaced(body, way, part), from) {
			return
		}
	}
}

// longestArray finds the longest array that is in no other, by the names of the
// members on the way to it. It looks no deeper than a list or an error has one.
func longestArray(v any, way []string) (longestWay []string, items []any) {
	const deepest = 2
	switch v := v.(type) {
	case []any:
		return way, v
	case map[string]any:
		if len(way) == deepest || len(v) > partSize {
			return nil, nil
		}
		for name, member := range v {
			if w, i := longestArray(member, append(way[:len(way):len(way)], name)); len(i) > len(items) {
				longestWay, items = w, i
			}
		}
	}
	return longestWay, items
}

// replaced is a body with another value at the end of a way. What is not on the
// way is shared with the old one.
func replaced(body any, way []string, value any) any {
	if len(way) == 0 {
		return value
	}
	object := maps.Clone(body.(map[string]any))
	object[way[0]] = replaced(object[way[0]], way[1:], value)
	return object
}

// shifted adds to the first index in a pointer.
func shifted(pointer string, by int) string {
	if by == 0 {
		return pointer
	}
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if n, err := strconv.Atoi(t); err == nil {
			tokens[i] = strconv.Itoa(n + by)
			break
		}
	}
	return strings.Join(tokens, "/")
}
