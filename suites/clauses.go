package suites

import (
	"cmp"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// A subject is a clause on an operation.
type subject struct{ clause, operation string }

// coverage holds what a run planned, judged and found, by clause and operation.
type coverage struct {
	contract *spec.Contract
	aims     map[subject][]*judge.Case // the cases that aim at the subject
	judged   map[subject]*judge.Judged
	broken   map[subject]bool
	results  map[*judge.Case]*judge.Result
}

// clauseStates returns for each clause and each of its operations whether it held, was broken, or was not
// tested, and why. The operations of a clause are its own, and each on which a case aims at it, or on
// which it was judged or found broken.
func clauseStates(contract *spec.Contract, plan []*judge.Case, s *judge.Outcome) []report.Clause {
	c := coverage{
		contract, aims(contract, plan), map[subject]*judge.Judged{}, map[subject]bool{}, map[*judge.Case]*judge.Result{},
	}
	for _, j := range s.Judged() {
		c.judged[subject{j.Clause, j.Operation}] = j
	}
	for _, r := range s.Results() {
		c.results[r.Case] = r
		for _, f := range r.Findings {
			if f.Severity != oracle.Notice || !f.Counts() || f.Basis == spec.Chosen {
				c.broken[subject{f.Clause, f.Operation}] = true
			}
		}
	}
	operations := []string{report.AllOperations}
	for _, op := range contract.Operations {
		operations = append(operations, op.ID)
	}
	var states []report.Clause
	for _, cl := range contract.Clauses {
		before := len(states)
		for _, operation := range operations {
			own, at := operation == cl.Operation && operation != report.AllOperations, subject{cl.ID, operation}
			if own || c.judged[at] != nil || len(c.aims[at]) > 0 || c.broken[at] {
				states = append(states, c.state(cl, operation))
			}
		}
		if len(states) == before {
			states = append(states, c.state(cl, cl.Operation))
		}
	}
	return states
}

// aims returns the cases that aim at each clause on an operation: the operation of the clause if it
// is about one, otherwise that of the case.
func aims(contract *spec.Contract, plan []*judge.Case) map[subject][]*judge.Case {
	all := map[subject][]*judge.Case{}
	for _, cs := range plan {
		for _, id := range cs.Clauses {
			at := subject{id, cs.Operation.ID}
			if cl := contract.Clause(id); cl != nil && (cl.Operation != report.AllOperations || cl.Relates()) {
				at.operation = cl.Operation
			}
			all[at] = append(all[at], cs)
		}
	}
	return all
}

func (c *coverage) state(cl *spec.Clause, operation string) report.Clause {
	at := subject{cl.ID, operation}
	state := report.Clause{ID: cl.ID, Operation: operation, Basis: cl.Basis, Source: cl.Source, Text: cl.Text, Status: report.Held}
	hidden := ""
	if n := c.judged[at]; n != nil {
		state.Cases, hidden = len(n.Cases), n.Hidden
	}
	switch {
	case c.broken[at]:
		state.Status = report.Broken
		state.Cases = max(state.Cases, 1)
	case hidden != "":
		state.Status, state.Reason, state.Cause = report.NotTested, hidden, judge.ByTarget
	case state.Cases == 0:
		state.Status = report.NotTested
		state.Reason, state.Cause = c.whyNot(at)
	}
	return state
}

// whyNot returns why no case judged a clause: the operator left cases out, or one ran but the target
// did not meet the premise, or a key of the target file that all these cases need is missing.
func (c *coverage) whyNot(at subject) (string, judge.Cause) {
	reason, cause := "no case of this plan judges it", judge.ByTarget
	ran, missing := false, ""
	for _, cs := range c.aims[at] {
		r := c.results[cs]
		switch {
		case r == nil:
			return "its cases were not run", judge.ByOperator
		case r.Status != judge.NotTested:
			ran = true
		case r.Missing:
			missing = cmp.Or(missing, r.Reason)
		case r.Cause == judge.ByOperator:
			return r.Reason, r.Cause
		case r.Reason != "":
			reason, cause = r.Reason, r.Cause
		}
	}
	switch {
	case ran:
		return c.contract.Clause(at.clause).Unmet, judge.ByTarget
	case missing != "":
		return missing, judge.ByOperator
	}
	return reason, cause
}
