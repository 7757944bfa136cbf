package oracle

import (
	"testing"
	"time"
)

func TestReadMoment(t *testing.T) {
	second := time.Second
	for _, tc := range []struct {
		text, form, utc string
		granularity     time.Duration
	}{
		{"2024-01-31T09:30:00Z", "rfc3339", "2024-01-31T09:30:00Z", second},
		{"2024-01-31t09:30:00z", "rfc3339", "2024-01-31T09:30:00Z", second},
		{"2024-01-31T09:30:00+01:00", "rfc3339", "2024-01-31T08:30:00Z", second},
		{"2024-01-31T09:30:00.5Z", "rfc3339", "2024-01-31T09:30:00.5Z", second / 10},
		{"2024-01-31T09:30:00,123456Z", "rfc3339", "2024-01-31T09:30:00.123456Z", time.Microsecond},
		{"2024-01-31T09:30:00.1234567899Z", "rfc3339", "2024-01-31T09:30:00.123456789Z", 1},
		{"2024-01-31T09:30:00+0100", "iso8601-basic", "2024-01-31T08:30:00Z", second},
		{"2024-01-31T09:30:00-05", "iso8601-basic", "2024-01-31T14:30:00Z", second},
		{"2024-01-31T09:30:00", "datetime-local", "2024-01-31T09:30:00Z", second},
		{"2024-01-31 09:30:00", "datetime-space", "2024-01-31T09:30:00Z", second},
		{"2024-01-31 09:30:00+02", "datetime-space", "2024-01-31T07:30:00Z", second},
		{"2024-01-31T09:30Z", "rfc3339-minute", "2024-01-31T09:30:00Z", time.Minute},
		{"2024-01-31T09:30", "datetime-local-minute", "2024-01-31T09:30:00Z", time.Minute},
		{"2024-01-31", "date", "2024-01-31T00:00:00Z", 24 * time.Hour},
		{"Wed, 31 Jan 2024 09:30:00 GMT", "rfc1123", "2024-01-31T09:30:00Z", second},
		{"Wed, 31 Jan 2024 09:30:00 +0100", "rfc1123", "2024-01-31T08:30:00Z", second},
		{"2016-12-31T23:59:60Z", "rfc3339", "2017-01-01T00:00:00Z", second},
		{"Sat, 31 Dec 2016 23:59:60 GMT", "rfc1123", "2017-01-01T00:00:00Z", second},
	} {
		got, ok := ReadMoment(tc.text)
		if at := got.UTC().Format(time.RFC3339Nano); !ok || got.Form != tc.form || at != tc.utc || got.Grain != tc.granularity {
			t.Errorf("%s: expected %s, %s, %s, got %+v, %t", tc.text, tc.form, tc.utc, tc.granularity, got, ok)
		}
	}
}

func TestReadMomentRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "yesterday", "1704067200", "2024-01", "20240131", "2024-1-31", "31/01/2024", "null", "Invalid Date",
		"2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "0000-00-00", "2024-01-32",
		"2024-02-31T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T1:00:00Z",
		"2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.", "2024-01-01T00:00:00+1:00",
		"2024-01-01T00:00:00ZZ", " 2024-01-01T00:00:00Z", "2024-01-01X00:00:00Z", "2024-01-01T00:00:00 UTC", "2024-01-01T00:00.5Z",
		"2024-02-30T00:00Z", "2024-01-01T00:60Z", "2024-01-01T00Z", "2024-01-01T000000Z", "2024-01-01T00:00:00é", "Wed,",
		"Tue, 31 Jan 2024 09:30:00 GMT", "Fri, 31 Feb 2024 09:30:00 GMT", "Wed, 31 Jan 24 09:30:00 GMT", "Mon, 01 Jan 2024 25:00:00 GMT",
	} {
		if at, ok := ReadMoment(text); ok {
			t.Errorf("%q is taken for %+v", text, at)
		}
	}
}

func TestDatesWithAndWithoutAZoneAreComparedLoosely(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"2024-03-01T09:00:00Z", "2024-03-01T11:00:00+02:00", true},
		{"2024-03-01T09:00:00Z", "2024-03-01T11:00:00Z", false},
		{"2024-03-01T09:00:00Z", "2024-03-01", true},
		{"2024-03-01T23:00:00Z", "2024-03-02", true},
		{"2024-03-01T09:00:00Z", "2024-03-03", false},
		{"2024-03-01T09:00:00Z", "2024-03-01 19:00:00", true},
		{"2024-03-01T09:00:00Z", "2024-03-03 19:00:00", false},
		{"2024-03-01 09:00:00", "2024-03-01 19:00:00", false},
	} {
		if SameDate(row.a, row.b) != row.same || SameDate(row.b, row.a) != row.same {
			t.Errorf("%s and %s: expected the same to be %v", row.a, row.b, row.same)
		}
	}
}
