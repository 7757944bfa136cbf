package load

import (
	"context"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// lane sends its share of the cases again and again. Each round is a session of
// its own, so that nothing grows, and ends with the objects as they were.
type lane struct {
	run    *run
	index  int
	target *fixtures.Target
	share  []*engine.Case
	left   map[string]int // cases that it does not send, by reason
	client *paced

	sessions int // rounds, and what is sent before and after the load
	rounds   int // begun under load
	cases    Cases
	sent     int       // requests under load
	ended    time.Time // of sending, before the last round's changes were put back
	undo     undo
}

// Cases count how often cases ran under load, and what came of it.
type Cases struct {
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	NotTested int `json:"notTested"`
}

func newLane(r *run, i int) *lane {
	l := &lane{run: r, index: i, target: r.view(i), undo: newUndo(i)}
	l.share, l.left = r.share(i)
	l.client = &paced{Client: r.Client, run: r, meter: r.meters[i%len(r.meters)], free: true}
	return l
}

// Values that the suite makes up differ in each lane and round, so that an answer
// that belongs to another lane shows. Sessions repeat cases with the seeds after
// their own.
const (
	seedsOfRound = 16
	seedsOfLane  = 1 << 32 * seedsOfRound
)

// session is a session without any knowledge of the target.
func (l *lane) session() *engine.Session {
	r := l.run
	o := engine.Options{
		Contract: r.Contract, Target: l.target, Client: l.client, Disabled: r.Disabled, ReadOnly: r.ReadOnly, CaseTime: r.CaseTime,
		Seed: r.Seed + uint64(l.index)*seedsOfLane + uint64(l.sessions)*seedsOfRound,
	}
	o.Record = func(ex *wire.Exchange) {
		if r.Record != nil {
			r.Record(l.index, ex)
		}
	}
	l.sessions++
	return engine.NewSession(o)
}

// loop runs rounds until the load is over.
func (l *lane) loop(ctx context.Context) {
	l.client.free = false
	defer func() { l.client.free = true }()
	for !l.over(ctx) {
		l.round(ctx)
	}
}

func (l *lane) over(ctx context.Context) bool {
	return ctx.Err() != nil || l.run.schedule.closed() || l.run.schedule.exhausted()
}

func (l *lane) round(ctx context.Context) {
	s := l.session()
	l.rounds++
	whole := true
	for _, c := range turned(l.share, l.index+l.rounds) {
		if _, gone := s.Outcome().Gone(); gone || l.over(ctx) {
			whole = false
			break
		}
		l.count(s.Run(ctx, c))
	}
	answered := s.Outcome().Answered()
	if whole && !l.over(ctx) {
		s.Conclude(ctx)
	} else {
		resolve(s)
	}
	l.run.found.underLoad(l.index, s)
	l.sent += s.Outcome().Traffic().Requests
	if !l.over(ctx) || answered > 0 {
		l.run.noteRound(answered)
	}
	l.ended = time.Now()
	l.putBack(ctx, s)
}

// resolve decides by what a round saw until it was cut off which of its doubtful
// findings stand; nothing is sent for that.
func resolve(s *engine.Session) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	(&engine.T{Session: s, Ctx: ended}).ResolveDoubts()
}

func (l *lane) count(r *engine.Result) {
	switch r.Status {
	case engine.Passed:
		l.cases.Passed++
	case engine.Failed:
		l.cases.Failed++
	default:
		l.cases.NotTested++
	}
}

// putBack puts back what a session changed, within a bound, also when ctx ended.
func (l *lane) putBack(ctx context.Context, s *engine.Session) {
	if l.run.ReadOnly {
		return
	}
	if ctx.Err() != nil {
		s.CutOff()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.run.RestoreTime)
	defer cancel()
	l.client.restoring = true
	defer func() { l.client.restoring = false }()
	l.undo.note(s, engine.Restore(ctx, s))
}

// putBackOwed tries once more what could not be put back at the end of its round.
func (l *lane) putBackOwed(ctx context.Context) {
	for _, s := range l.undo.owing() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.run.RestoreTime)
		l.undo.settle(s, engine.Restore(ctx, s))
		cancel()
	}
}

// operation is the id of the operation that a request is for; other for one that
// the document does not declare.
func (r *run) operation(req wire.Request) string {
	if op, _ := r.Contract.Match(req.Method, req.Path); op != nil {
		return op.ID
	}
	return other
}

// other stands for requests of no operation, such as a GET of an object.
const other = "other"

// quietRound runs the cases of lane 0 once, alone, before there is any load: it
// shows what is wrong anyway.
func (r *run) quietRound(ctx context.Context) (s *engine.Session, keyRefused bool) {
	l := r.lanes[0]
	s = l.session()
	for _, c := range l.share {
		if _, gone := s.Outcome().Gone(); gone || ctx.Err() != nil {
			break
		}
		if c.Writes && s.OwnerRefused(ctx, r.Contract.Operations) {
			keyRefused = true
			break
		}
		s.Run(ctx, c)
	}
	if ctx.Err() == nil {
		s.Conclude(ctx)
	}
	r.found.quiet(s)
	l.putBack(ctx, s)
	return s, keyRefused
}

// checkedAlone is for how many findings it is looked whether they need load, and
// how often each.
const (
	checkedAlone = 20
	triesAlone   = 3
)

// checkAlone runs the cases of what was found only under load once more, alone in
// their lane: an object that only another lane has may be to blame, not the load.
func (r *run) checkAlone(ctx context.Context) {
	for _, f := range r.found.onlyUnderLoad(checkedAlone) {
		l := r.lanes[f.Lane]
		for range triesAlone {
			if ctx.Err() != nil || r.found.seenQuiet(f.Cause()) {
				break
			}
			s := l.session()
			for _, c := range l.share {
				if c.ID == f.Case {
					s.Run(ctx, c)
				}
			}
			r.found.quiet(s)
			l.putBack(ctx, s)
		}
	}
}
