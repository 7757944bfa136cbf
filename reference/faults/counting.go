package faults

import (
	"sync"
	"sync/atomic"
	"time"
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

// patience is how long a request waits for another that is sent at the same time: long
// enough for a machine on which much else runs.
const patience = 250 * time.Millisecond

// meetings let requests that are under way at the same time meet, whichever comes
// first. Who waits blocks: a loop would keep the other from being served.
type meetings struct {
	mu      sync.Mutex
	waiting map[string]*visitor
}

type visitor struct {
	brings string
	other  chan string
}

// meet waits for another request under the same key, and gives what that brings.
func (m *meetings) meet(key, brings string) (other string, met bool) {
	m.mu.Lock()
	if m.waiting == nil {
		m.waiting = map[string]*visitor{}
	}
	if first := m.waiting[key]; first != nil {
		delete(m.waiting, key)
		m.mu.Unlock()
		first.other <- brings
		return first.brings, true
	}
	me := &visitor{brings, make(chan string, 1)}
	m.waiting[key] = me
	m.mu.Unlock()
	bound := time.NewTimer(patience)
	defer bound.Stop()
	select {
	case other = <-me.other:
		return other, true
	case <-bound.C:
	}
	m.mu.Lock()
	alone := m.waiting[key] == me
	if alone {
		delete(m.waiting, key)
	}
	m.mu.Unlock()
	if alone {
		return "", false
	}
	return <-me.other, true
}
