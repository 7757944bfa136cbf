package engine

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A subject is a clause on an operation.
type subject struct{ clause, operation string }

// clauseStates returns for each clause and each of its operations whether it held, was broken, or was not
// tested, and why. The operations of a clause are its own, and each on which a case aims at it, or on
// which it was judged or found broken.
func clauseStates(contract *spec.Contract, plan []*judge.Case, s *judge.Outcome) []report.Clause {
	aims, results := aims(contract, plan), map[*judge.Case]*judge.Result{}
	judged, broken := map[subject]*judge.Judged{}, map[subject]bool{}
	for _, j := range s.Judged() {
		judged[subject{j.Clause, j.Operation}] = j
	}
	for _, r := range s.Results() {
		results[r.Case] = r
		for _, f := range r.Findings {
			if f.Severity != report.Notice || f.Basis == spec.Chosen {
				broken[subject{f.Clause, f.Operation}] = true
			}
		}
	}
	operations := []string{report.AllOperations}
	for _, op := range contract.Operations {
		operations = append(operations, op.ID)
	}
	var states []report.Clause
	for _, cl := range contract.Clauses {
		of := slices.DeleteFunc(slices.Clone(operations), func(operation string) bool {
			own, at := operation == cl.Operation && operation != report.AllOperations, subject{cl.ID, operation}
			return !own && judged[at] == nil && len(aims[at]) == 0 && !broken[at]
		})
		if len(of) == 0 {
			of = []string{cl.Operation}
		}
		for _, operation := range of {
			at := subject{cl.ID, operation}
			state := report.Clause{
				ID: cl.ID, Operation: operation, Basis: cl.Basis, Source: cl.Source, Text: cl.Text, Status: report.Held,
			}
			n := cmp.Or(judged[at], &judge.Judged{})
			switch state.Cases = len(n.Cases); {
			case broken[at]:
				state.Status, state.Cases = report.Broken, max(state.Cases, 1)
			case n.Hidden != "":
				state.Status, state.Reason, state.Cause = report.NotTested, n.Hidden, judge.ByTarget
			case state.Cases == 0:
				state.Status = report.NotTested
				state.Reason, state.Cause = whyNot(cl, aims[at], results)
			}
			states = append(states, state)
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

// whyNot returns why none of the cases that aim at a clause judged it: the operator left cases out, or one ran but the
// target did not meet the premise, or a key of the target file that all these cases need is missing.
func whyNot(cl *spec.Clause, aiming []*judge.Case, results map[*judge.Case]*judge.Result) (string, judge.Cause) {
	reason, cause := "no case of this plan judges it", judge.ByTarget
	ran, missing := false, ""
	for _, cs := range aiming {
		r := results[cs]
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
		return cl.Unmet, judge.ByTarget
	case missing != "":
		return missing, judge.ByOperator
	}
	return reason, cause
}
