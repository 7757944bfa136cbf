package specs

import (
	"maps"
	"slices"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// What an object went through is a dimension, too: updates with different fields follow one another in every order of
// two of them, also the same one twice.

// A content is which fields an update has, and whether they are unset.
type content struct {
	fields []*spec.Field
	unsets *spec.Field // nil if none
	taken  bool        // an update like it was accepted, so all have to be
}

// contentsOf returns the contents of updates: every subset of the fields, and for each field that can be unset also
// null for it, alone and with the others.
func contentsOf(op *spec.Operation) (all []*content) {
	for bits := range 1 << len(op.Body.Fields) {
		all = append(all, &content{fields: fieldsOf(op, bits)})
	}
	for _, f := range fieldsWhere(op, func(f *spec.Field) bool { return f.Optional }) {
		all = append(all, &content{fields: []*spec.Field{f}, unsets: f}, &content{fields: op.Body.Fields, unsets: f})
	}
	return all
}

// states registers the case that sends updates with any fields after one another.
func states(s *Specs, op *spec.Operation) {
	if op.Replaces() {
		return
	}
	title := "Whichever fields the updates before it had or unset, an update sets its own."
	s.Case("arrays/states", title, Options{Clause(shown(op)...), Clause(op.Clause, op.Effects["persists"], "ERR-4")},
		func(c Case, o *Object) {
			all := contentsOf(op)
			met := map[[2]*content]bool{}
			var last *content
			var values map[string]any
			for next := all[len(all)-1]; next != nil; next = nextContent(all, met, last) {
				if last != next { // otherwise it is the same request again
					values = valuesOf(c, o, next, len(met))
				}
				met[[2]*content{last, next}] = true
				last = next
				if !sendContent(c, o, next, values) {
					all = slices.DeleteFunc(all, func(x *content) bool { return x == next && !x.taken })
				}
			}
			c.Read(o)
			skipUnless(c, len(all) > 0, judge.ByTarget, "the target accepts no update")
		})
}

// nextContent returns a content that has not followed the last one, or else one that some content has not been followed
// by; nil if each has followed each.
func nextContent(all []*content, met map[[2]*content]bool, last *content) *content {
	for _, next := range all {
		if slices.Contains(all, last) && !met[[2]*content{last, next}] {
			return next
		}
	}
	for _, from := range all {
		for _, next := range all {
			if !met[[2]*content{from, next}] {
				return from
			}
		}
	}
	return nil
}

// valuesOf returns new values for an update. Listed ones are all the same in every third one, as a server may mix them
// up.
func valuesOf(c Case, o *Object, of *content, n int) map[string]any {
	values, fresh := map[string]any{}, Fresh(c, o)
	for _, f := range of.fields {
		values[f.Name] = fresh[f.Name]
		if len(f.Enum) > 0 && n%3 == 0 {
			values[f.Name] = f.Enum[n/3%len(f.Enum)]
		}
	}
	if of.unsets != nil {
		values[of.unsets.Name] = nil
	}
	return values
}

// sendContent sends an update, and reports whether it was accepted.
func sendContent(c Case, o *Object, of *content, values map[string]any) bool {
	call := Request(c, o, Fields(maps.Clone(values)), Part)
	to := BeAccepted().Citing(o.Op.Clause)
	if !of.taken {
		to.Or(422, 400).Citing("ERR-4")
	}
	a := send(c, call, to)
	c.VerifyNoTraceOf(o)
	of.taken = of.taken || a.OK
	return a.OK
}
