package model

import (
	"cmp"
	"maps"
	"slices"
)

// Join adds what the answers of another chain say about the target. The chains ran at the same time, on other objects for the
// most part. The other state may not be used any more.
func (s *State) Join(other *State) {
	for at, o := range other.objects {
		if s.objects[at] == nil {
			s.objects[at] = o
			continue
		}
		s.objects[at].join(o)
	}
	for key, w := range other.ways {
		own := s.way(w.op, key)
		own.IsRefused, own.isUsed = own.IsRefused || w.IsRefused, own.isUsed || w.isUsed
		for field, r := range w.records {
			own.record(field).join(r)
		}
	}
	for text, by := range other.texts {
		s.texts[text] = append(s.texts[text], by...)
	}
	for at, l := range other.lists {
		if s.lists[at] == nil {
			s.lists[at] = l
			continue
		}
		s.lists[at].join(l)
	}
	maps.Copy(s.parts, other.parts)
	maps.Copy(s.resets, other.resets)
	maps.Copy(s.outlived, other.outlived)
	maps.Copy(s.unsteady, other.unsteady)
	s.deletes = append(s.deletes, other.deletes...)
	slices.SortStableFunc(s.deletes, func(a, b *Exchange) int { return a.End.Compare(b.End) })
	s.signs = append(s.signs, other.signs...)
	s.isInTurn = s.isInTurn || other.isInTurn
	s.turns += other.turns
	s.now = lastOf(s.now, other.now)
	s.strays += other.strays
}

// join adds what another state knows of the object.
func (o *entity) join(other *entity) {
	o.op = cmp.Or(o.op, other.op)
	o.exists.join(other.exists)
	for meaning, r := range other.fields {
		if o.fields[meaning] == nil {
			o.fields[meaning] = r
			continue
		}
		o.fields[meaning].join(r)
	}
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
	o.isTouched, o.trails = o.isTouched || other.isTouched, o.trails || other.trails
	o.refused = append(o.refused, other.refused...)
	o.lists = append(o.lists, other.lists...)
	o.updated = later(o.updated, other.updated)
	o.listed = later(o.listed, other.listed)
	o.missed = cmp.Or(o.missed, other.missed)
}

// later returns the exchange that ended last; either may be nil.
func later(a, b *Exchange) *Exchange {
	if a == nil || b != nil && b.End.After(a.End) {
		return b
	}
	return a
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
	for id, member := range other.members {
		l.member(id).join(member)
	}
	for id, item := range other.items {
		if l.items[id] == nil {
			l.items[id] = item
		}
	}
	for number, p := range other.pages {
		if own := l.pages[number]; own == nil || p.by.End.After(own.by.End) {
			l.pages[number] = p
		}
	}
	if l.last == nil || other.last != nil && other.last.by.End.After(l.last.by.End) {
		l.last = other.last
	}
	l.deletes = append(l.deletes, other.deletes...)
	l.changes += other.changes
	l.isWhole = l.isWhole || other.isWhole
	l.isDoubtful = l.isDoubtful || other.isDoubtful
	l.isUnpaged = l.isUnpaged || other.isUnpaged
	l.ended = cmp.Or(l.ended, other.ended)
}

// join adds what another state was told in the same way.
func (r *record) join(other *record) {
	r.kept = append(r.kept, other.kept...)
	r.defaults = append(r.defaults, other.defaults...)
}
