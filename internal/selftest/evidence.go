package selftest

import (
	"strings"
	"sync"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// evidence is which statuses each operation answered with, as the wire had them. It
// knows nothing of what the suite made of the answers.
type evidence struct {
	contract *spec.Contract
	mu       sync.Mutex
	statuses map[string]map[int]bool // by operation
}

// record notes every exchange of a run.
func record(c *suites.Config) *evidence {
	e := &evidence{contract: c.Contract, statuses: map[string]map[int]bool{}}
	before := c.Record
	c.Record = func(ex *wire.Exchange) {
		if before != nil {
			before(ex)
		}
		e.add(ex)
	}
	return e
}

func (e *evidence) add(ex *wire.Exchange) {
	op := e.operation(&ex.Request)
	if op == nil || ex.Response == nil {
		return
	}
	id := op.ID
	if op.Method != ex.Request.Method {
		id += undeclared
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.statuses[id] == nil {
		e.statuses[id] = map[int]bool{}
	}
	e.statuses[id][ex.Response.Status] = true
}

// undeclared marks answers to other methods on the path of an operation, which show
// only that the server answers and does not fail.
const undeclared = ", another method"

func (e *evidence) operation(r *wire.Request) (found *spec.Operation) {
	for _, op := range e.contract.Operations {
		_, fits := op.Match(r.Path)
		switch {
		case fits && op.Method == r.Method:
			return op
		case fits:
			found = op
		}
	}
	return found
}

// unshown are the clauses that a report calls held for an operation of which no
// answer had a status that could show it.
func (e *evidence) unshown(r *report.Report) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var lines []string
	for i := range r.Clauses {
		c := &r.Clauses[i]
		op := e.contract.Operation(c.Operation)
		if c.Status != report.Held || op == nil {
			continue
		}
		shown := false
		for status := range e.statuses[op.ID] {
			shown = shown || judge.Met(c.ID, op, status)
		}
		shown = shown || strings.HasPrefix(c.ID, "HTTP-") && len(e.statuses[op.ID+undeclared]) > 0
		if !shown {
			lines = append(lines, c.Subject()+" is called held, and no answer of the operation could show it")
		}
	}
	return lines
}
