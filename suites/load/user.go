package load

import (
	"context"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// virtual user sends its share of the cases again and again. Each round is a session of
// its own, so that nothing grows, and ends with the objects as they were.
type user struct {
	run    *run
	index  int
	target *fixtures.Target
	share  []*testcase.Case
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

func newUser(r *run, i int) *user {
	u := &user{run: r, index: i, target: r.view(i), undo: newUndo(i)}
	u.share, u.left = r.share(i)
	u.client = &paced{Client: r.Client, run: r, free: true}
	return u
}

// Values that the suite makes up differ in each virtual user and round, so that an answer
// that belongs to another virtual user shows. Sessions repeat cases with the seeds after
// their own.
const (
	seedsOfRound = 16
	seedsOfUser  = 1 << 32 * seedsOfRound
)

// session is a session without any knowledge of the target.
func (u *user) session() *session.Session {
	r := u.run
	o := session.Options{
		ModelOptions: judge.ModelOptions{
			Contract: r.Contract, Target: u.target, Edition: r.Edition, Bases: r.Bases, Disabled: r.Disabled,
			Seed: r.Seed + uint64(u.index)*seedsOfUser + uint64(u.sessions)*seedsOfRound,
		},
		Client: u.client, ReadOnly: r.ReadOnly, CaseTime: r.CaseTime,
	}
	o.Record = func(ex *wire.Exchange) {
		if r.Record != nil {
			r.Record(u.index, ex)
		}
	}
	u.sessions++
	return session.NewSession(o)
}

// loop runs rounds until the load is over.
func (u *user) loop(ctx context.Context) {
	u.client.free = false
	defer func() { u.client.free = true }()
	for !u.over(ctx) {
		u.round(ctx)
	}
}

func (u *user) over(ctx context.Context) bool {
	return ctx.Err() != nil || u.run.schedule.exhausted()
}

func (u *user) round(ctx context.Context) {
	s := u.session()
	u.rounds++
	whole := true
	for _, c := range turned(u.share, u.index+u.rounds) {
		if _, gone := s.Outcome().Liveness.Gone(); gone || u.over(ctx) {
			whole = false
			break
		}
		u.count(s.Run(ctx, c))
	}
	answered := s.Outcome().Liveness.Answered()
	if whole && !u.over(ctx) {
		s.Conclude(ctx)
	} else {
		resolve(s)
	}
	u.run.found.underLoad(u.index, s)
	u.sent += s.Outcome().Traffic().Requests
	if !u.over(ctx) || answered > 0 {
		u.run.noteRound(answered)
	}
	u.ended = time.Now()
	u.putBack(ctx, s)
}

// resolve decides by what a round saw until it was cut off which of its doubtful
// findings stand; nothing is sent for that.
func resolve(s *session.Session) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	(&session.T{Test: s.Model.Aside(&testcase.Case{}), Session: s, Ctx: ended}).Confirm()
}

func (u *user) count(r *testcase.Result) {
	switch r.Status {
	case testcase.Passed:
		u.cases.Passed++
	case testcase.Failed:
		u.cases.Failed++
	default:
		u.cases.NotTested++
	}
}

// putBack puts back what a session changed, within a bound, also when ctx ended.
func (u *user) putBack(ctx context.Context, s *session.Session) {
	if u.run.ReadOnly {
		return
	}
	if ctx.Err() != nil {
		s.CutOff()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), u.run.RestoreTime)
	defer cancel()
	u.client.restoring = true
	defer func() { u.client.restoring = false }()
	u.undo.note(s, session.Restore(ctx, s))
}

// restoreRest tries once more what could not be put back at the end of its round.
func (u *user) restoreRest(ctx context.Context) {
	for _, s := range u.undo.sessions() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), u.run.RestoreTime)
		u.undo.retried(s, session.Restore(ctx, s))
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

// quietRound runs the cases of virtual user 0 once, alone, before there is any load: it
// shows what is wrong anyway.
func (r *run) quietRound(ctx context.Context) (s *session.Session, keyRefused bool) {
	u := r.users[0]
	s = u.session()
	for _, c := range u.share {
		if _, gone := s.Outcome().Liveness.Gone(); gone || ctx.Err() != nil {
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
	u.putBack(ctx, s)
	return s, keyRefused
}

// checkedAlone is for how many findings it is looked whether they need load, and
// how often each.
const (
	checkedAlone = 20
	triesAlone   = 3
)

// checkAlone runs the cases of what was found only under load once more, alone in
// their virtual user: an object that only another virtual user has may be to blame, not the load.
func (r *run) checkAlone(ctx context.Context) {
	for _, f := range r.found.onlyUnderLoad(checkedAlone) {
		u := r.users[f.VirtualUser]
		for range triesAlone {
			if ctx.Err() != nil || r.found.seenQuiet(f.Cause()) {
				break
			}
			s := u.session()
			for _, c := range u.share {
				if c.ID == f.Case {
					s.Run(ctx, c)
				}
			}
			r.found.quiet(s)
			u.putBack(ctx, s)
		}
	}
}
