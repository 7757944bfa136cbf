package judge

import (
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
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

// StandsStill returns how long to wait after an update before another change can show more of the dates, or 0. A date
// in whole seconds need not move within a short run: the wait is worth it only if the date lags behind the answer, or
// if patient is set.
func (t *Test) StandsStill(o *Object, a *Answer, patient bool) time.Duration {
	if a.Shown == nil {
		return 0 // the update was refused, or its answer was lost
	}
	shown := o.known().Constants()
	if shown != nil && madeNow(o.Op, a.Shown, a.Exchange) { // its date of creation may be the time of the answer
		if wait := secondMoves - a.Exchange.Start.Sub(shown.Start); wait > 0 {
			return wait
		}
	}
	first, by := o.known().Standing()
	switch {
	case by == nil: // no change of this run has dated it
		return 0
	case first.Grain > time.Second, first.Time.Equal(first.Time.Truncate(time.Minute)):
		return 0 // it may be truncated to the minute
	}
	age := clocksOf(a.Exchange).least(func(now oracle.Moment) time.Duration {
		return now.Time.Sub(first.Time)
	})
	lags := first.Zoned && age > lagging
	inSeconds := first.Grain == time.Second
	switch since := a.Exchange.Start.Sub(by.End); {
	case since < 0, since >= dateMoves: // the date is this change's own, or wrong
		return 0
	case since < clockMoves && !inSeconds:
		return clockMoves - since
	case since >= secondMoves, lags, !inSeconds:
		return dateMoves - since
	case patient:
		return secondMoves - since
	}
	return 0
}

// madeNow reports whether a representation says that it was created when the answer was made.
func madeNow(op *spec.Operation, shown map[string]any, ex *wire.Exchange) bool {
	now := clocksOf(ex)
	return slices.ContainsFunc(op.Representation().Fields, func(f *spec.Field) bool {
		at, _ := oracle.ReadMoment(shown[f.Name]) // of the year 1 if it is no date
		isNow := at.Grain <= time.Second && now.least(at.Apart) <= lagging
		return isNow && f.Stays && f.Date
	})
}

// ItemsMadeNow reports whether a list shows items as created at the moment at which it was read.
func (t *Test) ItemsMadeNow(a *Answer) bool {
	isNew := func(item map[string]any) bool {
		return madeNow(a.Call.Op, item, a.Exchange)
	}
	return a.List != nil && slices.ContainsFunc(a.List.Items, isNew)
}

// clocks are the clocks that say when an answer was made: its Date, if that can be read, and then our own. A gateway
// with a clock of its own may write the Date, and ours may be wrong, so a date is wrong only if it agrees with neither.
type clocks []oracle.Moment

// clocksOf returns the clocks of an answer, or of a request whose answer was lost.
func clocksOf(ex *wire.Exchange) (all clocks) {
	if ex.Response != nil {
		if date, err := http.ParseTime(ex.Response.Header.Get("Date")); err == nil {
			all = append(all, oracle.Moment{Time: date, Grain: time.Second, Zoned: true})
		}
	}
	return append(all, oracle.Moment{Time: ended(ex), Grain: time.Nanosecond, Zoned: true})
}

// least returns the least distance from any of the clocks.
func (c clocks) least(to func(clock oracle.Moment) time.Duration) time.Duration {
	least := to(c[0])
	for _, clock := range c[1:] {
		least = min(least, to(clock))
	}
	return least
}
