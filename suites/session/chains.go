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
}

// Chains divides a plan by the objects that its cases touch. The result depends on the
// plan alone.
//
// Updates of one kind of object make a chain, with the reads of it: a profile and its hosts
// may be updated at once, as no update but the last ones looks at objects of another kind.
// Lists that deletes may shorten are read before. Last come the cases that look at all
// objects.
func Chains(plan []*judge.Case) []*Chain {
	d := &division{}
	for _, c := range plan {
		switch {
		case c.Last && c.Class == judge.ClassWear:
			d.wrongKeys = append(d.wrongKeys, c)
		case c.Last && c.Operation.Updates():
			d.lastUpdates = append(d.lastUpdates, c)
		case c.Last:
			d.lastLists = append(d.lastLists, c)
		}
	}
	for _, op := range operations(plan) {
		of := of(plan, op)
		switch {
		case op.Updates(), op.Reads():
			d.updates(op, of)
		case op.Deletes():
			d.deletes(of)
		default:
			d.reads(of)
		}
	}
	d.atRest()
	return d.chains
}

type division struct {
	chains         []*Chain
	updated        []*kind
	compared, read []*Chain // of operations that only read
	deleted        *Chain   // the last of those that delete

	lastUpdates, lastLists []*judge.Case
	wrongKeys              []*judge.Case // a server may lock out who sends many: after all others
}

// kind is the chain of the operations on one kind of object: what one of them did the
// others have to know.
type kind struct {
	op *spec.Operation
	*Chain
}

func operations(plan []*judge.Case) []*spec.Operation {
	var ops []*spec.Operation
	for _, c := range plan {
		if !slices.Contains(ops, c.Operation) {
			ops = append(ops, c.Operation)
		}
	}
	return ops
}

// of are the cases of an operation, but those that come last.
func of(plan []*judge.Case, op *spec.Operation) []*judge.Case {
	var all []*judge.Case
	for _, c := range plan {
		if c.Operation == op && !c.Last {
			all = append(all, c)
		}
	}
	return all
}

// chain adds one, which is after from and goes on with what that found out.
func (d *division) chain(from *Chain, cases []*judge.Case, after ...*Chain) *Chain {
	s := &Chain{Cases: cases, From: from, After: slices.Clone(after)}
	if from != nil {
		s.After = append(s.After, from)
	}
	d.chains = append(d.chains, s)
	return s
}

// updates adds the cases of an operation that updates objects, or reads them. Those that
// probe come first, before the reads of what they update.
func (d *division) updates(op *spec.Operation, of []*judge.Case) {
	i := slices.IndexFunc(d.updated, func(k *kind) bool { return k.op.SameObjects(op) })
	if i < 0 {
		i = len(d.updated)
		d.updated = append(d.updated, &kind{op, d.chain(nil, nil)})
	}
	k := d.updated[i]
	k.Cases = append(k.Cases, of...)
	slices.SortStableFunc(k.Cases, func(a, b *judge.Case) int {
		if a.Probes != b.Probes {
			return map[bool]int{true: -1, false: 1}[a.Probes]
		}
		return a.Place - b.Place
	})
}

// reads divides the cases of an operation that only reads: those that compare what they
// read, which is before anything is deleted, and then the rest. Where nobody says what a
// list holds, a delete may shorten it, so that all of them come before.
func (d *division) reads(of []*judge.Case) {
	var compare, rest []*judge.Case
	for _, c := range of {
		if c.Class == judge.ClassSuccess || c.Class == judge.ClassState || c.Operation.Effects["members"] == "" {
			compare = append(compare, c)
		} else {
			rest = append(rest, c)
		}
	}
	compared := d.chain(nil, compare)
	d.compared = append(d.compared, compared)
	d.read = append(d.read, d.chain(compared, rest))
}

// deletes divides the cases of an operation that deletes: until the first that
// does nothing is gone, so that they need not wait for the lists.
func (d *division) deletes(of []*judge.Case) {
	first := slices.IndexFunc(of, func(c *judge.Case) bool { return c.Once })
	if first < 0 {
		first = len(of)
	}
	var after []*Chain
	if d.deleted != nil {
		after = append(after, d.deleted)
	}
	refused := d.chain(nil, of[:first], after...)
	d.deleted = d.chain(refused, of[first:], d.compared...)
}

// atRest adds the cases that look at all objects, those of updates and those of
// creatives apart, when all others have ended: any of them may have changed what it did not name.
func (d *division) atRest() {
	var updated []*Chain
	for _, k := range d.updated {
		updated = append(updated, k.Chain)
	}
	if d.deleted != nil {
		d.read = append(d.read, d.deleted)
	}
	all := slices.Clone(d.chains)
	d.join(d.lastUpdates, updated, all...)
	d.join(d.lastLists, d.read, all...)
	d.join(d.wrongKeys, d.chains)
}

func (d *division) join(cases []*judge.Case, of []*Chain, after ...*Chain) {
	if len(cases) == 0 {
		return
	}
	s := d.chain(nil, cases, slices.Concat(of, after)...)
	s.Joins = slices.Clone(of)
}

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

// NewSchedule returns the schedule of the chains of a plan; root is the session of the first.
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
		return s.root.another()
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
