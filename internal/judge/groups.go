package judge

import (
	"slices"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/spec"
)

// Groups merges the findings of all cases by their causes, see finding.Group.
func (b *Outcome) Groups(contract *spec.Contract) (findings []*finding.Finding, of map[*Finding]*finding.Finding) {
	times := func(clause, operation string) int {
		if n := b.coverage[about{clause, operation}]; n != nil {
			return n.Times
		}
		return 0
	}
	return finding.Group(contract, b.findings(), times)
}

func (b *Outcome) findings() (all []*Finding) {
	for _, r := range b.Results() {
		all = append(all, r.Findings...)
	}
	return all
}

// addNew appends a value to a list, unless it is empty or already there.
func addNew[T comparable](list *[]T, one T) {
	var empty T
	if one != empty && !slices.Contains(*list, one) {
		*list = append(*list, one)
	}
}
