package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// Schema names the form of load.json; it changes when a reader would break.
const Schema = "adconform/load/v1"

// Verdict is what a load came to.
type Verdict string

// The three verdicts.
const (
	Passed       Verdict = "passed"       // nothing found, all limits kept
	Failed       Verdict = "failed"       // a finding, or a limit that was not kept
	Inconclusive Verdict = "inconclusive" // nothing was judged, or too little for a limit
)

// Result is load.json. Times are milliseconds, unless their name says more.
type Result struct {
	Schema          string    `json:"schema"`
	Verdict         Verdict   `json:"verdict"`
	Reason          string    `json:"reason"` // in one line
	ExitCode        int       `json:"exitCode"`
	Suite           Name      `json:"suite"`
	Target          Target    `json:"target"`
	Seed            uint64    `json:"seed"`
	Depth           string    `json:"depth"`
	Started         time.Time `json:"started"`
	DurationSeconds float64   `json:"durationSeconds"` // of the load, without the rounds before and after
	Loop            string    `json:"loop"`            // open or closed
	Rate            float64   `json:"rate,omitempty"`  // requests a second that were asked for, in an open loop
	PerSecond       float64   `json:"perSecond"`       // requests a second that were sent

	Counts
	WaitingShare float64   `json:"waitingShare"` // of the time of all virtual users that went into waiting for answers
	FindingsSeen int       `json:"findingsSeen"` // under load, without notices
	Latency      *Latency  `json:"latency"`      // null when no request was sent
	Operations   []Measure `json:"operations"`
	Behind       Behind    `json:"behind"`

	VirtualUsers []VirtualUser    `json:"lanes"`
	Cases        Cases            `json:"cases"`
	LeftOut      []LeftOut        `json:"leftOut"` // cases that no virtual user sends, by reason
	Findings     []Finding        `json:"findings"`
	Unlisted     int              `json:"unlisted,omitempty"` // findings of causes that found no room in the list
	Limits       []Limit          `json:"limits"`
	HeapBytes    Heap             `json:"heapBytes"`
	Changes      []session.Change `json:"changes"`

	histograms map[string]*hdrhistogram.Histogram // by file name without its ending
}

// Name is a program and its version.
type Name struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Target is what was put under load.
type Target struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseURL"`
}

// Latency are percentiles of how long answers took: From the instant at which
// the request was due in an open loop, from its start in a closed one; and from
// its start in both.
type Latency struct {
	From    string      `json:"from"` // schedule or start
	All     Percentiles `json:"all"`
	Service Percentiles `json:"service"`
}

// Percentiles are in milliseconds.
type Percentiles struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p99.9"`
	Max   float64 `json:"max"`
	Mean  float64 `json:"mean"`
}

// Measure is what was measured of one operation.
type Measure struct {
	Operation string `json:"operation"` // or other: requests of no operation
	Counts
	Latency Percentiles `json:"latency"`
	Service Percentiles `json:"service"`
}

// VirtualUser is what one virtual user did.
type VirtualUser struct {
	VirtualUser int    `json:"lane"`
	Objects     string `json:"objects,omitempty"` // key in the target file of what it writes to; none: it only reads
	Cases       int    `json:"cases"`             // of its share
	Rounds      int    `json:"rounds"`
	Requests    int    `json:"requests"`
}

// LeftOut says how many cases are not sent, and why.
type LeftOut struct {
	Reason string `json:"reason"`
	Cases  int    `json:"cases"`
}

// Heap is the memory in use after a garbage collection, in bytes.
type Heap struct {
	Before uint64 `json:"before"` // after the quiet round
	After  uint64 `json:"after"`  // at the end of the load
}

// Snapshot is how far a load is.
type Snapshot struct {
	Elapsed  time.Duration
	Requests int
	P99      time.Duration // so far
	Errors   int
	Findings int
}

func (r *run) snapshot() Snapshot {
	all := r.meter.all(r.closed())
	return Snapshot{
		Elapsed: time.Since(r.schedule.start), Requests: all.Requests, Errors: all.Lost + all.ServerErrors,
		P99: time.Duration(all.latency.ValueAtQuantile(99)) * unit, Findings: r.found.counted(),
	}
}

