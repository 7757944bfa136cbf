package oracle

import "testing"

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
