package model

import (
	"slices"
	"time"
)

// A span is the time between the first byte of a request and the last of its answer: if the request did something, then
// in this time. End is zero until the answer has come.
type span struct{ Start, End time.Time }

// before reports whether a span has ended when another begins.
func (s span) before(other span) bool {
	return !s.End.IsZero() && !s.End.After(other.Start)
}

// hasBegun reports whether a span has begun at a moment.
func (s span) hasBegun(at time.Time) bool {
	return !s.Start.After(at)
}

// A write is what a request may have set a register to.
type write struct {
	span
	value    any
	by       *Exchange // nil if the value is from before the log
	mayFail  bool      // it is not known whether it was carried out
	anything bool      // it may have set any value
	refuted  bool      // a later read showed that it was not carried out, or no longer
	isRead   bool      // a read showed the value first, which no request explains
	shown    time.Time // when the last read began that showed it
	back     time.Time // when a read since then first showed a value from before
	lost     *sign     // a read showed that value too late
	mayLose  *sign     // an answer showed the value from before the first change, for which there may be another reason
}

// A register is one thing that a target holds: a field of an object, or whether a creative exists. It is regular, as
// Lamport has it: a read returns what the last write before it set, or what a write at the same time sets.
type register struct {
	equal func(a, b any) bool
	given any      // by the target file, as the value from before the log; nil if it gives none
	open  []*write // whose answers have not come
	past  []*write // in the order of the ends of their answers
}

// newRegister returns a register that may hold anything.
func newRegister(equal func(a, b any) bool) *register {
	return &register{equal: equal, past: []*write{{span: span{End: time.Unix(0, 0)}, anything: true}}}
}

// isFirst reports whether a write stands for the value from before the log, which is not known yet.
func (w *write) isFirst() bool {
	return w != nil && w.anything && w.Start.IsZero()
}

// isCertain reports whether the write was carried out, as far as the answers say.
func (w *write) isCertain() bool { return !w.mayFail && !w.refuted }

// isUnseen reports whether a read is the first sign of what the register holds.
func (r *register) isUnseen(read span) bool {
	all := r.candidates(read)
	return len(all) == 1 && all[0].isFirst()
}

// begin adds a write whose answer has not come.
func (r *register) begin(w *write) {
	w.mayFail = true
	r.open = append(r.open, w)
}

// settle moves a write to the past: it was carried out, if mayFail is not set, by the end of its span. Of a write that
// may still be carried out, as its request timed out, the end is not known, and it stays open.
func (r *register) settle(w *write, end time.Time, mayFail bool) {
	w.mayFail = mayFail
	if w.End = end; end.IsZero() {
		return
	}
	r.cancel(w)
	r.past = append(r.past, w)
}

// doubt notes a request that may have set any value.
func (r *register) doubt(x *Exchange) {
	w := &write{span: span{Start: x.Start}, anything: true, by: x}
	r.begin(w)
	r.settle(w, x.End, true)
}

// cancel removes a write that was refused, or has ended.
func (r *register) cancel(w *write) {
	r.open = drop(r.open, w)
}

// drop returns a list without one of its elements.
func drop[T comparable](all []T, one T) []T {
	return slices.DeleteFunc(all, func(other T) bool { return other == one })
}

// set adds a write that was carried out.
func (r *register) set(w *write) {
	r.settle(w, w.End, false)
}

// candidates returns the writes whose values a read may show, the last first. A write that ended before another one
// began that was carried out, and that itself ended before the read began, is not among them, nor are those before it.
func (r *register) candidates(read span) []*write {
	return slices.DeleteFunc(r.possible(read), func(w *write) bool { return w.refuted })
}

// others returns the candidates at the time of an exchange that are not its own writes.
func (r *register) others(x *Exchange) []*write {
	return slices.DeleteFunc(r.candidates(x.span()), func(w *write) bool { return w.by == x })
}

