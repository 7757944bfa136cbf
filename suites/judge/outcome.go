package judge

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Outcome is what a run keeps of all that its sessions see. They write to it at the
// same time; but for the order of its lists, which InOrder sets right, nothing in
// it depends on who came first.
type Outcome struct {
	mu sync.Mutex

	observed  map[string]*Observation
	coverage  map[about]*Judged
	ByCase    []*Result
	Tentative []TentativeFinding
	defects   []string // of ours

	mistakes []string        // of the operator
	absent   []string        // disposables that are not there
	made     map[string]bool // tokens that this run made, see fixtures.Tokens
	others   []otherRun      // where tokens of another run were seen

	Liveness *wire.Watch // with a lock of its own
	traffic  Traffic

	facts    map[Fact]bool
	failures map[int]*wire.Exchange // that were answered 5xx, by Seq
}

// newOutcome returns one of which nothing was seen yet.
func newOutcome(live *wire.Watch) *Outcome {
	return &Outcome{
		Liveness: live,
		observed: map[string]*Observation{}, coverage: map[about]*Judged{}, made: map[string]bool{}, facts: map[Fact]bool{},
		failures: map[int]*wire.Exchange{},
	}
}

// Begin opens the result of a case.
func (b *Outcome) Begin(c *Case) *Result {
	r := &Result{Case: c, Status: Passed}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ByCase = append(b.ByCase, r)
	return r
}

// take adds a finding to a result.
func (b *Outcome) take(r *Result, f *oracle.Finding) {
	b.mu.Lock() // objects are put back at once, and each asks what was found
	defer b.mu.Unlock()
	r.Findings = append(r.Findings, f)
	if f.Severity == oracle.Violation {
		r.Status = Failed
	}
}

// InOrder puts what was seen into the order of the plan.
func (b *Outcome) InOrder() {
	b.mu.Lock()
	defer b.mu.Unlock()
	place := func(x, y *Result) int { return cmp.Compare(x.Case.Place, y.Case.Place) }
	slices.SortStableFunc(b.ByCase, place)
	slices.SortStableFunc(b.Tentative, func(x, y TentativeFinding) int { return place(x.Result, y.Result) })
	slices.Sort(b.defects)
	slices.Sort(b.mistakes)
}

// A Fact is what an answer showed, of whatever chain. Nothing takes it back.
type Fact struct {
	What FactKind
	Of   string // the user or the operation
	At   Thing
}

// FactKind tells facts apart.
type FactKind int

// The kinds of facts.
const (
	KeyTaken   FactKind = iota // an operation accepted the key of a user
	KeyRefused                 // an operation answered 401 to the owner's
	Serves                     // an operation took its user's request for an object
	Usable                     // an object let its user at it
	Listed                     // a list of its user's showed it: who may change it is not said
)

// note notes facts.
func (b *Outcome) note(facts ...Fact) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range facts {
		b.facts[f] = true
	}
}

// Saw says whether an answer showed a fact.
func (b *Outcome) Saw(f Fact) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.facts[f]
}

// OwnerTaken says whether some operation accepted the owner's key.
func (b *Outcome) OwnerTaken() bool { return b.Saw(Fact{What: KeyTaken, Of: OwnerName}) }

// RefusesOwner says whether an operation answered the owner's key with 401.
func (b *Outcome) RefusesOwner(op *spec.Operation) bool {
	return b.Saw(Fact{What: KeyRefused, Of: op.ID})
}

// noteDefect notes what a defect of ours ended.
func (b *Outcome) noteDefect(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.defects = append(b.defects, text)
}

// Defects are the parts of the run that a defect of ours ended, each with what
// happened.
func (b *Outcome) Defects() []string { return b.defects }

// Results are the outcomes of the cases that ran, in order.
func (b *Outcome) Results() []*Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.ByCase)
}

