package session

import (
	"slices"
	"sync"

	"github.com/adconform/adconform/suites/judge"
)

// Schedule hands out the cases of a plan to workers. Of the chains that may go on
// it prefers those on which most is still to wait; a single worker follows the plan.
type Schedule struct {
	mu      sync.Mutex
	changed sync.Cond
	chains  []*running
	root    *Session // of the first chain
	single  bool
	opened  bool // an answer showed that the owner's key is taken; until then one case runs at a time
	left    int  // chains that have not ended
}

// chain is a chain under way.
type running struct {
	*Chain
	after   []*running
	session *Session // nil until it may begin
	next    int      // case
	busy    bool
	ended   bool
	path    int // cases from its begin to the end of the longest chain of chains
}

// New returns the schedule of the chains of a plan; root is the session of the first.
func NewSchedule(planned []*Chain, root *Session, workers int) *Schedule {
	s := &Schedule{root: root, single: workers == 1, left: len(planned)}
	s.changed.L = &s.mu
	of := map[*Chain]*running{}
	for i, p := range planned {
		st := &running{Chain: p}
		of[p] = st
		for _, before := range p.After {
			st.after = append(st.after, of[before])
		}
		s.chains = append(s.chains, st)
		if i == 0 {
			st.session = root
		}
	}
	for _, st := range slices.Backward(s.chains) {
		st.path += len(st.Cases)
		for _, before := range st.after {
			before.path = max(before.path, st.path)
		}
	}
	s.begin()
	return s
}

// begin gives a session to each chain that has none and need not wait. A chain
// without cases ends at once.
func (s *Schedule) begin() {
	for again := true; again; {
		again = false
		for _, st := range s.chains {
			if st.ended || slices.ContainsFunc(st.after, func(before *running) bool { return !before.ended }) {
				continue
			}
			if st.session == nil {
				st.session = s.session(st)
			}
			if len(st.Cases) == 0 {
				s.end(st)
				again = true
			}
		}
	}
}

// session is what the cases of a chain share.
func (s *Schedule) session(st *running) *Session {
	if len(st.Joins) == 0 {
		return s.root.Another()
	}
	var joined []*Session
	for _, before := range s.chains {
		if slices.Contains(st.Joins, before.Chain) && !slices.Contains(joined, before.session) {
			joined = append(joined, before.session)
		}
	}
	joined[0].Join(joined[1:]...)
	return joined[0]
}

// end hands on what a chain found out.
func (s *Schedule) end(st *running) {
	st.ended = true
	s.left--
	for _, next := range s.chains {
		if next.From == st.Chain {
			next.session = st.session
		}
	}
}

// Sessions are those that were begun, in the order of the chains.
func (s *Schedule) Sessions() []*Session {
	var all []*Session
	for _, st := range s.chains {
		if st.session != nil && !slices.Contains(all, st.session) {
			all = append(all, st.session)
		}
	}
	return all
}

// Turn is a case to be run.
type Turn struct {
	*judge.Case
	chain *running
}

// Take waits for a case that may be run. It is false when none is left.
func (s *Schedule) Take() (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.left > 0 {
		if st := s.choose(); st != nil {
			st.busy = true
			st.next++
			return Turn{st.Cases[st.next-1], st}, true
		}
		s.changed.Wait()
	}
	return Turn{}, false
}

func (s *Schedule) choose() *running {
	var best *running
	for _, st := range s.chains {
		if st.session == nil || st.busy || st.ended || slices.ContainsFunc(st.after, func(before *running) bool { return !before.ended }) {
			continue
		}
		if best == nil || s.before(st, best) {
			best = st
		}
	}
	if best != nil && !s.opened && slices.ContainsFunc(s.chains, func(st *running) bool { return st.busy }) {
		return nil
	}
	return best
}

// before says which of two chains goes on first.
func (s *Schedule) before(a, b *running) bool {
	if s.single || !s.opened {
		return a.Cases[a.next].Place < b.Cases[b.next].Place
	}
	return a.path > b.path
}

// Open lets all workers begin: the owner's key is taken.
func (s *Schedule) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened {
		s.opened = true
		s.changed.Broadcast()
	}
}

// Done tells that a case is over.
func (s *Schedule) Done(t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := t.chain
	st.busy = false
	st.path--
	if st.next == len(st.Cases) {
		s.end(st)
		s.begin()
	}
	s.changed.Broadcast()
}

// Session is what the case is run in.
func (t Turn) Session() *Session { return t.chain.session }
