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
	values  sync.Map
	places  sync.Map // of chan visitor, by the key of a meeting
}

// count counts the exchanges that come to the place that asks, from 1.
func (x *exchange) count() int64 {
	x.n = x.counted.Add(1)
	return x.n
}

// recall is the value that was kept under a key.
func recall[V any](x *exchange, key string) (v V, had bool) {
	kept, _ := x.values.Load(key)
	v, had = kept.(V)
	return v, had
}

// keep keeps a value under a key, in place of the one before; nil forgets it.
func (s *state) keep(key string, v any) {
	s.values.Store(key, v)
}

// patience is how long a request waits for another that is sent at the same time: long
// enough for a machine on which much else runs.
const patience = 250 * time.Millisecond

// visitor is a request that waits for another, and what it brings.
type visitor struct {
	brings string
	other  chan string
}

// meet lets two requests meet that are under way at the same time, whichever comes
// first. It waits for another request under the same key, and gives what that brings.
func (s *state) meet(key, brings string) (other string, met bool) {
	found, _ := s.places.LoadOrStore(key, make(chan visitor))
	place, me := found.(chan visitor), visitor{brings, make(chan string, 1)}
	select {
	case place <- me:
		return <-me.other, true
	case first := <-place:
		first.other <- brings
		return first.brings, true
	case <-time.After(patience):
		return "", false
	}
}
