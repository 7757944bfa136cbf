package model

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// A removal is a write of false to a register: that an object exists, or that a list holds it.
type removal struct {
	*register
	*write
}

// resembled returns the object whose id a malformed id begins with, as 301abc does with 301, or nil.
func (s *State) resembled(x *Exchange) *entity {
	target, _, _ := strings.Cut(x.Path, "?")
	text := strings.ToLower(path.Base(target))
	for _, named := range s.world.Named {
		id := strings.ToLower(string(named.ID))
		if named.Kind == x.of.kind && strings.HasPrefix(text, id) {
			return s.entity(named.Kind, named.ID)
		}
	}
	return nil
}

// IsMalformed reports whether a request names an object by what is no id, but begins with its id.
func (x *Exchange) IsMalformed() bool { return x.resembles != nil }

// beginDelete notes what a delete removes if it is carried out: the object, and itself from the lists that hold it.
func (s *State) beginDelete(x *Exchange) {
	s.turns++
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
		l.deletes = drop(l.deletes, x)
	}
}

// endDelete notes whether a delete was carried out, and judges whether it could be.
func (s *State) endDelete(x *Exchange) {
	s.turns++
	switch {
	case x.asksOnly():
	case x.isLost():
		s.settleDelete(x, true)
	case x.isAccepted():
		if s.isItsUser(x) {
			s.judgeGone(x)
		}
		s.settleDelete(x, false)
		if !x.mayAct() && !x.of.isGone(x.span()) {
			s.doubtExistence(x.of, x)
		}
		s.deletes = append(s.deletes, x)
	case x.Status == http.StatusNotFound && x.Again:
		s.settleDelete(x, false)
	case x.Status == http.StatusNotFound && x.mayAct():
		s.cancelDelete(x)
		s.judgeExistence(x)
		if x.of.isUnknown() { // it may be that of another object for the target
			s.deletes = append(s.deletes, x)
		}
	case x.of.id == "" && x.resembles == nil:
	case x.isRefused():
		s.cancelDelete(x)
		x.of = cmp.Or(x.resembles, x.of)
		x.of.refused = append(x.of.refused, x)
		s.deletes = append(s.deletes, x)
	default:
		s.cancelDelete(x)
	}
}

// judgeGone judges a delete that was accepted: what was deleted before is gone.
func (s *State) judgeGone(x *Exchange) {
	before := x.of.exists.others(x)
	mayBeThere := func(w *write) bool { return w.value != false || !w.by.isAccepted() }
	if slices.ContainsFunc(before, mayBeThere) {
		if s.outlive(x.of); len(x.of.refused) > 0 {
			s.cover(x.read.op, "EFFECT-1")
		}
		if slices.ContainsFunc(s.deletes, (*Exchange).isAccepted) {
			s.cover(x.read.op, x.read.op.Effects["others"])
		}
		return
	}
	by := before[0].by
	b := Breach{
		Kind: Gone, Op: x.read.op, IsStatus: true,
		Clause:   x.read.op.Effects["gone"],
		By:       []*Exchange{by},
		Expected: fmt.Sprintf("status 404 for %s, which was deleted", x.of.name()),
		Got:      fmt.Sprint("status ", x.Status),
	}
	if in := x.of.shownBy(); in != nil && in.Start.After(by.End.Add(s.lag)) {
		b.By = append(b.By, in)
		b.Aspect = finding.StillListed
		b.Got += ", and a list that was asked for after the first delete shows it"
	}
	s.breach(b)
}

// judgeExistence notes whether an answer shows that an object exists, and judges that it has not gone by itself.
func (s *State) judgeExistence(x *Exchange) {
	exists := x.of.exists
	at := x.span()
	switch {
	case x.asksOnly(), !x.mayAct(), !s.isItsUser(x):
	case x.isAccepted():
		if exists.isKnown(at) {
			s.cover(x.read.op, "EFFECT-3")
		}
		for _, id := range x.read.ids { // its parents exist, too
			s.entity(id.kind, id.ID).exists.narrow(at, true, x)
		}
	case x.Status != http.StatusNotFound:
	case exists.isUnseen(at) && x.of.isToDelete(x):
		exists.narrow(at, false, x)
		s.explainGone(x, goneObject(x, true))
	case x.mayMiss():
	case !exists.narrow(at, false, x):
		s.explainGone(x, goneObject(x, false))
	}
}

