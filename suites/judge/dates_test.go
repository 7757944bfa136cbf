package judge

import (
	"testing"
)

// Which form of dates is the odd one out does not hang on which case came first
// in time, but on their order in the plan.
func TestFormsOfDatesAreToldInTheOrderOfThePlan(t *testing.T) {
	told := func(places ...int) string {
		s, op := newTestModel(t)
		for _, place := range places {
			c := s.Begin(&Case{ID: op.ID + "/success/ordinary", Operation: op, Place: place})
			dates := []string{"2024-03-01T09:00:00Z", "2024-03-01"}
			if place > 0 { // the later case meets them the other way round
				dates[0], dates[1] = dates[1], dates[0]
			}
			for _, date := range dates {
				c.noteDateFields(op.Representation(), map[string]any{"createdAt": date})
			}
		}
		last := s.Begin(&Case{ID: "end", Operation: op, Place: 2})
		last.JudgeForms()
		groups := s.Outcome.Groups()
		if len(groups) != 1 {
			t.Fatalf("%d findings", len(groups))
		}
		return groups[0].Got
	}
	if one, other := told(0, 1), told(1, 0); one != other {
		t.Errorf("got %s, and when the later case came first %s", one, other)
	}
}
