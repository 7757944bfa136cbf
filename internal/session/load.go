package session

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wire"
)

// A load counts the requests under way in a run, and lets one be sent alone.
type load struct {
	alone  sync.RWMutex // locked for writing while a request is sent alone
	mu     sync.Mutex
	active int
	begun  int
	failed atomic.Bool // a request that timed out beside others timed out alone, too: load is not the reason
}

// countOthers sends n requests, and returns how many others were under way meanwhile.
func (l *load) countOthers(n int, send func()) (others int) {
	l.alone.RLock()
	defer l.alone.RUnlock()
	l.mu.Lock()
	others = l.active
	l.active += n
	l.begun += n
	mark := l.begun
	l.mu.Unlock()
	send()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active -= n
	return others + l.begun - mark
}

// maxDrain is the longest wait for requests that a server may still work on.
const maxDrain = 30 * time.Second

// drainOf returns how long a server that answered some of several requests needs for the rest at its pace so far, and
// once as long as the slowest took, as its pace may not be even.
func drainOf(exchanges []*wire.Exchange) time.Duration {
	var longest time.Duration
	lost := 0
	for _, ex := range exchanges {
		longest = max(longest, ex.Duration)
		if ex.Err != nil {
			lost++
		}
	}
	answered := max(len(exchanges)-lost, 1)
	rest := longest * time.Duration(lost) / time.Duration(answered)
	return min(longest+rest, maxDrain)
}

// mayRepeat reports whether a request may be sent twice: a delete may not, as the second is answered 404.
func mayRepeat(c *judge.Call) bool {
	switch {
	case c.Malformed, c.Halved, c.Wire != nil:
		return false
	}
	return slices.Contains([]string{http.MethodGet, http.MethodPatch, http.MethodPut}, c.Method)
}

// repeatAlone sends a request that timed out beside others once more, alone, after a pause, and returns the answer that
// is judged: the second, or the first if the second does not come either.
func (t *T) repeatAlone(c *judge.Call, a *judge.Answer, others int, drain time.Duration) *judge.Answer {
	load := &t.Session.Shared.load
	isOfLoad := others > 0 && a.Exchange.Failed(wire.Timeout) && !load.failed.Load()
	if !isOfLoad || !mayRepeat(c) || !t.Pause(drain) {
		return a
	}
	load.alone.Lock()
	second := t.sendAgain(c, a)
	load.alone.Unlock()
	if second.Exchange.Err != nil {
		load.failed.Store(true)
		a.Before = append(a.Before, second.Exchange)
		return a
	}
	second.Before = append(a.Before, a.Exchange)
	second.Others = others
	return second
}
