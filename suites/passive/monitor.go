// Package passive judges exchanges that others send, as a recording or a proxy shows
// them. It sends nothing.
package passive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/judge/results"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// Monitor judges exchanges that others send, with the oracle and the memory of a
// run. It sends nothing. Whoever sends may not be alone with the target and may
// use keys that nobody told us of, so it judges less than a case does: no
// relation that another writer could break, no refusal that another reason
// could explain.
type Monitor struct {
	model   *judge.Model
	keys    bool
	cases   map[string]*judge.Test           // by id
	flights map[string]map[*Flight]bool      // under way, by object
	age     int                              // how often all was forgotten
	found   map[foundIn]*judge.Finding       // the first of each cause, which counts the others
	walks   map[string]*walk                 // by list and key
	fixed   map[model.ListKey]map[string]any // what stays of each item of a list
}

type foundIn struct {
	caseID string
	cause  any
}

// Flight is a request between its start and its end.
type Flight struct {
	op      *spec.Operation
	path    []string      // ids as they stand in the path
	object  *model.Object // nil: a path with something else than ids
	key     string        // of the object, also after it was forgotten
	age     int           // that of the monitor at its begin
	gone    bool          // a delete of the object had succeeded before it began
	deletes int           // how many deletes had succeeded before it began
	crossed bool          // another request for the object was under way, too
}

// NewMonitor returns a judge without any knowledge of the target. Without keys,
// the recording is taken to lack them, and a request without one says nothing.
func NewMonitor(o judge.ModelOptions, keys bool) *Monitor {
	return &Monitor{
		model: judge.NewModel(o), keys: keys,
		cases: map[string]*judge.Test{}, flights: map[string]map[*Flight]bool{}, found: map[foundIn]*judge.Finding{},
		walks: map[string]*walk{}, fixed: map[model.ListKey]map[string]any{},
	}
}

// Outcome is what was seen so far.
func (m *Monitor) Outcome() *results.Outcome { return m.model.Outcome }

// Begin notes that a request is under way. It is nil for a request that belongs
// to none of the operations. The path is relative to the base URL, as it stands
// in the request line, without query.
func (m *Monitor) Begin(method, path string) *Flight {
	op, ids := m.model.Contract.Match(method, path)
	if op == nil {
		return nil
	}
	f := &Flight{op: op, path: ids, object: m.object(op, ids), age: m.age, deletes: len(m.model.Deletes)}
	if f.object == nil {
		return f
	}
	f.gone, f.key = f.object.WasDeleted, f.object.Key
	beside := m.flights[f.key]
	if beside == nil {
		beside = map[*Flight]bool{}
		m.flights[f.key] = beside
	}
	if f.crossed = len(beside) > 0; len(beside) == 1 { // of more, all know it
		for other := range beside {
			other.crossed = true
		}
	}
	beside[f] = true
	return f
}

// Abandon takes a flight off those under way, whose exchange need not be judged. What was
// forgotten since it began is held neither for it nor against it.
func (m *Monitor) Abandon(f *Flight) {
	beside := m.flights[f.key]
	if delete(beside, f); len(beside) == 0 {
		delete(m.flights, f.key)
	}
	if f.age != m.age {
		f.object, f.gone, f.deletes = nil, false, 0
	}
}

// Concerns says whether a request belongs to one of the operations. Unlike all
// else of a monitor it is safe for concurrent use.
func (m *Monitor) Concerns(method, path string) bool {
	op, _ := m.model.Contract.Match(method, path)
	return op != nil
}

// object is the one that a path names, by its ids; nil when they are no numbers.
// Creatives are the same objects for the two operations on them.
func (m *Monitor) object(op *spec.Operation, path []string) *model.Object {
	var ids []int64
	for _, text := range path {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
			return nil
		}
		ids = append(ids, id)
	}
	kind := op.Path // of a collection
	if n := len(op.Params); n > 0 {
		kind = op.Params[n-1].Name
	}
	key := kind + " " + strings.Join(path, "/")
	o := m.model.Objects[key]
	if o == nil {
		o = model.NewObject(strings.TrimSuffix(kind, "Id")+" "+strings.Join(path, "/"), op, ids, nil)
		if len(m.model.Objects) < maxRemembered {
			m.model.Objects[key] = o
		}
	}
	return o
}

