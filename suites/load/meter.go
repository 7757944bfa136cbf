package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/adconform/adconform/suites/wire"
)

// meter measures the exchanges of all virtual users. It is read meanwhile.
type meter struct {
	mu         sync.Mutex
	operations map[string]*measured
	busy, woke lateness // of slots for which no virtual user was free; of those that woke late
	waiting    time.Duration
}

// measured is what is known of the exchanges of one operation.
type measured struct {
	latency *hdrhistogram.Histogram // from the instant at which they were due
	service *hdrhistogram.Histogram // of the last attempt; the same as latency in a closed loop
	Counts
}

// Counts count exchanges.
type Counts struct {
	Requests     int `json:"requests"`     // sent, those sent again included
	Exchanges    int `json:"exchanges"`    // of cases; what was waited for is part of one
	Lost         int `json:"lost"`         // without a complete answer
	ServerErrors int `json:"serverErrors"` // answered with a status of 500 or more
	RateLimited  int `json:"rateLimited"`  // answers 429 that were waited for
	Unavailable  int `json:"unavailable"`  // answers 503 with Retry-After that were waited for
	Resent       int `json:"resent"`       // sent again as the target had ended the connection
}

// lateness is by how much requests were sent after they were due.
type lateness struct {
	n   int
	max time.Duration
}

func (l *lateness) add(late time.Duration) { l.n, l.max = l.n+1, max(l.max, late) }

// tolerated is how late a request may be sent without being counted as late: a timer of the
// operating system is not more exact.
const tolerated = 2 * time.Millisecond

// Latencies are kept in microseconds up to an hour, with three digits: what takes
// longer counts as an hour.
const (
	unit    = time.Microsecond
	longest = time.Hour
	digits  = 3
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(longest/unit), digits)
}

func record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(int64(min(max(d, 0), longest) / unit)) // it fails beyond the bounds only
}

// newMeter is a meter with all its memory.
func newMeter(operations []string, closed bool) *meter {
	m := &meter{operations: map[string]*measured{}}
	for _, id := range operations {
		m.operations[id] = newMeasured(closed)
	}
	return m
}

func newMeasured(closed bool) *measured {
	of := &measured{service: newHistogram()}
	if of.latency = of.service; !closed {
		of.latency = newHistogram()
	}
	return of
}

// note measures an exchange of a slot that was handed to the client at began.
func (m *meter) note(operation string, s slot, ex *wire.Exchange, began time.Time) {
	if ex.Attempts == 0 || ex.Err != nil && ex.Err.Kind == wire.Canceled {
		return // ended by us: it says nothing of the target
	}
	done := ex.Start.Add(ex.Duration)
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.operations[operation]
	record(of.service, ex.Duration)
	if !s.due.IsZero() {
		from := s.due
		if ex.Start.Before(from) { // it was sent along with an earlier one
			from = ex.Start
		}
		record(of.latency, done.Sub(from))
	}
	of.add(ex)
	m.waiting += done.Sub(began)
	switch {
	case s.late <= tolerated:
	case s.woke:
		m.woke.add(s.late)
	default:
		m.busy.add(s.late)
	}
}

func (c *Counts) add(ex *wire.Exchange) {
	more := Counts{Exchanges: 1, Requests: ex.Attempts, RateLimited: ex.RateLimited, Unavailable: ex.Unavailable, Resent: ex.Resent}
	switch {
	case ex.Err != nil:
		more.Lost = 1
	case ex.Response != nil && ex.Response.Status >= 500:
		more.ServerErrors = 1
	}
	c.plus(more)
}

func (c *Counts) plus(d Counts) {
	c.Requests += d.Requests
	c.Exchanges += d.Exchanges
	c.Lost += d.Lost
	c.ServerErrors += d.ServerErrors
	c.RateLimited += d.RateLimited
	c.Unavailable += d.Unavailable
	c.Resent += d.Resent
}

// all is the sum over the operations.
func (m *meter) all(closed bool) *measured {
	m.mu.Lock()
	defer m.mu.Unlock()
	total := newMeasured(closed)
	for _, of := range m.operations {
		total.service.Merge(of.service)
		if !closed {
			total.latency.Merge(of.latency)
		}
		total.plus(of.Counts)
	}
	return total
}
