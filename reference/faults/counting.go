package faults

import (
	"sync"
	"sync/atomic"
)

// counter counts exchanges from 1.
type counter struct{ n atomic.Int64 }

func (c *counter) next() int64 { return c.n.Add(1) }

// memory holds the last value under each key.
type memory[V any] struct {
	mu     sync.Mutex
	values map[string]V
}

func (m *memory[V]) get(key string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok
}

// put stores a value and returns the one before.
func (m *memory[V]) put(key string, v V) (before V, had bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string]V{}
	}
	before, had = m.values[key]
	m.values[key] = v
	return before, had
}
