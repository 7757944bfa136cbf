// Package traffic judges exchanges on their way: through a reverse proxy, a
// client's transport or a server's handler. It judges on the side and never
// changes, delays or ends what passes: what it cannot keep up with, it counts.
package traffic

import (
	"cmp"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// Judge is what an observer asks; *suites.Judge is one. Concerns is called while
// a request waits, the others by one goroutine.
type Judge interface {
	Concerns(method, target string) bool
	Begin(method, target string) *suites.Flight
	End(*suites.Flight, wire.Recorded) []oracle.Finding
	Abandon(*suites.Flight)
	Forget()
}

// Options bound what an observer keeps. Zero values stand for the defaults.
type Options struct {
	Waiting int   // exchanges under way or not judged yet; default 1024
	MaxBody int   // bytes of a body; default 16 MiB
	MaxHeld int64 // bytes of all bodies together; default 64 MiB

	// Judged gets each exchange that was judged, with the findings of
	// causes that were not seen before. It is called by one goroutine.
	Judged func(findings []oracle.Finding)
}

// Why an exchange is not judged.
const (
	noOperation = "of none of the operations"
	behind      = "the judge was behind"
	beside      = "an exchange at the same time was not observed, as the judge was behind"
	tooLarge    = "a body is larger than what is kept"
	tooMuch     = "all bodies together are larger than what is kept"
	unreachable = "no connection to the target could be made"
	keptOpen    = "the target ended a connection that was kept open, as it may between requests"
	halfSent    = "the target ended the connection before it had the whole request, as it may with one that is late or large"
	aborted     = "the client gave up before the end"
	late        = "it was still under way at the end"
	panicked    = "the handler panicked"
	switched    = "the connection was switched to another protocol"
	defect      = "a defect of adconform, please report it"
)

// Observer passes exchanges to a judge, in the order in which they began and
// ended, on a goroutine of its own.
type Observer struct {
	judge   Judge
	options Options
	events  chan event
	done    chan struct{}

	waiting atomic.Int64
	held    atomic.Int64 // bytes
	unseen  atomic.Int64 // requests of operations under way that are not observed
	gaps    atomic.Int64 // how many there ever were
	forget  atomic.Bool  // something else than the operations may have changed what the target holds

	closing sync.RWMutex
	closed  bool

	mu        sync.Mutex
	judged    int
	notJudged map[string]int // by reason
	defects   []string
	lingering []*suites.Flight
}

// event is the beginning or the end of an exchange.
type event struct {
	x   *exchange
	end bool
}

// New starts an observer, which has to be closed.
func New(judge Judge, o Options) *Observer {
	o.Waiting = cmp.Or(o.Waiting, 1024)
	o.MaxBody = cmp.Or(o.MaxBody, 16<<20)
	o.MaxHeld = cmp.Or(o.MaxHeld, 64<<20)
	ob := &Observer{
		judge: judge, options: o, notJudged: map[string]int{}, done: make(chan struct{}),
		events: make(chan event, 2*o.Waiting),
	}
	go ob.work()
	return ob
}

// Close judges what has ended and waits for that. Exchanges that are still under
// way pass, but are not judged.
func (o *Observer) Close() {
	o.closing.Lock()
	if !o.closed {
		o.closed = true
		close(o.events)
	}
	o.closing.Unlock()
	<-o.done
}

// send passes an event on, which never waits: there is room for two events of
// each exchange.
func (o *Observer) send(e event) {
	o.closing.RLock()
	defer o.closing.RUnlock()
	switch {
	case !o.closed:
		o.events <- e
	case e.end:
		o.count(late)
	}
}

// begin notes a request at its start; nil where nothing of it is of interest.
func (o *Observer) begin(method, target string) *exchange {
	if !o.judge.Concerns(method, target) {
		return o.other(method)
	}
	x := &exchange{observer: o, seen: wire.Recorded{Method: method, Target: target}}
	if o.waiting.Add(1) > int64(o.options.Waiting) {
		o.waiting.Add(-1)
		o.unseen.Add(1) // before gaps: whoever sees no gap sees this
		o.gaps.Add(1)
		o.count(behind)
		x.unseen, x.why = true, behind
		return x
	}
	x.gaps = o.gaps.Load()
	if o.unseen.Load() > 0 {
		x.drop(beside)
	}
	o.send(event{x, false})
	return x
}

// other counts a request of no operation; nil where it changes nothing.
func (o *Observer) other(method string) *exchange {
	o.count(noOperation)
	if wire.Safe(method) {
		return nil
	}
	o.forget.Store(true)
	return &exchange{observer: o, other: true, why: noOperation}
}

func (o *Observer) work() {
	defer close(o.done)
	for e := range o.events {
		o.handle(e)
	}
}

// handle survives a panic of the judge.
func (o *Observer) handle(e event) {
	x := e.x
	defer func() {
		if p := recover(); p != nil {
			x.drop(defect)
			o.mu.Lock()
			if o.defects = append(o.defects, fmt.Sprint(p)); len(o.defects) > maxDefects {
				o.defects = o.defects[:maxDefects]
			}
			o.mu.Unlock()
			if e.end {
				o.count(defect)
			}
		}
		if e.end {
			x.release()
			o.waiting.Add(-1)
		}
	}()
	if o.stale() {
		o.judge.Forget()
		defer o.judge.Forget()
	}
	if !e.end {
		x.flight = o.judge.Begin(x.seen.Method, x.seen.Target)
		return
	}
	recorded, why := x.recorded()
	if why == "" {
		why = suites.OutOfScope(recorded)
	}
	switch {
	case why == aborted:
		o.linger(x.flight)
	case why != "":
		o.judge.Abandon(x.flight)
	default:
		found := o.judge.End(x.flight, recorded)
		o.mu.Lock()
		o.judged++
		o.mu.Unlock()
		if o.options.Judged != nil {
			o.options.Judged(found)
		}
		return
	}
	o.count(why)
}

// stale says whether something else than the operations may have changed the
// target. It stays so for all that was seen before that came.
func (o *Observer) stale() bool {
	stale := o.forget.Swap(false)
	if stale && len(o.events) > 0 {
		o.forget.Store(true)
	}
	return stale
}

const (
	maxDefects   = 10
	maxLingering = 100
)

// linger keeps a request for under way that its client gave up: the target may
// still carry it out, at the same time as the next ones.
func (o *Observer) linger(f *suites.Flight) {
	o.lingering = append(o.lingering, f)
	if len(o.lingering) > maxLingering {
		o.judge.Abandon(o.lingering[0])
		o.lingering = o.lingering[1:]
	}
}

func (o *Observer) count(why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notJudged[why]++
}

// Counts are how many exchanges were judged, and how many not.
func (o *Observer) Counts() report.Recording {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := report.Recording{Files: []string{}, Judged: o.judged, Skipped: maps.Clone(o.notJudged), Others: o.notJudged[noOperation]}
	delete(r.Skipped, noOperation)
	return r
}

// Complete puts into the report of the judge what only the observer knows: what
// was not judged. A defect of ours makes a report that would pass inconclusive.
func (o *Observer) Complete(r *report.Report, redact func(string) string) {
	counts := o.Counts()
	r.Recording = &counts
	if counts.Judged == 0 && counts.Skipped[unreachable] > 0 {
		r.Reason = unreachable
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range o.defects {
		r.Defects = append(r.Defects, wording.Printable(redact("judging an exchange: "+defect+": "+d)))
	}
	if len(o.defects) > 0 && r.Verdict == report.Conforming {
		r.Verdict, r.Reason, r.ExitCode = report.Inconclusive, defect, report.ExitInconclusive
	}
}
