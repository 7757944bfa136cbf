package main

import (
	"math"
	"math/bits"
	"slices"
)

func median(values []int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return float64(sorted[(len(sorted)-1)/2]+sorted[len(sorted)/2]) / 2
}

// interval is Wilson's: between which shares the one of all is, with a confidence of 95 %,
// when k of n drawn by chance have it. A median may end in a half.
func interval(k float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	share, of := k/float64(n), float64(n)
	middle := share + z*z/(2*of)
	reach := z * math.Sqrt(share*(1-share)/of+z*z/(4*of*of))
	return max(0, (middle-reach)/(1+z*z/of)), min(1, (middle+reach)/(1+z*z/of))
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
