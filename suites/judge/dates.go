package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// How long after a change another one has to have another date: by then the coarsest clock of
// a date with seconds has moved. Where a clock may stand for less, a shorter wait is tried first.
const (
	clockMoves  = 50 * time.Millisecond // one that counts parts of a second
	secondMoves = 1100 * time.Millisecond
	dateMoves   = 3100 * time.Millisecond
)

// lagging is by how much a date is behind its answer that is not the date of what was asked for.
const lagging = 2 * time.Second

// StandsStill judges the date of an update that was just made, beside those of the changes before
// it, and says for how long to wait until another change tells more; 0 where none does. A date in
// whole seconds need not move within a short run: it is waited for where it lags, or if asked to.
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
		return 0 // it may be cut to the minute
	}
	since := a.Exchange.Start.Sub(first.at)
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
	case since < secondMoves && first.shows.Grain == time.Second && !lags(first.shows, a.Exchange):
		if patient {
			return secondMoves - since
		}
	default:
		return dateMoves - since
	}
	return 0
}

// lags says whether a date is behind the moment at which it was shown.
func lags(at oracle.Moment, ex *wire.Exchange) bool {
	now, _ := answeredAt(ex)
	return at.Zoned && now.Time.Sub(at.Time) > lagging
}

// showsNow says for how long to wait until a date of creation that may be the time of the answer
// would be another.
func (t *Test) showsNow(o *Object, a *Answer) time.Duration {
	f := o.Op.Representation().Field("createdAt")
	if f == nil {
		return 0
	}
	_, first := o.Constant(f.Name)
	if first == nil || !JustNow(a.Shown[f.Name], a.Exchange) {
		return 0
	}
	return max(0, secondMoves-a.Exchange.Start.Sub(first.Start))
}

// JustNow says whether a date is about the moment at which an answer was made.
func JustNow(date any, ex *wire.Exchange) bool {
	at, ok := oracle.ReadMoment(date)
	now, _ := answeredAt(ex)
	return ok && at.Grain <= time.Second && at.Apart(now) <= lagging
}

// ItemsMadeNow says whether a list shows items as created at the moment at which it was read.
func (t *Test) ItemsMadeNow(a *Answer) bool {
	return a.List != nil && slices.ContainsFunc(a.Call.Op.Representation().Fields, func(f *spec.Field) bool {
		return f.Stays && f.Date && slices.ContainsFunc(a.List.Items, func(item map[string]any) bool { return JustNow(item[f.Name], a.Exchange) })
	})
}
