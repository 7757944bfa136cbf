package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// A dating is the date that the answer to an update showed.
type dating struct {
	oracle.Moment
	by *Exchange
}

// longestTick is how long the clock of a server may stand still.
const longestTick = 3100 * time.Millisecond

// isFine reports whether the date counts seconds, so that each change after the longest tick shows another. One in a
// whole minute may have been cut to the minute.
func (d *dating) isFine() bool {
	return d.Grain <= time.Second && !d.Time.Equal(d.Time.Truncate(time.Minute))
}

// isNow reports whether a date may be that of an exchange, by the clock of the answer, which may be a gateway's, or by
// ours, which may be wrong.
func (x *Exchange) isNow(at oracle.Moment) bool {
	for _, clock := range []time.Time{x.Date, x.Start, x.End} {
		now := oracle.Moment{Time: clock, Grain: time.Nanosecond, Zoned: true}
		if at.Apart(now) <= at.Leeway() {
			return true
		}
	}
	return false
}

// isChange reports whether an update certainly sets a field to another value than it held.
func (x *Exchange) isChange() bool {
	return slices.ContainsFunc(x.read.op.Body.Fields, func(f *spec.Field) bool {
		w := x.writes[f.Name]
		register := x.of.field(f)
		if w == nil || w.value == nil {
			return false
		}
		_, mayBeOther := oracle.TextOf(f, w.value) // it may be taken for another value
		return !mayBeOther && register.matchOf(register.others(x), w.value) == nil
	})
}

// judgeDate judges the updatedAt that an update shows: after a change it is the date of that change, and it is never
// before an earlier one. Whether an update that changes nothing gets a date is open.
func (s *State) judgeDate(x *Exchange, shown map[string]any, isChange bool) {
	f := x.representation("updatedAt")
	isDated := isChange || x.of.dated.before(s.lagged(x.span()))
	if f == nil || x.allowed.IsLoose() || !isDated {
		return
	}
	b := Breach{
		Kind: UpdatedAt, Op: x.read.op, Field: f,
		Clause: x.read.op.Effects["updatedAt"],
		Got:    oracle.Show(shown[f.Name]),
	}
	s.cover(b.Op, b.Clause)
	moment, isDate := oracle.ReadMoment(shown[f.Name])
	at := &dating{moment, x}
	switch {
	case shown[f.Name] == nil:
		b.Expected = "a date after a change"
	case !isDate: // the oracle reports it
		return
	default:
		b.Expected, b.By = x.of.dateInPlace(at, isChange)
	}
	if b.Expected != "" {
		b.Expected = "updatedAt " + b.Expected
		switch {
		case isChange:
		case !isDate, moment.Before(x.of.first.Moment): // as before any change
			b.sign = &sign{of: x.of, span: span{x.of.dated.by.Start, x.End}}
			s.signs = append(s.signs, b.sign)
		}
		s.breach(b)
	}
	if isDate && isChange {
		x.of.date(at)
	}
}

// dateInPlace returns what the date that an update shows should be, "" if it is right, and the update that says so.
func (o *entity) dateInPlace(at *dating, isChange bool) (date string, by []*Exchange) {
	x := at.by
	switch {
	case isChange && !x.isNow(at.Moment):
		return "the date of this update, " + x.End.UTC().Format(time.RFC3339), nil
	case o.dated.before(x.span()) && at.Before(o.dated.Moment):
		date = "not before that of an earlier update, " + o.dated.Format(time.RFC3339)
		return date, []*Exchange{o.dated.by}
	case isChange && o.standing.hasStopped(at):
		apart := x.Start.Sub(o.standing.by.End).Seconds()
		date = fmt.Sprintf("the date of this update, not of one %.0f s before", apart)
		return date, []*Exchange{o.standing.by}
	}
	return "", nil
}

// hasStopped reports whether a later update shows the date, too, though the clock has moved on.
func (d *dating) hasStopped(at *dating) bool {
	if !at.isFine() || !d.isOf(at) {
		return false
	}
	return at.by.Start.Sub(d.by.End) >= longestTick
}

// before reports whether the update had its date before a span.
func (d *dating) before(at span) bool {
	return d != nil && d.by.span().before(at)
}

// isOf reports whether two updates show the same date.
func (d *dating) isOf(other *dating) bool {
	return d != nil && d.Time.Equal(other.Time)
}

// date notes the date of a change. Of two that are under way at once, it is open which is the later one.
func (o *entity) date(at *dating) {
	if o.first == nil {
		o.first = at
	}
	if o.dated == nil || o.dated.before(at.by.span()) {
		o.dated = at
	}
	if !o.standing.isOf(at) {
		o.standing = at
	}
}
