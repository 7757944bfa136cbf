package engine

import (
	"cmp"
	"slices"
	"sync"

	"github.com/adconform/adconform/suites/wire"
)

// book is what a run keeps of all that its sessions see. They write to it at the
// same time; but for the order of its lists, which InOrder sets right, nothing in
// it depends on who came first.
type book struct {
	mu sync.Mutex

	observed map[string]*Observation
	judged   map[string]*tally // by clause
	results  []*Result
	doubts   []doubt
	forms    map[string]*dateForm
	defects  []string // of ours

	mistakes      []string // of the operator, see mistaken
	deletedBefore []string // disposables that are not there

	traffic  Traffic
	answered int
	lost     []*wire.Exchange
	inARow   int            // requests lost one after another
	hanging  map[string]int // the same, by operation

	kept      []ahead         // answers that wait for their cases, see Survey
	accepted  map[string]bool // users whose key some operation accepted
	alive     map[string]bool // operations that took their user's request for an object
	used      map[thing]bool  // objects that let their user at them
	listed    map[thing]bool  // objects that a list of their user's showed
	refusedBy map[string]bool // operations that answered 401 to the owner's key
	owner     sync.Mutex      // is held while OwnerRefused asks
	refused   *bool           // what it found out
}

func newBook() *book {
	return &book{
		observed: map[string]*Observation{}, judged: map[string]*tally{}, forms: map[string]*dateForm{},
		hanging: map[string]int{}, accepted: map[string]bool{}, alive: map[string]bool{},
		used: map[thing]bool{}, listed: map[thing]bool{}, refusedBy: map[string]bool{},
	}
}

// begin opens the result of a case.
func (b *book) begin(c *Case) *Result {
	r := &Result{Case: c, Status: Passed}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results = append(b.results, r)
	return r
}

// InOrder puts what was seen into the order of the plan.
func (b *book) InOrder() {
	b.mu.Lock()
	defer b.mu.Unlock()
	place := func(x, y *Result) int { return cmp.Compare(x.Case.Place, y.Case.Place) }
	slices.SortStableFunc(b.results, place)
	slices.SortStableFunc(b.doubts, func(x, y doubt) int { return place(x.result, y.result) })
	slices.Sort(b.defects)
	slices.Sort(b.mistakes)
}

// tally counts what was judged of a clause.
type tally struct {
	cases map[string]bool
	last  string         // the last of them: nearly every answer of a case judges the same clauses
	of    map[string]int // judgements by operation
}

func (b *book) judge(clause, caseID, operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.judged[clause]
	if n == nil {
		n = &tally{cases: map[string]bool{}, of: map[string]int{}}
		b.judged[clause] = n
	}
	if n.last != caseID {
		n.last, n.cases[caseID] = caseID, true
	}
	n.of[operation]++
}

// answer notes that an answer arrived whole.
func (b *book) answer(operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answered++
	b.inARow = 0
	b.hanging[operation] = 0
}

// lose notes an answer that did not; silent, that no more are waited for.
func (b *book) lose(ex *wire.Exchange, operation string, silent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost = append(b.lost, ex)
	b.inARow++
	b.hanging[operation]++
	if silent {
		b.hanging[operation] = hangingAfter
	}
}

func (b *book) lastLost() *wire.Exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lost) == 0 {
		return nil
	}
	return b.lost[len(b.lost)-1]
}

func (b *book) doubt(d doubt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.doubts = append(b.doubts, d)
}

// OwnerTaken says whether some operation accepted the owner's key.
func (b *book) OwnerTaken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accepted[ownerName]
}
