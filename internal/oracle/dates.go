package oracle

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/spec"
)

// judgeDateForm: the choice among the common formats is open, but a number is a notice.
func judgeDateForm(j *judging, p place) {
	if !spec.MarksOf(p.schema).Date {
		return
	}
	switch v := p.value.(type) {
	case string:
		j.judged(j.check.clause)
	case json.Number:
		if _, isDate := readUnix(v); isDate {
			j.breach(Finding{
				Clause: j.check.clause, Aspect: finding.ForDate, Shape: finding.ShapeOf(v),
				Pointer: p.at, Expected: expected(p.schema), Got: Describe(v),
			})
		}
	}
}

// Moment is a date as an answer writes it.
type Moment struct {
	time.Time
	Grain time.Duration // the smallest step that a date written like this can make
	Zoned bool          // it says in which zone it is
	Form  string        // see forms
}

// A form is a common format of dates. A fraction of a second may follow the second. What can be read in two ways, as
// 01/02/2006 can, is none.
type form struct{ name, layout string }

var forms = []form{
	{"rfc3339", time.RFC3339},
	{"date", time.DateOnly},
	{"rfc1123", "Mon, 02 Jan 2006 15:04:05 GMT"},
	{"rfc1123", time.RFC1123Z},
	{"rfc1123", time.RFC1123}, // other names of zones are ambiguous
	{"compact", "20060102T150405Z0700"},
	{"rfc850", "Monday, 02-Jan-06 15:04:05 GMT"},
	{"rfc850", "Monday, 02-Jan-06 15:04:05 UTC"}, // as PHP writes it
	{"asctime", time.ANSIC},
	{"asctime", "Mon Jan _2 15:04:05 UTC 2006"}, // as Java and date write it
}

func init() {
	zones := []string{"", "Z07:00", "Z0700", "Z07", " UTC", " -0700", " -0700 MST"}
	for _, day := range []string{"2006-01-02T", "2006-01-02 ", "2006/01/02 ", "02.01.2006 "} {
		for _, zone := range zones {
			for _, layout := range []string{day + "15:04:05" + zone, day + "15:04" + zone} {
				forms = append(forms, form{layout, layout})
			}
		}
	}
}

var (
	inZone     = regexp.MustCompile("07|GMT|UTC")
	leapSecond = regexp.MustCompile(`(\d:\d\d):60`)
	shortHour  = regexp.MustCompile(`[Tt ]\d:`) // which the library accepts
	fraction   = regexp.MustCompile(`:\d\d[.,](\d+)`)
)

// ReadMoment parses a date in any of the common formats, or a number of seconds or
// milliseconds since 1970. ok is false for any other text and for a date that is not in the
// calendar; a leap second counts as the second after it.
func ReadMoment(v any) (m Moment, ok bool) {
	if number, ok := v.(json.Number); ok {
		return readUnix(number)
	}
	text, _ := v.(string)
	if text == "" || shortHour.MatchString(text) {
		return m, false
	}
	plain := leapSecond.ReplaceAllString(text, "$1:59")
	startsWithDay := text[0] > '9'
	if !startsWithDay {
		plain = strings.ToUpper(plain)
	}
	for _, f := range forms {
		at, err := time.Parse(f.layout, plain)
		if err != nil {
			continue
		}
		if startsWithDay && !strings.HasPrefix(text, at.Format("Mon")) {
			continue // the library does not compare it with the date
		}
		if strings.Contains(text, ":60") {
			at = at.Add(time.Second)
		}
		return Moment{at.UTC(), grainOf(f.layout, text), inZone.MatchString(f.layout), f.name}, true
	}
	return m, false
}

// grainOf returns the smallest step of a date in a layout, by the digits of its fraction.
func grainOf(layout, text string) time.Duration {
	switch digits := fraction.FindStringSubmatch(text); {
	case digits != nil:
		grain := time.Second
		for range min(len(digits[1]), 9) {
			grain /= 10
		}
		return grain
	case strings.Contains(layout, "05"):
		return time.Second
	case strings.Contains(layout, "04"):
		return time.Minute
	}
	return 24 * time.Hour
}

// readUnix reads a number of seconds or milliseconds since 1970.
func readUnix(number json.Number) (m Moment, ok bool) {
	n, err := number.Float64()
	const year1973, year5138 = 1e8, 1e11 // as seconds; the first is 1970 as milliseconds
	m = Moment{Grain: time.Second, Zoned: true, Form: "unix-seconds"}
	switch {
	case err != nil, n < year1973, n >= year5138*1000:
		return m, false
	case n >= year5138:
		m.Form = "unix-milliseconds"
		m.Grain = time.Millisecond
		n /= 1000
	case strings.Contains(string(number), "."):
		m.Grain = time.Millisecond
	}
	m.Time = time.UnixMilli(int64(math.Round(n * 1000))).UTC()
	return m, true
}

// Apart returns the time between two dates, at the coarser granularity.
func (m Moment) Apart(n Moment) time.Duration {
	grain := max(m.Grain, n.Grain)
	return m.Time.Truncate(grain).Sub(n.Time.Truncate(grain)).Abs()
}

// Before reports whether m is before n, by more than the tolerance, at the coarser
// granularity. A time without seconds is compared by the minute. Zoned and unzoned times
// are not compared.
func (m Moment) Before(n Moment) bool {
	if m.Zoned != n.Zoned {
		return false
	}
	grain := max(m.Grain, n.Grain)
	if m.Time.Equal(m.Time.Truncate(time.Minute)) {
		grain = max(grain, time.Minute)
	}
	latest := m.Time.Truncate(grain).Add(tolerance)
	return latest.Before(n.Time.Truncate(grain))
}

// tolerance allows the clocks of a target's machines to differ.
const tolerance = 5 * time.Second

// Leeway returns how far the date may be from the moment that it means: the clocks of a target's
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

// SameDate reports whether two dates are the same at the coarser granularity: a
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
