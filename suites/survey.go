package suites

import (
	"context"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
)

// survey looks whether base URL and keys can be used, before anything else is sent.
func (e *Execution) survey(ctx context.Context) {
	if e.mistake != "" || !slices.ContainsFunc(e.plan, e.config.has) || e.config.Budget != (Budget{}) && !e.takesFirst() {
		return
	}
	s := e.session
	for _, k := range doctor.FirstLook(ctx, s, e.operations, e.config.firstOf) {
		switch text := k.Need + ": " + k.Detail; {
		case k.Stops:
			e.mistake = text
			return
		case k.Status == doctor.Unchecked:
			e.unsure = text
		}
	}
	if s.OwnerRefused(ctx, e.operations) {
		e.keyRefused.Store(true)
	}
}

// takesFirst says whether a case of the run takes the answers of the first look: a budget
// has no requests for others.
func (e *Execution) takesFirst() bool {
	return slices.ContainsFunc(e.plan, func(cs *testcase.Case) bool { return cs.ID == specs.FirstTurn(cs.Operation) && cs.Operation.Lists() })
}

// firstOf is the case that takes the first answer to a user.
func (c *Config) firstOf(op *spec.Operation, user string) string {
	if c.Budget != (Budget{}) {
		return specs.FirstTurn(op)
	}
	return specs.FirstOf(op, user)
}
