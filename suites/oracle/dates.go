package oracle

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

const expectedDate = "a date that exists, for example 2024-01-01T00:00:00Z"

func judgeDates(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		if !n.date {
			return
		}
		_, _, _, ok := ReadDate(v)
		switch v.(type) {
		case string:
			j.judged("OPEN-9")
			if !ok {
				j.mismatch(n.clause, at.String(), expected(n.schema), show(v))
			}
		case json.Number:
			if ok {
				j.find("OPEN-9", 0, at.String(), expected(n.schema), show(v))
			}
		}
	})
}

// ReadDate reads a date that is a text, see parseDate, or a number of seconds or
// milliseconds since 1970, of which the size tells.
func ReadDate(v any) (t time.Time, form string, granularity time.Duration, ok bool) {
	switch v := v.(type) {
	case string:
		return parseDate(v)
	case json.Number:
		n, err := v.Float64()
		const year1973, year5138 = 1e8, 1e11 // as seconds; the first is 1970 as milliseconds
		switch {
		case err != nil || n < year1973 || n >= year5138*1000:
		case n >= year5138:
			return time.UnixMilli(int64(n)).UTC(), "unix-milliseconds", time.Millisecond, true
		case strings.Contains(string(v), "."):
			return time.UnixMilli(int64(n * 1000)).UTC(), "unix-seconds", time.Millisecond, true
		default:
			return time.Unix(int64(n), 0).UTC(), "unix-seconds", time.Second, true
		}
	}
	return time.Time{}, "", 0, false
}

// parseDate reads a date in any of the common forms, which is open. It returns
// the time, in UTC where the text has no zone; the form; and the granularity,
// the smallest step that a date written like this can make: 24h for a date
// alone, one second, or less with a fraction of a second. ok is false for a
// text in none of the forms and for a date that the calendar does not have; a
// leap second is taken for the second after it.
//
// The forms, each with or without fraction, those with a time also to the minute:
//
//	rfc3339         2024-01-31T09:30:00Z, 2024-01-31t09:30:00.123+01:00
//	iso8601-basic   2024-01-31T09:30:00+0100, also +01
//	datetime-local  2024-01-31T09:30:00
//	datetime-space  2024-01-31 09:30:00, also with a zone
//	date            2024-01-31
//	rfc1123         Wed, 31 Jan 2024 09:30:00 GMT, also +0100
func parseDate(text string) (t time.Time, form string, granularity time.Duration, ok bool) {
	switch {
	case len(text) == len(time.DateOnly):
		t, err := time.Parse(time.DateOnly, text)
		return t, "date", 24 * time.Hour, err == nil
	case len(text) > 3 && text[3] == ',':
		t, ok := parseRFC1123(text)
		return t, "rfc1123", time.Second, ok
	case len(text) >= len(toTheMinute) && (len(text) == len(toTheMinute) || text[16] != ':') && like(text[:16], "0000-00-00?00:00"):
		t, form, _, ok := parseDateTime(text[:16] + ":00" + text[16:])
		return t, form + toMinute, time.Minute, ok && !strings.ContainsAny(text[16:], ".,")
	case len(text) >= len(time.DateTime) && like(text[:19], "0000-00-00?00:00:00"):
		return parseDateTime(text)
	}
	return time.Time{}, "", 0, false
}

// toTheMinute is how ISO 8601 writes a time without seconds, of which the form says so.
const toTheMinute, toMinute = "2006-01-02T15:04", "-minute"

func parseDateTime(text string) (t time.Time, form string, granularity time.Duration, ok bool) {
	clock, leap := text[11:19], time.Duration(0)
	if strings.HasSuffix(clock, ":60") {
		clock, leap = clock[:6]+"59", time.Second
	}
	fraction, zone := splitFraction(text[19:])
	t, err := time.Parse(time.DateTime, text[:10]+" "+clock+fraction) // which drops digits beyond the nanosecond
	offset, form, ok := parseZone(zone)
	switch text[10] {
	case 'T', 't':
	case ' ':
		form = "datetime-space"
	default:
		ok = false
	}
	if !ok || err != nil {
		return time.Time{}, "", 0, false
	}
	granularity = time.Second
	for range min(len(fraction)-1, 9) {
		granularity /= 10
	}
	return t.Add(leap - offset), form, granularity, true
}

// splitFraction parts ".123+01:00" into ".123" and "+01:00".
func splitFraction(rest string) (fraction, zone string) {
	if rest == "" || rest[0] != '.' && rest[0] != ',' {
		return "", rest
	}
	end := 1
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
		end++
	}
	return rest[:end], rest[end:]
}

func parseZone(zone string) (offset time.Duration, form string, ok bool) {
	var hours, minutes string
	switch {
	case zone == "":
		return 0, "datetime-local", true
	case zone == "Z" || zone == "z":
		return 0, "rfc3339", true
	case zone[0] != '+' && zone[0] != '-':
		return 0, "", false
	case like(zone[1:], "00:00"):
		hours, minutes, form = zone[1:3], zone[4:], "rfc3339"
	case like(zone[1:], "0000"):
		hours, minutes, form = zone[1:3], zone[3:], "iso8601-basic"
	case like(zone[1:], "00"):
		hours, minutes, form = zone[1:], "00", "iso8601-basic"
	default:
		return 0, "", false
	}
	if hours > "23" || minutes > "59" {
		return 0, "", false
	}
	h, _ := strconv.Atoi(hours) // both are digits
	m, _ := strconv.Atoi(minutes)
	offset = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if zone[0] == '-' {
		offset = -offset
	}
	return offset, form, true
}

// parseRFC1123 also wants the day of the week to be that of the date (RFC 5322,
// 3.3), which the library lets pass.
func parseRFC1123(text string) (time.Time, bool) {
	leap := time.Duration(0)
	if len(text) > 25 && text[22:26] == ":60 " {
		text, leap = text[:22]+":59 "+text[26:], time.Second
	}
	for _, layout := range []string{time.RFC1123, time.RFC1123Z} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Add(leap), t.Format("Mon") == text[:3]
		}
	}
	return time.Time{}, false
}

// like compares a text with a pattern of the same length: 0 stands for any
// digit, ? for any byte. Layouts of package time are laxer: they take an hour of
// one digit.
func like(text, pattern string) bool {
	if len(text) != len(pattern) {
		return false
	}
	for i := range len(pattern) {
		switch c := text[i]; pattern[i] {
		case '?':
		case '0':
			if c < '0' || c > '9' {
				return false
			}
		default:
			if c != pattern[i] {
				return false
			}
		}
	}
	return true
}

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
	switch strings.TrimSuffix(form, toMinute) {
	case "date", "datetime-local":
		m.Zoned = false
	case "datetime-space":
		m.Zoned = strings.ContainsAny(text[len(toTheMinute):], "Zz+-")
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
