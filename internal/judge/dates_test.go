package judge

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
)

// A date that is the same as after the previous change is a finding only if the clock must have moved.
// Otherwise the judge returns how long to wait.
func TestADateThatStandsStill(t *testing.T) {
	for name, c := range map[string]struct {
		date    string        // of the first change, at ten seconds past noon
		after   time.Duration // it is shown again
		patient bool
		wait    time.Duration
		broken  string
	}{
		"parts of a second, at once":       {"2025-06-15T12:00:10.000Z", 10 * time.Millisecond, false, 40 * time.Millisecond, ""},
		"parts of a second, soon":          {"2025-06-15T12:00:10.000Z", 100 * time.Millisecond, false, 3 * time.Second, ""},
		"parts of a second, later":         {"2025-06-15T12:00:10.000Z", 4 * time.Second, false, 0, "CAMPAIGN-14"},
		"seconds, in a short run":          {"2025-06-15T12:00:10Z", 100 * time.Millisecond, false, 0, ""},
		"seconds, where there is time":     {"2025-06-15T12:00:10Z", 100 * time.Millisecond, true, time.Second, ""},
		"seconds, in a longer run":         {"2025-06-15T12:00:10Z", 2100 * time.Millisecond, false, time.Second, ""},
		"seconds that lag":                 {"2025-06-15T12:00:05Z", 100 * time.Millisecond, false, 3 * time.Second, ""},
		"seconds that lag, without a zone": {"2025-06-15 12:00:00", 100 * time.Millisecond, false, 0, ""},
		"seconds, later":                   {"2025-06-15T12:00:10Z", 4 * time.Second, false, 0, "CAMPAIGN-14"},
		"a day":                            {"2025-06-15", 4 * time.Second, true, 0, ""},
		"a minute":                         {"2025-06-15T12:00:00Z", 4 * time.Minute, true, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, "updateCampaign")
			h.update(first)
			h.now, h.dated = noon.Add(10*time.Second), c.date
			changed := h.update(second)
			h.now = ended(changed.Exchange).Add(c.after)
			wait := h.test.StandsStill(changed.Call.Object, h.update(third), c.patient)
			if wait.Round(time.Millisecond) != c.wait || h.broken() != c.broken {
				t.Errorf("waits for %s, found %s", wait, h.broken())
			}
		})
	}
}

// An update that was refused, or got no answer, has no date.
func TestARefusedUpdateHasNoDate(t *testing.T) {
	for _, second := range []string{refusedThird, "campaign name=Third name of run → 0"} {
		h := newHistory(t, "updateCampaign")
		o := h.update(first).Call.Object
		h.now = h.now.Add(time.Minute)
		if wait := h.test.StandsStill(o, h.update(second), true); wait != 0 || strings.Contains(h.broken(), "CAMPAIGN-14") {
			t.Errorf("%s: waits for %s, found %s", second, wait, h.broken())
		}
	}
}

// The table has dates that an answer of noon on 15 June, or three hours past midnight by our clock, may and may not show as
// the date of an update.
func TestHowFarADateMayBeFromTheMomentThatItMeans(t *testing.T) {
	three := time.Date(2025, 6, 15, 3, 0, 0, 0, time.UTC) // by our clock
	answer := &wire.Exchange{Start: three, Response: &wire.Response{Header: http.Header{"Date": {"Sun, 15 Jun 2025 12:00:00 GMT"}}}}
	for text, right := range map[string]bool{
		"2025-06-15T12:00:00Z":            true,
		"2025-06-15T12:04:59.9Z":          true,
		"2025-06-15T11:55:00Z":            true,
		"2025-06-15T11:54:59Z":            false,
		"2025-06-15T12:05:01Z":            false,
		"2025-06-15T14:00:00+02:00":       true,
		"2025-06-15T14:00:00Z":            false,
		"2025-06-15T12:00:00+02:00":       false,
		"2025-06-15T06:30:00-05:30":       true,
		"2025-06-15T17:30:00.123456+0530": true,
		"2025-06-15T17:30:00":             true,
		"2025-06-14T22:00:00":             true,
		"2025-06-16T14:00:00":             true,
		"2025-06-16T14:00:01":             false,
		"2025-06-14 22:00:00":             true,
		"2025-06-14 22:00:00Z":            false,
		"2025-06-15 12:00:00.000+00":      true,
		"2025-06-15T03:04:00Z":            true,
		"2025-06-15T03:06:00Z":            false,
		"2025-06-15T07:30:00Z":            false,
		"2025-06-14":                      true,
		"2025-06-16":                      true,
		"2025-06-17":                      false,
		"2025-06-13":                      false,
		"Sun, 15 Jun 2025 12:00:30 GMT":   true,
		"Sun, 15 Jun 2025 14:00:30 GMT":   false,
		"Sun, 15 Jun 2025 14:00:00 +0200": true,
		"Sun, 15 Jun 2025 14:00:00 CEST":  true,
	} {
		at, ok := oracle.ReadMoment(text)
		apart := clocksOf(answer).least(at.Apart)
		if !ok || apart <= at.Leeway() != right {
			t.Errorf("%s is %s from a clock and may be %s (a date: %v), expected right to be %v", text, apart, at.Leeway(), ok, right)
		}
	}
}

