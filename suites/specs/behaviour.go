package specs

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
)

// Behaviour is what operations have to do, as specs: to which it applies, and what is
// expected of each. Specs sends nothing. It takes down the cases of one operation, and
// their bodies run later, on whichever worker.
type Behaviour struct {
	Of    func(*spec.Operation) bool
	Specs func(s *Specs, op *spec.Operation)
}

// Case is a running case: what it sends is recorded and judged under its name.
type Case = session.T

// What a behaviour applies to.
var (
	EveryOperation = func(*spec.Operation) bool { return true }
	Updates        = (*spec.Operation).Updates
	Lists          = (*spec.Operation).Lists
	Reads          = (*spec.Operation).Reads
	Deletes        = (*spec.Operation).Deletes
)

// NamesAnObject is an operation whose path holds ids.
func NamesAnObject(op *spec.Operation) bool { return len(op.Params) > 0 }

// Specs takes down the cases of an operation.
type Specs struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Op       *spec.Operation // whose cases are taken down now
	Cases    []*judge.Case   // in the order of their specs
}

// It takes down one case. Its id is "operation/class/name"; the title is a sentence
// that has to hold. The arguments are decorators and a body, func(*Case).
func (s *Specs) It(name, title string, args ...any) {
	c := s.newCase(name, title, location())
	for _, arg := range args {
		switch a := arg.(type) {
		case Decorator:
			a(c)
		case []Decorator:
			for _, decorate := range a {
				decorate(c)
			}
		case func(*Case):
			c.Steps = session.Steps(a)
		default:
			panic(fmt.Sprintf("%s: It takes decorators and a func(*Case), not %T", c.Location, arg))
		}
	}
	s.add(c)
}

// DescribeTable takes down a case for each entry. The title has %s where the entry's
// description goes. The arguments are decorators for all entries, the body, which is a
// func(*Case, …) with the entry's parameters, and entries.
func (s *Specs) DescribeTable(title string, args ...any) {
	var common []Decorator
	var entries []TableEntry
	var body reflect.Value
	for _, arg := range args {
		switch a := arg.(type) {
		case Decorator:
			common = append(common, a)
		case TableEntry:
			entries = append(entries, a)
		case []TableEntry:
			entries = append(entries, a...)
		default:
			body = reflect.ValueOf(arg)
		}
	}
	for _, e := range entries {
		c := s.newCase(e.name, strings.Replace(title, "%s", e.description, 1), e.location)
		for _, decorate := range slices.Concat(common, e.decorators) {
			decorate(c)
		}
		c.Steps = session.Steps(func(t *Case) { body.Call(append([]reflect.Value{reflect.ValueOf(t)}, e.parameters...)) })
		s.add(c)
	}
}

// TableEntry is one case of a table.
type TableEntry struct {
	name, description, location string
	parameters                  []reflect.Value
	decorators                  []Decorator
}

// Entry is a case of a table: its name, what goes into the table's title, the
// parameters of the body, and decorators of its own.
func Entry(name, description string, args ...any) TableEntry {
	e := TableEntry{name: name, description: description, location: location()}
	for _, arg := range args {
		if d, ok := arg.(Decorator); ok {
			e.decorators = append(e.decorators, d)
		} else {
			e.parameters = append(e.parameters, reflect.ValueOf(arg))
		}
	}
	return e
}

// location is the line that calls It or Entry: suites/specs/authentication.go:41.
func location() string {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Sprintf("%s:%d", file[strings.LastIndex(file, "suites/"):], line)
}

// newCase is a case of the operation. It needs the object of the path and the objects
// above it, unless decorators say otherwise.
func (s *Specs) newCase(name, title, location string) *judge.Case {
	c := &judge.Case{
		ID: name, Operation: s.Op, Title: title, Location: location,
		Writes: s.Op.Updates() || s.Op.Deletes(), Depth: judge.Standard,
	}
	for _, param := range s.Op.Params {
		c.Needs = append(c.Needs, "objects."+fixtures.First(param.Object))
	}
	return c
}

func (s *Specs) add(c *judge.Case) {
	c.ID = s.Op.ID + "/" + c.Class + "/" + c.ID
	Clause(s.always(c)...)(c)
	s.Cases = append(s.Cases, c)
}

