package session

import (
	"context"
	"errors"
	"sync"

	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/testcase"
)

// Budget is how many requests a run may send, those that are sent again included. Some
// are kept for its end: to look at what refused requests left, and to put back what was
// changed. It belongs to one worker.
type Budget struct {
	mu         sync.Mutex
	left, kept int
}

// NewBudget returns one of so many requests.
func NewBudget(requests int) *Budget { return &Budget{left: requests} }

var errSpent = errors.New("the budget of requests was used up")

// Spend takes requests off the budget, unless those that are left are kept for the end.
func (b *Budget) Spend(requests int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if requests > b.left-b.kept {
		return errSpent
	}
	b.left -= requests
	return nil
}

// keep says how many requests are kept, and returns how many are left beside them.
func (b *Budget) keep(requests int) (free int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = requests
	return b.left - b.kept
}

// putBack says that one object fewer is to be put back: its request is about to be sent.
func (b *Budget) putBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = max(0, b.kept-1)
}

// What is under way while requests are kept for what comes after it: cases, or the last
// looks at objects.
const (
	running = iota
	lookingBack
)

// reserve is how many requests are kept for the objects that were changed, and for those
// of requests that are about to be sent.
func (s *Session) reserve(during int, about ...*model.Object) int {
	n := 0
	if during == running && len(s.Model.Outcome.Tentative) > 0 {
		n = toConfirm
	}
	for _, o := range s.Model.Order {
		changes := false
		for _, sent := range about {
			changes = changes || sent == o
		}
		if !o.Op.Updates() || !changes && !o.Changed && !o.Touched {
			continue
		}
		n += s.attempts()
		if during == running && (changes || s.unlooked(o)) {
			n += s.attempts()
		}
	}
	if n > 0 {
		n += toSendAgain
	}
	return n
}

// toSendAgain is how many requests are kept for those at the end that are the first to be
// sent again.
const toSendAgain = 2

// toConfirm is how many requests are kept to find out whether tentative findings stand.
const toConfirm = 4

// attempts is how often a request has to be sent: again where the target limits the rate,
// or loses answers.
func (s *Session) attempts() int {
	if n := s.Model.Outcome.Traffic(); n.RateLimited+n.Unavailable+n.Resent+s.Model.Outcome.Liveness.Lost() > 0 {
		return 2
	}
	return 1
}

// unlooked says whether nobody has looked yet what requests to the object of an operation did.
func (s *Session) unlooked(o *model.Object) bool {
	return o.Op.Updates() && o.IsMain() && (o.Refused() || o.Unseen)
}

// Affords says whether the budget is enough for a case that sends so many requests. Once it
// was not it is for no other, so that more budget never tests less.
func (s *Session) Affords(c *testcase.Case, requests int) bool {
	if s.Shared.budget == nil {
		return true
	}
	if s.Shared.spent {
		return false
	}
	var about []*model.Object
	if c.Operation.Updates() {
		if o := s.Model.Object(c.Operation, c.Operation.Key()); o != nil {
			about = append(about, o)
			if s.unseen(o) {
				requests += firstLooks
			}
		}
	}
	s.Shared.spent = requests-s.Shared.ahead.of(c.ID) > s.Shared.budget.keep(s.reserve(running, about...))
	return !s.Shared.spent
}

// unaffordable says that a case may not send requests, as what is left of the budget is
// kept: its answer stands for those that do not come. It is nil when the case may go on.
func (t *T) unaffordable(calls ...call.Call) *call.Answer {
	budget := t.Session.Shared.budget
	if budget == nil || t.endsBudget() {
		return nil
	}
	during := running
	if t.Session.Shared.lookingBack {
		during = lookingBack
	}
	var about []*model.Object
	for _, c := range calls {
		if c.Object != nil && c.Op.Updates() && c.Body != nil && len(c.Body.Fields) > 0 {
			t.firstSight(c.Object)
			about = append(about, c.Object)
		}
	}
	if budget.keep(t.Session.reserve(during, about...)) >= len(calls)-t.Session.Shared.ahead.of(t.Test.Case.ID) {
		return nil
	}
	if during == running {
		t.Session.Shared.spent = true
		t.Test.NotTested(testcase.ByOperator, errSpent.Error())
	}
	return call.Unsent(t.Test.Case.ID, errSpent.Error())
}

// endsBudget says whether what is kept of a budget is being spent: it is for putting back.
func (t *T) endsBudget() bool {
	return t.Session.Shared.budget != nil && t.Test.Case.Class == classRestore
}

// firstSight looks at an object before the first request that names it where nothing else
// says what it held, so that it can be put back: a budget does not begin with a probe.
func (t *T) firstSight(o *model.Object) {
	if !t.Session.unseen(o) {
		return
	}
	o.Met = true
	if o.Foreign {
		t.glance(o)
	} else if t.Get(o); !o.Described() {
		t.Patch(o)
	}
}

// firstLooks is how many requests that takes at most.
const firstLooks = 2

// unseen says whether nothing says yet what an object held.
func (s *Session) unseen(o *model.Object) bool {
	return !o.Met && (o.IsMain() || o.Foreign) && !o.Changed && !s.Model.Probed[o.Op.ID] && !o.Described()
}

// LookBack looks at what a budget left no case to look at: whether the last updates were
// made, and whether refused requests left a trace.
func (s *Session) LookBack(ctx context.Context) {
	results := s.Model.Outcome.Results()
	s.Shared.lookingBack = true
	for _, o := range s.Model.Order {
		if !s.unlooked(o) {
			continue
		}
		for _, r := range results {
			if r.Case.Operation == o.Op && r.Status != testcase.NotTested {
				t := s.resume(ctx, r, "look-back")
				s.Model.Guard(r.Case.ID, func() { t.VerifyNoTraceOf(o) })
				break
			}
		}
	}
}
