package load

import (
	"runtime"
	"runtime/metrics"
)

// usage is what the load takes of this process: memory and time of its
// processors. The runtime counts both when it collects garbage.
type usage struct {
	heapBefore, heapAfter uint64  // bytes in use
	busy, total           float64 // seconds of processors, during the load
}

func (u *usage) begin() {
	u.heapBefore = heapInUse()
	u.busy, u.total = processors()
}

func (u *usage) end() {
	u.heapAfter = heapInUse()
	busy, total := processors()
	u.busy, u.total = busy-u.busy, total-u.total
}

// processor is how much of the processors was used, 0 to 1.
func (u *usage) processor() float64 {
	if u.total <= 0 {
		return 0
	}
	return min(max(u.busy/u.total, 0), 1)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func processors() (busy, total float64) {
	samples := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(samples)
	if samples[0].Value.Kind() != metrics.KindFloat64 || samples[1].Value.Kind() != metrics.KindFloat64 {
		return 0, 0 // a runtime that does not count them
	}
	total = samples[0].Value.Float64()
	return total - samples[1].Value.Float64(), total
}
