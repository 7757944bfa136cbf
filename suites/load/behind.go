package load

import (
	"fmt"
	"time"
)

// Behind says how far requests were sent after they were due, in an open loop,
// and what held them up.
type Behind struct {
	Unsent     int        `json:"unsent"`     // due and never sent; they count with the time they waited
	NoUserFree Late       `json:"noLaneFree"` // all virtual users were busy when they were due
	WokeLate   Late       `json:"wokeLate"`   // a virtual user was there, and this machine woke it late
	Processor  float64    `json:"processor"`  // share of this process's processors that was used
	Bottleneck Bottleneck `json:"bottleneck"` // what held them up
}

// Late counts requests that were sent more than a timer's inexactness late.
type Late struct {
	Requests int     `json:"requests"`
	Max      float64 `json:"max"` // milliseconds
}

// Bottleneck is what kept a load from its rate.
type Bottleneck string

// The bottlenecks.
const (
	NoBottleneck Bottleneck = ""
	ByTarget     Bottleneck = "target"  // the virtual users waited for answers: it is too slow for the rate, or they are too few
	ByMachine    Bottleneck = "machine" // our own side: the processors are used up by sending and judging
	ByTimers     Bottleneck = "timers"  // our own side: the machine wakes virtual users late
)

// From when on a share counts: of late requests, of used processors.
const (
	tolerableLate = 0.01
	usedUpShare   = 0.85
	mostlyWaiting = 0.5
)

func (r *run) behind(sum *meter, exchanges int, waiting float64) Behind {
	late := func(l lateness) Late { return Late{l.n, float64(l.max) / float64(time.Millisecond)} }
	b := Behind{
		Unsent: r.unsent, NoUserFree: late(sum.busy), WokeLate: late(sum.woke), Processor: r.usage.processor(),
	}
	slots := float64(max(1, exchanges+r.unsent))
	held, woke := float64(b.NoUserFree.Requests+b.Unsent)/slots, float64(b.WokeLate.Requests)/slots
	switch {
	case held+woke <= tolerableLate:
	case b.Processor >= usedUpShare, held > woke && waiting < mostlyWaiting:
		b.Bottleneck = ByMachine
	case held > woke:
		b.Bottleneck = ByTarget
	default:
		b.Bottleneck = ByTimers
	}
	return b
}

// String says it in a sentence.
func (b Behind) String() string {
	const ours = "the schedule was not kept, and our own side is to blame: %s; latencies hold that too (%s)"
	switch {
	case b.Bottleneck == ByTarget:
		return fmt.Sprintf("the schedule was not kept: all lanes were waiting for answers; "+
			"the target is too slow for this rate, or the lanes are too few (%s)", b.figures())
	case b.Bottleneck == ByMachine:
		return fmt.Sprintf(ours, fmt.Sprintf("sending and judging used %.0f %% of the processors", 100*b.Processor), b.figures())
	case b.Bottleneck == ByTimers:
		return fmt.Sprintf(ours, "this machine woke the lanes late", b.figures())
	case b.NoUserFree.Requests+b.WokeLate.Requests == 0:
		return fmt.Sprintf("the schedule was kept: no request was sent more than %s late", tolerated)
	}
	return fmt.Sprintf("the schedule was kept (%s)", b.figures())
}

func (b Behind) figures() string {
	return fmt.Sprintf("%d requests found no lane free, at most %s late; %d lanes woke late, at most %s; %d requests were never sent",
		b.NoUserFree.Requests, inWords(b.NoUserFree.Max), b.WokeLate.Requests, inWords(b.WokeLate.Max), b.Unsent)
}

// inWords is a time for people: three digits, in ms or s.
func inWords(ms float64) string {
	if ms >= 1000 {
		return threeDigits(ms/1000) + " s"
	}
	return threeDigits(ms) + " ms"
}

func threeDigits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
