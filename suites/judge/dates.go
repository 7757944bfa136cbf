package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// The times after which a second change has to show another date, because the target's clock must have moved. The
// shorter ones are tried first if the clock may be that fine.
const (
	clockMoves  = 50 * time.Millisecond // for a clock that counts fractions of a second
	secondMoves = 1100 * time.Millisecond
	dateMoves   = 3100 * time.Millisecond
)

// lagging is how far the date of an update may be behind that of its answer.
const lagging = 2 * time.Second

// StandsStill compares the date of an update that was just made with those of earlier changes. It returns how long to
// wait before another change can show more, or 0. A date in whole seconds need not move within a short run: the wait
// is worth it only if the date lags behind the answer, or if patient is set.
func (t *Test) StandsStill(o *Object, a *Answer, patient bool) time.Duration {
	if a.Exchange.Response == nil {
		return 0 // it was lost
	}
	if d := t.showsNow(o, a); d > 0 {
		return d
	}
	_, first := o.dated()
	clause := o.Op.Effects["updatedAt"]
	if first == nil || clause == "" || first.shows.Grain > time.Second || first.shows.Time.Equal(first.shows.Time.Truncate(time.Minute)) {
		return 0 // it may be truncated to the minute
	}
	now, _ := answeredAt(a.Exchange)
	since, lags := a.Exchange.Start.Sub(first.at), first.shows.Zoned && now.Time.Sub(first.shows.Time) > lagging
	switch {
	case since < 0: // the date is this change's own
		t.Covered(clause)
	case since >= dateMoves:
		f := o.Op.Representation().Field("updatedAt")
		t.FindIn(a.Exchange, CheckUpdatedAt, ofField(o.Op, f, clause,
			fmt.Sprintf("updatedAt the date of this update, %.0f seconds after the one that showed it first", since.Seconds()),
			oracle.Show(a.Shown[f.Name])+", as then"))
	case since < clockMoves && first.shows.Grain < time.Second:
		return clockMoves - since
	case since < secondMoves && first.shows.Grain == time.Second && !lags:
		if patient {
			return secondMoves - since
		}
	default:
		return dateMoves - since
	}
	return 0
}

// showsNow returns how long to wait until createdAt would change if it were the time of the answer.
func (t *Test) showsNow(o *Object, a *Answer) time.Duration {
	f := o.Op.Representation().Field("createdAt")
	if f == nil {
		return 0
	}
	_, first := o.Constant(f.Name)
	if first == nil || !justNow(a.Shown[f.Name], a.Exchange) {
		return 0
	}
	return max(0, secondMoves-a.Exchange.Start.Sub(first.Start))
}

// justNow reports whether a date is about the moment at which an answer was made.
func justNow(date any, ex *wire.Exchange) bool {
	at, ok := oracle.ReadMoment(date)
	now, _ := answeredAt(ex)
	return ok && at.Grain <= time.Second && at.Apart(now) <= lagging
}

// ItemsMadeNow reports whether a list shows items as created at the moment at which it was read.
func (t *Test) ItemsMadeNow(a *Answer) bool {
	return a.List != nil && slices.ContainsFunc(a.Call.Op.Representation().Fields, func(f *spec.Field) bool {
		return f.Stays && f.Date && slices.ContainsFunc(a.List.Items, func(item map[string]any) bool { return justNow(item[f.Name], a.Exchange) })
	})
}
