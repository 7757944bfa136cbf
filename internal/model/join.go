package model

import (
	"cmp"
	"maps"
	"slices"
)

// Join adds what the answers of another chain say about the target. The chains ran at the same time, on other objects
// for the most part. The other state may not be used any more.
func (s *State) Join(other *State) {
	merge(s.objects, other.objects, (*entity).join)
	merge(s.lists, other.lists, (*list).join)
	for key, w := range other.ways {
		own := s.way(key)
		raise(&own.IsRefused, w.IsRefused)
		raise(&own.isUsed, w.isUsed)
		for field, r := range w.records {
			own.record(field).join(r)
		}
	}
	for text, by := range other.texts {
		s.texts[text] = append(s.texts[text], by...)
	}
	maps.Copy(s.parts, other.parts)
	maps.Copy(s.resets, other.resets)
	maps.Copy(s.outlived, other.outlived)
	maps.Copy(s.unsteady, other.unsteady)
	s.deletes = append(s.deletes, other.deletes...)
	slices.SortStableFunc(s.deletes, byEnd)
	s.signs = append(s.signs, other.signs...)
	raise(&s.isInTurn, other.isInTurn)
	s.turns += other.turns
	s.now = lastOf(s.now, other.now)
	s.strays += other.strays
}

// join adds what another state knows of the object.
func (o *entity) join(other *entity) {
	o.op = cmp.Or(o.op, other.op)
	o.exists.join(other.exists)
	merge(o.fields, other.fields, (*register).join)
	for name, c := range other.constants {
		if first, isKnown := o.constants[name]; !isKnown || c.by.End.Before(first.by.End) {
			o.constants[name] = c
		}
	}
	for meaning, f := range other.firsts {
		if _, isShown := o.firsts[meaning]; !isShown && o.updated == nil {
			o.firsts[meaning] = f
		}
	}
	maps.Copy(o.unknown, other.unknown)
	o.updatedBy = append(o.updatedBy, other.updatedBy...)
	raise(&o.isTouched, other.isTouched)
	raise(&o.trails, other.trails)
	o.refused = append(o.refused, other.refused...)
	o.lists = append(o.lists, other.lists...)
	o.updated = later(o.updated, other.updated)
	o.listed = later(o.listed, other.listed)
	o.missed = cmp.Or(o.missed, other.missed)
}

// merge adds what another state knows, key by key.
func merge[K comparable, V any](own, other map[K]V, join func(own, other V)) {
	for key, v := range other {
		if known, isKnown := own[key]; isKnown {
			join(known, v)
			continue
		}
		own[key] = v
	}
}

// raise sets a flag if another one is set.
func raise(flag *bool, by bool) {
	if by {
		*flag = true
	}
}

// byEnd orders exchanges by the ends of their answers.
func byEnd(a, b *Exchange) int { return a.End.Compare(b.End) }

// later returns the exchange that ended last; either may be nil.
func later(a, b *Exchange) *Exchange {
	switch {
	case a == nil:
		return b
	case b == nil, !b.End.After(a.End):
		return a
	}
	return b
}

// join adds the writes of another state. The first write stands for what was there before all others.
func (r *register) join(other *register) {
	if r.past[0].anything {
		r.past[0] = other.past[0]
	}
	r.open = append(r.open, other.open...)
	r.past = append(r.past, other.past[1:]...)
	slices.SortStableFunc(r.past, func(a, b *write) int { return a.End.Compare(b.End) })
}

// join adds what another state knows of the list.
func (l *list) join(other *list) {
	merge(l.members, other.members, (*register).join)
	for id, item := range other.items {
		if l.items[id] == nil {
			l.items[id] = item
		}
	}
	for number, p := range other.pages {
		l.pages[number] = laterPage(l.pages[number], p)
	}
	l.last = laterPage(l.last, other.last)
	l.deletes = append(l.deletes, other.deletes...)
	l.changes += other.changes
	raise(&l.isWhole, other.isWhole)
	raise(&l.isDoubtful, other.isDoubtful)
	raise(&l.isUnpaged, other.isUnpaged)
	l.ended = cmp.Or(l.ended, other.ended)
}

// laterPage returns the page that was read last; either may be nil.
func laterPage(a, b *page) *page {
	switch {
	case a == nil:
		return b
	case b == nil, later(a.by, b.by) == a.by:
		return a
	}
	return b
}

// join adds what another state was told in the same way.
func (r *record) join(other *record) {
	r.kept = append(r.kept, other.kept...)
	r.defaults = append(r.defaults, other.defaults...)
}