func (r *run) result() Result {
	all := r.meter.all(r.closed())
	seconds := max(r.elapsed, time.Microsecond).Seconds()
	result := Result{
		Schema: Schema, Seed: r.Seed, Started: r.started.UTC(), DurationSeconds: r.elapsed.Seconds(), Loop: "closed", Rate: r.Rate,
		PerSecond: float64(all.Requests) / seconds, Counts: all.Counts, FindingsSeen: r.found.counted(),
		Operations: []Measure{}, VirtualUsers: []VirtualUser{}, LeftOut: []LeftOut{},
		Findings: r.found.sorted(), Unlisted: r.found.more, Limits: []Limit{},
		HeapBytes: Heap{r.usage.heapBefore, r.usage.heapAfter}, Changes: []session.Change{},
		histograms: map[string]*hdrhistogram.Histogram{"latency": all.latency, "service": all.service},
	}
	from := "start"
	if r.Rate > 0 {
		result.Loop, from = "open", "schedule"
		all.latency.Merge(r.unsentLatency)
	}
	if all.Exchanges > 0 {
		result.Latency = &Latency{from, percentiles(all.latency), percentiles(all.service)}
	}
	for _, id := range r.operationIDs() {
		if of := r.meter.operations[id]; of.Exchanges > 0 {
			result.Operations = append(result.Operations, Measure{id, of.Counts, percentiles(of.latency), percentiles(of.service)})
			result.histograms["latency-"+id] = of.latency
		}
	}
	senders := r.addVirtualUsers(&result)
	result.WaitingShare = min(1, r.meter.waiting.Seconds()/(seconds*float64(max(1, senders))))
	result.Behind = r.behind(r.meter, all.Exchanges, result.WaitingShare)
	result.LeftOut = r.leftOut()
	return result
}

// addVirtualUsers adds what each virtual user did, and says how many send anything.
func (r *run) addVirtualUsers(result *Result) (senders int) {
	for _, l := range r.users {
		did := VirtualUser{VirtualUser: l.index, Cases: len(l.share), Rounds: l.rounds, Requests: l.sent}
		if l.index <= 0 && !r.ReadOnly {
			did.Objects = "objects"
		}
		if len(l.share) > 0 {
			senders++
		}
		result.VirtualUsers = append(result.VirtualUsers, did)
		result.Cases.Passed += l.cases.Passed
		result.Cases.Failed += l.cases.Failed
		result.Cases.NotTested += l.cases.NotTested
		result.Changes = append(result.Changes, l.undo.list()...)
	}
	return senders
}

// operationIDs are the operations in the order of the document.
func (r *run) operationIDs() []string {
	var ids []string
	for _, op := range r.Contract.Operations {
		ids = append(ids, op.ID)
	}
	return append(ids, other)
}

// leftOut are the cases that no virtual user sends, as virtual user 0 says why.
func (r *run) leftOut() []LeftOut {
	all := []LeftOut{}
	for _, reason := range []string{usesUp, readOnlyLoad, lacking} {
		if n := r.users[0].left[reason]; n > 0 {
			all = append(all, LeftOut{reason, n})
		}
	}
	return all
}

func percentiles(h *hdrhistogram.Histogram) Percentiles {
	at := func(q float64) float64 { return milliseconds(h.ValueAtQuantile(q)) }
	return Percentiles{
		Count: h.TotalCount(), P50: at(50), P90: at(90), P99: at(99), P999: at(99.9),
		Max: milliseconds(h.Max()), Mean: milliseconds(int64(h.Mean())),
	}
}

func milliseconds(v int64) float64 { return float64(v) / float64(time.Millisecond/unit) }

// OnlyUnderLoad is how many of the findings were not seen without load, notices
// not counted.
func (r *Result) OnlyUnderLoad() int {
	n := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; f.OnlyUnderLoad && f.Severity != oracle.Notice {
			n++
		}
	}
	return n
}
