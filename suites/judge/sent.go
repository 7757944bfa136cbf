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
func (c *Call) Note(at finding.Place, what finding.Oddity, value string) {
	c.Sent = slices.DeleteFunc(slices.Clone(c.Sent), func(s oracle.Sent) bool { return s.At == at })
	c.Sent = append(c.Sent, oracle.Sent{At: at, What: what, Value: value})
}

// Parts returns the parts of a call that a finding may name: those that Note described, an object in the path that is
// not the user's or was deleted, and the fields of the body.
func (c *Call) Parts() []oracle.Sent {
	parts := slices.Clone(c.Sent)
	if o := c.Object; o != nil && len(c.Path) > 0 && c.namesObject() {
		last := len(c.Path) - 1
		switch {
		case o.Foreign && c.As.Name != StrangerName:
			parts = append(parts, oracle.Sent{At: finding.At(finding.Path, c.Op.Params[0].Name), What: finding.OthersID, Value: c.Path[0]})
		case o.Removed():
			parts = append(parts, oracle.Sent{At: finding.At(finding.Path, c.Op.Params[last].Name), What: finding.DeletedID, Value: c.Path[last]})
		}
	}
	said := func(at finding.Place) bool {
		return slices.ContainsFunc(parts, func(s oracle.Sent) bool { return s.At == at })
	}
	if c.Body == nil || c.Op.Body == nil || said(finding.At(finding.Body, "")) || c.Method != c.Op.Method {
		return parts
	}
	for _, f := range c.Op.Body.Fields {
		v, sent := c.Body.Fields[f.Name]
		at := finding.At(finding.Field, f.Name)
		if !sent || said(at) {
			continue
		}
		part := oracle.Sent{At: at, Value: oracle.Show(v)}
		if v == nil {
			part.What = finding.Null
		}
		parts = append(parts, part)
	}
	return parts
}

// matters returns the part of a request that a finding with this pointer into the answer is about, see finding.Matters.
func (t *Test) matters(ex *wire.Exchange, pointer string) *oracle.Sent {
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	op, _ := t.Model.Contract.Match(ex.Request.Method, ex.Request.Path)
	if op != nil && op.Body != nil && op.Representation() != nil {
		if r := op.Representation().Named(name); r != nil && op.Body.Field(r.Meaning) != nil {
			name = op.Body.Field(r.Meaning).Name // the answer may show it under another name
		}
	}
	return finding.Matters(ex.Request.Parts, name)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
