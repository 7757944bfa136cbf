package cases

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// Strand is a sequence of cases that follow one another, as they touch the same
// objects. Strands may run at once where nothing says that one is after another.
type Strand struct {
	Cases []*engine.Case
	Lane  int // whose objects its cases use, see fixtures.Target.Lane

	From  *Strand   // what that one found out is known here; nil
	Joins []*Strand // what these saw is known here, too
	After []*Strand // have to have ended before it begins; From and Joins among them
}

// Strands divides a plan by the objects that its cases touch. The result depends
// on the plan and the target alone.
//
// An operation that updates has its calibrating case first; the rest is spread
// over the lanes that the target file gives, as far as it names what they need.
// What lies in one tree of objects (a profile, its rules and hosts) never runs at
// once, nor do lists while creatives are deleted. Last come the cases that look
// at all objects.
func Strands(plan []*engine.Case, target *fixtures.Target) []*Strand {
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
		case op.Updates():
			d.tree(op).add(op, of)
		case op.Deletes():
			d.deletes(of)
		default:
			d.reads(of)
		}
	}
	d.updates()
	d.atRest()
	return d.strands
}

// One is a plan in one strand, for a run that may end at any time.
func One(plan []*engine.Case) []*Strand { return []*Strand{{Cases: plan}} }

type division struct {
	target         *fixtures.Target
	strands        []*Strand
	trees          []*tree
	compared, read []*Strand // of operations that only read
	deleted        *Strand   // the last of those that delete
	updated        []*Strand

	lastUpdates, lastLists []*engine.Case
}

// tree is what of a plan touches the objects under one root.
type tree struct {
	root string
	ops  []treeOperation
}

type treeOperation struct {
	op          *spec.Operation
	calibrating []*engine.Case
	bound       []*engine.Case   // to lane 0
	free        [][]*engine.Case // what stays together
}

func operations(plan []*engine.Case) []*spec.Operation {
	var ops []*spec.Operation
	for _, c := range plan {
		if !slices.Contains(ops, c.Operation) {
			ops = append(ops, c.Operation)
		}
	}
	return ops
}

// of are the cases of an operation, but those that come last.
func of(plan []*engine.Case, op *spec.Operation) []*engine.Case {
	var all []*engine.Case
	for _, c := range plan {
		if c.Operation == op && !c.Last {
			all = append(all, c)
		}
	}
	return all
}

// strand adds one in lane 0 or, after from, in the lane of that.
func (d *division) strand(from *Strand, cases []*engine.Case, after ...*Strand) *Strand {
	s := &Strand{Cases: cases, From: from, After: slices.Clone(after)}
	if from != nil {
		s.Lane = from.Lane
		s.After = append(s.After, from)
	}
	d.strands = append(d.strands, s)
	return s
}

// reads divides the cases of an operation that only reads: those that compare
// what they read, which is before anything is deleted, and then the rest.
func (d *division) reads(of []*engine.Case) {
	var compare, rest []*engine.Case
	for _, c := range of {
		if c.Class == engine.ClassSuccess || c.Class == engine.ClassState {
			compare = append(compare, c)
		} else {
			rest = append(rest, c)
		}
	}
	compared := d.strand(nil, compare)
	d.compared = append(d.compared, compared)
	d.read = append(d.read, d.strand(compared, rest))
}

// deletes divides the cases of an operation that deletes: until the first that
// does nothing is gone, so that they need not wait for the lists.
func (d *division) deletes(of []*engine.Case) {
	first := slices.IndexFunc(of, func(c *engine.Case) bool { return c.Once })
	if first < 0 {
		first = len(of)
	}
	var after []*Strand
	if d.deleted != nil {
		after = append(after, d.deleted)
	}
	refused := d.strand(nil, of[:first], after...)
	d.deleted = d.strand(refused, of[first:], d.compared...)
}

func (d *division) tree(op *spec.Operation) *tree {
	root := op.Params[0].Object
	for _, t := range d.trees {
		if t.root == root {
			return t
		}
	}
	t := &tree{root: root}
	d.trees = append(d.trees, t)
	return t
}

