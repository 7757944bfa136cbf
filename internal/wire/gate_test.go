package wire

import (
	"testing"
	"testing/synctest"
	"time"
)

// Each event leads from each state to another one, or leaves it.
func TestGateTransitions(t *testing.T) {
	states := [4]gateState{open, limited, away, gone}
	for event, want := range map[gateEvent][4]gateState{
		answered: {open, open, open, open},
		slowed:   {limited, limited, away, limited}, // somebody in front of a target that is away may still limit
		failed:   {limited, limited, away, gone},
		silent:   {away, away, away, gone},
		served:   {open, limited, limited, limited}, // one answer does not show that many at once get through
		blamed:   {open, open, open, open},
		expired:  {open, limited, gone, gone},
	} {
		for i, from := range states {
			g := newGate(time.Second)
			g.state = from
			if g.note(event); g.state != want[i] {
				t.Errorf("%s, %s: %s, want %s", from, event, g.state, want[i])
			}
		}
	}
}

// An outage lasts three time-outs.
func TestGateOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(time.Second)
		for _, want := range []gateState{away, away, away, gone} {
			if g.note(silent); !g.is(want) {
				t.Errorf("%s after %s, want %s", g.state, time.Since(epoch), want)
			}
			time.Sleep(time.Second)
		}
	})
}

// A gate counts losses, and knows whether the target has answered.
func TestGateLosses(t *testing.T) {
	g := newGate(time.Second)
	before := g.lose()
	g.note(served)
	after := g.lose()
	if g.note(silent); before || !after || g.lossCount() != 3 {
		t.Errorf("answers before %t, after %t, %d losses", before, after, g.lossCount())
	}
}

// The first bound on waiting for the rate limit holds for all requests, until one is answered.
func TestGateBound(t *testing.T) {
	g, first, second := newGate(time.Second), &TransportError{Detail: "first"}, &TransportError{Detail: "second"}
	for _, row := range []struct{ bound, want *TransportError }{{nil, nil}, {first, first}, {second, first}, {nil, first}} {
		if got := g.limit(row.bound); got != row.want {
			t.Errorf("bound %v: %v, want %v", row.bound, got, row.want)
		}
	}
	if g.note(answered); g.limit(nil) != nil {
		t.Error("the bound outlasts an answer")
	}
}

// After a request that fails by itself, fewer tries are enough for its operation.
func TestGateBlame(t *testing.T) {
	g := newGate(time.Second)
	g.blame("update")
	for operation, want := range map[string][2]int{"update": {1, 1}, "list": {onlyPauses, maxTries}} {
		if pauses, tries := g.bounds(operation); pauses != want[0] || tries != want[1] {
			t.Errorf("%s: %d pauses and %d tries, want %v", operation, pauses, tries, want)
		}
	}
}

// One request has the turn until it gives it back, unless all may pass.
func TestGateTurns(t *testing.T) {
	for state, narrow := range map[gateState]bool{open: false, limited: true, away: true, gone: false} {
		g := newGate(time.Hour)
		g.state, g.since = state, time.Now()
		if has, err := g.await(t.Context(), false); has != narrow || err != nil {
			t.Errorf("%s: has its turn: %t, %v", state, has, err)
		}
		if g.turn.TryAcquire(1) == narrow {
			t.Errorf("%s: another request has its turn: %t", state, !narrow)
		}
	}
}
