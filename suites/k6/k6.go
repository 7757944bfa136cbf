// Package k6 writes the plan of a run as a script for k6, whose operator spreads
// load over a cluster.
//
// A case is a function that reacts to answers, so its requests become known by
// running it: [New] does that against a stand-in of the target. [Script.Write]
// writes what was sent, with as much of what the contract says of each answer as
// can be said of that answer alone.
package k6

import (
	"context"
	"errors"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
)

// Options say what a script is made of.
type Options struct {
	// Config has the contract, the seed, and as Target a stand-in of the target
	// that answers and may be changed: see fixtures.Target.Simulated.
	Config *suites.Config
	// Cases are those that are wanted, in the order of the plan.
	Cases []*judge.Case
	// Target is the target itself, of which the script has the name, the limits and
	// the key header. Nothing is sent to it.
	Target *fixtures.Target
}

// Script is the plan as requests.
type Script struct {
	Reading []Case   // change nothing on a target that conforms: in any number of VUs
	Writing [][]Case // by lane: in one VU each, on objects of the lane's own
	Changed []Object // by Writing, as teardown puts them back

	UsedUp  int // cases left out because they delete, or use up what a run has once
	Lacking int // cases left out because the target file lacks what they need

	texts   []string // bodies that several requests have, see share
	options Options
}

// ErrNothingLeft says that no case of the selection can be sent again and again.
var ErrNothingLeft = errors.New("no case of the selection can be sent again and again: the selected cases delete, or need what the target file lacks")

// New finds out what the cases send, lane by lane. It is an error when ctx ends,
// when the stand-in does not answer, and when no case is left: [ErrNothingLeft].
func New(ctx context.Context, o Options) (*Script, error) {
	s := &Script{options: o}
	wanted := o.Cases
	changed := changes{}
	for lane := range len(o.Config.Target.Lanes) + 1 {
		r, err := run(ctx, o.Config, lane, wanted)
		if err != nil {
			return nil, err
		}
		var writing []Case
		wanted = nil
		for _, c := range r.cases {
			switch {
			case !c.writes && lane > 0:
			case !c.writes:
				s.Reading = append(s.Reading, c.Case)
			case changed.take(lane, c):
				writing = append(writing, c.Case)
				wanted = append(wanted, c.plan)
			}
		}
		if lane == 0 {
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
	s.Changed = changed.objects()
	s.share()
	return s, nil
}

// Requests is the number of requests of the cases, each sent once in each lane.
func (s *Script) Requests() int {
	n := requests(s.Reading)
	for _, cases := range s.Writing {
		n += requests(cases)
	}
	return n
}

func requests(cases []Case) (n int) {
	for _, c := range cases {
		n += len(c.Steps)
	}
	return n
}
