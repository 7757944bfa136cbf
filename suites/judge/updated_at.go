package judge

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// moment is a date as an answer writes it.
type moment struct {
	time.Time
	form  string
	grain time.Duration // the smallest step that a date written like this can make
	zoned bool          // it says in which zone it is
}

// readMoment reads a date; ok is false for what is none.
func readMoment(v any) (m moment, ok bool) {
	text, _ := v.(string)
	at, form, grain, ok := oracle.ReadDate(v)
	m = moment{at, form, grain, true}
	switch form {
	case "date", "datetime-local":
		m.zoned = false
	case "datetime-space":
		m.zoned = strings.ContainsAny(text[len(time.DateTime):], "Zz+-")
	case "rfc1123": // of other names than these it is not known what they stand for
		m.zoned = strings.HasSuffix(text, "GMT") || strings.HasSuffix(text, "UTC") || strings.ContainsAny(text[len(text)-5:], "+-")
	}
	return m, ok
}

// apart is how far two dates are from each other, at the coarser granularity.
func (m moment) apart(n moment) time.Duration {
	grain := max(m.grain, n.grain)
	return m.Time.Truncate(grain).Sub(n.Time.Truncate(grain)).Abs()
}

// before says whether m is before n, by more than the tolerance, at the coarser
// granularity. What is cut to the minute has that of a minute. With and without a
// zone cannot be compared.
func (m moment) before(n moment) bool {
	if m.zoned != n.zoned {
		return false
	}
	grain := max(m.grain, n.grain)
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

// leeway is how far the date may be from the moment that it means.
func (m moment) leeway() time.Duration {
	switch {
	case m.grain >= aDay:
		return aDay
	case m.zoned:
		return nearby
	}
	return anyZone
}

// SameDate says whether two dates are the same at the coarser granularity: a
// target file may give the day only, or a zone that the target does not show.
func SameDate(a, b any) bool {
	x, xok := readMoment(a)
	y, yok := readMoment(b)
	if !xok || !yok {
		return false
	}
	if x.zoned != y.zoned {
		return x.apart(y) <= max(x.leeway(), y.leeway())
	}
	return x.apart(y) == 0
}

// judgeUpdatedAt looks at updatedAt after a real change: it is the date of that update,
// and still is when an update that changes nothing shows the object again.
func (t *Test) judgeUpdatedAt(o *Object, a *Answer, changed bool) {
	f := o.Op.Representation().Field("updatedAt")
	clause := o.Op.Effects["updatedAt"]
	if f == nil || clause == "" {
		return
	}
	at, ok := readMoment(a.Shown[f.Name])
	broken := func(expected string) {
		t.Covered(clause)
		t.Find("updated-at", Finding{Clause: clause, Pointer: Pointer(o.Op, f), Expected: expected, Got: Show(a.Shown[f.Name])})
	}
	switch {
	case !changed && !o.dated:
		if ok && o.updated == nil {
			o.updated = &at
		}
		return
	case !changed && !a.Expected:
		return
	case a.Shown[f.Name] == nil:
		broken("updatedAt is a date after a change")
		return
	}
	if !ok {
		return // the schema check reports it
	}
	t.Covered(clause)
	if !changed {
		if at.before(*o.updated) {
			broken(fmt.Sprintf("updatedAt not before the date of the last update, %s", o.updated.Time.Format(time.RFC3339Nano)))
		}
		return
	}
	now, by := answeredAt(a.Exchange)
	if at.apart(now) > at.leeway() {
		broken(fmt.Sprintf("updatedAt the date of this update: within %s of %s, %s",
			inWords(at.leeway()), now.Time.UTC().Format(time.RFC3339), by))
	}
	if o.updated != nil && at.before(*o.updated) {
		broken(fmt.Sprintf("updatedAt not before its earlier value, %s", o.updated.Time.Format(time.RFC3339Nano)))
	}
	if f := o.Op.Representation().Field("createdAt"); f != nil {
		if created, ok := readMoment(a.Shown[f.Name]); ok && at.before(created) {
			broken("updatedAt not before createdAt, " + Show(a.Shown[f.Name]))
		}
	}
	o.updated, o.dated = &at, true
}

// answeredAt is when an answer was made: as it says itself, else by our clock.
func answeredAt(ex *wire.Exchange) (at moment, by string) {
	if date, err := http.ParseTime(ex.Response.Header.Get("Date")); err == nil {
		return moment{Time: date, grain: time.Second, zoned: true}, "the Date of the answer"
	}
	return moment{Time: ex.Start.Add(ex.Duration), grain: time.Nanosecond, zoned: true}, "our clock (the answer has no Date)"
}

func inWords(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.0f hours", d.Hours())
}
