package main

import (
	"math/bits"
	"slices"
)

func median(values []int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return float64(sorted[(len(sorted)-1)/2]+sorted[len(sorted)/2]) / 2
}

// effect is the effect size of Vargha and Delaney: how often a value of a is greater
// than one of b, where a tie counts half.
func effect(a, b []int) float64 {
	greater := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				greater++
			case x == y:
				greater += 0.5
			}
		}
	}
	return greater / float64(len(a)*len(b))
}

// mannWhitney is the exact two-sided p of the U test, over all ways to divide the
// values; few enough for a dozen of them.
func mannWhitney(a, b []int) float64 {
	values := slices.Concat(a, b)
	distance := func(a, b []int) float64 { return max(effect(a, b), effect(b, a)) }
	seen, as, all := distance(a, b), 0, 0
	for set := range uint(1) << len(values) {
		if bits.OnesCount(set) != len(a) {
			continue
		}
		var first, second []int
		for i, value := range values {
			if set>>i&1 == 1 {
				first = append(first, value)
			} else {
				second = append(second, value)
			}
		}
		all++
		if distance(first, second) >= seen {
			as++
		}
	}
	return float64(as) / float64(all)
}
