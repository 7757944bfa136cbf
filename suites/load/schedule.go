package load

import (
	"context"
	"sync/atomic"
	"time"
)

// schedule hands out slots: the instants at which requests are due. All virtual users
// take from one, in the order of the instants.
type schedule struct {
	start time.Time
	rate  float64 // slots a second; 0: a slot is due whenever a virtual user is free
	limit int64   // slots; 0: no bound
	end   time.Time
	next  atomic.Int64
	spent atomic.Bool // no slot is left before the end
	over  context.Context
	close context.CancelFunc // ends it before its time
}

func newSchedule(start time.Time, rate float64, limit int, duration time.Duration) *schedule {
	s := &schedule{start: start, rate: rate, limit: int64(limit)}
	s.over, s.close = context.WithCancel(context.Background())
	if duration > 0 {
		s.end = start.Add(duration)
	}
	return s
}

// slot is one slot that a virtual user took.
type slot struct {
	due  time.Time     // zero in a closed loop
	late time.Duration // how long after that a virtual user was there to send
	woke bool          // the virtual user was there before, and only woke late
}

// take takes n slots and waits until the first is due. It says no when the load
// is over; slots that are due by then and not taken are those of unsent.
func (s *schedule) take(ctx context.Context, n int) (slots []slot, ok bool) {
	if s.over.Err() != nil || ctx.Err() != nil || s.ended(time.Now()) {
		return nil, false
	}
	first := s.next.Add(int64(n)) - int64(n)
	if s.limit > 0 && first >= s.limit {
		return nil, false
	}
	slots = make([]slot, n)
	if s.rate == 0 {
		return slots, true
	}
	for i := range slots {
		slots[i].due = s.due(first + int64(i))
	}
	at := &slots[0]
	if s.ended(at.due) {
		s.next.Add(-int64(n)) // so that it does not count as sent
		s.spent.Store(true)
		return nil, false
	}
	if time.Until(at.due) > 0 {
		if at.woke = true; !s.wait(ctx, at.due) {
			return nil, false
		}
	}
	at.late = max(0, time.Since(at.due))
	return slots, true
}

// inexact is by how much timers may be late; that much is waited for otherwise.
const inexact = 1500 * time.Microsecond

// wait waits until a slot is due. It says no when the load is over before.
func (s *schedule) wait(ctx context.Context, due time.Time) bool {
	timer := time.NewTimer(time.Until(due) - inexact)
	defer timer.Stop()
	for again := true; again; {
		select {
		case <-timer.C:
		case <-s.over.Done():
			return false
		case <-ctx.Done():
			return false
		}
		if left := time.Until(due); left > 0 && left <= inexact {
			doze(left)
		}
		left := time.Until(due)
		if again = left > 0; again {
			timer.Reset(left)
		}
	}
	return true
}

func (s *schedule) due(i int64) time.Time {
	return s.start.Add(time.Duration(float64(i) / s.rate * float64(time.Second)))
}

func (s *schedule) ended(at time.Time) bool { return !s.end.IsZero() && !at.Before(s.end) }

// unsent visits the slots that were due before now and that no virtual user came to
// take, by how long each has waited, and counts them.
func (s *schedule) unsent(now time.Time, visit func(waited time.Duration)) int {
	if s.rate == 0 {
		return 0
	}
	n := 0
	for i := s.next.Load(); s.limit == 0 || i < s.limit; i++ {
		due := s.due(i)
		if !due.Before(now) || s.ended(due) {
			break
		}
		visit(now.Sub(due))
		n++
	}
	return n
}

// exhausted says whether there is no slot left to take.
func (s *schedule) exhausted() bool {
	return s.over.Err() != nil || s.spent.Load() || s.ended(time.Now()) || s.limit > 0 && s.next.Load() >= s.limit
}
