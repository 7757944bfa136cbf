package judge

import (
	"maps"
	"slices"
)

// Observation is what the target chose at an open point.
type Observation struct {
	Point string
	// Seen holds each choice with the operations that showed it.
	Seen map[string]map[string]bool
	// At holds each choice with the places that showed it: operation, or operation.field.
	At map[string]map[string]bool
}

// Choices are the choices seen, sorted.
func (o *Observation) Choices() []string { return slices.Sorted(maps.Keys(o.Seen)) }

// Observe notes a choice that an operation made, with a field or for all of it.
func (b *Outcome) Observe(point, choice, operation, field string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.observed[point]
	if o == nil {
		o = &Observation{Point: point, Seen: map[string]map[string]bool{}, At: map[string]map[string]bool{}}
		b.observed[point] = o
	}
	if o.Seen[choice] == nil {
		o.Seen[choice], o.At[choice] = map[string]bool{}, map[string]bool{}
	}
	o.Seen[choice][operation] = true
	if field != "" {
		operation += "." + field
	}
	o.At[choice][operation] = true
}

// Observations are the choices seen at open points, by point.
func (b *Outcome) Observations() []*Observation {
	var all []*Observation
	for _, point := range slices.Sorted(maps.Keys(b.observed)) {
		all = append(all, b.observed[point])
	}
	return all
}
