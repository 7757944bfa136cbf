package judge

import (
	"maps"

	"github.com/adconform/adconform/fixtures"
)

// Cases that touch different objects may run at once, each with a model that no
// other uses. What a model knows then depends on its own cases alone, not on
// how far others got, so a run finds the same however many there are at once.

// Another returns a model for other cases of the same run, which knows nothing of
// the target yet.
func (s *Model) Another(objectSet int, target *fixtures.Target) *Model {
	other := *s
	other.ObjectSet, other.Target = objectSet, target
	other.know()
	return &other
}

// Fork returns a model for cases of an operation on the objects of another set. How
// the target shows the state of an object it knows as s does.
func (s *Model) Fork(objectSet int, target *fixtures.Target) *Model {
	fork := s.Another(objectSet, target)
	for key, m := range s.modes {
		fork.modes[key] = m.clone()
	}
	maps.Copy(fork.Probed, s.Probed)
	maps.Copy(fork.sent, s.sent)
	maps.Copy(fork.StrangerSees404, s.StrangerSees404)
	return fork
}

func (m *mode) clone() *mode {
	return &mode{kept: cloned(m.kept), Defaults: cloned(m.Defaults), trailing: cloned(m.trailing), Refused: m.Refused}
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
		for _, object := range o.Order {
			if key := object.Op.ID + " " + object.Key; s.Objects[key] == nil {
				s.Objects[key] = object
				s.Order = append(s.Order, object)
			}
		}
		add(s.modes, o.modes)
		add(s.Probed, o.Probed)
		add(s.sent, o.sent)
		add(s.StrangerSees404, o.StrangerSees404)
		add(s.Lists, o.Lists)
		add(s.items, o.items)
		add(s.UsedUpFiles, o.UsedUpFiles)
		add(s.shownFiles, o.shownFiles)
		s.Deletes = append(s.Deletes, o.Deletes...)
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
