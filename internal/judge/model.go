// Package judge judges answers by the contract, by what their cases expect, and by what the model of the target makes
// of earlier answers. It collects findings, and groups them by cause. It sends nothing.
package judge

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// A Finding is what a check saw of a breach of the contract.
type Finding = finding.Sighting

// A Model holds what is known about a target, and judges its answers.
type Model struct {
	*State
	Outcome *Outcome // shared by the models of a run

	oracle *oracle.Oracle
}

// ModelOptions set up a model.
type ModelOptions struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Seed     uint64
	Selected bool     // some of the cases are left out
	Disabled []string // ids of checks to leave out
	Redact   func(text string) string
	// ReadDelay is how long a read may show a state from before a change; 0 for DefaultReadDelay.
	ReadDelay time.Duration
	Key       func(user string) string // the newest key of a user; nil if keys are not renewed
	Drawn     int                      // how many requests random sequences may send, or 0 for the default
	// Judging is called with each answer before it is judged, and what its case expects; it may be nil.
	Judging func(*Test, *Answer)
	// Sequences are the random sequences to send, by case. If it is nil, they are drawn.
	Sequences map[string][]string
}

// NewModel returns a model that knows nothing about the target.
func NewModel(o ModelOptions) *Model {
	o.ReadDelay = cmp.Or(o.ReadDelay, DefaultReadDelay)
	disabled := map[string]bool{}
	for _, id := range o.Disabled {
		disabled[id] = true
	}
	return &Model{
		State: New(o), oracle: oracle.New(o.Contract, disabled),
		Outcome: newOutcome(wire.NewLiveness(cmp.Or(o.Target.Limits.Timeout, wire.DefaultTimeout))),
	}
}

// Another returns a model for other cases of the same run that knows nothing about the target.
func (s *Model) Another() *Model {
	other := *s
	other.State = New(s.ModelOptions)
	return &other
}

// A Test judges the answers of one case.
type Test struct {
	*Model
	Case     *Case
	Result   *Result
	Recorded bool // others sent the requests
	// Excused, if not nil, reports whether a finding is not the fault of the exchange that shows it.
	Excused func(f *Finding) bool

	answering *spec.Operation  // the operation whose answer is judged, nil before the first
	shown     *wire.Exchange   // the exchange that findings are about, nil before the first
	before    []*wire.Exchange // the exchanges of the case, with the status only
}

// Begin adds a result for a case and returns its test.
func (s *Model) Begin(c *Case) *Test {
	t := s.Aside(c)
	s.Outcome.mu.Lock()
	defer s.Outcome.mu.Unlock()
	s.Outcome.ByCase = append(s.Outcome.ByCase, t.Result)
	return t
}

// Aside returns a test for a case that does not add to its result.
func (s *Model) Aside(c *Case) *Test {
	return &Test{Model: s, Case: c, Result: &Result{Case: c, Status: Passed}}
}

// NotTested marks a case as not tested, unless it has a violation.
func (t *Test) NotTested(cause Cause, reason string) {
	if t.Result.Status != Failed {
		t.Result.notTested(cause, t.Presentable(reason))
	}
}

// notTested marks a result as one of a case that was not tested.
func (r *Result) notTested(cause Cause, reason string) {
	r.Status = NotTested
	r.Cause = cause
	r.Reason = reason
}

// NotGiven marks a case as not tested because the target file lacks what it needs.
func (t *Test) NotGiven(reason string) {
	t.NotTested(ByOperator, reason)
	t.Result.Missing = true
}

