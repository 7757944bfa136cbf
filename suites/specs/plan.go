// Package specs is what is tested: each file holds one behaviour of the operations, as
// specs with gomega matchers. Plan makes cases of them, from the OpenAPI document and
// the target file, and sends nothing.
package specs

import (
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// behaviours stand in the order in which the cases of an operation are planned.
var behaviours = []Behaviour{
	acceptedUpdates, shownLists, pagesTogether, ownLists, shownObjects, deletesOfStrangers,
	authentication, permission, deletersAtOnce, notFound,
	malformedBodies, wrongFields, severalWrongFields, bounds,
	texts, openBodies, partialBodies, openLists, malformedIDs, undecodable, unusual,
	deletions, containers, deletedForGood,
	updatesShow, foreignUnchanged, fieldsAlone,
	usersInTurn, updatersAtOnce, readersAtOnce, twoUpdatesAtOnce, takenNames, twoListsAtOnce, twoReadsAtOnce,
	conditionalReads, readsAfterUpdates, randomSequences, unlistedInput,
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
