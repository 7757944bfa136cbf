// Package load sends the cases of the suite from several virtual users at once, for a
// time or a number of requests, and measures how long the answers take. Each
// virtual user is a run of its own over objects of its own, again and again; what it
// finds is judged as in any other run.
//
// In an open loop requests are due at fixed instants, whatever became of those
// before. A latency counts from that instant, so that a target that stalls is
// charged for the requests that had to wait meanwhile.
package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// Options say what is sent, and what bounds hold.
type Options struct {
	Demand
	Contract    *spec.Contract
	Target      *fixtures.Target
	Client      session.Client // for all virtual users; it lets as many requests through at once as the virtual users send
	Plan        []*testcase.Case
	Seed        uint64
	Edition     *spec.Edition
	Bases       []spec.Basis
	Disabled    []string // ids of checks that do not judge
	ReadOnly    bool
	CaseTime    time.Duration // of waiting for answers in one case; 0 for no bound
	RestoreTime time.Duration // for putting back what a virtual user changed
	Grace       time.Duration // for answers that are under way at the end
}

// Demand says how fast a load is, how long it lasts, and who is told of it.
type Demand struct {
	VirtualUsers int           // at least 1
	Rate         float64       // requests a second of all virtual users together; 0: as fast as the virtual users can, a closed loop
	Duration     time.Duration // 0: no bound
	Requests     int           // 0: no bound; a few more where a case sends several at once
	Limits       []Limit       // for [Result.Measure]

	// Begin is called when nothing is left that could keep the load from beginning.
	Begin func()
	// Found gets the first finding of each cause, by one virtual user at a time.
	Found func(Finding)
	// Progress gets how far the load is, now and then.
	Progress func(Snapshot)
	// Record is given every exchange of a virtual user, in the virtual user's order; virtual users call
	// it at the same time.
	Record func(user int, ex *wire.Exchange)
}

// Outcome is what became of a load.
type Outcome struct {
	Result
	Quiet      *session.Session // of the round before the load; it judged every case that is sent
	KeyRefused bool             // every operation answers 401 to the owner's key: nothing was sent after that
	Interrupted,
	Silent bool // the target gave no answers any more
}

// Run carries out a load: a quiet round in virtual user 0, then all virtual users, then each new
// finding once more alone. What was changed is put back, also after ctx ended. It
// is an error when none of the cases can be sent under load.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	r := newRun(o)
	if len(r.users[0].share) == 0 {
		return nil, r.nothing()
	}
	if r.Begin != nil {
		r.Begin()
	}
	out := &Outcome{}
	out.Quiet, out.KeyRefused = r.quietRound(ctx)
	if ctx.Err() == nil && !out.KeyRefused && out.Quiet.Outcome().Liveness.Answered() > 0 {
		r.underLoad(ctx)
		r.checkAlone(ctx)
	}
	for _, l := range r.users {
		l.restoreRest(ctx)
	}
	out.Interrupted = ctx.Err() != nil
	out.Silent = out.Quiet.Outcome().Liveness.Answered() == 0 || r.silent()
	out.Result = r.result()
	return out, nil
}

// run is a load under way.
type run struct {
	Options
	users    []*user
	meter    *meter
	schedule *schedule
	found    *findings
	usage    usage
	started  time.Time
	elapsed  time.Duration
	mute     atomic.Int64 // rounds without any answer, one after another

	unsent        int                     // requests that were due and never sent
	unsentLatency *hdrhistogram.Histogram // the time that they had waited by the end
}

func newRun(o Options) *run {
	r := &run{Options: o, found: newFindings(o.Found), started: time.Now(), unsentLatency: newHistogram()}
	r.meter = newMeter(r.operationIDs(), r.closed())
	for i := range o.VirtualUsers {
		r.users = append(r.users, newUser(r, i))
	}
	return r
}

func (r *run) closed() bool { return r.Rate == 0 }

// underLoad runs all virtual users until the schedule ends, or ctx does.
func (r *run) underLoad(ctx context.Context) {
	r.usage.begin()
	r.schedule = newSchedule(time.Now(), r.Rate, r.Requests, r.Duration)
	hard, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.Duration > 0 { // an answer that does not come may not hold the end up
		defer time.AfterFunc(r.Duration+r.Grace, cancel).Stop()
	}
	defer context.AfterFunc(ctx, r.schedule.close)() // an interrupt ends the waiting for slots
	reported := r.reportProgress(hard)
	var running sync.WaitGroup
	for _, l := range r.users {
		if len(l.share) > 0 {
			running.Go(func() { l.loop(hard) })
		}
	}
	running.Wait()
	r.schedule.close()
	cancel()
	<-reported
	ended := r.schedule.start
	for _, l := range r.users {
		if l.ended.After(ended) {
			ended = l.ended
		}
	}
	r.elapsed = ended.Sub(r.schedule.start)
	r.chargeUnsent(ended)
	r.usage.end()
}

// chargeUnsent counts requests that were due and never sent with the time that they had
// waited by then: a target that no longer answers is not to look better than a slow one.
func (r *run) chargeUnsent(now time.Time) {
	r.unsent = r.schedule.unsent(now, func(waited time.Duration) { record(r.unsentLatency, waited) })
}

const progressEvery = 500 * time.Millisecond

// reportProgress tells how far the load is until ctx ends.
func (r *run) reportProgress(ctx context.Context) (reported <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r.Progress == nil {
			return
		}
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.Progress(r.snapshot())
			case <-ctx.Done():
				return
			}
		}
	}()
	return done
}

// Finding is what findings of one cause have in common under load.
type Finding struct {
	oracle.Finding     // the first; Seen is how often it was seen under load
	VirtualUser    int `json:"lane"`  // that saw it first
	Quiet          int `json:"quiet"` // how often it was seen without load
	// OnlyUnderLoad says that it was not seen without load.
	OnlyUnderLoad bool `json:"onlyUnderLoad"`
}

// silentRounds is after how many rounds without any answer of each virtual user a target
// counts as gone.
const silentRounds = 3

// noteRound ends a load on a target that is gone.
func (r *run) noteRound(answered int) {
	if answered > 0 {
		r.mute.Store(0)
	} else if r.mute.Add(1); r.silent() {
		r.schedule.close()
	}
}

func (r *run) silent() bool { return r.mute.Load() >= int64(silentRounds*len(r.users)) }