// End judges the exchange of a flight and returns the findings that are of a new
// cause.
func (m *Monitor) End(f *Flight, ex *wire.Exchange) []*judge.Finding {
	m.Abandon(f)
	t := m.testOf(f, ex)
	ex.Case = t.Case.ID
	c := &call.Call{Op: f.op, Method: f.op.Method, Path: f.path, Object: f.object, As: ex.Request.Credential}
	if _, query, ok := strings.Cut(ex.Request.Path, "?"); ok {
		c.Query = query
	}
	e := m.expect(f, c, ex)
	if c.Op.Lists() {
		c.Asked, c.OutOfRange = m.askedPage(c)
	}
	first := len(t.Result.Findings)
	deleted := f.object != nil && f.object.WasDeleted
	a := call.Read(c, ex, nil, "")
	t.Judge(a, e)
	t.JudgeForms()
	if a.Status != 0 {
		m.note(t, f, c, a)
	} else if f.object != nil { // whether a delete was carried out is unknown
		f.object.WasDeleted = deleted
	}
	if a.Status == 0 || a.Status >= 500 {
		m.model.Outcome.Liveness.Overlook()
	}
	t.Model.Outcome.Tentative = nil // they are for objects that a target file names
	for _, fd := range t.Result.Findings[first:] {
		if fd.Curl == "" {
			fd.Curl, fd.Exchange = ex.Curl(), ex.Seq
		}
	}
	m.fold(t, first)
	t.Result.Exchanges = t.Result.Exchanges[:min(len(t.Result.Exchanges), maxExchanges)]
	t.Result.Duration += ex.Duration
	return slices.Clone(t.Result.Findings[first:])
}

// Forget drops what the target was seen to hold: something that is not judged may
// have changed it, or what comes next is of another time. What is under way began
// before and ends after, so it is held against nothing.
func (m *Monitor) Forget() {
	m.age++
	m.model.Objects, m.model.Deletes = map[string]*model.Object{}, nil
	m.walks, m.fixed = map[string]*walk{}, map[model.ListKey]map[string]any{}
}

// maxRemembered bounds the objects that are remembered: traffic has no end.
const maxRemembered = 50_000

// maxExchanges is how many exchanges of a status are named.
const maxExchanges = 1000

// testOf is the case that an exchange counts for: one for each operation and
// status.
func (m *Monitor) testOf(f *Flight, ex *wire.Exchange) *judge.Test {
	class, title := "lost", "A request gets a complete answer."
	if ex.Err == nil && ex.Response != nil {
		class = strconv.Itoa(ex.Response.Status)
		title = fmt.Sprintf("A recorded answer with status %s is as the contract has it.", class)
	}
	id := f.op.ID + "/recorded/" + class
	t := m.cases[id]
	if t == nil {
		cs := &testcase.Case{ID: id, Operation: f.op, Class: class, Title: title}
		r := m.model.Outcome.Begin(cs)
		t = &judge.Test{Model: m.model, Case: cs, Result: r, Recorded: true}
		m.cases[id] = t
	}
	return t
}

// fold counts findings of a cause that is known in the first of them: traffic
// has no end.
func (m *Monitor) fold(t *judge.Test, first int) {
	kept := t.Result.Findings[:first]
	for _, f := range t.Result.Findings[first:] {
		k := foundIn{t.Case.ID, f.Cause()}
		if before := m.found[k]; before != nil {
			before.Seen++
			continue
		}
		f.Seen = 1
		m.found[k] = f
		kept = append(kept, f)
	}
	clear(t.Result.Findings[len(kept):])
	t.Result.Findings = kept
}
