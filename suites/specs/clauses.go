package specs

import (
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/testcase"
)

// always are the clauses that every exchange of the case's class is judged by.
func (s *Specs) always(c *testcase.Case) []string {
	ids := []string{"HTTP-1", "HTTP-2"}
	switch c.Class {
	case testcase.Class401, testcase.Class403, testcase.Class404, testcase.Class422:
		ids = append(ids, "ERR-6", "ERR-7", "ERR-8", "ERR-9", "ERR-11", "ERR-12", "HTTP-3", "JSON-1", "JSON-2", "OPEN-3", "OPEN-5")
	case testcase.ClassSuccess:
		if c.Operation.Deletes() {
			ids = append(ids, "DELETE-2", "OPEN-4")
			break
		}
		ids = append(ids, "ERR-12", "HTTP-3", "JSON-1", "JSON-2", "OPEN-2", "OPEN-3", "OPEN-5", "OPEN-9", c.Operation.Clause)
		ids = append(ids, marked(c.Operation.Success)...)
	}
	if c.Open != "" {
		ids = append(ids, "OPEN-1")
		if _, pinned := s.target.Open[s.contract.OpenPoint(c.Open).Pin]; pinned {
			ids = append(ids, "PIN-1")
		}
	}
	return ids
}

// marked are the clauses that an object's schema names.
func marked(o *spec.Object) []string {
	if o == nil {
		return nil
	}
	var ids []string
	for _, f := range o.Fields {
		for _, id := range slices.Concat([]string{f.Clause}, marked(f.Object), marked(f.Items)) {
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// shown are the clauses of what an update shows.
func shown(op *spec.Operation) []string {
	return []string{op.Effects["identity"], op.Effects["shows"], op.Effects["stays"], op.Effects["updatedAt"]}
}

// walked are the clauses that the pages of a list are judged by.
func walked(op *spec.Operation) []string {
	return []string{
		op.PageClause("totalCount"), op.PageClause("page"), op.PageClause("totalPages"),
		op.Effects["members"], op.Effects["unique"], op.Effects["repeats"], held(op),
	}
}

// held is the clause of what a list of the owner's objects holds.
func held(op *spec.Operation) string {
	if op.Holds == "" {
		return ""
	}
	return op.Effects["holds"]
}

// listed are the clauses that a list is judged by, whatever the case is about.
func listed(op *spec.Operation) []string {
	return slices.Concat(marked(op.Success), []string{op.Clause}, walked(op))
}

// deleted are the clauses that a delete which succeeds is judged by.
func deleted(op *spec.Operation) []string {
	return []string{"DELETE-2", op.Effects["bodiless"], "OPEN-4"}
}
