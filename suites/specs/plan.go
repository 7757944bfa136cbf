// Package specs is the corpus: what is tested of each operation, planned from
// the OpenAPI document and the target file. One file holds one behaviour.
package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// Plan lists the cases for a target in the order in which they are sent. The
// same contract, target and depth give the same plan.
func Plan(c *spec.Contract, target *fixtures.Target, depth engine.Depth) []*engine.Case {
	p := &planner{contract: c, target: target}
	for _, op := range inOrder(c.Operations) {
		p.op, p.key = op, op.Key()
		switch {
		case op.Updates():
			p.updates()
		case op.Lists():
			p.lists()
		case op.Deletes():
			p.deletes()
		case op.Reads():
			p.reads()
		}
	}
	p.atRest()
	plan := slices.DeleteFunc(p.cases, func(c *engine.Case) bool { return c.Depth > depth })
	for i, c := range plan {
		c.Place = i
	}
	return plan
}

// FirstOf is the case of a list that is the first to send its plain request as a
// user: owner, stranger or none.
func FirstOf(op *spec.Operation, user string) string {
	switch user {
	case "stranger":
		return op.ID + "/" + engine.Class403 + "/stranger"
	case "none":
		return op.ID + "/" + engine.Class401 + "/no-key"
	}
	return op.ID + "/" + engine.ClassSuccess + "/ordinary"
}

// inOrder puts what only reads first, so that keys and objects are known before
// anything may change, and deletes last: what they remove is needed before.
func inOrder(ops []*spec.Operation) []*spec.Operation {
	turn := func(op *spec.Operation) int {
		switch {
		case op.Deletes():
			return 2
		case op.Updates():
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(ops), func(a, b *spec.Operation) int { return turn(a) - turn(b) })
}

type planner struct {
	contract *spec.Contract
	target   *fixtures.Target
	op       *spec.Operation
	key      string // of the object that the operation's path names
	cases    []*engine.Case
}

func (p *planner) specs() *Specs { return &Specs{contract: p.contract, target: p.target, op: p.op} }

// behave takes down a behaviour of the current operation.
func (p *planner) behave(b Behaviour) {
	if s := p.specs(); b.Of(p.op) {
		b.Specs(s, p.op)
		p.cases = append(p.cases, s.cases...)
	}
}

// option changes a case that is being planned.
type option func(*engine.Case)

func needs(keys ...string) option {
	return func(c *engine.Case) { c.Needs = append(c.Needs, keys...) }
}

func clauses(ids ...string) option {
	return func(c *engine.Case) {
		for _, id := range ids {
			if id != "" && !slices.Contains(c.Clauses, id) {
				c.Clauses = append(c.Clauses, id)
			}
		}
	}
}

func quick(c *engine.Case) { c.Depth = engine.Quick }

func deep(c *engine.Case) { c.Depth = engine.Deep }

func once(c *engine.Case) { c.Once = true }

func last(c *engine.Case) { c.Last = true }

func unknownIDs(c *engine.Case) { c.Nobody = true }

func observes(point string) option { return func(c *engine.Case) { c.Open = point } }

// add plans a case of the current operation. It needs the object of the path
// and the objects above it, unless the options say more.
func (p *planner) add(class, name, title string, run func(*engine.T), options ...option) {
	op := p.op
	c := &engine.Case{
		ID: op.ID + "/" + class + "/" + name, Operation: op, Class: class, Title: title,
		Writes: op.Updates() || op.Deletes(), Depth: engine.Standard, Steps: engine.Steps(run),
	}
	for _, param := range op.Params {
		key := param.Object
		if fixtures.Many(key) {
			key += "[0]"
		}
		c.Needs = append(c.Needs, "objects."+key)
	}
	for _, o := range options {
		o(c)
	}
	c.Clauses = append(c.Clauses, p.specs().always(c)...)
	p.cases = append(p.cases, c)
}

// always are the clauses that every exchange of the case's class is judged by.
func (s *Specs) always(c *engine.Case) []string {
	ids := []string{"HTTP-1", "HTTP-2"}
	errors := []string{"ERR-6", "ERR-7", "ERR-8", "ERR-9", "ERR-11", "ERR-12", "HTTP-3", "JSON-1", "JSON-2", "OPEN-3", "OPEN-5"}
	switch c.Class {
	case engine.Class401, engine.Class403, engine.Class404, engine.Class422:
		ids = append(ids, errors...)
	case engine.ClassSuccess:
		if c.Operation.Deletes() {
			ids = append(ids, "DELETE-2", "OPEN-4")
			break
		}
		ids = append(ids, "ERR-12", "HTTP-3", "JSON-1", "JSON-2", "OPEN-2", "OPEN-3", "OPEN-5", "OPEN-9", c.Operation.Clause)
		ids = append(ids, marked(c.Operation.Success)...)
	}
	if c.Open != "" {
		ids = append(ids, "OPEN-1")
		if point := s.contract.OpenPoint(c.Open); point.Pin != "" {
			if _, pinned := s.target.Open[point.Pin]; pinned {
				ids = append(ids, "PIN-1")
			}
		}
	}
	var fresh []string
	for _, id := range ids {
		if !slices.Contains(c.Clauses, id) && !slices.Contains(fresh, id) {
			fresh = append(fresh, id)
		}
	}
	return fresh
}

// marked are the clauses that an object's schema names.
func marked(o *spec.Object) []string {
	if o == nil {
		return nil
	}
	var ids []string
	for _, f := range o.Fields {
		if f.Clause != "" && !slices.Contains(ids, f.Clause) {
			ids = append(ids, f.Clause)
		}
		for _, id := range append(marked(f.Object), marked(f.Items)...) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// effects are the clauses of what an update shows.
func effects(op *spec.Operation) []string {
	return []string{op.Effects["identity"], op.Effects["shows"], op.Effects["stays"], op.Effects["updatedAt"]}
}

// object is the object that the operation's path names.
func (p *planner) object() func(*engine.T) *engine.Object {
	op, key := p.op, p.key
	if fixtures.Many(key) {
		key += "[0]"
	}
	return func(t *engine.T) *engine.Object { return t.Object(op, key) }
}

// valid is a request with every field right, as the body of a case that is
// wrong elsewhere; nil for an operation without a body.
func valid(t *engine.T, o *engine.Object) *engine.Body {
	if !o.Op.Updates() {
		return nil
	}
	return engine.ObjectBody(o.Op.Body, fresh(t, o))
}

// fresh are ordinary values that differ from what the object holds, so that an
// update with them would show.
func fresh(t *engine.T, o *engine.Object) map[string]any {
	values := t.Ordinary(o, 0)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.Last(f.Name); known && len(f.Enum) > 1 && values[f.Name] == last {
			values[f.Name] = f.Enum[(slices.Index(f.Enum, last.(string))+1)%len(f.Enum)]
		}
	}
	return values
}

// send sends an operation's request as the owner with valid content.
func call(t *engine.T, o *engine.Object, e expect) request {
	return request{engine.Call{Op: o.Op, Object: o, As: t.Owner(), Body: valid(t, o)}, e}
}

// slug makes a part of a case id out of a word.
func slug(words ...any) string {
	s := strings.ToLower(strings.TrimSpace(fmt.Sprintln(words...)))
	return strings.Trim(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-"), "-")
}
