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
// at objects of another kind. Lists and the deletes that may shorten them make another chain. A later phase is one chain.
func Chains(plan []*judge.Case) (chains []*Chain) {
	surveyed := map[*spec.Operation]bool{}
	for _, c := range plan {
		phase, kind := phaseOf(c), c.Operation
		if phase != mostCases || !kind.Updates() && !kind.Reads() {
			kind = nil
		}
		i := slices.IndexFunc(chains, func(chain *Chain) bool {
			return chain.Phase == phase && (chain.kind == kind || kind != nil && chain.kind != nil && chain.kind.SameObjects(kind))
		})
		if i < 0 {
			i = len(chains)
			chains = append(chains, &Chain{Phase: phase, kind: kind})
		}
		chain := chains[i]
		at := len(chain.Cases)
		if kind != nil && kind.Updates() && !c.Stretch && !surveyed[kind] {
			surveyed[kind], at = true, 0 // the case that surveys the objects, see T.run, comes before the reads
		}
		chain.Cases = slices.Insert(chain.Cases, at, c)
	}
	slices.SortStableFunc(chains, func(a, b *Chain) int { return a.Phase - b.Phase })
	return chains
}

// left reports whether the chain still has cases to run.
func (c *Chain) left() bool { return c.next < len(c.Cases) }

// A Schedule assigns the cases of chains to workers. It prefers the chain with the most cases left; a single worker
// follows the plan.
type Schedule struct {
	mu      sync.Mutex
	changed sync.Cond
	chains  []*Chain
	root    *Session // of the first chain
	single  bool
	opened  bool // an answer showed that the owner's key is accepted; until then one case runs at a time
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

// session returns the session of a chain. That of a later phase knows all that those of earlier phases knew.
func (s *Schedule) session(c *Chain) *Session {
	if c.session == nil && c.Phase > mostCases {
		before := s.Sessions()
		for _, other := range before[1:] {
			before[0].Model.Join(other.Model.State) // the others are no longer used
		}
		c.session = before[0]
	}
	if c.session == nil {
		c.session = &Session{Model: s.root.Model.Another(), Shared: s.root.Shared} // with a model that knows nothing yet
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
	for slices.ContainsFunc(s.chains, (*Chain).left) {
		c := s.choose()
		if c == nil {
			s.changed.Wait()
			continue
		}
		next, session := c.Cases[c.next], s.session(c)
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
	now := slices.IndexFunc(s.chains, func(c *Chain) bool { return c.left() || c.busy })
	for _, c := range s.chains {
		switch {
		case c.busy && !s.opened:
			return nil
		case c.busy, !c.left(), c.Phase > s.chains[now].Phase:
		case best == nil, s.before(c, best):
			best = c
		}
	}
	return best
}

// before reports whether chain a is preferred to chain b.
func (s *Schedule) before(a, b *Chain) bool {
	if s.single || !s.opened {
		return a.Cases[a.next].Place < b.Cases[b.next].Place
	}
	return len(a.Cases)-a.next > len(b.Cases)-b.next
}

// Open lets all workers begin.
func (s *Schedule) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = true
	s.changed.Broadcast()
}
