package wire

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// A gateState says how requests pass the gate.
type gateState string

const (
	open    gateState = "open"    // all at once
	limited gateState = "limited" // one at a time: the target limits the rate, or was away for a moment
	away    gateState = "away"    // one at a time, and ordinary requests are not answered either
	gone    gateState = "gone"    // all at once, and none waits: the target has been away for too long
)

// A gateEvent may change the state.
type gateEvent string

const (
	answered gateEvent = "answered" // a request was, in part at least
	slowed   gateEvent = "slowed"   // a request was answered 429
	failed   gateEvent = "failed"   // a request found the target away
	silent   gateEvent = "silent"   // and so did an ordinary one
	served   gateEvent = "served"   // an ordinary request was answered beside one that failed
	blamed   gateEvent = "blamed"   // a request fails by itself
	expired  gateEvent = "expired"  // the target has been away for too long
)

// transitions holds the state that follows an event. Without an entry it stays.
var transitions = map[gateEvent]map[gateState]gateState{
	answered: {limited: open, away: open, gone: open},
	slowed:   {open: limited, gone: limited},
	failed:   {open: limited},
	silent:   {open: away, limited: away},
	served:   {away: limited, gone: limited},
	blamed:   {limited: open, away: open, gone: open},
	expired:  {away: gone},
}

// A gate is what concurrent requests share about rate limits and outages. Unless it is open, they pass one at a time
// until one gets through: concurrent ones would use up the slot that another has waited for.
type gate struct {
	turn   *semaphore.Weighted // held by the request whose turn it is
	outage time.Duration       // how long the target may be away

	guard
	state   gateState
	since   time.Time       // the beginning of the state
	answers bool            // the target has answered a request
	spent   *TransportError // why no request waits for the rate limit any more; nil while they do
	failing map[string]bool // operations with a request that fails by itself
	losses  int             // requests without an answer, and ordinary ones that found the target away
}

func newGate(timeout time.Duration) *gate {
	return &gate{
		turn:   semaphore.NewWeighted(1),
		outage: min(outageTime, outageTimes*timeout), state: open, failing: map[string]bool{},
	}
}

// note records an event.
func (g *gate) note(e gateEvent) {
	defer g.lock()()
	switch e {
	case answered:
		g.answers = true
		g.spent = nil
	case served:
		g.answers = true
	case silent:
		g.losses++
	}
	g.follow(e)
}

func (g *gate) follow(e gateEvent) {
	if next := transitions[e][g.state]; next != "" {
		g.state = next
		g.since = time.Now()
	}
}

// is reports whether the gate is in a state.
func (g *gate) is(state gateState) bool {
	defer g.lock()()
	if time.Since(g.since) >= g.outage {
		g.follow(expired)
	}
	return g.state == state
}

// limit records a 429. bound is why its request waits no longer, or nil. limit returns why no request does.
func (g *gate) limit(bound *TransportError) *TransportError {
	g.note(slowed)
	defer g.lock()()
	if g.spent == nil {
		g.spent = bound
	}
	return g.spent
}

// blame records that a request of an operation fails by itself. For another one fewer tries are enough.
func (g *gate) blame(operation string) {
	g.note(blamed)
	defer g.lock()()
	g.failing[operation] = true
}

// bounds returns how many pauses a failing request gets before an ordinary one is sent, and how many answers to
// ordinary ones show that it fails by itself.
func (g *gate) bounds(operation string) (pauses, tries int) {
	defer g.lock()()
	if g.failing[operation] {
		return 1, 1
	}
	return onlyPauses, maxTries
}

// lose records a request that got no answer, and reports whether the target has answered any.
func (g *gate) lose() bool {
	defer g.lock()()
	g.losses++
	return g.answers
}

// lossCount returns the number of losses so far.
func (g *gate) lossCount() int {
	defer g.lock()()
	return g.losses
}

// await waits for the turn of a request that does not have it, unless all may pass, and reports whether it has it.
func (g *gate) await(ctx context.Context, hasTurn bool) (bool, error) {
	isShut := g.is(limited) || g.is(away)
	if hasTurn || !isShut {
		return hasTurn, nil
	}
	err := g.turn.Acquire(ctx, 1)
	return err == nil, err
}

// A guard is held until the end of a function: defer g.lock()().
type guard struct{ mu sync.Mutex }

func (g *guard) lock() (unlock func()) {
	g.mu.Lock()
	return g.mu.Unlock
}
