package session

import (
	"slices"
	"sync"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
)

// A Chain is a sequence of cases that run one after another, because they touch the same objects. Chains of one
// phase may run at the same time; they begin when those of earlier phases have ended.
type Chain struct {
	Cases []*judge.Case
	Phase int

	kind    *spec.Operation // an operation on its objects, if they are updated
	session *Session        // nil until the chain begins
	next    int             // index of the next case
	busy    bool
}

// The phases of a run.
const (
	mostCases = iota
	lastCases // they look at all objects, since any request may have changed what it did not name
	sequences // they send requests to all objects
	wrongKeys // a server may lock out a client that sends many of them
)

// phaseOf returns the phase of a case.
func phaseOf(c *judge.Case) int {
	switch {
	case !c.Last:
		return mostCases
	case c.Class == judge.ClassRandom:
		return sequences
	case c.Class == judge.ClassWear:
		return wrongKeys
	}
	return lastCases
}

// Chains divides a plan by the objects that its cases touch, in the order of the phases. The result depends on the
// plan alone.
//
// Updates of one kind of object make a chain, with the reads of that kind, since operations on the same objects must
// know about one another: a profile and its hosts may be updated at the same time, because only the last cases look
// at objects of another kind. Lists and the deletes that may shorten them make another chain. A later phase is one
// chain.
func Chains(plan []*judge.Case) (chains []*Chain) {
	surveyed := map[*spec.Operation]bool{}
	for _, c := range plan {
		phase := phaseOf(c)
		var kind *spec.Operation
		if mayBeRead := c.Operation.Updates() || c.Operation.Reads(); phase == mostCases && mayBeRead {
			kind = c.Operation
		}
		i := slices.IndexFunc(chains, func(chain *Chain) bool { return chain.Phase == phase && chain.isOf(kind) })
		if i < 0 {
			i = len(chains)
			chains = append(chains, &Chain{Phase: phase, kind: kind})
		}
		chain := chains[i]
		at := len(chain.Cases)
		if maySurvey(c) && kind != nil && !surveyed[kind] {
			surveyed[kind] = true
			at = 0 // before the reads
		}
		chain.Cases = slices.Insert(chain.Cases, at, c)
	}
	slices.SortStableFunc(chains, func(a, b *Chain) int { return a.Phase - b.Phase })
	return chains
}

// isOf reports whether a chain holds the cases on a kind of objects, nil for those that are not updated.
func (c *Chain) isOf(kind *spec.Operation) bool {
	if c.kind == nil || kind == nil {
		return c.kind == kind
	}
	return c.kind.SameObjects(kind)
}

// hasNext reports whether the chain still has cases to run.
func (c *Chain) hasNext() bool { return c.next < len(c.Cases) }

// mayRun reports whether the next case of a chain may run in this phase.
func (c *Chain) mayRun(phase int) bool {
	return !c.busy && c.hasNext() && c.Phase <= phase
}

// A Schedule assigns the cases of chains to workers. It prefers the chain with the most cases left; a single worker
// follows the plan.
type Schedule struct {
	mu      sync.Mutex
	changed sync.Cond
	chains  []*Chain
	root    *Session // of the first chain
	single  bool
	isOpen  bool // an answer showed that the owner's key is accepted; until then one case runs at a time
}

// NewSchedule returns the schedule of the chains of a plan; root is the session of the first.
func NewSchedule(chains []*Chain, root *Session, workers int) *Schedule {
	s := &Schedule{chains: chains, root: root, single: workers == 1}
	s.changed.L = &s.mu
	if len(chains) > 0 {
		chains[0].session = root
	}
	return s
}

// session returns the session of a chain. In a later phase the session knows all that the earlier ones knew.
func (s *Schedule) session(c *Chain) *Session {
	switch {
	case c.session != nil:
	case c.Phase > mostCases:
		earlier := s.Sessions()
		c.session = earlier[0]
		for _, other := range earlier[1:] {
			c.session.Model.Join(other.Model.State) // the others are no longer used
		}
	default: // with a model that knows nothing yet
		c.session = &Session{Model: s.root.Model.Another(), Shared: s.root.Shared}
	}
	return c.session
}

// Sessions returns the sessions that have begun, in the order of the chains.
func (s *Schedule) Sessions() (all []*Session) {
	for _, c := range s.chains {
		if c.session != nil && !slices.Contains(all, c.session) {
			all = append(all, c.session)
		}
	}
	return all
}

// Work runs cases that may run, one after another, each in the session of its chain, until none is left. Each
// worker calls it.
func (s *Schedule) Work(run func(*Session, *judge.Case)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slices.ContainsFunc(s.chains, (*Chain).hasNext) {
		c := s.choose()
		if c == nil {
			s.changed.Wait()
			continue
		}
		next := c.Cases[c.next]
		session := s.session(c)
		c.busy = true
		c.next++
		s.mu.Unlock()
		run(session, next)
		s.mu.Lock()
		c.busy = false
		s.changed.Broadcast()
	}
}

// choose returns the chain whose next case may run, or nil if none may.
func (s *Schedule) choose() (best *Chain) {
	now := slices.IndexFunc(s.chains, func(c *Chain) bool { return c.hasNext() || c.busy })
	phase := s.chains[now].Phase
	for _, c := range s.chains {
		if c.busy && !s.isOpen {
			return nil
		}
		if c.mayRun(phase) && (best == nil || s.isPreferred(c, best)) {
			best = c
		}
	}
	return best
}

// isPreferred reports whether chain a is preferred to chain b.
func (s *Schedule) isPreferred(a, b *Chain) bool {
	if s.single || !s.isOpen {
		return a.Cases[a.next].Place < b.Cases[b.next].Place
	}
	return len(a.Cases)-a.next > len(b.Cases)-b.next
}

// Open lets all workers begin.
func (s *Schedule) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isOpen = true
	s.changed.Broadcast()
}
