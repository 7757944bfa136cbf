package oracle

import (
	"strings"
	"time"
)

// Moment is a date as an answer writes it.
type Moment struct {
	time.Time
	Grain time.Duration // the smallest step that a date written like this can make
	Zoned bool          // it says in which zone it is
}

// ReadMoment reads a date; ok is false for what is none.
func ReadMoment(v any) (m Moment, ok bool) {
	text, _ := v.(string)
	at, form, grain, ok := ReadDate(v)
	m = Moment{at, grain, true}
	switch form {
	case "date", "datetime-local":
		m.Zoned = false
	case "datetime-space":
		m.Zoned = strings.ContainsAny(text[len(time.DateTime):], "Zz+-")
	case "rfc1123": // of other names than these it is not known what they stand for
		m.Zoned = strings.HasSuffix(text, "GMT") || strings.HasSuffix(text, "UTC") || strings.ContainsAny(text[len(text)-5:], "+-")
	}
	return m, ok
}

// Apart is how far two dates are from each other, at the coarser granularity.
func (m Moment) Apart(n Moment) time.Duration {
	grain := max(m.Grain, n.Grain)
	return m.Time.Truncate(grain).Sub(n.Time.Truncate(grain)).Abs()
}

// Before says whether m is before n, by more than the tolerance, at the coarser
// granularity. What is cut to the minute has that of a minute. With and without a
// zone cannot be compared.
func (m Moment) Before(n Moment) bool {
	if m.Zoned != n.Zoned {
		return false
	}
	grain := max(m.Grain, n.Grain)
	if m.Time.Equal(m.Time.Truncate(time.Minute)) {
		grain = max(grain, time.Minute)
	}
	return m.Time.Truncate(grain).Add(tolerance).Before(n.Time.Truncate(grain))
}

// tolerance lets the clocks of a target's machines differ.
const tolerance = 5 * time.Second

// How far a date may be from the moment that it means: the clocks of a target's
// machines and ours differ, and a date without a zone may be of any, 26 hours apart.
const (
	nearby  = 5 * time.Minute
	anyZone = 26 * time.Hour
	aDay    = 24 * time.Hour
)

// Leeway is how far the date may be from the moment that it means.
func (m Moment) Leeway() time.Duration {
	switch {
	case m.Grain >= aDay:
		return aDay
	case m.Zoned:
		return nearby
	}
	return anyZone
}

// SameDate says whether two dates are the same at the coarser granularity: a
// target file may give the day only, or a zone that the target does not show.
func SameDate(a, b any) bool {
	x, xok := ReadMoment(a)
	y, yok := ReadMoment(b)
	if !xok || !yok {
		return false
	}
	if x.Zoned != y.Zoned {
		return x.Apart(y) <= max(x.Leeway(), y.Leeway())
	}
	return x.Apart(y) == 0
}
