// Package schedule says when a case is sent: chains of cases on the same objects, and the
// workers that take them.
package schedule

import (
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/testcase"
)

// Chain is a sequence of cases that follow one another, as they touch the same
// objects. Chains may run at once where nothing says that one is after another.
type Chain struct {
	Cases     []*testcase.Case
	ObjectSet int // whose objects its cases use, see fixtures.Target.ObjectSet

	From  *Chain   // what that one found out is known here; nil
	Joins []*Chain // what these saw is known here, too
	After []*Chain // have to have ended before it begins; From and Joins among them
}

// Chains divides a plan by the objects that its cases touch. The result depends
// on the plan and the target alone.
//
// An operation that updates has its probing case first, before the reads of what
// it updates; the rest is spread over the object sets that the target file gives, as far as it names what they need.
// What lies in one tree of objects (a profile, its rules and hosts) never runs at
// once, nor do lists that deletes may shorten. Last come the cases that look at all
// objects.
func Chains(plan []*testcase.Case, target *fixtures.Target) []*Chain {
	d := &division{target: target}
	for _, c := range plan {
		switch {
		case c.Last && c.Operation.Updates():
			d.lastUpdates = append(d.lastUpdates, c)
		case c.Last:
			d.lastLists = append(d.lastLists, c)
		}
	}
	for _, op := range operations(plan) {
		of := of(plan, op)
		switch {
		case op.Updates(), op.Reads():
			d.tree(op).add(op, of)
		case op.Deletes():
			d.deletes(of)
		default:
			d.reads(of)
		}
	}
	d.updates()
	d.atRest()
	return d.chains
}

type division struct {
	target         *fixtures.Target
	chains         []*Chain
	trees          []*tree
	compared, read []*Chain // of operations that only read
	deleted        *Chain   // the last of those that delete
	updated        []*Chain

	lastUpdates, lastLists []*testcase.Case
}

func operations(plan []*testcase.Case) []*spec.Operation {
	var ops []*spec.Operation
	for _, c := range plan {
		if !slices.Contains(ops, c.Operation) {
			ops = append(ops, c.Operation)
		}
	}
	return ops
}

// of are the cases of an operation, but those that come last.
func of(plan []*testcase.Case, op *spec.Operation) []*testcase.Case {
	var all []*testcase.Case
	for _, c := range plan {
		if c.Operation == op && !c.Last {
			all = append(all, c)
		}
	}
	return all
}

// chain adds one in set 0 or, after from, in the object set of that.
func (d *division) chain(from *Chain, cases []*testcase.Case, after ...*Chain) *Chain {
	s := &Chain{Cases: cases, From: from, After: slices.Clone(after)}
	if from != nil {
		s.ObjectSet = from.ObjectSet
		s.After = append(s.After, from)
	}
	d.chains = append(d.chains, s)
	return s
}

// reads divides the cases of an operation that only reads: those that compare what they
// read, which is before anything is deleted, and then the rest. Where nobody says what a
// list holds, a delete may shorten it, so that all of them come before.
func (d *division) reads(of []*testcase.Case) {
	var compare, rest []*testcase.Case
	for _, c := range of {
		if c.Class == testcase.ClassSuccess || c.Class == testcase.ClassState || c.Operation.Effects["members"] == "" {
			compare = append(compare, c)
		} else {
			rest = append(rest, c)
		}
	}
	compared := d.chain(nil, compare)
	d.compared = append(d.compared, compared)
	d.read = append(d.read, d.chain(compared, rest))
}

// deletes divides the cases of an operation that deletes: until the first that
// does nothing is gone, so that they need not wait for the lists.
func (d *division) deletes(of []*testcase.Case) {
	first := slices.IndexFunc(of, func(c *testcase.Case) bool { return c.Once })
	if first < 0 {
		first = len(of)
	}
	var after []*Chain
	if d.deleted != nil {
		after = append(after, d.deleted)
	}
	refused := d.chain(nil, of[:first], after...)
	d.deleted = d.chain(refused, of[first:], d.compared...)
}

// Requests is about how many requests cases take.
func Requests(cases []*testcase.Case) int {
	n := 0
	for _, c := range cases {
		switch {
		case c.Probes:
			n += 8
		case c.Class == testcase.ClassRandom:
			n += 20
		case c.Class == testcase.ClassEffects:
			n += 5
		case c.Class == testcase.ClassState:
			n += 3
		case c.Class == testcase.ClassText && c.Writes:
			n += 2
		default:
			n++
		}
	}
	return n
}

// atRest adds the cases that look at all objects, those of updates and those of
// creatives apart.
func (d *division) atRest() {
	d.join(d.lastUpdates, d.updated)
	if d.deleted != nil {
		d.read = append(d.read, d.deleted)
	}
	d.join(d.lastLists, d.read)
}

func (d *division) join(cases []*testcase.Case, of []*Chain) {
	if len(cases) == 0 {
		return
	}
	s := d.chain(nil, cases, of...)
	s.Joins = of
}
