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
	shown := o.first(func(e *Event) bool { return e.What == Constant })
	if shown != nil && madeNow(o.Op, a.Shown, a.Exchange) { // its date of creation may be the time of the answer
		if wait := secondMoves - a.Exchange.Start.Sub(shown.In.Start); wait > 0 {
			return wait
		}
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

// madeNow reports whether a representation says that it was created when the answer was made.
func madeNow(op *spec.Operation, shown map[string]any, ex *wire.Exchange) bool {
	now, _ := answeredAt(ex)
	return slices.ContainsFunc(op.Representation().Fields, func(f *spec.Field) bool {
		at, ok := oracle.ReadMoment(shown[f.Name])
		return f.Stays && f.Date && ok && at.Grain <= time.Second && at.Apart(now) <= lagging
	})
}

// ItemsMadeNow reports whether a list shows items as created at the moment at which it was read.
func (t *Test) ItemsMadeNow(a *Answer) bool {
	return a.List != nil && slices.ContainsFunc(a.List.Items, func(item map[string]any) bool { return madeNow(a.Call.Op, item, a.Exchange) })
}
