// Package specs is what is tested: each file holds one behaviour of the operations, as
// specs with gomega matchers. Plan makes cases of them, from the OpenAPI document and
// the target file, and sends nothing.
package specs

import (
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// behaviours stand in the order in which the cases of an operation are planned.
var behaviours = []Behaviour{
	acceptedUpdates, shownLists, pagesTogether, ownLists, shownObjects, deletesOfStrangers,
	authentication, permission, deletersAtOnce, notFound,
	malformedBodies, wrongFields, severalWrongFields, bounds,
	texts, openBodies, partialBodies, openLists, malformedIDs, undecodable, unusual, wear,
	deletions, containers, deletedForGood,
	updatesShow, foreignUnchanged, fieldsAlone,
	usersInTurn, updatersAtOnce, readersAtOnce, twoUpdatesAtOnce, takenNames, twoListsAtOnce, twoReadsAtOnce,
	conditionalReads, readsAfterUpdates, datesMove, randomSequences, unlistedInput,
}

// Plan lists the cases for a target in the order in which they are sent. The same
// contract, target and depth give the same plan.
func Plan(c *spec.Contract, target *fixtures.Target, depth judge.Depth) []*judge.Case {
	plan := slices.DeleteFunc(every(c, target), func(c *judge.Case) bool { return c.Depth > depth })
	for i, c := range plan {
		c.Place = i
	}
	return plan
}

func every(c *spec.Contract, target *fixtures.Target) []*judge.Case {
	s := &Specs{Contract: c, Target: target}
	for _, op := range inOrder(c.Operations) {
		s.Op = op
		for _, b := range behaviours {
			if b.Of(op) {
				b.Specs(s, op)
			}
		}
	}
	for _, op := range c.Operations { // when all others have been sent
		if s.Op = op; atRest.Of(op) {
			atRest.Specs(s, op)
		}
	}
	for _, op := range c.Operations {
		s.Op = op
		wrongKeysLast.Specs(s, op)
	}
	return s.Cases
}

// inOrder puts what only reads first, so that keys and objects are known before
// anything may change, and deletes last: what they remove is needed before.
func inOrder(ops []*spec.Operation) []*spec.Operation {
	turn := func(op *spec.Operation) int {
		switch {
		case op.Deletes():
			return 2
		case op.Updates():
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(ops), func(a, b *spec.Operation) int { return turn(a) - turn(b) })
}

// FirstOf is the case of a list that is the first to send its plain request as a
// user: owner, stranger or none.
func FirstOf(op *spec.Operation, user string) string {
	switch user {
	case "stranger":
		return op.ID + "/403/stranger"
	case "none":
		return op.ID + "/401/no-key"
	}
	return op.ID + "/success/ordinary"
}

// Check says of which field of a request no valid value can be made: then no case
// of its operation could be sent.
func Check(c *spec.Contract) error {
	fake := fixtures.New(0, "check")
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
	for _, b := range Bounds(f) {
		sent[fmt.Sprint(b.states, b.Right)] = true
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
