package load

import (
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
)

// Virtual users and rounds make up values of their own, or an answer that was meant for
// another virtual user would look right.
func TestEveryRoundHasASeedOfItsOwn(t *testing.T) {
	contract := reftest.Contract(t)
	r := newRun(Options{Contract: contract, Target: &fixtures.Target{}, Seed: 7, Demand: Demand{VirtualUsers: 3}})
	seeds := map[uint64]bool{}
	for range 3 {
		for _, l := range r.users {
			s := l.session()
			for repeat := range uint64(3) { // a session repeats cases with the seeds after its own
				if seeds[s.Model.Seed+repeat] {
					t.Errorf("lane %d uses seed %d a second time", l.index, s.Model.Seed+repeat)
				}
				seeds[s.Model.Seed+repeat] = true
			}
		}
	}
}
