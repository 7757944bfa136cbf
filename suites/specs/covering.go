package specs

import (
	"cmp"
	"slices"
)

// A covering is the rows and the pairs of rows that requests were made of.
type covering struct {
	requests int
	rows     map[*row]int // in how many requests
	pairs    map[[2]*row]bool
}

func newCovering() *covering { return &covering{rows: map[*row]int{}, pairs: map[[2]*row]bool{}} }

// note adds a request.
func (v *covering) note(m mix) {
	v.requests++
	for i, r := range m {
		v.rows[r]++
		for _, other := range m[i+1:] {
			v.pairs[[2]*row{r, other}] = true
		}
	}
}

// next returns a mix with a row that no request had, and with as many new pairs as it can have besides; nil if there is
// no such row. It chooses only rows for which may is true. Mixes that are noted in turn cover all rows, a row of the
// largest dimension each time, and most pairs of small dimensions.
func (v *covering) next(dimensions []dimension, may func(*row) bool) mix {
	chosen, left := make(mix, len(dimensions)), make([]int, len(dimensions))
	var order []int
	for i, d := range dimensions {
		order = append(order, i)
		for _, r := range d.rows {
			if may(r) && v.rows[r] == 0 {
				left[i]++
			}
		}
	}
	// The dimension with the most rows left comes first, since it decides how many mixes there are.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(left[b], left[a]) })
	if left[order[0]] == 0 {
		return nil
	}
	for _, i := range order {
		// One row may hide the effect of another, so a dimension without rows left takes part in every second mix only.
		if left[i] > 0 || (v.requests+i)%2 == 0 {
			chosen[i] = v.best(dimensions[i].rows, chosen, may)
		}
	}
	return slices.DeleteFunc(chosen, func(r *row) bool { return r == nil })
}

// covered returns mixes that together have each row for which may is true.
func covered(dimensions []dimension, may func(*row) bool) (all []mix) {
	v := newCovering()
	for m := v.next(dimensions, may); m != nil; m = v.next(dimensions, may) {
		v.note(m)
		all = append(all, m)
	}
	return all
}

// best returns the row that adds the most to the rows chosen so far, of several the one that was sent least; nil if
// each clashes with one of them.
func (v *covering) best(rows []*row, chosen mix, may func(*row) bool) (best *row) {
	const unsent = 1000 // a row that was never sent counts for more than any number of pairs
	most := -1
	for _, r := range rows {
		clashes := func(other *row) bool { return other != nil && r.clashes(other) }
		if !may(r) || slices.ContainsFunc(chosen, clashes) {
			continue
		}
		adds := 0
		if v.rows[r] == 0 {
			adds = unsent
		}
		for _, other := range chosen {
			if other != nil && !v.has(r, other) {
				adds++
			}
		}
		if best == nil || adds > most || adds == most && v.rows[r] < v.rows[best] {
			best, most = r, adds
		}
	}
	return best
}
