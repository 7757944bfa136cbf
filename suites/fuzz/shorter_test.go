package fuzz

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/reftest"
)

// length is what a shorter input has less of.
func (in Input) length() int {
	n := 0
	for _, m := range in.Mutations {
		n += 1<<40 + utf8.RuneCountInString(m.Text) + m.N
	}
	return n
}

// Whatever shows the same and whatever does not: shrinking ends, never grows, and keeps to the
// classes.
func TestShorterInputsAreShorter(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	random := rand.New(rand.NewPCG(1, 1))
	f := New(contract.Operations, 5, 0, nil, false)
	for _, in := range inTurn(f, contract.Operations, 2000) {
		var of []string
		for _, m := range in.Mutations {
			of = append(of, m.Class)
		}
		for all := in.Shorter(); len(all) > 0; all = in.Shorter() {
			for _, one := range all {
				if one.length() >= in.length() || one.Operation != in.Operation || len(one.Mutations) == 0 {
					t.Fatalf("%s is shrunk to %s", in, one)
				}
				for _, m := range one.Mutations {
					if !slices.Contains(of, m.Class) {
						t.Fatalf("%s is shrunk to %s", in, one)
					}
				}
			}
			in = all[random.IntN(len(all))]
		}
	}
}
