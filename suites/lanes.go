package suites

import (
	"slices"
	"sync"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/specs"
)

// DefaultLanes is how many cases run at once where nothing bounds it. More gain
// nothing: what the cases of one object leave to others is used up (docs/performance.md).
const DefaultLanes = 8

// lanes is how many cases may run at once: as limits.concurrency says, one where
// requests are rationed or the run may end at any time.
func (c *Config) lanes() int {
	l := c.Target.Limits
	switch {
	case c.Budget != Budget{}, c.StopEarly:
		return 1
	case l.Concurrency > 0:
		return l.Concurrency
	case l.Rate > 0, l.RemainingHeader != "":
		return 1
	}
	return DefaultLanes
}

// schedule hands out the cases of a plan to lanes. Of the strands that may go on
// it prefers those on which most is still to wait; a single lane follows the plan.
type schedule struct {
	mu      sync.Mutex
	changed sync.Cond
	strands []*strand
	root    *session.Session // of the first strand
	single  bool
	opened  bool // an answer showed that the owner's key is taken; until then one case runs at a time
	left    int  // strands that have not ended
}

// strand is a strand under way.
type strand struct {
	*specs.Strand
	after   []*strand
	session *session.Session // nil until it may begin
	next    int              // case
	busy    bool
	ended   bool
	path    int // requests from its begin to the end of the longest chain of strands
}

func newSchedule(planned []*specs.Strand, root *session.Session, lanes int) *schedule {
	s := &schedule{root: root, single: lanes == 1, left: len(planned)}
	s.changed.L = &s.mu
	of := map[*specs.Strand]*strand{}
	for i, p := range planned {
		st := &strand{Strand: p}
		of[p] = st
		for _, before := range p.After {
			st.after = append(st.after, of[before])
		}
		s.strands = append(s.strands, st)
		if i == 0 {
			st.session = root
		}
	}
	for _, st := range slices.Backward(s.strands) {
		st.path += specs.Requests(st.Cases)
		for _, before := range st.after {
			before.path = max(before.path, st.path)
		}
	}
	s.begin()
	return s
}

// begin gives a session to each strand that has none and need not wait. A strand
// without cases ends at once.
func (s *schedule) begin() {
	for again := true; again; {
		again = false
		for _, st := range s.strands {
			if st.ended || slices.ContainsFunc(st.after, func(before *strand) bool { return !before.ended }) {
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

// session is what the cases of a strand share.
func (s *schedule) session(st *strand) *session.Session {
	if len(st.Joins) == 0 {
		return s.root.Session(st.Lane, s.root.Model.Target.Lane(st.Lane))
	}
	var joined []*session.Session
	for _, before := range s.strands {
		if slices.Contains(st.Joins, before.Strand) && !slices.Contains(joined, before.session) {
			joined = append(joined, before.session)
		}
	}
	joined[0].Join(joined[1:]...)
	return joined[0]
}

// end hands on what a strand found out.
func (s *schedule) end(st *strand) {
	st.ended = true
	s.left--
	for _, next := range s.strands {
		switch {
		case next.From != st.Strand:
		case next.Lane == st.Lane:
			next.session = st.session
		default:
			next.session = st.session.Fork(next.Lane, s.root.Model.Target.Lane(next.Lane))
		}
	}
}

// sessions are those that were begun, in the order of the strands.
func (s *schedule) sessions() []*session.Session {
	var all []*session.Session
	for _, st := range s.strands {
		if st.session != nil && !slices.Contains(all, st.session) {
			all = append(all, st.session)
		}
	}
	return all
}

// turn is a case to be run.
type turn struct {
	*judge.Case
	strand *strand
}

// last says whether it is the last case of its strand.
func (t turn) last() bool { return t.strand.next == len(t.strand.Cases) }

// take waits for a case that may be run. It is false when none is left.
func (s *schedule) take() (turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.left > 0 {
		if st := s.choose(); st != nil {
			st.busy = true
			st.next++
			return turn{st.Cases[st.next-1], st}, true
		}
		s.changed.Wait()
	}
	return turn{}, false
}

func (s *schedule) choose() *strand {
	var best *strand
	for _, st := range s.strands {
		if st.session == nil || st.busy || st.ended || slices.ContainsFunc(st.after, func(before *strand) bool { return !before.ended }) {
			continue
		}
		if best == nil || s.before(st, best) {
			best = st
		}
	}
	if best != nil && !s.opened && slices.ContainsFunc(s.strands, func(st *strand) bool { return st.busy }) {
		return nil
	}
	return best
}

// before says which of two strands goes on first.
func (s *schedule) before(a, b *strand) bool {
	if s.single || !s.opened {
		return a.Cases[a.next].Place < b.Cases[b.next].Place
	}
	return a.path > b.path
}

// open lets all lanes begin: the owner's key is taken.
func (s *schedule) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened {
		s.opened = true
		s.changed.Broadcast()
	}
}

// done tells that a case is over.
func (s *schedule) done(t turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := t.strand
	st.busy = false
	st.path -= specs.Requests([]*judge.Case{t.Case})
	if t.last() {
		s.end(st)
		s.begin()
	}
	s.changed.Broadcast()
}
