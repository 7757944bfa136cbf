package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Finding is one breach, as reports show it.
type Finding = oracle.Finding

// Client sends requests; *wire.Client is one.
type Client interface {
	Do(ctx context.Context, caseID string, r wire.Request) *wire.Exchange
	DoRaw(ctx context.Context, caseID string, r wire.Request) *wire.Exchange
	DoInOrder(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange
	DoAround(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange
	DoTogether(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange
	Redact(text string) string
}

// Session sends the cases of a run that follow one another: it knows what was
// sent, what the target was seen to hold, and what was found. Cases that do not
// touch the same objects may have sessions of their own, see Fork.
type Session struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Seed     uint64
	mark     string // of the run, see other_run.go

	*book // shared by the sessions of a run, see Fork

	client   Client
	oracle   *oracle.Oracle
	disabled map[string]bool // checks by id
	record   func(*wire.Exchange)
	onSent   func(*Case, *Call, Expect, *wire.Exchange)
	caseTime time.Duration
	readOnly bool // nothing that could change the target is sent
	lane     int  // whose objects Target names

	// What the target was seen to hold and to do.
	objects         map[string]*Object         // by operation and key
	order           []*Object                  // as they were first used
	sent            map[string]origin          // texts that the suite made up, by value
	modes           map[modeKey]*mode          // how omitted fields are shown
	calibrated      map[string]bool            // operations, see Calibrate
	lists           map[listKey]*listing       // by what they hold
	items           map[listKey]map[string]any // as first seen in a list
	deletes         []*Object                  // accepted deletes
	updates         map[string]int             // updates that changed an object, by operation
	usedUp          map[int64]bool             // media files that an earlier run deleted, see noteUsedUp
	strangerSees404 map[string]bool            // operations, see exists
	shownFiles      map[string]Media           // of containers of which the target file says otherwise, see disputes
}

// origin is where a made-up text was sent.
type origin struct {
	object *Object // nil: to an id that nobody has
	field  string
	caseID string
}

// where says where it was sent, for a text that shows elsewhere.
func (o origin) where() string {
	if o.object == nil {
		return fmt.Sprintf(", which was sent to an id that nobody has, in %s", o.caseID)
	}
	return fmt.Sprintf(", which was sent to %s in %s", o.object.Name(), o.caseID)
}

// clause is what breaks when the text shows on another object.
func (o origin) clause() string {
	if o.object == nil {
		return "EFFECT-1"
	}
	return "EFFECT-2"
}

func (o origin) check() string {
	if o.object == nil {
		return "refused-write"
	}
	return "other-object"
}

// Options set up a session.
type Options struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Client   Client
	Seed     uint64
	Mark     string               // tells the texts of this run from those of another with its seed; "": nothing does
	Disabled []string             // ids of checks that do not judge
	ReadOnly bool                 // send nothing that could change the target
	Record   func(*wire.Exchange) // is given every exchange, by several lanes at once; may be nil
	CaseTime time.Duration        // of waiting for answers in one case; 0 for no bound
	Patience Patience             // with failures
	Lanes    int                  // how many requests may be under way; 0: not known
	// Sent is given every exchange of a case with what the case asked for and
	// expects, in order; may be nil.
	Sent func(*Case, *Call, Expect, *wire.Exchange)
}

// NewSession returns a session without any knowledge of the target.
func NewSession(o Options) *Session {
	s := &Session{
		Contract: o.Contract, Target: o.Target, Seed: o.Seed, mark: o.Mark, client: o.Client, record: o.Record, onSent: o.Sent, caseTime: o.CaseTime, readOnly: o.ReadOnly,
		oracle: oracle.New(o.Contract), disabled: map[string]bool{},
		book: newBook(),
	}
	s.book.stalls.patience, s.book.lanes = o.Patience, o.Lanes
	s.know()
	for _, id := range o.Disabled {
		s.disabled[id] = true
		s.oracle.Disable(id)
	}
	return s
}

// know makes the session's memory of the target, empty.
func (s *Session) know() {
	s.objects, s.order, s.deletes = map[string]*Object{}, nil, nil
	s.sent, s.modes, s.calibrated = map[string]origin{}, map[modeKey]*mode{}, map[string]bool{}
	s.lists, s.items, s.usedUp = map[listKey]*listing{}, map[listKey]map[string]any{}, map[int64]bool{}
	s.strangerSees404, s.updates = map[string]bool{}, map[string]int{}
	s.shownFiles = map[string]Media{}
}

// T is the hand of a running case: what it sends through it is recorded and
// judged under the case's name.
type T struct {
	*Session
	Ctx    context.Context
	Case   *Case
	Result *Result
	Fake   *fixtures.Fake

	answering *spec.Operation // whose answer is judged; nil before the first
	flight    *Flight         // of recorded traffic; nil in a case that sends
	spent     *time.Duration  // waiting for answers, tries included; nil is not bounded
	pending   []*Answer       // that are not judged, in the order of their requests
	judging   bool            // an answer, which may take further requests
	matched   bool            // the last judgement of a matcher noted what it found
	matcher   gomega.Gomega   // of the case, see Expect
}

// Run runs one case and returns its result.
func (s *Session) Run(ctx context.Context, c *Case) *Result {
	t := s.begin(ctx, c)
	for _, need := range c.Needs {
		if !Has(s.Target, need) {
			t.NotTested(ByOperator, fmt.Sprintf("%s is not in the target file", need))
			t.Result.Lacks = true
			return t.Result
		}
	}
	t.runSafely()
	return t.Result
}

// runSafely runs a case; a panic is a defect of ours and ends only the case.
func (t *T) runSafely() {
	start := time.Now()
	defer func() {
		t.Result.Duration = time.Since(start)
	}()
	if defect := t.guard(t.Case.ID, t.run); defect != "" {
		t.NotTested(BySuite, defect)
	}
}

func (t *T) run() {
	defer t.judgePending()
	t.Case.Run(t)
}

func (s *Session) begin(ctx context.Context, c *Case) *T {
	r := s.book.begin(c)
	r.session = s
	return &T{Session: s, Ctx: ctx, Case: c, Result: r, Fake: fixtures.NewFake(s.Seed, c.ID).Marked(s.mark), spent: new(time.Duration)}
}

// NotTested ends a case without a judgement, unless it found something.
func (t *T) NotTested(cause Cause, reason string) {
	if t.Result.Status != Failed {
		t.Result.Status, t.Result.Cause, t.Result.Reason = NotTested, cause, t.presentable(reason)
	}
}

// Owner and Stranger are the two users of the target file.
func (s *Session) Owner() wire.Credential {
	return wire.Credential{Name: "owner", Value: s.Target.Credentials.Owner, Send: true}
}

// Stranger is a user without permission for the owner's objects.
func (s *Session) Stranger() wire.Credential {
	return wire.Credential{Name: "stranger", Value: s.Target.Credentials.Stranger, Send: true}
}

// find adds a finding, unless its check is disabled, and counts it.
func (t *T) find(check string, f Finding) *Finding {
	if t.disabled[check] {
		return nil
	}
	c := t.Contract.Clause(f.Clause)
	if c == nil {
		panic(fmt.Sprintf("check %s cites clause %q, which is not in clauses.yaml", check, f.Clause))
	}
	f.Check, f.Case, f.Basis = check, t.Case.ID, c.Basis
	f.Timing = spec.HangsOnTiming(c.ID)
	if f.Operation == "" {
		f.Operation = t.about(f.Clause)
	}
	if f.Severity == "" {
		f.Severity = oracle.Violation
		if c.Basis == spec.Chosen {
			f.Severity = oracle.Notice
		}
	}
	t.add(&f)
	return &f
}

// add keeps a finding. What it quotes may hold a key that the target sent back.
func (t *T) add(f *Finding) {
	t.present(f)
	f.Location = location()
	f.ID = f.Cause().ID()
	t.mu.Lock() // objects are put back at once, and each asks what was found
	defer t.mu.Unlock()
	t.Result.Findings = append(t.Result.Findings, f)
	if f.Severity == oracle.Violation {
		t.Result.Status = Failed
	}
}

// about is the operation that a clause is judged for: the one that answered, but
// the one that the case is about where the clause is about that alone, or is one of
// its effects that another operation shows.
func (t *T) about(clause string) string {
	c := t.Contract.Clause(clause)
	switch {
	case c != nil && c.Relates():
		return c.Operation
	case t.answering == nil, c != nil && c.Operation == t.Case.Operation.ID, cites(t.Case.Operation, clause) && !cites(t.answering, clause):
		return t.Case.Operation.ID
	}
	return t.answering.ID
}

// cites says whether an operation is judged by a clause beyond its schema.
func cites(op *spec.Operation, clause string) bool {
	for _, c := range op.Effects {
		if c == clause {
			return true
		}
	}
	return false
}

// judge notes that a clause was judged in this case: what it is about was seen, and
// it held, or it was broken. What could not have broken it is no judgement.
func (t *T) judge(clauses ...string) {
	for _, id := range clauses {
		if id == "" {
			continue
		}
		t.book.judge(id, t.Case.ID, t.about(id))
	}
}

// judgeIf notes that a clause was judged, if its premise was met.
func (t *T) judgeIf(met bool, clause string) {
	if met {
		t.judge(clause)
	}
}

// Partly notes that the target shows a part only of what clauses are about: they
// are not tested, whatever else was seen of them.
func (t *T) Partly(reason string, clauses ...string) {
	reason = t.presentable(reason)
	for _, id := range clauses {
		if id != "" {
			t.book.hide(id, t.about(id), reason)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