// goneObject returns the words for an object that is answered 404.
func goneObject(x *Exchange, isUnseen bool) goneWords {
	return goneWords{
		op: x.read.op, clause: "EFFECT-3", kind: Unknown,
		of: x.of, names: []spec.ID{x.of.id}, isUnseen: isUnseen,
		since:    later(x.of.shownBy(), x.of.ownList()),
		expected: "a status other than 404 for " + x.of.name() + ", which no request deleted",
		got:      "status 404",
		isStatus: true,
	}
}

// shownBy returns the last answer that showed the object in a list, or nil.
func (o *entity) shownBy() (last *Exchange) {
	for _, l := range o.lists {
		for _, p := range l.pages {
			if slices.Contains(p.IDs, o.id) {
				last = later(last, p.by)
			}
		}
	}
	return last
}

// ownList returns the last answer that showed the list of the object itself, or nil.
func (o *entity) ownList() *Exchange {
	if o.listed == nil || !o.listed.isAccepted() {
		return nil
	}
	return o.listed
}

// isUnknown reports whether neither the target file nor a list names an object.
func (o *entity) isUnknown() bool {
	return o.key == "" && len(o.lists) == 0
}

// isToDelete reports whether a request deletes an object that the target file gives for that.
func (o *entity) isToDelete(x *Exchange) bool {
	return x.read.op.Deletes() && strings.HasPrefix(o.key, "disposable")
}

// goneWords say what is gone, and the clause that this breaks if no delete and no update explains it.
type goneWords struct {
	op            *spec.Operation
	kind          Kind
	clause        string
	of            *entity // that is gone, or whose list lacks something
	expected, got string
	isStatus      bool         // got is one
	since         *Exchange    // that last showed it
	before        string       // what that showed, "" if it was the status
	missed        *Exchange    // that first said since then that it is gone, nil if that is unknown
	names         []spec.ID    // of what a list lacks, or of the object
	isUnseen      bool         // nothing showed it before
	cause         finding.Kind // if no delete explains it and it is known when it was shown
}

// unexplained returns the breach if no request explains it.
func (g goneWords) unexplained() Breach {
	b := Breach{
		Kind: g.kind, Cause: g.cause, Clause: g.clause, Op: g.op,
		Expected: g.expected, Got: g.got, Names: g.names,
		Unseen: g.isUnseen, IsStatus: g.isStatus,
	}
	if g.since != nil {
		b.By = []*Exchange{g.since}
		b.Shown = []string{g.before}
	}
	return b
}

// A suspect is how suspicious a delete is of having removed something else than its answer says, the worst first.
type suspect int

// The suspects.
const (
	acceptedUnknown suspect = iota // an accepted one of what the target file does not name
	refusedOfIt                    // a refused one of what is gone, of what holds it, or of what it holds
	refusedUnknown                 // a refused one of an unknown id, if a delete finds a creative gone
	acceptedOther                  // an accepted one of something else
	outlivedOfIt                   // a refused one of it, where another creative outlived such a refusal
	innocent
)

// suspicion returns how suspicious a delete is.
func (s *State) suspicion(d *Exchange, g *goneWords) suspect {
	if d.isAccepted() {
		return g.suspicionOfAccepted(d)
	}
	switch {
	case d.of.is(g.of), isBeneath(d.of, g.of), isBeneath(g.of, d.of):
		if s.outlived[d.Status] {
			return outlivedOfIt
		}
		return refusedOfIt
	case d.of.isUnknown() && g.op.Deletes() && g.isShown():
		return refusedUnknown
	}
	return innocent
}

// suspicionOfAccepted returns how suspicious an accepted delete is.
func (g *goneWords) suspicionOfAccepted(d *Exchange) suspect {
	isOthers := strings.HasPrefix(g.of.key, foreignKeys) // no delete of the owner can be about it
	switch {
	case isOthers, d.of.is(g.of):
		return innocent
	case d.of.isUnknown():
		return acceptedUnknown
	}
	return acceptedOther
}

// isShown reports whether what is gone was there: an answer showed it, or refused it to a user without permission.
func (g *goneWords) isShown() bool {
	if !g.isUnseen || g.since != nil {
		return true
	}
	isDenied := func(d *Exchange) bool { return d.Status == http.StatusForbidden }
	return slices.ContainsFunc(g.of.refused, isDenied)
}

// isPast reports whether an answer showed what is gone after a delete.
func (g *goneWords) isPast(d *Exchange) bool {
	return g.since != nil && !d.End.After(g.since.End)
}

