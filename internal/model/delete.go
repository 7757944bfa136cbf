package model

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// A removal is a write of false to a register: that an object exists, or that a list holds it.
type removal struct {
	*register
	*write
}

// beginDelete notes what a delete removes if it is carried out: the object, and itself from the lists that hold it.
func (s *State) beginDelete(x *Exchange) {
	registers := []*register{x.of.exists}
	for _, l := range x.of.lists {
		l.change(x.Start)
		registers = append(registers, l.member(x.of.id))
		l.deletes = append(l.deletes, x)
	}
	for _, r := range registers {
		w := &write{span: span{Start: x.Start}, value: false, by: x}
		r.begin(w)
		x.removes = append(x.removes, removal{r, w})
	}
	if len(x.of.lists) == 0 && x.of.key == "" {
		s.strays++
	}
}

// settleDelete ends the writes of a delete. What happens to the files of a container is open.
func (s *State) settleDelete(x *Exchange, mayFail bool) {
	for _, r := range x.removes {
		r.settle(r.write, x.End, mayFail)
	}
	for _, l := range x.of.lists {
		l.change(x.End)
	}
	if l := s.lists[x.of.thing]; l != nil {
		for id := range l.members {
			s.doubtExistence(s.objects[thing{x.of.kind, id}], x)
		}
	}
}

// doubtExistence notes that an object may be gone, or there again.
func (s *State) doubtExistence(o *entity, x *Exchange) {
	registers := []*register{o.exists}
	for _, l := range o.lists {
		l.change(x.End)
		l.isDoubtful = true
		registers = append(registers, l.member(o.id))
	}
	for _, r := range registers {
		r.doubt(x)
	}
}

// cancelDelete removes the writes of a delete that was refused.
func (s *State) cancelDelete(x *Exchange) {
	for _, r := range x.removes {
		r.cancel(r.write)
	}
	for _, l := range x.of.lists {
		l.change(x.End)
		l.deletes = slices.DeleteFunc(l.deletes, func(d *Exchange) bool { return d == x })
	}
}

// endDelete notes whether a delete was carried out, and judges whether it could be.
func (s *State) endDelete(x *Exchange) {
	switch {
	case x.asksOnly():
	case x.isLost():
		s.settleDelete(x, true)
	case x.isAccepted():
		s.judgeGone(x)
		s.settleDelete(x, false)
		if !x.mayAct() {
			s.doubtExistence(x.of, x)
		}
		s.deletes = append(s.deletes, x)
	case x.Status == http.StatusNotFound && x.Again:
		s.settleDelete(x, false)
	case x.Status == http.StatusNotFound && x.mayAct():
		s.cancelDelete(x)
		s.judgeExistence(x)
	case x.isRefused():
		s.cancelDelete(x)
		x.of.refused = append(x.of.refused, x)
		s.deletes = append(s.deletes, x)
	default:
		s.cancelDelete(x)
	}
}

// judgeGone judges a delete that was accepted: what was deleted before is gone.
func (s *State) judgeGone(x *Exchange) {
	clause := x.read.op.Effects["gone"]
	before := slices.DeleteFunc(x.of.exists.candidates(x.span()), func(w *write) bool { return w.by == x })
	mayExist := slices.ContainsFunc(before, func(w *write) bool { return w.value != false })
	if mayExist {
		s.outlive(x.of)
		s.cover(x.read.op, x.read.op.Effects["others"])
		return
	}
	by := before[0].by
	s.breach(Breach{
		Kind: Gone, Clause: clause, Op: x.read.op, By: []*Exchange{by},
		Expected: fmt.Sprintf("status 404 for %s, which was deleted", x.of.name()), Got: fmt.Sprintf("status %d", x.Status),
	})
}

// judgeExistence notes whether an answer shows that an object exists, and judges that it has not gone by itself.
func (s *State) judgeExistence(x *Exchange) {
	exists, at := x.of.exists, x.span()
	switch {
	case x.asksOnly(), !x.mayAct(), !s.isItsUser(x):
	case x.isAccepted():
		if exists.isKnown(at) {
			s.cover(x.read.op, "EFFECT-3")
		}
		for _, id := range x.read.ids { // its parents exist, too
			s.entity(id.kind, id.ID).exists.narrow(at, true, x)
		}
	case x.Status != http.StatusNotFound, x.mayMiss():
	case exists.match(at, false) != nil:
		exists.narrow(at, false, x)
	default:
		exists.narrow(at, false, x)
		s.explainGone(x, goneWords{
			op: x.read.op, clause: "EFFECT-3", kind: Unknown, of: x.of,
			expected: "a status other than 404 for " + x.of.name() + ", which no request deleted", got: "status 404",
		})
	}
}

// goneWords say what is gone, and the clause that this breaks if no delete and no update explains it.
type goneWords struct {
	op            *spec.Operation
	kind          Kind
	clause        string
	of            *entity // that is gone, or whose list lacks something
	expected, got string
	since         *Exchange // that last showed it
}

// A suspect is how suspicious a delete is of having removed something else than its answer says, the worst first.
type suspect int

// The suspects.
const (
	refusedOfIt    suspect = iota // a refused one of what is gone, of what holds it, or of what it holds
	acceptedOther                 // an accepted one of something else
	refusedUnknown                // a refused one of an unknown id
	outlivedOfIt                  // a refused one of it, where another creative outlived such a refusal
	innocent
)

// suspicion returns how suspicious a delete is.
func (s *State) suspicion(d *Exchange, gone *entity) suspect {
	isRelated := d.of == gone || isBeneath(d.of, gone) || isBeneath(gone, d.of)
	switch {
	case d.isAccepted() && d.of != gone:
		return acceptedOther
	case d.isAccepted():
		return innocent
	case isRelated && s.outlived[d.Status]:
		return outlivedOfIt
	case isRelated:
		return refusedOfIt
	case d.of.key == "":
		return refusedUnknown
	}
	return innocent
}

// explainGone adds the breach that something is gone. The most suspicious delete since it was last shown explains it, and of
// those that are as suspicious the last.
func (s *State) explainGone(x *Exchange, g goneWords) {
	worst := innocent
	var by *Exchange
	for _, d := range slices.Backward(s.deletes) {
		if g.since != nil && d.at <= g.since.at {
			break
		}
		if is := s.suspicion(d, g.of); is < worst {
			worst, by = is, d
		}
	}
	b := Breach{Kind: g.kind, Clause: g.clause, Op: g.op, Expected: g.expected, Got: g.got}
	if by != nil {
		b.Op, b.By = by.read.op, []*Exchange{by}
		b.Kind, b.Clause = RefusedDelete, "EFFECT-1"
	}
	if worst == acceptedOther {
		b.Kind, b.Clause = OtherDeleted, by.read.op.Effects["others"]
		b.Got += " after " + by.of.name() + " was deleted"
	}
	s.breach(b)
}

// outlive notes that an object is there after deletes of it were refused.
func (s *State) outlive(o *entity) {
	for _, d := range o.refused {
		s.outlived[d.Status] = true
	}
}

// deleteOf returns the operation that deletes objects of a kind.
func (s *State) deleteOf(o *entity) *spec.Operation {
	for _, op := range s.world.Contract.Operations {
		if op.Deletes() && fixtures.KindOf(op.Key()) == o.kind {
			return op
		}
	}
	return o.op
}

// isBeneath reports whether the list of one object holds, or held, another one.
func isBeneath(o, container *entity) bool {
	return slices.ContainsFunc(o.lists, func(l *list) bool { return l.of == container })
}
