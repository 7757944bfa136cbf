package judge

import (
	"fmt"
	"net/http"
	"time"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// judgeUpdatedAt looks at updatedAt after a real change: it is the date of that update,
// and still is when an update that changes nothing shows the object again.
func (t *Test) judgeUpdatedAt(o *Object, a *Answer, changed bool) {
	f := o.Op.Representation().Field("updatedAt")
	clause := o.Op.Effects["updatedAt"]
	if f == nil || clause == "" {
		return
	}
	at, ok := oracle.ReadMoment(a.Shown[f.Name])
	broken := func(expected string) {
		t.Covered(clause)
		t.Find("updated-at", Finding{Clause: clause, Pointer: Pointer(o.Op, f), Expected: expected, Got: oracle.Show(a.Shown[f.Name])})
	}
	switch {
	case !changed && !o.Dated:
		if ok && o.Updated == nil {
			o.Updated = &at
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
		if at.Before(*o.Updated) {
			broken(fmt.Sprintf("updatedAt not before the date of the last update, %s", o.Updated.Time.Format(time.RFC3339Nano)))
		}
		return
	}
	now, by := answeredAt(a.Exchange)
	if at.Apart(now) > at.Leeway() {
		broken(fmt.Sprintf("updatedAt the date of this update: within %s of %s, %s",
			inWords(at.Leeway()), now.Time.UTC().Format(time.RFC3339), by))
	}
	if o.Updated != nil && at.Before(*o.Updated) {
		broken(fmt.Sprintf("updatedAt not before its earlier value, %s", o.Updated.Time.Format(time.RFC3339Nano)))
	}
	if f := o.Op.Representation().Field("createdAt"); f != nil {
		if created, ok := oracle.ReadMoment(a.Shown[f.Name]); ok && at.Before(created) {
			broken("updatedAt not before createdAt, " + oracle.Show(a.Shown[f.Name]))
		}
	}
	o.Updated, o.Dated = &at, true
}

// answeredAt is when an answer was made: as it says itself, else by our clock.
func answeredAt(ex *wire.Exchange) (at oracle.Moment, by string) {
	if date, err := http.ParseTime(ex.Response.Header.Get("Date")); err == nil {
		return oracle.Moment{Time: date, Grain: time.Second, Zoned: true}, "the Date of the answer"
	}
	return oracle.Moment{Time: ex.Start.Add(ex.Duration), Grain: time.Nanosecond, Zoned: true}, "our clock (the answer has no Date)"
}

func inWords(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.0f hours", d.Hours())
}