// suspects returns the most suspicious deletes since something was last shown, in order.
func (s *State) suspects(g *goneWords) (worst suspect, by []*Exchange) {
	worst = innocent
	sign := cmp.Or(g.missed, s.firstMiss(g))
	for _, d := range slices.Backward(s.deletes) {
		if g.isPast(d) {
			break
		}
		if isLater := sign != nil && !d.End.Before(sign.End); isLater {
			continue
		}
		switch is := s.suspicion(d, g); {
		case is < worst:
			worst = is
			by = []*Exchange{d}
		case is == worst && is != innocent:
			by = append(by, d)
		}
	}
	slices.Reverse(by)
	return worst, by
}

// firstMiss returns the first refused delete of something whose answer says that it is gone already, nil if there is
// none: from it on a user is answered 404 who was answered 403 before, in ordinary requests, too. The deletes before it
// explain that.
func (s *State) firstMiss(g *goneWords) *Exchange {
	isDenied := map[User]bool{}
	first := map[User]*Exchange{}
	for _, d := range s.deletes {
		user := d.allowed.User
		switch {
		case !d.of.is(g.of), d.IsMalformed(), g.isPast(d):
		case d.Status == http.StatusForbidden:
			isDenied[user] = true
			first[user] = nil
		case d.Status == http.StatusNotFound && isDenied[user]:
			first[user] = cmp.Or(first[user], d)
			if d.isOrdinary() {
				return first[user]
			}
		}
	}
	return nil
}

// isOrdinary reports whether nothing but who sends a request makes it another than the owner's ordinary one.
func (x *Exchange) isOrdinary() bool {
	return !x.allowed.has(func(d Departure) bool {
		isFault := !d.Open && !d.isAboutUser()
		return isFault || d.Point != ""
	})
}

// explainGone adds the breach that something is gone. The most suspicious deletes since it was last shown explain it.
func (s *State) explainGone(x *Exchange, g goneWords) {
	b := g.unexplained()
	worst, by := s.suspects(&g)
	if g.kind == ListDiffers && s.unsteady[g.op] { // it differs without a delete, too
		worst = innocent
	}
	if worst != innocent {
		b.Shown = nil
		b.Cause = ""
	}
	switch worst {
	case innocent:
	case acceptedOther, acceptedUnknown:
		last := by[len(by)-1:]
		b.Kind = OtherDeleted
		b.Op = last[0].read.op
		b.By = last
		b.Clause = b.Op.Effects["others"]
		b.Got += " after " + last[0].of.name() + " was deleted"
	default:
		b.Kind = RefusedDelete
		b.Clause = "EFFECT-1"
		b.Op = by[0].read.op
		b.By = by
		b.Expected += fmt.Sprintf(": a delete that is refused, as with %s, removes nothing", statusesOf(by))
		b.Or = s.acceptedAfter(by[len(by)-1], &g)
		if b.Or != nil {
			b.Cause = finding.GoneUnnamed
			b.Got += fmt.Sprintf(": removed by that delete, or by that of %s, which was accepted later", b.Or.of.name())
		}
	}
	s.breach(b)
}

// acceptedAfter returns the last accepted delete of something else that came after another one, or nil.
func (s *State) acceptedAfter(d *Exchange, g *goneWords) *Exchange {
	for _, other := range slices.Backward(s.deletes) {
		switch {
		case !other.End.After(d.End):
			return nil
		case s.suspicion(other, g) == acceptedOther:
			return other
		}
	}
	return nil
}

// statusesOf lists the statuses of answers, in the order in which they came first.
func statusesOf(all []*Exchange) string {
	var texts []string
	for _, x := range all {
		if text := strconv.Itoa(x.Status); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return wording.List(texts)
}

// isGone reports whether an object was certainly deleted.
func (o *entity) isGone(at span) bool {
	return o.exists.match(at, true) == nil
}

// outlive notes that an object is there after deletes of it were refused.
func (s *State) outlive(o *entity) {
	for _, d := range o.refused {
		s.outlived[d.Status] = true
	}
}

// deleteOf returns the operation that deletes the items of a list.
func (s *State) deleteOf(l *list) *spec.Operation {
	for _, op := range s.world.Contract.Operations {
		if op.Deletes() && fixtures.KindOf(op.Key()) == itemKind(l.op) {
			return op
		}
	}
	return l.op
}

// isBeneath reports whether the list of one object holds, or held, another one.
func isBeneath(o, container *entity) bool {
	return slices.ContainsFunc(o.lists, func(l *list) bool { return l.of.is(container) })
}
