// Package k6 writes the plan of a run as a script for k6, whose operator spreads
// load over a cluster.
//
// A case is a function that reacts to answers, so its requests become known by
// running it: [New] does that against a simulated target. [Script.Write]
// writes what was sent, with as much of what the contract says of each answer as
// can be said of that answer alone.
package k6

import (
	"context"
	"errors"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/testcase"
)

// Options say what a script is made of.
type Options struct {
	// Config has the contract, the seed, and as Target a simulated target
	// that answers and may be changed: see fixtures.Target.Simulated.
	Config *suites.Config
	// Cases are those that are wanted, in the order of the plan.
	Cases []*testcase.Case
	// Target is the target itself, of which the script has the name, the limits and
	// the key header. Nothing is sent to it.
	Target *fixtures.Target
}

// Script is the plan as requests.
type Script struct {
	Reading []Case   // change nothing on a target that conforms: in any number of VUs
	Writing [][]Case // by set of objects, with one VU each
	Changed []Object // by Writing, as teardown puts them back

	UsedUp  int // cases left out because they delete, or use up what a run has once
	Lacking int // cases left out because the target file lacks what they need

	texts   []string // bodies that several requests have, see share
	options Options
}

// ErrNothingLeft says that no case of the selection can be sent again and again.
var ErrNothingLeft = errors.New("no case of the selection can be sent again and again: " +
	"the selected cases delete, or need what the target file lacks")

// New finds out what the cases send on each set of objects. It is an error when ctx ends,
// when the simulated target does not answer, and when no case is left: [ErrNothingLeft].
func New(ctx context.Context, o Options) (*Script, error) {
	s := &Script{options: o}
	wanted := o.Cases
	changed := changes{}
	for set := range 1 {
		r, err := run(ctx, o.Config, set, wanted)
		if err != nil {
			return nil, err
		}
		var writing []Case
		wanted = nil
		for _, c := range r.cases {
			switch {
			case !c.writes && set > 0:
			case !c.writes:
				s.Reading = append(s.Reading, c.Case)
			case changed.take(set, c):
				writing = append(writing, c.Case)
				wanted = append(wanted, c.plan)
			}
		}
		if set == 0 {
			s.UsedUp, s.Lacking = r.usedUp, r.lacking
		}
		if len(writing) == 0 {
			break
		}
		s.Writing = append(s.Writing, writing)
	}
	if len(s.Reading)+len(s.Writing) == 0 {
		return nil, ErrNothingLeft
	}
	s.Changed = []Object{}
	for _, c := range changed {
		s.Changed = append(s.Changed, c.back())
	}
	s.share()
	return s, nil
}

// Requests is the number of requests of the cases, each sent once on each set of objects.
func (s *Script) Requests() (n int) {
	for range s.steps {
		n++
	}
	return n
}

// steps are the requests of all cases.
func (s *Script) steps(yield func(*Step) bool) {
	for _, cases := range append(slices.Clone(s.Writing), s.Reading) {
		for _, c := range cases {
			for i := range c.Steps {
				if !yield(&c.Steps[i]) {
					return
				}
			}
		}
	}
}
