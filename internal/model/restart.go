package model

import (
	"maps"
	"slices"
	"time"
)

// A target may be restarted or provisioned while requests are sent: from one moment on all of its objects are as they were
// before. Each answer that shows what was there before the first change is a sign of that. It is no breach if a few moments
// explain all signs: no object shows a change from before such a moment again, and at one of them several objects agree, or one
// is as no lost update would leave it.

// A sign is an answer that shows an object as it was before any request changed it. Its span begins with the
// last change, and ends with the answer.
type sign struct {
	span
	of        *entity
	isFurther bool // the last change alone cannot have been lost, as the one before it does not show either
	isLater   bool // it is only as before the last change
	wasKept   bool // an answer had shown the change before
}

// mostRestarts is the most moments by which signs are explained. A target that is restarted more often than that cannot be
// told from one that loses changes.
const mostRestarts = 3

// What explains that objects are as they were before, if not the target's own loss of changes.
const (
	Restarted = "from some moment on the objects are as they were before the first request: was the target restarted or provisioned meanwhile?"
	InTurn    = ", as before an update and as after it in turn: do two servers answer, each with a state of its own?"
)

// Explanation returns what explains that objects are as before: Restarted explains the breaches that IsAsBefore, InTurn those
// that are Stale; "" stands for neither.
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
	return areExplained(signs, kept) || areExplained(append(signs, maybe...), kept) // in a fast run each answer may lag
}

// areExplained reports whether a few restarts explain signs.
func areExplained(signs, kept []*sign) bool {
	slices.SortFunc(signs, func(a, b *sign) int { return a.End.Compare(b.End) })
	isShown := false
	for moments := 0; len(signs) > 0; moments++ {
		same := together(signs)
		at, isMoment := momentOf(signs[:same], kept)
		isOther := slices.ContainsFunc(signs[:same], func(one *sign) bool { return one.isLater })
		if moments == mostRestarts || !isMoment || isOther {
			return false
		}
		isShown = isShown || agree(signs[:same], kept, at)
		signs = signs[same:]
	}
	return isShown
}

// kept returns the spans in which changes of an object were not undone, as a later answer shows.
func (o *entity) kept() (all []*sign) {
	for _, r := range append(slices.Collect(maps.Values(o.fields)), o.exists) {
		for _, w := range r.past {
			if isKept := w.isChange() && w.shown.After(w.End); isKept && !r.isInitial(w.value) {
				all = append(all, &sign{of: o, span: span{w.End, w.shown}})
			}
		}
	}
	return all
}

// together returns how many of the first signs one moment explains.
func together(signs []*sign) int {
	begin, end := signs[0].Start, signs[0].End
	for i, one := range signs {
		if begin, end = lastOf(begin, one.Start), firstOf(end, one.End); !begin.Before(end) {
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

func firstOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// momentOf returns a moment that explains signs: after their last change, and in no time in which another change was kept.
func momentOf(signs, kept []*sign) (at time.Time, is bool) {
	for _, one := range signs {
		at = lastOf(at, one.Start)
	}
	for _, k := range kept {
		if isKept := !k.Start.After(at) && k.End.After(at); isKept {
			at = k.End
		}
	}
	return at, at.Before(signs[0].End)
}

// agree reports whether lost updates do not explain signs: they are of two kinds of objects, or of two objects whose changes
// had shown, or one object is further back than before its last change. Something was kept before, as otherwise the target
// keeps nothing.
func agree(signs, kept []*sign, at time.Time) bool {
	first := signs[0]
	areLost := !slices.ContainsFunc(signs, func(one *sign) bool {
		areTwo := one.of != first.of && one.wasKept && first.wasKept
		return one.isFurther || areTwo || one.of.kind != first.of.kind
	})
	return !areLost && slices.ContainsFunc(kept, func(k *sign) bool { return !k.Start.After(at) })
}

// noteInitial notes that an answer, which may lag or have reset the field to a default, shows the value from before the
// first change.
func (r *register) noteInitial(x *Exchange, got any) {
	w := r.changeBefore(nil)
	if isLost := w != nil && r.isInitial(got) && !r.maySet(w, got); isLost {
		w.mayLose = r.signOf(x.of, w, x)
	}
}

// signOf returns the sign that a change is lost, as an answer shows.
func (r *register) signOf(o *entity, w *write, x *Exchange) *sign {
	before := r.changeBefore(w)
	isFurther := before != nil && !r.isInitial(before.value)
	return &sign{of: o, span: span{w.Start, x.End}, wasKept: w.shown.After(w.End), isFurther: isFurther}
}

// mayBeLost returns signs that changes of an object are lost, for which there may be other reasons. No later answer shows
// the changes.
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
	if w == nil || w.lost == nil || !q.register.maySet(w, q.got) {
		return nil
	}
	w.shown, q.s.isInTurn = q.x.Start, true
	return &answer{kind: Stale, clause: keepClause, words: InTurn, by: []*Exchange{w.by}}
}

// IsAsBefore reports whether an answer that breaks a clause shows an object as it was before any request changed it.
func (b *Breach) IsAsBefore() bool { return b.sign != nil && !b.sign.isLater }
