package spec

import (
	"maps"
	"slices"
)

// EditionDiff is what counts in one edition and not, or otherwise, in another.
type EditionDiff struct {
	From      string             `json:"from"`
	To        string             `json:"to"`
	Clauses   ListDiff           `json:"clauses"`
	Checks    ListDiff           `json:"checks"`
	Cases     ListDiff           `json:"cases"`
	Contested map[string]Contest `json:"contested"` // clauses that are only in the second
}

// ListDiff is how two lists differ.
type ListDiff struct {
	Added   []string       `json:"added"`
	Removed []string       `json:"removed"`
	Changed []EditionDatum `json:"changed"`
}

// EditionDatum is what differs of a clause, its basis, or of a case, the digest of what it means.
type EditionDatum struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
}

// None says whether nothing differs.
func (d *EditionDiff) None() bool {
	return d.Clauses.none() && d.Checks.none() && d.Cases.none() && len(d.Contested) == 0
}

func (d ListDiff) none() bool { return len(d.Added)+len(d.Removed)+len(d.Changed) == 0 }

// Diff says how another edition differs from this one.
func (e *Edition) Diff(other *Edition) *EditionDiff {
	d := &EditionDiff{
		From: e.Name, To: other.Name, Contested: map[string]Contest{},
		Clauses: diffLists(e.counting(e.clauseTexts()), other.counting(other.clauseTexts())),
		Checks:  diffLists(e.counting(e.checkTexts()), other.counting(other.checkTexts())),
		Cases:   diffLists(e.counting(e.Cases), other.counting(other.Cases)),
	}
	for id, contest := range other.Contested {
		if _, already := e.Contested[id]; !already {
			d.Contested[id] = contest
		}
	}
	return d
}

func (e *Edition) clauseTexts() map[string]string {
	texts := map[string]string{}
	for id, basis := range e.Clauses {
		texts[id] = string(basis)
	}
	return texts
}

func (e *Edition) checkTexts() map[string]string {
	texts := map[string]string{}
	for _, id := range e.Checks {
		texts[id] = ""
	}
	return texts
}

// counting leaves out what is provisional.
func (e *Edition) counting(list map[string]string) map[string]string {
	left := maps.Clone(list)
	maps.DeleteFunc(left, func(id, _ string) bool { return e.Provisional[id] != "" })
	return left
}

func diffLists(a, b map[string]string) ListDiff {
	d := ListDiff{Added: []string{}, Removed: []string{}, Changed: []EditionDatum{}}
	for _, id := range slices.Sorted(maps.Keys(b)) {
		switch was, known := a[id]; {
		case !known:
			d.Added = append(d.Added, id)
		case was != b[id]:
			d.Changed = append(d.Changed, EditionDatum{id, was, b[id]})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a)) {
		if _, known := b[id]; !known {
			d.Removed = append(d.Removed, id)
		}
	}
	return d
}
