package judge

import (
	"net/http"
	"testing"
	"time"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// A date that is the same as after the previous change is a finding only if the clock must have moved.
// Otherwise the judge returns how long to wait.
func TestADateThatStandsStill(t *testing.T) {
	noon := time.Date(2025, 6, 15, 12, 0, 10, 0, time.UTC)
	for name, c := range map[string]struct {
		date    string        // of the first change, at noon and ten seconds
		after   time.Duration // it is shown again
		patient bool
		wait    time.Duration
		broken  bool
	}{
		"parts of a second, at once":       {"2025-06-15T12:00:10.000Z", 10 * time.Millisecond, false, 40 * time.Millisecond, false},
		"parts of a second, soon":          {"2025-06-15T12:00:10.000Z", 100 * time.Millisecond, false, 3 * time.Second, false},
		"parts of a second, later":         {"2025-06-15T12:00:10.000Z", 4 * time.Second, false, 0, true},
		"seconds, in a short run":          {"2025-06-15T12:00:10Z", 100 * time.Millisecond, false, 0, false},
		"seconds, where there is time":     {"2025-06-15T12:00:10Z", 100 * time.Millisecond, true, time.Second, false},
		"seconds, in a longer run":         {"2025-06-15T12:00:10Z", 2100 * time.Millisecond, false, time.Second, false},
		"seconds that lag":                 {"2025-06-15T12:00:05Z", 100 * time.Millisecond, false, 3 * time.Second, false},
		"seconds that lag, without a zone": {"2025-06-15 12:00:00", 100 * time.Millisecond, false, 0, false},
		"seconds, later":                   {"2025-06-15T12:00:10Z", 4 * time.Second, false, 0, true},
		"a day":                            {"2025-06-15", 4 * time.Second, true, 0, false},
		"a minute":                         {"2025-06-15T12:00:00Z", time.Hour, true, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, op := newTestModel(t)
			test, o := at(m, op, op), m.Object(op, op.Key())
			first, _ := oracle.ReadMoment(c.date)
			o.note(Event{What: Dated, Date: &dating{first, noon, true}})
			ex := &wire.Exchange{Start: noon.Add(c.after), Response: &wire.Response{Header: http.Header{}}}
			ex.Response.Header.Set("Date", noon.Add(c.after).Format(http.TimeFormat))
			wait := test.StandsStill(o, &Answer{Shown: map[string]any{"updatedAt": c.date}, Exchange: ex, Call: &Call{Op: op, Object: o}}, c.patient)
			if wait != c.wait || (len(test.Result.Findings) > 0) != c.broken {
				t.Errorf("waits for %s, found %+v", wait, test.Result.Findings)
			}
		})
	}
}