// possible is like candidates, but with the writes that a later read refuted, as one that lags may show them yet.
func (r *register) possible(read span) (all []*write) {
	for _, w := range r.open {
		if !read.before(w.span) {
			all = append(all, w)
		}
	}
	var hidden span // it begins when the last write began that certainly was carried out before the read
	for _, w := range slices.Backward(r.past) {
		switch {
		case w.before(hidden):
			return all
		case read.before(w.span):
			continue
		}
		all = append(all, w)
		if w.isCertain() && w.before(read) && w.Start.After(hidden.Start) {
			hidden = w.span
		}
	}
	return all
}

// maySet reports whether a write may have set a value.
func (r *register) maySet(w *write, v any) bool {
	return !w.anything && r.equal(w.value, v)
}

// isKnown reports whether a read can show only one value.
func (r *register) isKnown(read span) bool {
	all := r.candidates(read)
	return !slices.ContainsFunc(all, func(w *write) bool { return !r.maySet(w, all[0].value) })
}

// last returns the value that a read after everything in the past shows first of all, if there is one.
func (r *register) last() (v any, is bool) {
	if w := r.lastWrite(); w != nil {
		return w.value, true
	}
	return nil, false
}

// known returns the value that a read certainly shows, if there is one.
func (r *register) known(read span) (v any, is bool) {
	v, isHeld := r.last()
	return v, isHeld && r.isKnown(read)
}

// lastWrite returns the last write that was certainly carried out and whose value is known, or nil.
func (r *register) lastWrite() *write {
	for _, w := range slices.Backward(r.past) {
		if w.isCertain() && !w.anything {
			return w
		}
	}
	return nil
}

// isInitial reports whether a value is the one from before the log.
func (r *register) isInitial(v any) bool {
	return r.isGiven(v) || r.maySet(r.past[0], v)
}

// isGiven reports whether the target file gives a value.
func (r *register) isGiven(v any) bool {
	return r.given != nil && r.equal(r.given, v)
}

// isChange reports whether a request certainly made the write.
func (w *write) isChange() bool {
	return !w.isRead && !w.mayFail && w.by != nil
}

// isBreach reports whether a read showed the value, which the register did not hold then.
func (w *write) isBreach() bool {
	return w.isRead && !w.Start.IsZero()
}

// changeBefore returns the last change before a write, nil for the last one of all.
func (r *register) changeBefore(next *write) *write {
	for _, w := range slices.Backward(r.past) {
		switch {
		case w == next:
			next = nil
		case next == nil && w.isChange():
			return w
		}
	}
	return nil
}

// match returns the candidate that a read with this value shows, or nil.
func (r *register) match(read span, shown any) *write {
	return r.matchOf(r.candidates(read), shown)
}

// matchEarlier is like match, for a read that may lag.
func (r *register) matchEarlier(read span, shown any) *write {
	return r.matchOf(r.possible(read), shown)
}

// matchOf returns the write that sets a value, or may set any, or nil.
func (r *register) matchOf(all []*write, shown any) *write {
	var wild *write
	for _, w := range all {
		switch {
		case w.anything:
			wild = w
		case r.equal(w.value, shown):
			return w
		}
	}
	return wild
}

// narrow notes what a read showed: what could have been shown in its place was not carried out, or is over. It reports
// whether the register allows the value; if it does not, it holds that value from now on.
func (r *register) narrow(read span, shown any, by *Exchange) bool {
	all := r.candidates(read)
	shows := r.match(read, shown)
	if shows == nil {
		at := span{read.Start, read.Start}
		r.set(&write{span: at, value: shown, by: by, isRead: true})
		return false
	}
	if shows.anything {
		shows.isRead = shows.isFirst()
		shows.anything = false
		shows.value = shown
		shows.by = by
	}
	switch {
	case shows.End.IsZero():
		r.settle(shows, read.End, false)
		return true
	case !shows.before(read):
		return true
	}
	shows.mayFail = false
	for _, w := range all {
		if w.before(read) && !r.maySet(w, shown) {
			w.refuted = true
		}
	}
	return true
}
