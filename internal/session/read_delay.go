package session

import (
	"sync"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wire"
)

// Before a read that does not show the last change is sent again, the session pauses, each time twice as long.
const (
	firstPause = 50 * time.Millisecond
	allPauses  = 30 * time.Second // in a run; time in which several reads wait counts once
)

// A lag holds what a run knows about reads that show changes late.
type lag struct {
	mu     sync.Mutex
	pauses wire.Span
	late   map[string]bool // operations one of whose reads showed a change late
	never  map[string]bool // operations one of whose reads did not show a change in time: the others do not wait
}

// untilShown sends a read again until it shows the last change, and returns the answer that is judged.
func (t *T) untilShown(c *judge.Call, a *judge.Answer) *judge.Answer {
	left := t.Known().ReadDelay
	lag := &t.Session.Shared.lag
	for pause := firstPause; t.Test.Lags(a); pause *= 2 {
		pause = lag.take(c.Op.ID, a.Exchange.End(), min(pause, left))
		if pause == 0 || !t.Pause(pause) {
			a.Undecided = lag.giveUp(c.Op.ID, left > 0)
			return a
		}
		left -= pause
		next := t.sendAgain(c, a)
		next.Before = append(a.Before, a.Exchange)
		a = next
	}
	if len(a.Before) > 0 && a.OK {
		lag.noteLate(c.Op.ID)
	}
	return a
}

// sendAgain sends the request of an answer once more.
func (t *T) sendAgain(c *judge.Call, a *judge.Answer) *judge.Answer {
	ex := t.Session.Shared.Client.Do(t.Ctx, t.Test.Case.ID, a.Exchange.Request)
	return t.answer(c, ex)
}

// take returns how long a read of an operation that was answered now may pause, at most as long as it asks for.
func (l *lag) take(operation string, now time.Time, pause time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.never[operation] || l.pauses.Spent >= allPauses {
		return 0
	}
	pause = min(pause, allPauses-l.pauses.Spent)
	l.pauses.Add(now, now.Add(pause))
	return pause
}

// giveUp ends the pauses for an operation. If the run has none left, a target that showed changes late before is not
// judged by the answer: giveUp returns true.
func (l *lag) giveUp(operation string, hasTime bool) (isUndecided bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	isLate := l.late[operation] && !l.never[operation]
	if hasTime && isLate {
		return true
	}
	l.never[operation] = true
	return false
}

func (l *lag) noteLate(operation string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late[operation] = true
}
