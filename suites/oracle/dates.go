package oracle

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// judgeDate: which of the common forms is open, but a number is a notice.
func judgeDate(j *judging, p place, clause string) {
	_, ok := ReadMoment(p.value)
	switch p.value.(type) {
	case string:
		j.judged(j.check.clause)
		if !ok {
			j.mismatch(clause, "", p.pointer(), expected(p.schema), show(p.value))
		}
	case json.Number:
		if ok {
			j.find(p.pointer(), expected(p.schema), show(p.value))
		}
	}
}

// Moment is a date as an answer writes it.
type Moment struct {
	time.Time
	Grain time.Duration // the smallest step that a date written like this can make
	Zoned bool          // it says in which zone it is
	Form  string        // see ReadMoment
}

// dateTime is ISO 8601 and its relatives: date, separator, time, seconds, fraction, and zone.
var dateTime = regexp.MustCompile(
	`^(\d{4}-\d\d-\d\d)([Tt ])(\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-](?:[01]\d|2[0-3]))(?:(:?)([0-5]\d))?)?$`)

// ReadMoment reads a date in any of the common forms, which is open. ok is false for what
// is in none of them and for a date that the calendar does not have; a leap second is taken for
// the second after it. The forms, those with a time also to the minute (with -minute at the end),
// and with a fraction of a second:
//
//	rfc3339         2024-01-31T09:30:00Z, 2024-01-31t09:30:00.123+01:00
//	iso8601-basic   2024-01-31T09:30:00+0100, also +01
//	datetime-local  2024-01-31T09:30:00
//	datetime-space  2024-01-31 09:30:00, also with a zone
//	date            2024-01-31
//	rfc1123         Wed, 31 Jan 2024 09:30:00 GMT, also +0100
//	unix-seconds, unix-milliseconds: a number, of which the size tells
func ReadMoment(v any) (m Moment, ok bool) {
	if number, ok := v.(json.Number); ok {
		return readUnix(number)
	}
	text, _ := v.(string)
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return Moment{t, 24 * time.Hour, false, "date"}, true
	}
	plain := leapSecond.ReplaceAllString(text, "$1:59")
	if part := dateTime.FindStringSubmatch(plain); part != nil {
		m, ok = readDateTime(part)
	} else {
		m, ok = readRFC1123(plain)
	}
	if plain != text {
		m.Time = m.Add(time.Second)
	}
	return m, ok
}

var leapSecond = regexp.MustCompile(`(\d:\d\d):60`)

// readUnix reads a number of seconds or milliseconds since 1970.
func readUnix(number json.Number) (m Moment, ok bool) {
	n, err := number.Float64()
	const year1973, year5138 = 1e8, 1e11 // as seconds; the first is 1970 as milliseconds
	switch {
	case err != nil || n < year1973 || n >= year5138*1000:
		return m, false
	case n >= year5138:
		return Moment{time.UnixMilli(int64(n)).UTC(), time.Millisecond, true, "unix-milliseconds"}, true
	case strings.Contains(string(number), "."):
		return Moment{time.UnixMilli(int64(n * 1000)).UTC(), time.Millisecond, true, "unix-seconds"}, true
	}
	return Moment{time.Unix(int64(n), 0).UTC(), time.Second, true, "unix-seconds"}, true
}

// readDateTime reads the parts of dateTime.
func readDateTime(part []string) (m Moment, ok bool) {
	date, separator, clock, seconds, fraction := part[1], part[2], part[3], part[4], part[5]
	utc, hours, colon, minutes := part[6], part[7], part[8], part[9]
	zone := "Z"
	switch m.Zoned, m.Form = true, "rfc3339"; {
	case hours != "":
		zone = hours + ":" + cmp.Or(minutes, "00")
		if colon == "" {
			m.Form = "iso8601-basic"
		}
	case utc == "":
		m.Zoned, m.Form = false, "datetime-local"
	}
	if separator == " " {
		m.Form = "datetime-space"
	}
	m.Grain = time.Second
	for range min(len(fraction), 9) {
		m.Grain /= 10
	}
	if seconds == "" {
		m.Grain, m.Form = time.Minute, m.Form+"-minute"
	}
	// Digits beyond the nanosecond are dropped.
	at, err := time.Parse(time.RFC3339, date+"T"+clock+":"+cmp.Or(seconds, "00")+"."+cmp.Or(fraction, "0")+zone)
	m.Time = at.UTC()
	return m, err == nil
}

// readRFC1123 also wants the day of the week to be that of the date (RFC 5322,
// 3.3), which the library lets pass.
func readRFC1123(text string) (m Moment, ok bool) {
	for _, layout := range []string{time.RFC1123, time.RFC1123Z} {
		if t, err := time.Parse(layout, text); err == nil && t.Format("Mon") == text[:3] {
			// Of other names than these it is not known what they stand for.
			zoned := layout == time.RFC1123Z || strings.HasSuffix(text, "GMT") || strings.HasSuffix(text, "UTC")
			return Moment{t.UTC(), time.Second, zoned, "rfc1123"}, true
		}
	}
	return m, false
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

// Leeway is how far the date may be from the moment that it means: the clocks of a target's
// machines and ours differ, and a date without a zone may be of any, 26 hours apart.
func (m Moment) Leeway() time.Duration {
	switch {
	case m.Grain >= 24*time.Hour:
		return 24 * time.Hour
	case m.Zoned:
		return 5 * time.Minute
	}
	return 26 * time.Hour
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
