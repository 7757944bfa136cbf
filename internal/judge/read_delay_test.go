package judge

import (
	"testing"
	"time"

	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// The updates took a moment each. A read at 10 s may show what an update after 8 s replaced, and no other value.
func TestAReadLagsIfItShowsAStateFromBeforeARecentChange(t *testing.T) {
	m, op := newTestModel(t)
	second := func(s float64) time.Time { return time.Unix(0, int64(s*1e9)) }
	update := func(name string, from, to float64, status int) []Event {
		values := map[string]any{"name": name}
		in := &wire.Exchange{Seq: int(10 * from), Start: second(from), Duration: second(to).Sub(second(from))}
		tried := Event{What: Tried, Values: values, In: in, Status: status}
		if status != 200 {
			return []Event{tried, {What: Refused, Values: values, In: in, Status: status}}
		}
		return []Event{tried, {What: Set, Values: values, In: in}}
	}
	accepted := func(name string, from, to float64) []Event { return update(name, from, to, 200) }
	for _, tc := range []struct {
		name    string
		updates [][]Event
		shown   string
		want    sight
	}{
		{"nothing was changed", nil, "Spring video", sight{}},
		{"prompt", [][]Event{accepted("A", 9, 9.1)}, "A", sight{change: &wire.Exchange{Seq: 90}}},
		{"the value before", [][]Event{accepted("A", 9, 9.1)}, "Spring video", sight{&wire.Exchange{Seq: 90}, true}},
		{"two values before", [][]Event{accepted("A", 8.5, 9), accepted("B", 9, 9.1)}, "Spring video", sight{&wire.Exchange{Seq: 90}, true}},
		{"a value replaced too long ago", [][]Event{accepted("A", 7, 7.5), accepted("B", 9, 9.1)}, "Spring video", sight{}},
		{"a change too long ago", [][]Event{accepted("A", 7, 7.5)}, "Spring video", sight{}},
		{"another value", [][]Event{accepted("A", 9, 9.1)}, "B", sight{}},
		{"a refused value", [][]Event{accepted("A", 9, 9.1), update("B", 9.2, 9.3, 422)}, "B", sight{}},
		{
			"the value before it, and a refused update",
			[][]Event{accepted("A", 9, 9.1), update("B", 9.2, 9.3, 422)},
			"Spring video",
			sight{&wire.Exchange{Seq: 90}, true},
		},
		{"the first of two at once", [][]Event{accepted("A", 9, 9.5), accepted("B", 9.1, 9.4)}, "A", sight{change: &wire.Exchange{Seq: 91}}},
		{
			"before two at once",
			[][]Event{accepted("A", 9, 9.5), accepted("B", 9.1, 9.4)},
			"Spring video",
			sight{&wire.Exchange{Seq: 91}, true},
		},
	} {
		o := NewObject("campaign", op, []spec.ID{"25"}, map[string]any{"name": "Spring video"})
		for _, events := range tc.updates {
			for _, e := range events {
				o.note(e)
			}
		}
		got := o.sightOf(op.Representation(), map[string]any{"name": tc.shown}, second(10).Add(-m.ReadDelay))
		if got.lags != tc.want.lags || (got.change == nil) != (tc.want.change == nil) ||
			got.change != nil && got.change.Seq != tc.want.change.Seq {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}
