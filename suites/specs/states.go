package specs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// What an object went through is a dimension, too: updates with different fields follow one another in every order of
// two of them, also the same one twice.

// A content is which fields an update has, and whether they are unset.
type content struct {
	fields []*spec.Field
	unsets *spec.Field   // nil if none
	first  *judge.Answer // to the first update like it
	taken  bool          // an update like it was accepted, so all have to be
}

// contentsOf returns the contents of updates: every subset of the fields, and for each field that can be unset also
// null for it, alone and with the others.
func contentsOf(op *spec.Operation) (all []*content) {
	for bits := range 1 << len(op.Body.Fields) {
		isIn := func(f *spec.Field) bool { return bits&(1<<slices.Index(op.Body.Fields, f)) != 0 }
		all = append(all, &content{fields: fieldsWhere(op, isIn)})
	}
	for _, f := range fieldsWhere(op, func(f *spec.Field) bool { return f.Optional }) {
		all = append(all, &content{fields: []*spec.Field{f}, unsets: f}, &content{fields: op.Body.Fields, unsets: f})
	}
	return all
}

// states registers the case that sends updates with any fields after one another. Which fields an update requires is
// open, and so is the effect of omitting others: they keep their value or get a fixed default. A PUT takes all fields.
func states(s *Specs, op *spec.Operation) {
	if op.Replaces() {
		return
	}
	open := optionIf(len(op.Body.Fields) > 1, Observes("required-fields"))
	judged := Clause(append(shown(op), op.Clause, op.Effects["persists"], "ERR-4", "ERR-10")...)
	title := "Whichever fields the updates before it had or unset, an update sets its own."
	s.Case("arrays/states", title, Options{open, judged},
		func(c Case, o *Object) {
			contents := contentsOf(op)
			left := slices.Clone(contents)
			met := map[[2]*content]bool{}
			var last *content
			var values map[string]any
			for next := left[len(left)-1]; next != nil; next = nextContent(left, met, last) {
				if last != next { // otherwise it is the same request again
					values = valuesOf(c, o, next, len(met))
				}
				met[[2]*content{last, next}] = true
				last = next
				if !sendContent(c, o, next, values) {
					left = slices.DeleteFunc(left, func(x *content) bool { return x == next && !x.taken })
				}
			}
			c.Read(o)
			skipUnless(c, len(left) > 0, judge.ByTarget, "the target accepts no update")
			if len(op.Body.Fields) > 1 {
				judgeMissing(c, op, contents)
			}
		})
}

// judgeMissing judges how updates without some of the fields are refused, and observes which fields the target
// requires.
func judgeMissing(c Case, op *spec.Operation, contents []*content) {
	contents = slices.DeleteFunc(contents, func(x *content) bool {
		isPlain := len(x.fields) > 0 && x.unsets == nil
		return !isPlain || x.first == nil
	})
	fields := op.Body.Fields
	without := map[*spec.Field]*judge.Answer{} // to the update that lacks just this one
	isRequired := func(f *spec.Field) bool {
		isServedWithout := func(x *content) bool { return x.first.Status != 422 && !slices.Contains(x.fields, f) }
		return !slices.ContainsFunc(contents, isServedWithout)
	}
	for _, x := range contents {
		missing := fieldsWhere(op, func(f *spec.Field) bool { return !slices.Contains(x.fields, f) })
		if len(missing) != 1 {
			continue
		}
		without[missing[0]] = x.first
		if x.first.Status == 422 { // the missing field, or one that depends on it
			c.Compare().JudgeNoneElse(append(fieldNames(fields), "body"), x.first)
		}
	}
	for _, f := range fieldsWhere(op, isRequired) { // one alone may be refused as well, and neither is missing
		c.Compare().JudgeNames(f.Name, ", which is missing", without[f])
	}
	c.Observe("required-fields", requires(op, contents))
}

// requires returns which fields an update requires, judging by the answers to parts of it; "" if the object does not
// exist, or nothing is answered.
func requires(op *spec.Operation, parts []*content) spec.Choice {
	taken, refused, required := 0, 0, slices.Clone(op.Body.Fields)
	for _, x := range parts {
		isPart := len(x.fields) < len(op.Body.Fields)
		switch {
		case !isPart:
		case x.first.OK:
			taken++
			required = slices.DeleteFunc(required, func(f *spec.Field) bool { return !slices.Contains(x.fields, f) })
		case x.first.Acceptance() != "":
			refused++
		}
	}
	switch {
	case taken+refused == 0:
		return ""
	case refused == 0:
		return spec.NoField
	case taken == 0:
		return spec.EveryField
	case len(required) == 0:
		return "some beside others"
	}
	return spec.Choice(fmt.Sprintf("some (%s)", strings.Join(fieldNames(required), ", ")))
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
	a := sendFields(c, o, maps.Clone(values), of.taken)
	of.first = cmp.Or(of.first, a)
	of.taken = of.taken || a.OK
	return a.OK
}

// sendPart sends the values of some fields, which need not be enough.
func sendPart(c Case, o *Object, values map[string]any, fields ...*spec.Field) *judge.Answer {
	body := map[string]any{}
	for _, f := range fields {
		body[f.Name] = values[f.Name]
	}
	return sendFields(c, o, body, false)
}

// sendFields sends an update, and checks for effects if it is refused. It has to be accepted if it gives every field a
// value, or if one like it was.
func sendFields(c Case, o *Object, values map[string]any, wasTaken bool) *judge.Answer {
	isMissing := func(f *spec.Field) bool { return values[f.Name] == nil }
	to := BeAccepted().Citing(o.Op.Clause)
	if !wasTaken && slices.ContainsFunc(o.Op.Body.Fields, isMissing) {
		to.Or(422, 400).Citing("ERR-4")
	}
	a := send(c, Request(c, o, Fields(values), Part), to)
	c.VerifyNoTraceOf(o)
	return a
}
