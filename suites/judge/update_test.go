package judge

import (
	"net/http"
	"testing"
	"time"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// The table has dates that an answer of noon on 15 June may and may not show as the date of an update.
func TestHowFarADateMayBeFromTheMomentThatItMeans(t *testing.T) {
	answer := &wire.Exchange{Response: &wire.Response{Header: http.Header{"Date": {"Sun, 15 Jun 2025 12:00:00 GMT"}}}}
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
		now, _ := answeredAt(answer)
		if !ok || at.Apart(now) <= at.Leeway() != right {
			t.Errorf("%s is %s from noon and may be %s (a date: %v), expected right to be %v", text, at.Apart(now), at.Leeway(), ok, right)
		}
	}
}

func TestAnAnswerWithoutAReadableDateIsTimedByOurClock(t *testing.T) {
	start := time.Date(2025, 6, 15, 12, 0, 0, 0, time.UTC)
	for _, date := range []string{"", "just now", "2025-06-15T09:00:00Z", "0"} {
		ex := &wire.Exchange{Start: start, Duration: time.Second, Response: &wire.Response{Header: http.Header{}}}
		ex.Response.Header.Set("Date", date)
		if at, by := answeredAt(ex); !at.Time.Equal(start.Add(time.Second)) || by[:3] != "our" {
			t.Errorf("Date %q: the answer was made at %s by %s", date, at, by)
		}
	}
}