// Find adds a finding and returns it, or nil if its check is disabled or an overlay has taken its clause away.
func (t *Test) Find(check *Check, f Finding) *Finding {
	if slices.Contains(t.Disabled, check.ID) || f.Clause == "" {
		return nil
	}
	c := t.Contract.Clause(f.Clause)
	if c == nil {
		panic(fmt.Sprintf("check %s cites clause %q, which is not in clauses.yaml", check.ID, f.Clause))
	}
	f.Check = check.ID
	f.Traits = check.Traits
	f.Case = t.Case.ID
	f.Basis = c.Basis
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

// add completes a finding, removes keys from it, and adds it to the result.
func (t *Test) add(f *Finding) {
	if t.Excused != nil && t.Excused(f) {
		return
	}
	t.tell(f)
	f.Pointer = t.Presentable(f.Pointer)
	f.Expected = t.Presentable(f.Expected)
	f.Got = t.Presentable(f.Got)
	f.Location = cmp.Or(location(), t.Case.Location)
	t.Take(f)
}

// Take adds a complete finding to the result.
func (t *Test) Take(f *Finding) {
	t.Outcome.mu.Lock() // repairs run concurrently and read findings
	defer t.Outcome.mu.Unlock()
	t.Result.Findings = append(t.Result.Findings, f)
	if f.Severity == oracle.Violation {
		t.Result.Status = Failed
	}
}

// Adopt adds a finding of a trial to the result.
func (t *Test) Adopt(trial *Result, f *Finding) {
	for _, d := range trial.Tentative {
		if d.Result = t.Result; d.finding == f {
			t.Outcome.hold(d)
		}
	}
	t.Take(f)
}

// about returns the operation for which a clause is judged: the one that answered, or the operation of the case if the
// clause belongs only to that one, or is an effect of it that another operation shows.
func (t *Test) about(clause string) string {
	hasEffect := func(op *spec.Operation) bool {
		return slices.Contains(slices.Collect(maps.Values(op.Effects)), clause)
	}
	own := t.Case.Operation
	switch c := cmp.Or(t.Contract.Clause(clause), &spec.Clause{}); {
	case c.Relates():
		return c.Operation
	case t.answering == nil, c.Operation == own.ID, hasEffect(own) && !hasEffect(t.answering):
		return own.ID
	}
	return t.answering.ID
}

// Covered notes that clauses were judged in this case: an answer was seen that could have broken them.
func (t *Test) Covered(clauses ...string) {
	for _, id := range clauses {
		if id == "" {
			continue
		}
		if t.Recorded { // repairs run concurrently
			addNew(&t.Result.Judged, id)
		}
		t.Outcome.cover(id, t.Case.ID, t.about(id))
	}
}

// CoveredIf notes that a clause was judged, if its premise was met.
func (t *Test) CoveredIf(met bool, clause string) {
	if met {
		t.Covered(clause)
	}
}

// require notes that a clause was judged. If it does not hold, require adds and returns the finding.
func (t *Test) require(held bool, check *Check, broken Finding) *Finding {
	t.Covered(broken.Clause)
	if held {
		return nil
	}
	return t.Find(check, broken)
}

// Presentable returns a text without keys and with unprintable characters escaped. Everything that findings, reasons
// and observations quote from the target goes through it.
func (s *Model) Presentable(text string) string {
	return wording.Printable(s.Redact(text))
}

const (
	module = "github.com/adconform/adconform/"
	specs  = "suites/specs"
)

// location returns the file and line of the running spec, or "" if none runs, as while the survey reads.
func location() string {
	all := callers(func(function string) bool {
		registers := strings.Contains(function, ".Table[") || strings.Contains(function, ".(*Specs).")
		return strings.HasPrefix(function, module+specs+".") && !registers
	})
	if len(all) == 0 {
		return ""
	}
	return specs + "/" + all[len(all)-1]
}

// callers returns the file and line of the calls by functions for which is holds, the innermost first.
func callers(is func(function string) bool) (at []string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); is(f.Function) {
			at = append(at, fmt.Sprintf("%s:%d", path.Base(f.File), f.Line))
		}
	}
	return at
}

// Guard runs part and recovers from a panic in it, which is a defect of the suite. It returns a description of the
// defect, or "".
func (s *Model) Guard(what string, part func()) (defect string) {
	defer func() {
		if p := recover(); p != nil {
			by := callers(func(function string) bool { return strings.HasPrefix(function, module) })
			by = append(by, "an unknown place", "an unknown place")
			defect = fmt.Sprintf("a defect of adconform, please report it: %v at %s", p, by[1]) // by[0] recovers
			defect = s.Redact(defect)
			s.Outcome.mu.Lock()
			defer s.Outcome.mu.Unlock()
			s.Outcome.Defects = append(s.Outcome.Defects, what+": "+defect)
		}
	}()
	part()
	return ""
}
