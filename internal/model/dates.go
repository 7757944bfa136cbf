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

// isFine reports whether the date counts seconds, so that each change after the longest tick shows another. One in a whole
// minute may have been cut to the minute.
func (d *dating) isFine() bool {
	return d.Grain <= time.Second && !d.Time.Equal(d.Time.Truncate(time.Minute))
}

// isNow reports whether a date may be that of an exchange, by the clock of the answer, which may be a gateway's, or by ours,
// which may be wrong.
func (x *Exchange) isNow(at oracle.Moment) bool {
	return slices.ContainsFunc([]time.Time{x.Date, x.Start, x.End}, func(clock time.Time) bool {
		return at.Apart(oracle.Moment{Time: clock, Grain: time.Nanosecond, Zoned: true}) <= at.Leeway()
	})
}

// isChange reports whether an update certainly sets a field to another value than it held.
func (s *State) isChange(x *Exchange) bool {
	return slices.ContainsFunc(x.read.op.Body.Fields, func(f *spec.Field) bool {
		w := x.writes[f.Name]
		if w == nil || w.value == nil {
			return false
		}
		if _, isCoerced := oracle.TextOf(f, w.value); isCoerced { // it may be taken for another value
			return false
		}
		register := x.of.field(f)
		return !slices.ContainsFunc(register.candidates(x.span()), func(before *write) bool {
			return before != w && (before.anything || register.maySet(before, w.value))
		})
	})
}

// judgeDate judges the updatedAt that an update shows: after a change it is the date of that change, and it is never before
// that of an earlier one. Whether an update that changes nothing gets a date is open.
func (s *State) judgeDate(x *Exchange, shown map[string]any, isChange bool) {
	o, f, clause := x.of, x.read.op.Representation().Field("updatedAt"), x.read.op.Effects["updatedAt"]
	if f == nil || x.allowed.IsLoose() || !isChange && !s.isSince(x, o.dated) {
		return
	}
	moment, isDate := oracle.ReadMoment(shown[f.Name])
	at := &dating{moment, x}
	breach := func(expected string, by ...*Exchange) {
		b := Breach{
			Kind: UpdatedAt, Clause: clause, Op: x.read.op, Field: f, By: by, Expected: "updatedAt " + expected, Got: oracle.Show(shown[f.Name]),
		}
		if isAsBefore := !isChange && (!isDate || moment.Before(o.first.Moment)); isAsBefore {
			b.sign = &sign{of: o, span: span{o.dated.by.Start, x.End}}
			s.signs = append(s.signs, b.sign)
		}
		s.breach(b)
	}
	isLater := o.dated != nil && o.dated.by.span().before(x.span())
	switch s.cover(x.read.op, clause); {
	case shown[f.Name] == nil:
		breach("a date after a change")
		return
	case !isDate: // the oracle reports it
		return
	case isChange && !x.isNow(moment):
		breach(fmt.Sprintf("the date of this update, %s", x.End.UTC().Format(time.RFC3339)))
	case isLater && moment.Before(o.dated.Moment):
		breach("not before that of an earlier update, "+o.dated.Format(time.RFC3339), o.dated.by)
	case isChange && at.isFine() && o.standing.isOf(at) && x.Start.Sub(o.standing.by.End) >= longestTick:
		breach(fmt.Sprintf("the date of this update, not of one %.0f s before", x.Start.Sub(o.standing.by.End).Seconds()), o.standing.by)
	}
	if isChange {
		o.date(at)
	}
}

// isSince reports whether an exchange that changes nothing shows the date of an earlier change, or of a later one.
func (s *State) isSince(x *Exchange, d *dating) bool {
	return d != nil && d.by.span().before(span{Start: x.Start.Add(-s.lag)})
}

// isOf reports whether two updates show the same date.
func (d *dating) isOf(other *dating) bool { return d != nil && d.Time.Equal(other.Time) }

// date notes the date of a change. Of two that are under way at once, it is open which is the later one.
func (o *entity) date(at *dating) {
	if o.first == nil {
		o.first = at
	}
	if o.dated == nil || o.dated.by.span().before(at.by.span()) {
		o.dated = at
	}
	if !o.standing.isOf(at) {
		o.standing = at
	}
}