// always are the clauses that every exchange of the case's class is judged by.
func (s *Specs) always(c *judge.Case) []string {
	ids := []string{"HTTP-1", "HTTP-2"}
	switch c.Class {
	case judge.Class401, judge.Class403, judge.Class404, judge.Class422:
		ids = append(ids, "ERR-6", "ERR-7", "ERR-8", "ERR-9", "ERR-11", "ERR-12", "HTTP-3", "JSON-1", "JSON-2", "OPEN-3", "OPEN-5")
		if c.Operation.Updates() { // the others have no field to name
			ids = append(ids, "OPEN-10")
		}
		if c.Class == judge.Class401 {
			ids = append(ids, "OPEN-11")
		}
	case judge.ClassSuccess:
		if c.Operation.Deletes() {
			ids = append(ids, "DELETE-2", "OPEN-4")
			break
		}
		ids = append(ids, "ERR-12", "HTTP-3", "JSON-1", "JSON-2", "OPEN-2", "OPEN-3", "OPEN-5", "OPEN-9", c.Operation.Clause)
		ids = append(ids, c.Operation.Success.Clauses()...)
	}
	if c.Open != "" {
		ids = append(ids, "OPEN-1")
		if _, pinned := s.Target.Open[s.Contract.OpenPoint(c.Open).Pin]; pinned {
			ids = append(ids, "PIN-1")
		}
	}
	return ids
}

// Decorator changes a case that is taken down.
type Decorator func(*judge.Case)

// Class groups the case with others of its operation: a status, or one of the classes
// of package judge.
func Class(class any) Decorator {
	return func(c *judge.Case) { c.Class = fmt.Sprint(class) }
}

// Clause names the clauses that the case judges beyond those of every exchange. The
// first is what it is about: a status that is not expected breaks it.
func Clause(ids ...string) Decorator {
	return func(c *judge.Case) {
		for _, id := range ids {
			if id != "" && !slices.Contains(c.Clauses, id) {
				c.Clauses = append(c.Clauses, id)
			}
		}
	}
}

// OrUnknown lets the case go to unknown ids where the target file names no object for
// its path: what its answer shows hangs on no object.
func (s *Specs) OrUnknown() Decorator {
	return func(c *judge.Case) {
		if len(c.Lacks(s.Target)) > 0 {
			c.Needs = nil
		}
	}
}

// FirstID is OrUnknown for a case that is about the first id of a path: a server need not
// look at those behind one that names nothing.
func (s *Specs) FirstID(position int) Decorator {
	if position == 0 {
		return s.OrUnknown()
	}
	return func(*judge.Case) {}
}

// Needs names more keys of the target file that the case cannot do without.
func Needs(keys ...string) Decorator {
	return func(c *judge.Case) { c.Needs = append(c.Needs, keys...) }
}

// NeedsOnly names the keys that the case needs in place of the objects of the path.
func NeedsOnly(keys ...string) Decorator { return func(c *judge.Case) { c.Needs = keys } }

// Observes names the open point at which the case notes what the target chose, and the field
// that it is about, if any.
func Observes(point string, field ...string) Decorator {
	return func(c *judge.Case) { c.Open, c.Field = point, strings.Join(field, "") }
}

// Comparing says what a case sends where only the same request of another operation may be
// answered alike: a router refuses letters for an id, and a lookup does not find 0.
func Comparing(probe string) Decorator { return func(c *judge.Case) { c.Probe = probe } }

// Looks says that the case reads the object under a key, which is done before anything may change.
func Looks(key string) Decorator { return func(c *judge.Case) { c.Looks = key } }

// Whose doing it is that a case tests nothing.
const (
	ByOperator = judge.ByOperator
	ByTarget   = judge.ByTarget
	BySuite    = judge.BySuite
)

// Decorators that say when a case is run.
var (
	Quick  Decorator = func(c *judge.Case) { c.Depth = judge.Quick }
	Deep   Decorator = func(c *judge.Case) { c.Depth = judge.Deep }
	Once   Decorator = func(c *judge.Case) { c.Once = true }   // uses something up
	Last   Decorator = func(c *judge.Case) { c.Last = true }   // looks at what all others left
	Writes Decorator = func(c *judge.Case) { c.Writes = true } // though its operation does not
	Probes Decorator = func(c *judge.Case) { c.Probes = true } // finds out how the target shows state
)