func TestAnAnswerWithoutAReadableDateIsTimedByOurClock(t *testing.T) {
	start := time.Date(2025, 6, 15, 12, 0, 0, 0, time.UTC)
	for _, date := range []string{"", "just now", "2025-06-15T09:00:00Z", "0"} {
		ex := &wire.Exchange{Start: start, Duration: time.Second, Response: &wire.Response{Header: http.Header{}}}
		ex.Response.Header.Set("Date", date)
		if all := clocksOf(ex); len(all) != 1 || !all[0].Time.Equal(start.Add(time.Second)) {
			t.Errorf("Date %q: the answer was made at %v", date, all)
		}
	}
}

// Last-Modified shows every later change if it is old enough by the clock of the server, or much older by ours.
func TestWhenLastModifiedShowsEveryChange(t *testing.T) {
	now := time.Date(2025, 6, 15, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		date    string // of the answer
		age     time.Duration
		settled bool
	}{
		{now.Format(http.TimeFormat), 2 * time.Minute, true},
		{now.Format(http.TimeFormat), 10 * time.Second, false},
		{"", 2 * time.Minute, false},
		{"2025-06-15T12:00:00Z", 2 * time.Minute, false},
		{"", 2 * time.Hour, true},
	} {
		ex := &wire.Exchange{Start: now, Response: &wire.Response{Header: http.Header{}}}
		ex.Response.Header.Set("Date", c.date)
		ex.Response.Header.Set("Last-Modified", now.Add(-c.age).Format(http.TimeFormat))
		if v := (&Answer{Exchange: ex}).Validators(); v.Settled != c.settled {
			t.Errorf("%s old at %q: settled %v", c.age, c.date, v.Settled)
		}
	}
}

// Among many answers of a class, enough lost ones are a violation, enough slow ones are a notice, and chance
// is neither.
func TestWears(t *testing.T) {
	const quick, tired, lost = time.Millisecond, time.Second, -1
	repeat := func(n int, d time.Duration) []time.Duration { return slices.Repeat([]time.Duration{d}, n) }
	for name, c := range map[string]struct {
		took []time.Duration
		want oracle.Severity // of the finding; "" for none
	}{
		"as before":           {repeat(40, quick), ""},
		"one lost":            {slices.Concat(repeat(20, quick), repeat(1, lost), repeat(19, quick)), oracle.Transport},
		"stops":               {slices.Concat(repeat(30, quick), repeat(2, lost)), oracle.Violation},
		"never answered":      {repeat(2, lost), oracle.Transport},
		"slower":              {slices.Concat(repeat(30, quick), repeat(5, tired)), oracle.Notice},
		"a pause":             {slices.Concat(repeat(20, quick), repeat(4, tired), repeat(16, quick)), ""},
		"slow from the start": {repeat(40, tired), ""},
		"a little slower":     {slices.Concat(repeat(20, quick), repeat(20, 300*time.Millisecond)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, op := newTestModel(t)
			test := at(m, op, op)
			w := &Wear{After: "many successes", Sent: oracle.Sent{At: finding.PlaceOf(finding.Class, "wear/success")}}
			for i, d := range c.took {
				a := &Answer{Status: 200, Call: &Call{}, Exchange: &wire.Exchange{Seq: i + 1, Duration: d, Response: &wire.Response{Status: 200}}}
				if d == lost {
					a.Status, a.Exchange.Response = 0, nil
					test.FindIn(a.Exchange, CheckTransport, Finding{Clause: "HTTP-2", Severity: oracle.Transport, Pointer: w.Sent.At.String()})
				}
				if !test.Wears(w, a) {
					break
				}
			}
			var got oracle.Severity
			for _, f := range test.Result.Findings {
				got = f.Severity
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
