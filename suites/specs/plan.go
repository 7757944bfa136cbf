// Package specs defines what is tested: each file holds one behaviour of the operations, as
// specs with gomega matchers. Plan derives cases from them, from the OpenAPI document and
// the target file, and sends nothing.
package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// kinds lists the kinds of operations and their behaviours, in the order in which the cases are planned. Cases that
// only read come first, so that keys and objects are known before anything may change, and deletes come last, as other
// cases need what they remove. After them come those that look at what all others left.
var kinds = []struct {
	are  func(*spec.Operation) bool
	test []behaviour
}{
	{(*spec.Operation).Lists, []behaviour{
		shownLists, pagesTogether, ownLists, authentication, guarded, permission, notFound, openLists, malformedIDs, undecodable,
		wear, usersInTurn, usersAtOnce, twoReadsAtOnce, conditionalReads, randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Reads, []behaviour{
		shownObjects, authentication, permission, notFound, malformedIDs, undecodable, wear,
		usersInTurn, usersAtOnce, twoReadsAtOnce, readsAfterUpdates, randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Updates, []behaviour{
		acceptedUpdates, authentication, permission, notFound, malformedBodies, wrongFields, severalWrongFields,
		texts, openBodies, partialBodies, malformedIDs, undecodable, wear, updatesShow, foreignUnchanged, fieldsAlone,
		usersInTurn, usersAtOnce, twoUpdatesAtOnce, takenNames, datesMove, randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Deletes, []behaviour{
		deletesOfStrangers, authentication, usersAtOnce, notFound, malformedIDs, undecodable, wear,
		deletions, containers, deletedForGood, randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Updates, []behaviour{atRest}},
	{func(*spec.Operation) bool { return true }, []behaviour{wrongKeysLast}},
}

// behaviour registers the cases of an operation that test one thing.
type behaviour func(s *Specs, op *spec.Operation)

// Plan lists the cases for a target in the order in which they are sent. The same
// contract, target and depth give the same plan.
func Plan(c *spec.Contract, target *fixtures.Target, depth judge.Depth) []*judge.Case {
	s := &Specs{Contract: c, Target: target, sent: map[step]bool{}}
	for _, kind := range kinds {
		for _, s.Op = range operations(c, kind.are) {
			for _, register := range kind.test {
				register(s, s.Op)
			}
		}
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

// FirstOf returns the first case of a list that sends its plain request as a user: owner, stranger or none.
func FirstOf(op *spec.Operation, user string) string {
	first := map[string]string{"owner": "/success/ordinary", "stranger": "/403/stranger", "none": "/401/no-key"}
	return op.ID + first[user]
}

// Check returns an error if no valid value can be generated for a field, so that its operation could not be tested.
func Check(c *spec.Contract) error {
	fake := fixtures.New(0, "check", nil)
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

// Unused lists, in words, what the document states about request bodies but no case uses.
func Unused(c *spec.Contract) (all []string) {
	for _, op := range c.Operations {
		if op.Body == nil {
			continue
		}
		all = append(all, unusedOf(op.Body.Schema, " of the request body of "+op.ID)...)
		for _, f := range op.Body.Fields {
			all = append(all, unusedOf(f.Schema, " of "+op.ID+"."+f.Name)...)
		}
	}
	return all
}

// constraints are the keywords by which a schema limits what a request may send.
var constraints = strings.Fields("additionalProperties allOf anyOf format maxLength maxProperties maximum minLength minProperties " +
	"minimum multipleOf not oneOf pattern")

// unusedOf returns the constraints of a schema, except those that rule nothing out.
func unusedOf(s *openapi3.Schema, place string) (all []string) {
	more := s.AdditionalProperties.Has
	free := map[string]bool{"format": s.Format == "int64" || s.Format == "int32", "additionalProperties": more != nil && *more}
	stated, _ := s.MarshalYAML()
	for _, keyword := range constraints {
		if _, is := stated.(map[string]any)[keyword]; is && !free[keyword] {
			all = append(all, keyword+place)
		}
	}
	return all
}
