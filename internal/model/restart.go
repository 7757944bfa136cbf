package model

import (
	"maps"
	"slices"
	"time"
)

// A target may be restarted or provisioned while requests are sent: from one moment on all of its objects are as they
// were before. Each answer that shows what was there before the first change is a sign of that. It is no breach if a
// few moments explain all signs: no object shows a change from before such a moment again, and at one of them several
// objects agree, or one is as no lost update would leave it.

// A sign is an answer that shows an object as it was before any request changed it. Its span begins with the
// last change, and ends with the answer.
type sign struct {
	span
	of        *entity
	isFurther bool // the last change alone cannot have been lost, as the one before it does not show either
	isLater   bool // it is only as before the last change
	wasKept   bool // an answer had shown the change before
}

// mostRestarts is the most moments by which signs are explained. A target that is restarted more often than that cannot
// be told from one that loses changes.
const mostRestarts = 3

// What explains that objects are as they were before, if not the target's own loss of changes.
const (
	Restarted = "from some moment on the objects are as they were before the first request: " +
		"was the target restarted or provisioned meanwhile?"
	InTurn = ", as before an update and as after it in turn: do two servers answer, each with a state of its own?"
)

// Explanation returns what explains that objects are as before: Restarted explains the breaches that IsAsBefore, InTurn
// those that are Stale; "" stands for neither.
func Explanation(states ...*State) string {
	switch {
	case hasRestarted(states):
		return Restarted
	case slices.ContainsFunc(states, func(s *State) bool { return s.isInTurn }):
		return InTurn
	}
	return ""
}

// hasRestarted reports whether restarts of the target explain each breach that IsAsBefore.
func hasRestarted(states []*State) bool {
	var signs, maybe, kept []*sign
	for _, s := range states {
		signs = append(signs, s.signs...)
		for _, o := range s.objects {
			kept = append(kept, o.kept()...)
			maybe = append(maybe, o.mayBeLost()...)
		}
	}
	slices.SortFunc(kept, func(a, b *sign) int { return a.Start.Compare(b.Start) })
	// In a fast run each answer may lag.
	return areExplained(signs, kept) || areExplained(append(signs, maybe...), kept)
}

// areExplained reports whether a few restarts explain signs.
func areExplained(signs, kept []*sign) bool {
	slices.SortFunc(signs, func(a, b *sign) int { return a.End.Compare(b.End) })
	if slices.ContainsFunc(signs, func(one *sign) bool { return one.isLater }) {
		return false
	}
	isShown := false
	for moments := 0; len(signs) > 0; moments++ {
		same := signs[:together(signs)]
		at, isMoment := momentOf(same, kept)
		if moments == mostRestarts || !isMoment {
			return false
		}
		raise(&isShown, agree(same, kept, at))
		signs = signs[len(same):]
	}
	return isShown
}

// kept returns the spans in which changes of an object were not undone, as a later answer shows.
func (o *entity) kept() (all []*sign) {
	registers := append(slices.Collect(maps.Values(o.fields)), o.exists)
	for _, r := range registers {
		for _, w := range r.past {
			if w.isChange() && w.wasShown() && !r.isInitial(w.value) {
				all = append(all, &sign{of: o, span: span{w.End, w.shown}})
			}
		}
	}
	return all
}

// wasShown reports whether a read showed the value after the write.
func (w *write) wasShown() bool { return w.shown.After(w.End) }

// together returns how many of the first signs one moment explains.
func together(signs []*sign) int {
	begin := signs[0].Start
	for i, one := range signs {
		if begin = lastOf(begin, one.Start); !begin.Before(signs[0].End) { // which ends first
			return i
		}
	}
	return len(signs)
}

func lastOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// momentOf returns a moment that explains signs: after their last change, and in no time in which another change was
// kept.
func momentOf(signs, kept []*sign) (at time.Time, is bool) {
	for _, one := range signs {
		at = lastOf(at, one.Start)
	}
	for _, k := range kept {
		if k.hasBegun(at) && k.End.After(at) {
			at = k.End
		}
	}
	return at, at.Before(signs[0].End)
}

// agree reports whether lost updates do not explain signs: they are of two kinds of objects, or of two objects whose
// changes had shown, or one object is further back than before its last change. Something was kept before, as otherwise
// the target keeps nothing.
func agree(signs, kept []*sign, at time.Time) bool {
	isNoLoss := func(one *sign) bool { return one.isFurther || one.agrees(signs[0]) }
	hasBegun := func(k *sign) bool { return k.hasBegun(at) }
	return slices.ContainsFunc(signs, isNoLoss) && slices.ContainsFunc(kept, hasBegun)
}

// agrees reports whether two signs are of objects that do not lose changes together by chance.
func (one *sign) agrees(other *sign) bool {
	switch {
	case one.of.kind != other.of.kind:
		return true
	case one.of == other.of:
		return false
	}
	return one.wasKept && other.wasKept
}

// noteInitial notes that an answer, which may lag or have reset the field to a default, shows the value from before the
// first change. Of a few listed values any may come by chance.
func (q *question) noteInitial() {
	w := q.register.changeBefore(nil)
	isListed := len(q.f.Enum) > 0
	switch {
	case w == nil, isListed, !q.register.isInitial(q.got), q.register.maySet(w, q.got):
		return
	}
	w.mayLose = q.register.signOf(q.x.of, w, q.x)
}

// signOf returns the sign that a change is lost, as an answer shows.
func (r *register) signOf(o *entity, w *write, x *Exchange) *sign {
	before := r.changeBefore(w)
	isFurther := before != nil && !r.isInitial(before.value)
	return &sign{of: o, span: span{w.Start, x.End}, wasKept: w.wasShown(), isFurther: isFurther}
}

// mayBeLost returns signs that changes of an object are lost, for which there may be other reasons. No later answer
// shows the changes.
func (o *entity) mayBeLost() (all []*sign) {
	for _, r := range o.fields {
		for _, w := range r.past {
			if w.mayLose != nil && w.shown.Before(w.mayLose.End) {
				all = append(all, w.mayLose)
			}
		}
	}
	return all
}

// noteBack notes that a read which may lag shows a value from before the last change.
func (r *register) noteBack(at time.Time) {
	if w := r.changeBefore(nil); w != nil && w.back.IsZero() {
		w.back = at
	}
}

// lost returns the sign that the last change of a register is lost, as an answer shows.
func (s *State) lost(o *entity, r *register, x *Exchange, isInitial bool) *sign {
	w := r.changeBefore(nil)
	if w == nil {
		return nil
	}
	w.lost = r.signOf(o, w, x)
	w.lost.isLater = !isInitial
	if !w.back.IsZero() {
		w.lost.End = w.back
	}
	s.signs = append(s.signs, w.lost)
	return w.lost
}

// inTurn: an earlier answer showed that an update was lost, and this one shows it again.
func (q *question) inTurn() *answer {
	w := q.register.changeBefore(nil)
	switch {
	case w == nil, w.lost == nil, !q.register.maySet(w, q.got):
		return nil
	}
	w.shown = q.x.Start
	q.s.isInTurn = true
	return &answer{kind: Stale, clause: keepClause, words: InTurn, by: []*Exchange{w.by}}
}

// IsAsBefore reports whether an answer that breaks a clause shows an object as it was before any request changed it.
func (b *Breach) IsAsBefore() bool {
	return b.sign != nil && !b.sign.isLater
}
