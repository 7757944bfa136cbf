package session

import (
	"testing"
	"time"

	"github.com/adconform/adconform/internal/wire"
)

// An operation whose reads showed changes late is not judged where a run has no pauses left, but it is after a read
// that did not show a change in time.
func TestGiveUp(t *testing.T) {
	for name, test := range map[string]struct {
		isLate, isNever bool
		hasTime, want   bool
	}{
		"never late, in time":            {hasTime: true},
		"never late":                     {},
		"late before":                    {isLate: true, hasTime: true, want: true},
		"late before, out of time":       {isLate: true},
		"late, and once not in time":     {isLate: true, isNever: true, hasTime: true},
		"not in time, and no pause left": {isNever: true, hasTime: true},
	} {
		l := &lag{late: map[string]bool{"a": test.isLate}, never: map[string]bool{"a": test.isNever}}
		if got := l.giveUp("a", test.hasTime); got != test.want || l.never["a"] == got {
			t.Errorf("%s: undecided %t, want %t; never again %t", name, got, test.want, l.never["a"])
		}
		if pause := l.take("a", time.Now(), firstPause); (pause == 0) != l.never["a"] {
			t.Errorf("%s: then pauses %s", name, pause)
		}
	}
}

// A server that answered two of five requests in at most four seconds needs six more for the rest, and four in case its
// pace is not even.
func TestDrainOf(t *testing.T) {
	answered := func(seconds int) *wire.Exchange {
		return &wire.Exchange{Duration: time.Duration(seconds) * time.Second}
	}
	lost := &wire.Exchange{Duration: time.Second, Err: new(wire.TransportError)}
	for _, test := range []struct {
		exchanges []*wire.Exchange
		want      time.Duration
	}{
		{[]*wire.Exchange{answered(1), answered(4), lost, lost, lost}, 10 * time.Second},
		{[]*wire.Exchange{answered(1), answered(2)}, 2 * time.Second},
		{[]*wire.Exchange{lost, lost}, 3 * time.Second}, // as if one had been answered
		{[]*wire.Exchange{answered(20), lost}, maxDrain},
	} {
		if got := drainOf(test.exchanges); got != test.want {
			t.Errorf("%d requests: %s, want %s", len(test.exchanges), got, test.want)
		}
	}
}
