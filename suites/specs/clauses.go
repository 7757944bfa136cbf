package specs

import (
	"slices"

	"github.com/adconform/adconform/spec"
)

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
	return slices.Concat(op.Success.Clauses(), []string{op.Clause}, walked(op))
}

// deleted are the clauses that a delete which succeeds is judged by.
func deleted(op *spec.Operation) []string {
	return []string{"DELETE-2", op.Effects["bodiless"], "OPEN-4"}
}
