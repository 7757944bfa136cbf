package schedule

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/testcase"
)

// tree is what of a plan touches the objects under one root.
type tree struct {
	root string
	ops  []*treeOperation
}

// treeOperation are the cases of an operation, or of several on the same object:
// what one of them did the others have to know.
type treeOperation struct {
	op      *spec.Operation
	probing []*testcase.Case
	bound   []*testcase.Case   // to set 0
	free    [][]*testcase.Case // what stays together
}

func (d *division) tree(op *spec.Operation) *tree {
	root := op.Root()
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
// are bound to set 0 where they touch the stranger's objects, of which there are no
// more, where what they send may show on any object, which the cases that come last
// look for, or where nothing probes.
func (t *tree) add(op *spec.Operation, of []*testcase.Case) {
	o := t.operation(op)
	var built []*testcase.Case
	for _, c := range of {
		foreign := slices.ContainsFunc(c.Needs, func(need string) bool { return strings.HasPrefix(need, testcase.Foreign("")) })
		switch {
		case c.Probes:
			o.probing = append(o.probing, c)
		case foreign || c.UnknownIDs || len(o.probing) == 0:
			o.bound = append(o.bound, c)
		case slices.Contains(building, c.Class):
			built = append(built, c)
		default:
			o.free = append(o.free, []*testcase.Case{c})
		}
	}
	if len(built) > 0 {
		o.free = slices.Insert(o.free, 0, built) // the largest first, single cases fill up
	}
}

// operation is where the cases of an operation belong.
func (t *tree) operation(op *spec.Operation) *treeOperation {
	for _, o := range t.ops {
		if o.op.SameObjects(op) {
			return o
		}
	}
	o := &treeOperation{op: op}
	t.ops = append(t.ops, o)
	return o
}

var building = []string{testcase.ClassOpen, testcase.ClassEffects, testcase.ClassState, testcase.ClassRandom}

// updates divides each tree over the object sets that have one.
func (d *division) updates() {
	for _, t := range d.trees {
		var probed []*Chain
		for i, o := range t.ops {
			var before []*Chain
			if i > 0 {
				before = append(before, probed[i-1])
			}
			probed = append(probed, d.chain(nil, o.probing, before...))
		}
		d.updated = append(d.updated, probed...)
		last := probed[len(probed)-1] // of set 0
		blocks := t.divide(d.target, Requests(d.lastUpdates))
		for objectSet, ofSet := range blocks {
			var before *Chain
			if objectSet == 0 {
				before = last
			}
			for i, block := range ofSet {
				if len(block) == 0 {
					continue
				}
				s := d.chain(probed[i], block)
				s.ObjectSet = objectSet
				if before != nil && before != probed[i] {
					s.After = append(s.After, before)
				}
				before = s
				if objectSet == 0 {
					d.updated = append(d.updated, s)
				}
			}
		}
	}
}

// worthwhile is how many requests are worth an object set: its object has to be looked
// at, and put back.
const worthwhile = 60

// divide gives the cases of each operation for each object set, by object set and operation.
// Object sets above 0 take as many requests each as makes all object sets equal, in the order of
// the plan; set 0 keeps the rest, and has as many as last to come.
func (t *tree) divide(target *fixtures.Target, last int) [][][]*testcase.Case {
	total, begins := last, 0
	for _, o := range t.ops {
		total += Requests(o.probing) + Requests(o.bound) + Requests(slices.Concat(o.free...))
	}
	var objectSets []int
	for objectSet := 1; objectSet <= len(target.ObjectSets) && len(objectSets)+2 <= total/worthwhile; objectSet++ {
		if target.ObjectSet(objectSet).Objects.ByKey(t.root) != nil {
			objectSets = append(objectSets, objectSet)
		}
	}
	blocks := make([][][]*testcase.Case, len(target.ObjectSets)+1)
	for i := range blocks {
		blocks[i] = make([][]*testcase.Case, len(t.ops))
	}
	// While set 0 probes the others wait.
	each := (total + len(objectSets)*Requests(t.ops[0].probing)) / (len(objectSets) + 1)
	load := make([]int, len(blocks))
	next := 0
	for i, o := range t.ops {
		begins += Requests(o.probing)
		blocks[0][i] = append(blocks[0][i], o.bound...)
		for _, group := range o.free {
			room := func(objectSet int) bool { return load[objectSet]+Requests(group)/2 < each }
			for next < len(objectSets) && !room(objectSets[next]) {
				next++
			}
			to := 0
			if next < len(objectSets) {
				to = objectSets[next]
			}
			for _, objectSet := range objectSets[:next] { // that has cases of the operation already
				if room(objectSet) && len(blocks[objectSet][i]) > 0 {
					to = objectSet
					break
				}
			}
			for _, c := range group {
				objectSet := 0
				if len(c.Lacks(target)) == 0 && len(c.Lacks(target.ObjectSet(to))) == 0 {
					objectSet = to
				}
				load[objectSet] = max(load[objectSet], begins) + Requests([]*testcase.Case{c})
				blocks[objectSet][i] = append(blocks[objectSet][i], c)
			}
		}
		for objectSet := range blocks {
			slices.SortStableFunc(blocks[objectSet][i], func(a, b *testcase.Case) int { return a.Place - b.Place })
		}
	}
	return blocks
}
