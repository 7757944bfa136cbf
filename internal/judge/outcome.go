package judge

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Outcome collects the results of a run. Sessions write to it concurrently; nothing in it depends on their order,
// except the order of its lists, which InOrder restores.
type Outcome struct {
	mu sync.Mutex

	observed map[string]*Observation
	coverage map[about]*Judged
	ByCase   []*Result
	aside    []blamed // see attribute
	Defects  []string // defects of the suite, each with the part of the run that it ended

	mistakes     []string        // mistakes of the operator
	made         map[string]bool // tokens of this run, see fixtures.Tokens
	others       []string        // what shows that others write to the target, each with advice
	hasRestarted bool            // the target, which the last of these says

	absent map[string][]string // disposable objects that were gone before this run deleted them, by key
	taken  bool                // one of them that no delete had named

	Liveness *wire.Watch // has its own lock
	Traffic  Traffic     // so far

	facts map[Fact]bool
	stops map[string]*stopped // keys that have stopped, by user

	arrays []report.Arrays // by operation

	ownership map[string]Ownership // of the objects under foreign, by key
}

func newOutcome(live *wire.Watch) *Outcome {
	return &Outcome{
		Liveness: live,
		observed: map[string]*Observation{}, coverage: map[about]*Judged{},
		made: map[string]bool{}, facts: map[Fact]bool{},
		absent: map[string][]string{}, stops: map[string]*stopped{},
		ownership: map[string]Ownership{},
	}
}

// InOrder sorts the results into the order of the plan, once the cases have run.
func (b *Outcome) InOrder() {
	b.attribute()
	slices.SortStableFunc(b.ByCase, func(x, y *Result) int {
		return cmp.Compare(x.Case.Place, y.Case.Place)
	})
	slices.Sort(b.Defects)
	slices.Sort(b.mistakes)
}

// A Fact is something that an answer in any chain showed. It is never taken back.
type Fact struct {
	What FactKind
	Of   string // name of the user, or id of the operation
	At   Thing
}

// FactKind is the kind of a fact.
type FactKind int

// The kinds of facts.
const (
	KeyTaken   FactKind = iota // an operation accepted the key of a user
	KeyRefused                 // an operation answered 401 to the owner's key
	Serves                     // an operation served an object to its user
	Usable                     // an object was served to its user
	Listed                     // a list showed an object to its user, who need not be allowed to change it
	ShowsTexts                 // an object showed a text that an update had set, so it would also show texts of others
)

func (b *Outcome) note(facts ...Fact) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range facts {
		b.facts[f] = true
	}
}

// Saw reports whether an answer showed a fact.
func (b *Outcome) Saw(f Fact) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.facts[f]
}

// OwnerTaken reports whether some operation accepted the owner's key.
func (b *Outcome) OwnerTaken() bool {
	return b.Saw(Fact{What: KeyTaken, Of: OwnerName})
}

// RefusesOwner reports whether an operation answered the owner's key with 401.
func (b *Outcome) RefusesOwner(op *spec.Operation) bool {
	return b.Saw(Fact{What: KeyRefused, Of: op.ID})
}

// Results returns the results of the cases that ran, in order.
func (b *Outcome) Results() []*Result {
	b.attribute()
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.ByCase)
}

// finds reports whether there is a finding for which is holds.
func (b *Outcome) finds(is func(*Case, *Finding) bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	isAside := func(one blamed) bool { return is(one.result.Case, one.Finding) }
	return slices.ContainsFunc(b.aside, isAside) || slices.ContainsFunc(b.ByCase, func(r *Result) bool {
		return slices.ContainsFunc(r.Findings, func(f *Finding) bool {
			return is(r.Case, f)
		})
	})
}

// broke reports whether one of some clauses was broken on an operation.
func (b *Outcome) broke(op *spec.Operation, clauses ...string) bool {
	return b.finds(func(_ *Case, f *Finding) bool {
		return f.Operation == op.ID && slices.Contains(clauses, f.Clause)
	})
}

// Found reports whether there is a finding at a site.
func (b *Outcome) Found(at report.Site) bool {
	return b.finds(func(_ *Case, f *Finding) bool {
		return f.Site() == at
	})
}

// Broken reports whether there is a violation.
func (b *Outcome) Broken() bool {
	return b.finds(func(_ *Case, f *Finding) bool {
		return f.Severity == oracle.Violation
	})
}

// Forgets reports whether an operation was seen to lose updates or to change other objects.
func (b *Outcome) Forgets(op *spec.Operation) bool {
	return b.broke(op, op.Effects["persists"], "EFFECT-1", "EFFECT-2")
}

// Note counts an exchange that no case judges.
func (b *Outcome) Note(ex *wire.Exchange) {
	b.count(ex)
	if ex.Err == nil {
		b.Liveness.Note(ex, "")
	}
}

// Traffic counts what went over the wire in a run.
type Traffic struct {
	Requests    int           // requests, including those that were sent again
	RateLimited int           // answers 429 after which the client waited
	Unavailable int           // answers 502 to 504, and failed connections, after which the client waited
	Resent      int           // requests that were sent again because the target had closed the connection
	Waited      time.Duration // time waited for the rate limit, and while the target was unavailable
}

func (b *Outcome) count(ex *wire.Exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noteStop(ex.Stop)
	n := &b.Traffic
	n.Requests += ex.Attempts + ex.Beside
	n.RateLimited += ex.RateLimited
	n.Unavailable += ex.Unavailable
	n.Resent += ex.Resent
	n.Waited += ex.Waited
}

// An Observation holds what the target chose at an open point.
type Observation struct {
	Point string
	// At has the choices, each with the places that showed it: operation, or operation.field.
	At map[spec.Choice]map[string]bool
	// probes has the probes, each with what operations chose, see Case.Probe.
	probes map[string]map[string]map[spec.Choice]bool
}

// Choices returns the choices seen, sorted.
func (o *Observation) Choices() []spec.Choice {
	return slices.Sorted(maps.Keys(o.At))
}

// observe notes a choice of an operation, or of a field of it.
func (b *Outcome) observe(point string, choice spec.Choice, operation, field, probe string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.observed[point]
	if o == nil {
		o = &Observation{
			Point: point, At: map[spec.Choice]map[string]bool{},
			probes: map[string]map[string]map[spec.Choice]bool{},
		}
		b.observed[point] = o
	}
	under(under(o.probes, probe), operation)[choice] = true
	under(o.At, choice)[strings.TrimSuffix(operation+"."+field, ".")] = true
}

// under returns the map under a key, a new one if there is none.
func under[K, L comparable, V any](m map[K]map[L]V, key K) map[L]V {
	if m[key] == nil {
		m[key] = map[L]V{}
	}
	return m[key]
}

// NoteArrays notes what the requests of an operation were made of so far.
func (b *Outcome) NoteArrays(n report.Arrays) {
	b.mu.Lock()
	defer b.mu.Unlock()
	isOfIt := func(other report.Arrays) bool { return other.Operation == n.Operation }
	b.arrays = append(slices.DeleteFunc(b.arrays, isOfIt), n)
	slices.SortFunc(b.arrays, func(x, y report.Arrays) int {
		return cmp.Compare(x.Operation, y.Operation)
	})
}

// Arrays returns what the requests of each operation were made of.
func (b *Outcome) Arrays() []report.Arrays { return b.arrays }

// Observations returns the choices seen at open points, by point.
func (b *Outcome) Observations() (all []*Observation) {
	for _, point := range sortedKeys(b.observed) {
		all = append(all, b.observed[point])
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