// broke says whether a clause was broken on an operation.
func (b *Outcome) broke(clause string, op *spec.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.ByCase, func(r *Result) bool {
		return slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool { return f.Clause == clause && f.Operation == op.ID })
	})
}

// Found says whether something of this cause was found.
func (b *Outcome) Found(cause oracle.Cause) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.findings(), func(f *oracle.Finding) bool { return f.Cause() == cause })
}

// Adopt makes what is tentative in a finding of a trial depend on the result that reports it.
func (b *Outcome) Adopt(to *Result, found *oracle.Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.Tentative {
		if d := &b.Tentative[i]; d.finding == found {
			d.Result, to.Tentative = to, true
		}
	}
}

// DiscardTrials forgets what is tentative in other results of a case than this one.
func (b *Outcome) DiscardTrials(r *Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Tentative = slices.DeleteFunc(slices.Clone(b.Tentative), func(d TentativeFinding) bool {
		return d.Result.Case == r.Case && d.Result != r
	})
}

// Broken says whether the target did anything that it must not.
func (b *Outcome) Broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.ByCase, func(r *Result) bool { return r.Status == Failed })
}

// Forgets says whether an operation was seen not to keep what it was told.
func (b *Outcome) Forgets(op *spec.Operation) bool {
	return b.broke(op.Effects["persists"], op) || b.broke("EFFECT-1", op) || b.broke("EFFECT-2", op)
}

// Note counts an exchange that no case judges.
func (b *Outcome) Note(ex *wire.Exchange) {
	b.count(ex)
	if ex.Err == nil {
		b.Liveness.Answer(ex, "")
	}
}

// Traffic counts what went over the wire in a run.
type Traffic struct {
	Requests    int           // sent, those sent again included
	RateLimited int           // answers 429 that were waited for
	Unavailable int           // answers 502 to 504, and connections without one, that were waited for
	Resent      int           // sent again as the target had ended the connection
	Waited      time.Duration // for the target's rate limit, and while it was away
}

// Traffic is what was sent so far.
func (b *Outcome) Traffic() Traffic {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.traffic
}

// count counts an exchange.
func (b *Outcome) count(ex *wire.Exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := &b.traffic
	n.Requests += ex.Attempts + ex.Beside
	n.RateLimited += ex.RateLimited
	n.Unavailable += ex.Unavailable
	n.Resent += ex.Resent
	n.Waited += ex.Waited
}

// Observation is what the target chose at an open point.
type Observation struct {
	Point string
	// At holds each choice with the places that showed it: operation, or operation.field.
	At map[spec.Choice]map[string]bool
	// probes holds what each operation chose where it was sent the same, see Case.Probe.
	probes map[string]map[string][]spec.Choice
}

// Choices are the choices seen, sorted.
func (o *Observation) Choices() []spec.Choice { return slices.Sorted(maps.Keys(o.At)) }

// observe notes a choice that an operation made, with a field or for all of it.
func (b *Outcome) observe(point string, choice spec.Choice, operation, field, probe string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.observed[point]
	if o == nil {
		o = &Observation{Point: point, At: map[spec.Choice]map[string]bool{}, probes: map[string]map[string][]spec.Choice{}}
		b.observed[point] = o
	}
	if o.probes[probe] == nil {
		o.probes[probe] = map[string][]spec.Choice{}
	}
	if seen := o.probes[probe][operation]; !slices.Contains(seen, choice) {
		o.probes[probe][operation] = slices.Sorted(slices.Values(append(seen, choice)))
	}
	if field != "" {
		operation += "." + field
	}
	if o.At[choice] == nil {
		o.At[choice] = map[string]bool{}
	}
	o.At[choice][operation] = true
}

// Observations are the choices seen at open points, by point.
func (b *Outcome) Observations() []*Observation {
	var all []*Observation
	for _, point := range slices.Sorted(maps.Keys(b.observed)) {
		all = append(all, b.observed[point])
	}
	return all
}