// add takes up the cases of an operation. Those of the classes below build on what
// others of them find out, which ways of asking show state, and stay together. Cases
// are bound to lane 0 where they
// touch the stranger's objects, of which there are no more, where what they send
// may show on any object, which the cases that come last look for, or where
// nothing calibrates.
func (t *tree) add(op *spec.Operation, of []*engine.Case) {
	o := treeOperation{op: op}
	var built []*engine.Case
	for _, c := range of {
		foreign := slices.ContainsFunc(c.Needs, func(need string) bool { return strings.HasPrefix(need, engine.Foreign("")) })
		switch {
		case c.Calibrates:
			o.calibrating = append(o.calibrating, c)
		case foreign || c.Nobody || len(o.calibrating) == 0:
			o.bound = append(o.bound, c)
		case slices.Contains(building, c.Class):
			built = append(built, c)
		default:
			o.free = append(o.free, []*engine.Case{c})
		}
	}
	if len(built) > 0 {
		o.free = slices.Insert(o.free, 0, built) // the largest first, single cases fill up
	}
	t.ops = append(t.ops, o)
}

var building = []string{engine.ClassOpen, engine.ClassEffects, engine.ClassState, engine.ClassRandom}

// updates divides each tree over the lanes that have one.
func (d *division) updates() {
	for _, t := range d.trees {
		var calibrated []*Strand
		for i, o := range t.ops {
			var before []*Strand
			if i > 0 {
				before = append(before, calibrated[i-1])
			}
			calibrated = append(calibrated, d.strand(nil, o.calibrating, before...))
		}
		d.updated = append(d.updated, calibrated...)
		last := calibrated[len(calibrated)-1] // of lane 0
		blocks := t.divide(d.target, Requests(d.lastUpdates))
		for lane, ofLane := range blocks {
			var before *Strand
			if lane == 0 {
				before = last
			}
			for i, block := range ofLane {
				if len(block) == 0 {
					continue
				}
				s := d.strand(calibrated[i], block)
				s.Lane = lane
				if before != nil && before != calibrated[i] {
					s.After = append(s.After, before)
				}
				before = s
				if lane == 0 {
					d.updated = append(d.updated, s)
				}
			}
		}
	}
}

// worthwhile is how many requests are worth a lane: its object has to be looked
// at, and put back.
const worthwhile = 60

// divide gives the cases of each operation for each lane, by lane and operation.
// Lanes above 0 take as many requests each as makes all lanes equal, in the order of
// the plan; lane 0 keeps the rest, and has as many as last to come.
func (t *tree) divide(target *fixtures.Target, last int) [][][]*engine.Case {
	total, begins := last, 0
	for _, o := range t.ops {
		total += Requests(o.calibrating) + Requests(o.bound) + Requests(slices.Concat(o.free...))
	}
	var lanes []int
	for lane := 1; lane <= len(target.Lanes) && len(lanes)+2 <= total/worthwhile; lane++ {
		if target.Lane(lane).Objects.ByKey(t.root) != nil {
			lanes = append(lanes, lane)
		}
	}
	blocks := make([][][]*engine.Case, len(target.Lanes)+1)
	for i := range blocks {
		blocks[i] = make([][]*engine.Case, len(t.ops))
	}
	// While lane 0 calibrates the others wait.
	each := (total + len(lanes)*Requests(t.ops[0].calibrating)) / (len(lanes) + 1)
	load := make([]int, len(blocks))
	next := 0
	for i, o := range t.ops {
		begins += Requests(o.calibrating)
		blocks[0][i] = append(blocks[0][i], o.bound...)
		for _, group := range o.free {
			room := func(lane int) bool { return load[lane]+Requests(group)/2 < each }
			for next < len(lanes) && !room(lanes[next]) {
				next++
			}
			to := 0
			if next < len(lanes) {
				to = lanes[next]
			}
			for _, lane := range lanes[:next] { // that has cases of the operation already
				if room(lane) && len(blocks[lane][i]) > 0 {
					to = lane
					break
				}
			}
			for _, c := range group {
				lane := 0
				if hasAll(target, c.Needs) && hasAll(target.Lane(to), c.Needs) {
					lane = to
				}
				load[lane] = max(load[lane], begins) + Requests([]*engine.Case{c})
				blocks[lane][i] = append(blocks[lane][i], c)
			}
		}
		for lane := range blocks {
			slices.SortStableFunc(blocks[lane][i], func(a, b *engine.Case) int { return a.Place - b.Place })
		}
	}
	return blocks
}

// Requests is how many requests the cases are known to take.
func Requests(cases []*engine.Case) int {
	n := 0
	for _, c := range cases {
		n += max(1, ranking()[c.ID].requests)
	}
	return n
}

func hasAll(target *fixtures.Target, needs []string) bool {
	return !slices.ContainsFunc(needs, func(need string) bool { return !engine.Has(target, need) })
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

func (d *division) join(cases []*engine.Case, of []*Strand) {
	if len(cases) == 0 {
		return
	}
	s := d.strand(nil, cases, of...)
	s.Joins = of
}
