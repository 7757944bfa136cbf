package judge

import (
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Note describes a changed part of the call. It replaces an earlier description of that part.
func (c *Call) Note(at, what, value string) {
	c.Sent = slices.DeleteFunc(slices.Clone(c.Sent), func(s oracle.Sent) bool { return s.At == at })
	c.Sent = append(c.Sent, oracle.Sent{At: at, What: what, Value: value})
}

func isClass(s *oracle.Sent) bool { return s != nil && strings.HasPrefix(s.At, finding.OfClass) }

// Parts returns the parts of a call that a finding may name: those that Note described, an object in the path that is
// not the user's or was deleted, and the fields of the body.
func (c *Call) Parts() []oracle.Sent {
	parts := slices.Clone(c.Sent)
	if o := c.Object; o != nil && len(c.Path) > 0 && c.namesObject() {
		last := len(c.Path) - 1
		switch {
		case o.Foreign && c.As.Name != StrangerName:
			parts = append(parts, oracle.Sent{At: "path:" + c.Op.Params[0].Name, What: finding.OthersID, Value: c.Path[0]})
		case o.Removed():
			parts = append(parts, oracle.Sent{At: "path:" + c.Op.Params[last].Name, What: "the id of what was deleted", Value: c.Path[last]})
		}
	}
	said := func(at string) bool {
		return slices.ContainsFunc(parts, func(s oracle.Sent) bool { return s.At == at })
	}
	if c.Body == nil || c.Op.Body == nil || said("body") || c.Method != c.Op.Method {
		return parts
	}
	for _, f := range c.Op.Body.Fields {
		v, sent := c.Body.Fields[f.Name]
		if !sent || said("/"+f.Name) {
			continue
		}
		part := oracle.Sent{At: "/" + f.Name, Value: oracle.Show(v)}
		if v == nil {
			part.What = "null"
		}
		parts = append(parts, part)
	}
	return parts
}

// matters returns the part of a request that a finding is about, or nil if it is ordinary: its class, the key, the path,
// a header, the body, the field that the pointer into the answer shows, another odd field, or the query.
func (t *Test) matters(ex *wire.Exchange, pointer string) *oracle.Sent {
	field := pointer[strings.LastIndexByte(pointer, '/')+1:]
	op, _ := t.Model.Contract.Match(ex.Request.Method, ex.Request.Path)
	if op != nil && op.Body != nil && op.Representation() != nil {
		if r := op.Representation().Named(field); r != nil && op.Body.Field(r.Meaning) != nil {
			field = op.Body.Field(r.Meaning).Name // the answer may show it under another name
		}
	}
	field = "/" + field
	rank := func(s oracle.Sent) int {
		kind, _, _ := strings.Cut(s.At, ":")
		i := slices.Index([]string{"request", "key", "path", "method", "header", "body", field, "query"}, kind)
		switch {
		case s.What == "" && s.At != field && kind != "query":
			return 0
		case i < 0: // another field
			return 10
		}
		return 20 - i
	}
	var best *oracle.Sent
	for _, s := range ex.Request.Sent {
		if r := rank(s); r > 0 && (best == nil || r > rank(*best)) {
			best = &s
		}
	}
	return best
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
