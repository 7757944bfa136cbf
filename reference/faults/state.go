package faults

import (
	"sync"
	"sync/atomic"
	"time"
)

// state is what a server with a fault remembers from one exchange to the next.
type state struct {
	counted atomic.Int64
	started time.Time
	mu      sync.Mutex
	values  map[string]any
	meetings
}

// count counts the exchanges that come to the place that asks, from 1.
func (x *exchange) count() int64 {
	x.n = x.counted.Add(1)
	return x.n
}

// recall is the value that was kept under a key.
func recall[V any](x *exchange, key string) (v V, had bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v, had = x.values[key].(V)
	return v, had
}

// keep keeps a value under a key, in place of the one before; nil forgets it.
func (s *state) keep(key string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string]any{}
	}
	s.values[key] = v
}

// patience is how long a request waits for another that is sent at the same time: long
// enough for a machine on which much else runs.
const patience = 250 * time.Millisecond

// meetings let requests that are under way at the same time meet, whichever comes
// first. Who waits blocks: a loop would keep the other from being served.
type meetings struct {
	waits   sync.Mutex
	waiting map[string]*visitor
}

type visitor struct {
	brings string
	other  chan string
}

// meet waits for another request under the same key, and gives what that brings.
func (m *meetings) meet(key, brings string) (other string, met bool) {
	m.waits.Lock()
	if m.waiting == nil {
		m.waiting = map[string]*visitor{}
	}
	if first := m.waiting[key]; first != nil {
		delete(m.waiting, key)
		m.waits.Unlock()
		first.other <- brings
		return first.brings, true
	}
	me := &visitor{brings, make(chan string, 1)}
	m.waiting[key] = me
	m.waits.Unlock()
	bound := time.NewTimer(patience)
	defer bound.Stop()
	select {
	case other = <-me.other:
		return other, true
	case <-bound.C:
	}
	m.waits.Lock()
	alone := m.waiting[key] == me
	if alone {
		delete(m.waiting, key)
	}
	m.waits.Unlock()
	if alone {
		return "", false
	}
	return <-me.other, true
}
