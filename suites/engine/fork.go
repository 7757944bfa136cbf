package engine

import (
	"context"
	"maps"

	"github.com/adconform/adconform/fixtures"
)

// Cases that touch different objects may run at once, each in a session that no
// other uses. What a session knows then depends on its own cases alone, not on
// how far others got, so a run finds the same however many there are at once.

// Session returns one for other cases of the same run, which knows nothing of
// the target yet.
func (s *Session) Session(lane int, target *fixtures.Target) *Session {
	other := *s
	other.lane, other.Target = lane, target
	other.know()
	return &other
}

// Fork returns a session for cases of an operation on the objects of a lane. How
// the target shows the state of an object it knows as s does.
func (s *Session) Fork(lane int, target *fixtures.Target) *Session {
	fork := s.Session(lane, target)
	for key, m := range s.modes {
		fork.modes[key] = m.clone()
	}
	maps.Copy(fork.calibrated, s.calibrated)
	maps.Copy(fork.sent, s.sent)
	maps.Copy(fork.strangerSees404, s.strangerSees404)
	return fork
}

func (m *mode) clone() *mode {
	return &mode{kept: cloned(m.kept), defaults: cloned(m.defaults), trailing: cloned(m.trailing), refused: m.refused}
}

func cloned(of map[string]map[string]bool) map[string]map[string]bool {
	all := make(map[string]map[string]bool, len(of))
	for field, seen := range of {
		all[field] = maps.Clone(seen)
	}
	return all
}

// Join adds what other sessions on the same objects know, for the cases that
// look at all of it. The others are not used any more.
func (s *Session) Join(others ...*Session) {
	for _, o := range others {
		for _, object := range o.order {
			if key := object.Op.ID + " " + object.Key; s.objects[key] == nil {
				s.objects[key] = object
				s.order = append(s.order, object)
			}
		}
		add(s.modes, o.modes)
		add(s.calibrated, o.calibrated)
		add(s.sent, o.sent)
		add(s.strangerSees404, o.strangerSees404)
		add(s.lists, o.lists)
		add(s.items, o.items)
		add(s.usedUp, o.usedUp)
		add(s.shownFiles, o.shownFiles)
		s.deletes = append(s.deletes, o.deletes...)
		for op, n := range o.updates {
			s.updates[op] += n
		}
	}
}

// add copies what is not there yet.
func add[K comparable, V any](to, from map[K]V) {
	for k, v := range from {
		if _, known := to[k]; !known {
			to[k] = v
		}
	}
}

// meet looks at an object of a lane before the first request that names it, so
// that what it held can be put back, and what a refused request does to it can be
// told. In lane 0 the case that calibrates does that.
func (t *T) meet(o *Object) {
	if o == nil || o.lane == 0 || o.met || !t.calibrated[o.Op.ID] || t.Case.Class == classRestore {
		return
	}
	o.met = true
	if _, unknown := o.before(); len(unknown) == 0 && t.Case.Class == ClassSuccess {
		return // what it held is given, and what it will hold is about to be set
	}
	if len(t.Read(o)) == 0 && o.isMain() {
		t.Write(o, t.Ordinary(o, 0))
	}
}

// Leave looks whether the refused requests in a lane left a trace, when its last
// case has run. In lane 0 the cases that come last do that.
func (s *Session) Leave(ctx context.Context, last *Result) {
	if s.lane == 0 {
		return
	}
	t := &T{Session: s, Ctx: ctx, Case: last.Case, Result: last, Fake: fixtures.NewFake(s.Seed, "leave").Marked(s.mark)}
	s.guard(last.Case.ID, func() {
		for _, o := range s.order {
			t.Settle(o)
		}
	})
}
