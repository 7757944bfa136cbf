package session

import (
	"slices"
	"sync"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// Chain is a sequence of cases that follow one another, as they touch the same
// objects. Chains may run at once where nothing says that one is after another.
type Chain struct {
	Cases []*judge.Case
	From  *Chain   // what that one found out is known here; nil
	Joins []*Chain // what these saw is known here, too
	After []*Chain // have to have ended before it begins; From and Joins among them

	session *Session // nil until it begins
	next    int      // case
	busy    bool
	path    int // cases from its begin to the end of the longest chain of chains
}

// Chains divides a plan by the objects that its cases touch. The result depends on the
// plan alone.
//
// Updates of one kind of object make a chain, with the reads of it: a profile and its hosts
// may be updated at once, as no update but the last ones looks at objects of another kind.
// Lists that deletes may shorten are read before. Last come the cases that look at all
// objects.
func Chains(plan []*judge.Case) []*Chain {
	var operations []*spec.Operation
	of := map[*spec.Operation][]*judge.Case{}
	var lastUpdates, lastLists, sequences, wrongKeys []*judge.Case
	for _, c := range plan {
		if !slices.Contains(operations, c.Operation) {
			operations = append(operations, c.Operation)
		}
		switch {
		case !c.Last:
			of[c.Operation] = append(of[c.Operation], c)
		case c.Class == judge.ClassWear: // a server may lock out who sends many: after all others
			wrongKeys = append(wrongKeys, c)
		case c.Class == judge.ClassRandom:
			sequences = append(sequences, c)
		case c.Operation.Updates():
			lastUpdates = append(lastUpdates, c)
		default:
			lastLists = append(lastLists, c)
		}
	}
	d := &division{}
	for _, op := range operations {
		switch {
		case op.Updates(), op.Reads():
			d.updates(op, of[op])
		case op.Deletes():
			d.deletes(of[op])
		default:
			d.reads(of[op])
		}
	}
	// Those of updates and those of creatives apart, when all others have ended: any of them may have
	// changed what it did not name.
	all := slices.Clone(d.chains)
	d.join(lastUpdates, d.updated, all)
	d.join(lastLists, append(d.read, d.deleted...), all)
	d.join(sequences, d.chains, nil) // of requests to all objects
	d.join(wrongKeys, d.chains, nil)
	return d.chains
}

// division is a plan that is being divided.
type division struct {
	chains         []*Chain
	kinds          []*spec.Operation // the first operation of each chain of updated
	updated        []*Chain
	compared, read []*Chain // of operations that only read
	deleted        []*Chain // the last of those that delete; none
}

// chain adds one, which is after from and goes on with what that found out.
func (d *division) chain(from *Chain, cases []*judge.Case, after ...*Chain) *Chain {
	c := &Chain{Cases: cases, From: from, After: slices.Clone(after)}
	if from != nil {
		c.After = append(c.After, from)
	}
	d.chains = append(d.chains, c)
	return c
}

// updates adds the cases of an operation that updates objects, or reads them, to the chain of their
// kind: what one of its operations did the others have to know. The case that surveys the objects, see
// T.run, comes first, before the reads of what it updates.
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

// reads divides the cases of an operation that only reads: those that compare what they
// read, which is before anything is deleted, and then the rest. Pages that do not exist are
// compared with those that do. Where nobody says what a list holds, a delete may shorten it, so
// that all of them come before.
func (d *division) reads(cases []*judge.Case) {
	var compare, rest []*judge.Case
	for _, c := range cases {
		counts := slices.Contains(c.Clauses, c.Operation.PageClause("totalCount"))
		if c.Class == judge.ClassSuccess || c.Class == judge.ClassState || counts || c.Operation.Effects["members"] == "" {
			compare = append(compare, c)
		} else {
			rest = append(rest, c)
		}
	}
	compared := d.chain(nil, compare)
	d.compared = append(d.compared, compared)
	d.read = append(d.read, d.chain(compared, rest))
}

// deletes divides the cases of an operation that deletes: until the first that uses something up
// nothing is gone, so that they need not wait for the lists.
func (d *division) deletes(cases []*judge.Case) {
	first := slices.IndexFunc(cases, func(c *judge.Case) bool { return c.Once })
	if first < 0 {
		first = len(cases)
	}
	refused := d.chain(nil, cases[:first], d.deleted...)
	d.deleted = []*Chain{d.chain(refused, cases[first:], d.compared...)}
}

// join adds cases that come after other chains and know what some of them saw.
func (d *division) join(cases []*judge.Case, of, after []*Chain) {
	if len(cases) > 0 {
		c := d.chain(nil, cases, slices.Concat(of, after)...)
		c.Joins = slices.Clone(of)
	}
}

// ready says whether a chain need not wait for others.
func (c *Chain) ready() bool {
	return !slices.ContainsFunc(c.After, func(before *Chain) bool { return !before.ended() })
}

// left says whether a chain has cases to run.
func (c *Chain) left() bool { return c.next < len(c.Cases) }

func (c *Chain) ended() bool { return !c.left() && !c.busy && c.ready() }

// Schedule hands out the cases of a plan to workers. Of the chains that may go on
// it prefers those on which most is still to wait; a single worker follows the plan.
type Schedule struct {
	mu      sync.Mutex
	changed sync.Cond
	chains  []*Chain
	root    *Session // of the first chain
	single  bool
	opened  bool // an answer showed that the owner's key is taken; until then one case runs at a time
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

// session is what the cases of a chain share, with those of the chain that it goes on with.
func (s *Schedule) session(c *Chain) *Session {
	if c.session == nil && c.From != nil {
		c.session = s.session(c.From)
	}
	if joined := sessions(c.Joins); c.session == nil && len(joined) > 0 {
		for _, other := range joined[1:] {
			joined[0].Model.Join(other.Model.State) // the others are not used any more
		}
		c.session = joined[0]
	}
	if c.session == nil {
		c.session = &Session{Model: s.root.Model.Another(), Shared: s.root.Shared} // nothing is known yet
	}
	return c.session
}

// Sessions are those that were begun, in the order of the chains.
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

// Turn is a case to be run, and the session that it is run in.
type Turn struct {
	*judge.Case
	Session *Session
	chain   *Chain
}

// Take waits for a case that may be run. It is false when none is left.
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

// before says which of two chains goes on first.
func (s *Schedule) before(a, b *Chain) bool {
	if s.single || !s.opened {
		return a.Cases[a.next].Place < b.Cases[b.next].Place
	}
	return a.path > b.path
}

// Open lets all workers begin: the owner's key is taken.
func (s *Schedule) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = true
	s.changed.Broadcast()
}

// Done tells that a case is over.
func (s *Schedule) Done(t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.chain.busy = false
	t.chain.path--
	s.changed.Broadcast()
}
