package judge

import (
	"cmp"
	"slices"
	"sync"

	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/liveness"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
)

// Outcome is what a run keeps of all that its sessions see. They write to it at the
// same time; but for the order of its lists, which InOrder sets right, nothing in
// it depends on who came first.
type Outcome struct {
	mu sync.Mutex

	observed  map[string]*Observation
	coverage  map[about]*coverage
	ByCase    []*testcase.Result
	Tentative []TentativeFinding
	Written   map[*model.Object]bool // by another writer than this run, see writtenByAnother
	forms     map[string]*DateForm
	defects   []string // of ours

	mistakes      []string        // of the operator, see mistaken
	deletedBefore []string        // disposables that are not there
	made          map[string]bool // tokens that this run made
	othersSeen    []string        // objects that showed a token of another run
	othersWrote   bool            // after a write of ours

	Liveness *liveness.Watch // with a lock of its own
	traffic  Traffic

	Accepted  map[string]bool      // users whose key some operation accepted
	Alive     map[string]bool      // operations that took their user's request for an object
	Used      map[model.Thing]bool // objects that let their user at them
	Listed    map[model.Thing]bool // objects that a list of their user's showed
	refusedBy map[string]bool      // operations that answered 401 to the owner's key
	removed   int                  // deletes that may have been made
}

// NewOutcome returns one of which nothing was seen yet.
func NewOutcome(live *liveness.Watch) *Outcome {
	return &Outcome{
		Liveness: live,
		observed: map[string]*Observation{}, Written: map[*model.Object]bool{}, coverage: map[about]*coverage{}, forms: map[string]*DateForm{},
		Accepted: map[string]bool{}, Alive: map[string]bool{},
		made: map[string]bool{}, Used: map[model.Thing]bool{}, Listed: map[model.Thing]bool{}, refusedBy: map[string]bool{},
	}
}

// NoteDelete counts a delete that may have been made.
func (b *Outcome) NoteDelete() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.removed++
}

// Deletes are those that may have been made.
func (b *Outcome) Deletes() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.removed
}

// Begin opens the result of a case.
func (b *Outcome) Begin(c *testcase.Case) *testcase.Result {
	r := &testcase.Result{Case: c, Status: testcase.Passed}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ByCase = append(b.ByCase, r)
	return r
}

// Take adds a finding to a result.
func (b *Outcome) Take(r *testcase.Result, f *oracle.Finding) {
	b.mu.Lock() // objects are put back at once, and each asks what was found
	defer b.mu.Unlock()
	r.Findings = append(r.Findings, f)
	if f.Severity == oracle.Violation {
		r.Status = testcase.Failed
	}
}

// InOrder puts what was seen into the order of the plan.
func (b *Outcome) InOrder() {
	b.mu.Lock()
	defer b.mu.Unlock()
	place := func(x, y *testcase.Result) int { return cmp.Compare(x.Case.Place, y.Case.Place) }
	slices.SortStableFunc(b.ByCase, place)
	slices.SortStableFunc(b.Tentative, func(x, y TentativeFinding) int { return place(x.Result, y.Result) })
	slices.Sort(b.defects)
	slices.Sort(b.mistakes)
}

// about is what is judged: a clause on an operation.
type about struct{ clause, operation string }

// coverage counts the judgements of a clause on an operation.
type coverage struct {
	cases  map[string]bool
	last   string // the last of them: nearly every answer of a case judges the same clauses
	times  int
	hidden string // why what was judged is not enough, see Hide
}

// coverageOf is the coverage of a clause on an operation. The book is locked.
func (b *Outcome) coverageOf(clause, operation string) *coverage {
	n := b.coverage[about{clause, operation}]
	if n == nil {
		n = &coverage{cases: map[string]bool{}}
		b.coverage[about{clause, operation}] = n
	}
	return n
}

// Cover counts a judgement of a clause on an operation.
func (b *Outcome) Cover(clause, caseID, operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.coverageOf(clause, operation)
	if n.last != caseID {
		n.last, n.cases[caseID] = caseID, true
	}
	n.times++
}

// Hide notes that the target hides a part of what a clause is about, so that what
// was judged does not show that it holds. Of several reasons one is kept, whoever
// came first.
func (b *Outcome) Hide(clause, operation, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.coverageOf(clause, operation)
	if n.hidden == "" || reason < n.hidden {
		n.hidden = reason
	}
}

// Hold keeps a finding until the run confirms or drops it.
func (b *Outcome) Hold(d TentativeFinding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Tentative = append(b.Tentative, d)
}

// OwnerTaken says whether some operation accepted the owner's key.
func (b *Outcome) OwnerTaken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Accepted[model.OwnerName]
}
