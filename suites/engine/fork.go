package engine

import (
	"maps"

	"github.com/adconform/adconform/fixtures"
)

// Cases that touch different objects may run at once, each with a model that no
// other uses. What a model knows then depends on its own cases alone, not on
// how far others got, so a run finds the same however many there are at once.

// Another returns a model for other cases of the same run, which knows nothing of
// the target yet.
func (s *Model) Another(lane int, target *fixtures.Target) *Model {
	other := *s
	other.lane, other.Target = lane, target
	other.know()
	return &other
}

// Fork returns a model for cases of an operation on the objects of a lane. How
// the target shows the state of an object it knows as s does.
func (s *Model) Fork(lane int, target *fixtures.Target) *Model {
	fork := s.Another(lane, target)
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

// Join adds what other models on the same objects know, for the cases that
// look at all of it. The others are not used any more.
func (s *Model) Join(others ...*Model) {
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
		add(s.usedUpFiles, o.usedUpFiles)
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
