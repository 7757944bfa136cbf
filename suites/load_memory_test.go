package suites_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/wire"
)

// sampler looks at the memory in use when so many exchanges were judged.
type sampler struct {
	n    atomic.Int64
	at   [3]int64
	mu   sync.Mutex
	heap [3]uint64
}

func newSampler(total int64) *sampler {
	return &sampler{at: [3]int64{total / 10, total / 2, total - total/100}}
}

func (s *sampler) record(int, *wire.Exchange) {
	n := s.n.Add(1)
	for i, at := range s.at {
		if n == at {
			s.mu.Lock()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			s.heap[i] = m.HeapAlloc
			s.mu.Unlock()
		}
	}
}

// grown is a factor beyond what the rounds under way at a sample make of chance;
// sessions that are kept make it five.
const grown = 2.5

// Memory does not grow with the number of exchanges. A round that kept its session
// would take some MiB more by the end.
func TestMemoryIsFlat(t *testing.T) {
	reftest.Long(t)
	const exchanges = 20_000
	s := newSampler(exchanges)
	result, _ := runLoad(t, suites.NewConfig(loaded(t, 2, nil)), suites.Load{VirtualUsers: 2, Requests: exchanges, Record: s.record})
	if result.Verdict != load.Passed {
		t.Fatal(result.Reason)
	}
	t.Logf("heap after 10 %%, 50 %% and 99 %%: %v", s.heap)
	if ratio := float64(s.heap[2]) / float64(s.heap[0]); ratio > grown {
		t.Errorf("the heap grew by a factor of %.2f: %v", ratio, s.heap)
	}
}

// leastSoak is how many requests a soak has at least, so that it judges something:
// the first run of a benchmark has an N of 1.
const leastSoak = 1000

// BenchmarkSoak gives the growth of memory over b.N exchanges, reference included:
// make soak runs it over a million.
func BenchmarkSoak(b *testing.B) {
	s := newSampler(int64(b.N))
	config := suites.NewConfig(loaded(b, suites.DefaultVirtualUsers, nil))
	result, _ := runLoad(b, config, suites.Load{Requests: max(b.N, leastSoak), Record: s.record})
	if result.Verdict != load.Passed {
		b.Fatal(result.Reason)
	}
	if s.heap[0] > 0 {
		b.ReportMetric(float64(s.heap[1])/float64(s.heap[0]), "heap-50%/10%")
		b.ReportMetric(float64(s.heap[2])/float64(s.heap[0]), "heap-100%/10%")
		b.ReportMetric(float64(s.heap[2])/(1<<20), "heap-MiB")
	}
	b.ReportMetric(float64(result.HeapBytes.After)/float64(result.HeapBytes.Before), "heap-after/before") // without rounds under way
	if l := result.Latency; l != nil {
		b.ReportMetric(l.All.P99, "p99-ms")
	}
	b.ReportMetric(result.PerSecond, "requests/s")
}
