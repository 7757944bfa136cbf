package oracle

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

// shape is a schema with what the checks ask of it again and again: the clause
// of each place, and its members without a look into maps.
type shape struct {
	schema  *openapi3.Schema
	mark    string // x-clause of this very schema, or ""
	clause  string // of the deepest marked schema on the way here
	plain   bool   // see fits
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
	n := &shape{schema: s, mark: spec.ClauseOf(s), plain: isPlain(s)}
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
