// Package judge says what exchanges show of a target: it remembers what the target was
// seen to hold and judges each answer by the contract, by what its case expects, and
// by what other answers showed. It sends nothing.
package judge

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Finding is one breach, as reports show it.
type Finding = oracle.Finding

// Model is what is known of a target, and by what its answers are judged.
type Model struct {
	*State
	Outcome  *Outcome // shared by the models of a run
	Selected bool     // some of the cases are left out

	Drawn     int                 // see ModelOptions
	Sequences map[string][]string // likewise
	bases     []spec.Basis        // that fail the run; none: all but chosen
	oracle    *oracle.Oracle
	disabled  map[string]bool // checks by id
	redact    func(text string) string
}

// ModelOptions set up a model.
type ModelOptions struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Seed     uint64
	Bases    []spec.Basis
	Selected bool     // some of the cases are left out
	Disabled []string // ids of checks that do not judge
	Redact   func(text string) string
	Workers  int // how many requests may be under way; 0: not known
	Drawn    int // requests that random sequences may take; 0: as usual
	// Sequences are those that cases of random sequences send, by case, in place of others; nil: they draw them.
	Sequences map[string][]string
}

// NewModel returns a model that knows nothing of the target.
func NewModel(o ModelOptions) *Model {
	m := &Model{
		State: New(o.Contract, o.Target, o.Seed), Drawn: o.Drawn, Sequences: o.Sequences,
		Selected: o.Selected, bases: o.Bases, redact: o.Redact,
		oracle: oracle.New(o.Contract), disabled: map[string]bool{}, Outcome: newOutcome(
			wire.NewLiveness(cmp.Or(o.Target.Limits.Timeout, wire.DefaultTimeout), o.Workers)),
	}
	for _, id := range o.Disabled {
		m.disabled[id] = true
		m.oracle.Disable(id)
	}
	return m
}

// Another returns a model for other cases of the same run, in which nothing is known of
// the target yet.
func (s *Model) Another() *Model {
	other := *s
	other.State = New(s.Contract, s.Target, s.Seed)
	return &other
}

// Test judges the answers of one case.
type Test struct {
	*Model
	Case     *Case
	Result   *Result
	Recorded bool // others sent the requests
	// Excused, if any, says of a finding that it is not the fault of the exchange that shows it.
	Excused func(f *Finding) bool

	answering *spec.Operation  // whose answer is judged; nil before the first
	shown     *wire.Exchange   // that shows what is found; nil before the first
	before    []*wire.Exchange // of the case, with the status alone
	answered  *wire.Exchange   // whose answer is kept, as findings show it
	answer    *oracle.Answer
}

// Begin opens the result of a case and returns what judges its answers.
func (s *Model) Begin(c *Case) *Test {
	return &Test{Model: s, Case: c, Result: s.Outcome.Begin(c)}
}

// Aside judges answers for a case without adding to its result.
func (s *Model) Aside(c *Case) *Test {
	return &Test{Model: s, Case: c, Result: &Result{Case: c, Status: Passed}}
}

// NotTested ends a case without a judgement, unless it found something.
func (t *Test) NotTested(cause Cause, reason string) {
	if t.Result.Status != Failed {
		t.Result.Status, t.Result.Cause, t.Result.Reason = NotTested, cause, t.Model.Presentable(reason)
	}
}

// Find adds a finding, unless its check is disabled, and counts it.
func (t *Test) Find(check *Check, f Finding) *Finding {
	if t.Model.disabled[check.ID] {
		return nil
	}
	c := t.Model.Contract.Clause(f.Clause)
	if c == nil {
		panic(fmt.Sprintf("check %s cites clause %q, which is not in clauses.yaml", check.ID, f.Clause))
	}
	f.Check, f.Case, f.Basis = check.ID, t.Case.ID, c.Basis
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
func (t *Test) add(f *Finding) {
	if t.Excused != nil && t.Excused(f) {
		return
	}
	t.tell(f)
	f.Pointer, f.Expected, f.Got = t.Model.Presentable(f.Pointer), t.Model.Presentable(f.Expected), t.Model.Presentable(f.Got)
	f.Location = location()
	f.ID = f.Cause().ID()
	t.Take(f)
}

// Take keeps a finding that says all that it has to.
func (t *Test) Take(f *Finding) {
	t.Model.weigh(f)
	t.Model.Outcome.take(t.Result, f)
}

// about is the operation that a clause is judged for: the one that answered, but
// the one that the case is about where the clause is about that alone, or is one of
// its effects that another operation shows.
func (t *Test) about(clause string) string {
	c := t.Model.Contract.Clause(clause)
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
	return slices.Contains(slices.Collect(maps.Values(op.Effects)), clause)
}

// Covered notes that a clause was judged in this case: what it is about was seen, and
// it held, or it was broken. What could not have broken it is no judgement.
func (t *Test) Covered(clauses ...string) {
	for _, id := range clauses {
		if id == "" {
			continue
		}
		t.Model.Outcome.cover(id, t.Case.ID, t.about(id))
	}
}

// CoveredIf notes that a clause was judged, if its premise was met.
func (t *Test) CoveredIf(met bool, clause string) {
	if met {
		t.Covered(clause)
	}
}

// require judges a clause: it is held, or the finding is added and returned.
func (t *Test) require(held bool, check *Check, broken Finding) *Finding {
	t.Covered(broken.Clause)
	if held {
		return nil
	}
	return t.Find(check, broken)
}

// weigh makes a notice of a finding that does not count, as the run does not ask for its basis.
func (s *Model) weigh(f *Finding) {
	if len(s.bases) == 0 || slices.Contains(s.bases, f.Basis) || f.Severity == oracle.Notice {
		return
	}
	f.Ignored, f.Severity = "its basis, "+string(f.Basis)+", is not asked for", oracle.Notice
}

// A target may put a key, an escape sequence or a megabyte into any text that it
// answers with. What findings, reasons and observations repeat of that goes
// through here, whichever report shows it.

// Presentable is a text without keys, and with what is not printable as escapes.
func (s *Model) Presentable(text string) string {
	return wording.Printable(s.redact(text))
}

const specs = "suites/specs"

// location is the file and line of the spec that runs, "" outside of any.
func location() (at string) {
	for _, f := range callers() {
		registers := strings.Contains(f.Function, ".Table[") || strings.Contains(f.Function, ".(*Specs).")
		if strings.Contains(f.Function, "adconform/"+specs+".") && !registers {
			at = fmt.Sprintf("%s/%s:%d", specs, path.Base(f.File), f.Line)
		}
	}
	return at
}

// callers are the lines that led here, the innermost first.
func callers() (all []runtime.Frame) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		all = append(all, f)
		if !more {
			return all
		}
	}
}

// Guard runs a part of the run in which a panic, a defect of ours, ends only
// that part. It returns what there is to say of the defect, or "".
func (s *Model) Guard(what string, part func()) (defect string) {
	defer func() {
		if p := recover(); p != nil {
			defect = fmt.Sprintf("a defect of adconform, please report it: %v at %s", p, where())
			defect = s.redact(defect)
			s.Outcome.noteDefect(what + ": " + defect)
		}
	}()
	part()
	return ""
}

// where is the line of ours that panicked.
func where() string {
	for _, f := range callers()[2:] { // above the function that recovers
		if strings.Contains(f.Function, "adconform/suites") {
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
	}
	return "an unknown place"
}
