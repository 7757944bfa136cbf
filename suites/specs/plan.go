// Package specs is what is tested: each file holds one behaviour of the operations, as
// specs with gomega matchers. Plan makes cases of them, from the OpenAPI document and
// the target file, and sends nothing.
package specs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// behaviours are what the operations of a kind have to do, in the order in which the cases of one
// operation are planned.
var (
	ofUpdates = []behaviour{
		acceptedUpdates, authentication, permission, notFound, malformedBodies, wrongFields, severalWrongFields, bounds,
		texts, openBodies, partialBodies, malformedIDs, undecodable, unusual, wear, updatesShow, foreignUnchanged, fieldsAlone,
		usersInTurn, updatersAtOnce, twoUpdatesAtOnce, takenNames, datesMove, randomSequences, unlistedInput,
	}
	ofLists = []behaviour{
		shownLists, pagesTogether, ownLists, authentication, permission, notFound, openLists, malformedIDs, undecodable, unusual,
		wear, usersInTurn, readersAtOnce, twoListsAtOnce, conditionalReads, unlistedInput,
	}
	ofReads = []behaviour{
		shownObjects, authentication, permission, notFound, malformedIDs, undecodable, unusual, wear,
		usersInTurn, readersAtOnce, twoReadsAtOnce, readsAfterUpdates, unlistedInput,
	}
	ofDeletes = []behaviour{
		deletesOfStrangers, authentication, deletersAtOnce, notFound, malformedIDs, undecodable, unusual, wear,
		deletions, containers, deletedForGood, unlistedInput,
	}
)

// behaviour registers the cases of an operation that are about one thing.
type behaviour func(s *Specs, op *spec.Operation)

// Plan lists the cases for a target in the order in which they are sent. The same
// contract, target and depth give the same plan.
func Plan(c *spec.Contract, target *fixtures.Target, depth judge.Depth) []*judge.Case {
	s := &Specs{Contract: c, Target: target}
	register := func(op *spec.Operation, all ...behaviour) {
		s.Op = op
		for _, register := range all {
			register(s, op)
		}
	}
	updates := operations(c, (*spec.Operation).Updates)
	// What only reads comes first, so that keys and objects are known before anything may
	// change, and deletes last: what they remove is needed before.
	for _, op := range operations(c, func(op *spec.Operation) bool { return op.Lists() || op.Reads() }) {
		if op.Lists() {
			register(op, ofLists...)
		} else {
			register(op, ofReads...)
		}
	}
	for _, op := range updates {
		register(op, ofUpdates...)
	}
	for _, op := range operations(c, (*spec.Operation).Deletes) {
		register(op, ofDeletes...)
	}
	for _, op := range updates { // when all others have been sent
		register(op, atRest)
	}
	for _, op := range c.Operations {
		register(op, wrongKeysLast)
	}
	plan := slices.DeleteFunc(s.Cases, func(c *judge.Case) bool { return c.Depth > depth })
	for i, c := range plan {
		c.Place = i
	}
	return plan
}

func operations(c *spec.Contract, are func(*spec.Operation) bool) []*spec.Operation {
	return slices.DeleteFunc(slices.Clone(c.Operations), func(op *spec.Operation) bool { return !are(op) })
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
	add := func(place, of string, keywords []string) {
		for _, keyword := range keywords {
			all = append(all, keyword+place+of)
		}
	}
	for _, op := range c.Operations {
		if op.Body != nil {
			add(" of the request body of ", op.ID, unusedOfObject(op.Body.Schema))
			for _, f := range op.Body.Fields {
				add(" of ", op.ID+"."+f.Name, unusedOfField(f))
			}
		}
		add(" in answers of ", op.ID, unusedFormats(op.Success))
	}
	return all
}

// unusedOf are those of these keywords, and of those that no field may have, that a schema states.
func unusedOf(s *openapi3.Schema, stated map[string]bool) []string {
	stated["allOf"], stated["anyOf"], stated["oneOf"], stated["not"] = len(s.AllOf) > 0, len(s.AnyOf) > 0, len(s.OneOf) > 0, s.Not != nil
	maps.DeleteFunc(stated, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(stated))
}

// unusedOfObject are keywords that are about a request body as a whole.
func unusedOfObject(s *openapi3.Schema) []string {
	return unusedOf(s, map[string]bool{
		"minProperties": s.MinProps > 0, "maxProperties": s.MaxProps != nil, "additionalProperties": s.AdditionalProperties.Schema != nil,
	})
}

// unusedOfField are keywords for a field of a request for which no value at their
// bound, or none beyond it, is sent.
func unusedOfField(f *spec.Field) []string {
	s := f.Schema
	stated := map[string]bool{
		"minLength": s.MinLength > 0, "maxLength": s.MaxLength != nil, "minimum": s.Min != nil, "maximum": s.Max != nil,
		"pattern": s.Pattern != "", "multipleOf": s.MultipleOf != nil, "format": s.Format != "" && s.Format != "int64" && s.Format != "int32",
	}
	sent := map[string]int{"pattern": 1, "multipleOf": 1} // that an ordinary value keeps to these is no case of its own
	for _, b := range fieldBounds(f) {
		if sent[b.states]++; sent[b.states] == 2 {
			delete(stated, b.states)
		}
	}
	return unusedOf(s, stated)
}

// unusedFormats are formats of answers that nobody judges.
func unusedFormats(o *spec.Object) []string {
	if o == nil {
		return nil
	}
	var all []string
	for _, f := range o.Fields {
		format := f.Schema.Format
		if _, judged := openapi3.SchemaStringFormats[format]; format != "" && !judged && !f.URL && !f.Numbers() {
			all = append(all, fmt.Sprintf("format %s of %s", format, f.Name))
		}
		all = append(all, append(unusedFormats(f.Object), unusedFormats(f.Items)...)...)
	}
	return all
}
