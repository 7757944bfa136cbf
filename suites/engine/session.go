package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
	DoTogether(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange
	Redact(text string) string
}

// Session is one run against one target: what was sent, what the target was
// seen to hold, and what was found.
type Session struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Seed     uint64

	client   Client
	oracle   *oracle.Oracle
	disabled map[string]bool // checks by id
	record   func(*wire.Exchange)

	// What the target was seen to hold and to do.
	objects    map[string]*Object       // by operation and key
	order      []*Object                // as they were first used
	sent       map[string]origin        // texts that the suite made up, by value
	modes      map[modeKey]*mode        // how omitted fields are shown
	calibrated map[string]bool          // operations, see Calibrate
	lists      map[int64]*listing       // by creative
	creatives  map[int64]map[string]any // as first seen in a list
	deletes    []*Object                // accepted deletes
	usedUp     map[int64]bool           // media files that an earlier run deleted, see noteUsedUp
	forms      map[string]string        // date forms, with where each was seen first

	// What follows for the run.
	observed        map[string]*Observation
	judged          map[string]*tally // by clause
	results         []*Result
	doubts          []doubt
	accepted        map[string]bool // users whose key some operation accepted
	strangerSees404 map[string]bool // operations, see exists

	traffic  Traffic
	answered int
	defects  []string // of ours
	caseTime time.Duration
	lost     []*wire.Exchange
	inARow   int // requests lost one after another

	hanging   map[string]int // requests lost one after another, by operation
	restoring bool           // what was changed is put back even where the target seems gone
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
	return fmt.Sprintf(", which was sent to %s in %s", o.object.Key, o.caseID)
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

// tally counts what was judged of a clause.
type tally struct {
	cases map[string]bool
	of    map[string]int // judgements by operation
}

// Options set up a session.
type Options struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Client   Client
	Seed     uint64
	Disabled []string             // ids of checks that do not judge
	Record   func(*wire.Exchange) // is given every exchange, in order; may be nil
	CaseTime time.Duration        // of waiting for answers in one case; 0 for no bound
}

// NewSession returns a session without any knowledge of the target.
func NewSession(o Options) *Session {
	s := &Session{
		Contract: o.Contract, Target: o.Target, Seed: o.Seed, client: o.Client, record: o.Record, caseTime: o.CaseTime,
		oracle: oracle.New(o.Contract), disabled: map[string]bool{},
		objects: map[string]*Object{}, sent: map[string]origin{}, modes: map[modeKey]*mode{},
		forms: map[string]string{}, lists: map[int64]*listing{}, creatives: map[int64]map[string]any{},
		observed: map[string]*Observation{}, judged: map[string]*tally{},
		accepted: map[string]bool{}, calibrated: map[string]bool{}, strangerSees404: map[string]bool{}, hanging: map[string]int{}, usedUp: map[int64]bool{},
	}
	for _, id := range o.Disabled {
		s.disabled[id] = true
		s.oracle.Disable(id)
	}
	return s
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
}

// Run runs one case and returns its result.
func (s *Session) Run(ctx context.Context, c *Case) *Result {
	t := s.begin(ctx, c)
	for _, need := range c.Needs {
		if !s.has(need) {
			t.NotTested(ByOperator, fmt.Sprintf("%s is not in the target file", need))
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
	if defect := t.guard(t.Case.ID, func() { t.Case.Run(t) }); defect != "" {
		t.NotTested(BySuite, defect)
	}
}

func (s *Session) begin(ctx context.Context, c *Case) *T {
	r := &Result{Case: c, Status: Passed}
	s.results = append(s.results, r)
	return &T{Session: s, Ctx: ctx, Case: c, Result: r, Fake: fixtures.NewFake(s.Seed, c.ID), spent: new(time.Duration)}
}

// has says whether the target file gives what a case needs: a credential, or
// the objects under a key.
func (s *Session) has(need string) bool {
	switch need {
	case "credentials.stranger":
		return s.Target.Credentials.Stranger != ""
	default:
		key, _ := strings.CutPrefix(need, "objects.")
		id, _ := s.lookup(key)
		return id != 0
	}
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
	f.Case, f.Basis = t.Case.ID, c.Basis
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
	t.Result.Findings = append(t.Result.Findings, f)
	if f.Severity == oracle.Violation {
		t.Result.Status = Failed
	}
}

// about is the operation that a clause is judged for: the one that answered, if
// the clause is about that alone, else the one that the case is about.
func (t *T) about(clause string) string {
	if c := t.Contract.Clause(clause); c != nil && t.answering != nil && c.Operation == t.answering.ID {
		return c.Operation
	}
	return t.Case.Operation.ID
}

// judge notes that a clause was judged in this case, broken or not.
func (t *T) judge(clauses ...string) {
	for _, id := range clauses {
		if id == "" {
			continue
		}
		n := t.judged[id]
		if n == nil {
			n = &tally{cases: map[string]bool{}, of: map[string]int{}}
			t.judged[id] = n
		}
		n.cases[t.Case.ID] = true
		n.of[t.about(id)]++
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
