package session

import (
	"slices"
	"sync"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// A Chain is a sequence of cases that run one after another, because they touch the same objects. Chains may run
// at the same time unless one must wait for another.
type Chain struct {
	Cases []*judge.Case
	From  *Chain   // the chain that this one continues, with all that it knows; may be nil
	Joins []*Chain // chains whose knowledge this one has, too
	After []*Chain // the chains that must end first, including From and Joins

	session *Session // nil until the chain begins
	next    int      // index of the next case
	busy    bool
	path    int // number of cases on the longest path of chains from here
}

// Chains divides a plan by the objects that its cases touch. The result depends on the plan alone.
//
// Updates of one kind of object make a chain, with the reads of that kind: a profile and its hosts may be updated
// at the same time, because only the last cases look at objects of another kind. Lists and the deletes that may
// shorten them make another chain. The cases that look at all objects come last.
func Chains(plan []*judge.Case) []*Chain {
	var operations []*spec.Operation
	of := map[*spec.Operation][]*judge.Case{}
	var creatives, lastUpdates, lastLists, sequences, wrongKeys []*judge.Case
	for _, c := range plan {
		switch {
		case c.Last && c.Class == judge.ClassWear: // a server may lock out a client that sends many wrong keys
			wrongKeys = append(wrongKeys, c)
		case c.Last && c.Class == judge.ClassRandom:
			sequences = append(sequences, c)
		case c.Last && c.Operation.Updates():
			lastUpdates = append(lastUpdates, c)
		case c.Last:
			lastLists = append(lastLists, c)
		case c.Operation.Updates(), c.Operation.Reads():
			if of[c.Operation] == nil {
				operations = append(operations, c.Operation)
			}
			of[c.Operation] = append(of[c.Operation], c)
		default:
			creatives = append(creatives, c)
		}
	}
	d := &division{}
	var lists *Chain
	if len(creatives) > 0 {
		lists = d.chain(nil, creatives)
	}
	for _, op := range operations {
		d.updates(op, of[op])
	}
	// The last cases wait for all chains, since any request may have changed what it did not name.
	all := slices.Clone(d.chains)
	d.join(lastUpdates, d.updated, all)
	if len(lastLists) > 0 {
		d.chain(lists, lastLists, all...)
	}
	d.join(sequences, d.chains, nil) // they send requests to all objects
	d.join(wrongKeys, d.chains, nil)
	return d.chains
}

// A division is a plan that is being divided into chains.
type division struct {
	chains  []*Chain
	kinds   []*spec.Operation // the first operation of each chain of updated
	updated []*Chain
}

// chain adds a chain that continues from, unless that is nil, and waits for after.
func (d *division) chain(from *Chain, cases []*judge.Case, after ...*Chain) *Chain {
	c := &Chain{Cases: cases, From: from, After: slices.Clone(after)}
	if from != nil && !slices.Contains(after, from) {
		c.After = append(c.After, from)
	}
	d.chains = append(d.chains, c)
	return c
}

// updates adds the cases of an operation that updates or reads objects to the chain of their kind, since
// operations on the same objects must know about one another. The case that surveys the objects, see T.run,
// comes first, before the reads.
func (d *division) updates(op *spec.Operation, cases []*judge.Case) {
	i := slices.IndexFunc(d.kinds, func(other *spec.Operation) bool { return other.SameObjects(op) })
	if i < 0 {
		i = len(d.kinds)
		d.kinds, d.updated = append(d.kinds, op), append(d.updated, d.chain(nil, nil))
	}
	c := d.updated[i]
	if first := slices.IndexFunc(cases, func(c *judge.Case) bool { return op.Updates() && !c.Stretch }); first >= 0 {
		c.Cases = slices.Insert(c.Cases, 0, cases[first])
		cases = slices.Delete(slices.Clone(cases), first, first+1)
	}
	c.Cases = append(c.Cases, cases...)
}

// join adds cases that wait for the chains in of and after, and know what those in of know.
func (d *division) join(cases []*judge.Case, of, after []*Chain) {
	if len(cases) > 0 {
		c := d.chain(nil, cases, slices.Concat(of, after)...)
		c.Joins = slices.Clone(of)
	}
}

// ready reports whether all chains that this one waits for have ended.
func (c *Chain) ready() bool {
	return !slices.ContainsFunc(c.After, func(before *Chain) bool { return !before.ended() })
}

// left reports whether the chain still has cases to run.
func (c *Chain) left() bool { return c.next < len(c.Cases) }

func (c *Chain) ended() bool { return !c.left() && !c.busy && c.ready() }

// A Schedule assigns the cases of chains to workers. It prefers the chain at the start of the longest path; a
// single worker follows the plan.
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
	for _, c := range slices.Backward(chains) {
		c.path += len(c.Cases)
		for _, before := range c.After {
			before.path = max(before.path, c.path)
		}
	}
	return s
}

// session returns the session of a chain, which it shares with the chain that it continues.
func (s *Schedule) session(c *Chain) *Session {
	if c.session == nil && c.From != nil {
		c.session = s.session(c.From)
	}
	if joined := sessions(c.Joins); c.session == nil && len(joined) > 0 {
		for _, other := range joined[1:] {
			joined[0].Model.Join(other.Model.State) // the others are no longer used
		}
		c.session = joined[0]
	}
	if c.session == nil {
		c.session = &Session{Model: s.root.Model.Another(), Shared: s.root.Shared} // with a model that knows nothing yet
	}
	return c.session
}

// Sessions returns the sessions that have begun, in the order of the chains.
func (s *Schedule) Sessions() []*Session { return sessions(s.chains) }

func sessions(chains []*Chain) []*Session {
	var all []*Session
	for _, c := range chains {
		if c.session != nil && !slices.Contains(all, c.session) {
			all = append(all, c.session)
		}
	}
	return all
}

// A Turn is a case to run, and the session to run it in.
type Turn struct {
	*judge.Case
	Session *Session
	chain   *Chain
}

// Take waits for a case that may run. It returns false if none is left.
func (s *Schedule) Take() (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slices.ContainsFunc(s.chains, (*Chain).left) {
		if c := s.choose(); c != nil {
			c.busy = true
			c.next++
			return Turn{c.Cases[c.next-1], s.session(c), c}, true
		}
		s.changed.Wait()
	}
	return Turn{}, false
}

func (s *Schedule) choose() *Chain {
	var best *Chain
	for _, c := range s.chains {
		switch {
		case c.busy && !s.opened:
			return nil
		case c.busy, !c.left(), !c.ready():
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
	return a.path > b.path
}

// Open lets all workers begin.
func (s *Schedule) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = true
	s.changed.Broadcast()
}

// Done marks a case as over.
func (s *Schedule) Done(t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.chain.busy = false
	t.chain.path--
	s.changed.Broadcast()
}
