package judge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
)

// The updates took a moment each. A read at 10 s may show what an update after 8 s replaced, and no other value.
func TestAReadLagsIfItShowsAStateFromBeforeARecentChange(t *testing.T) {
	m, op := newTestModel(t)
	second := func(s float64) time.Time { return time.Unix(0, int64(s*1e9)) }
	type update struct {
		name     string
		from, to float64
		status   int
	}
	accepted := func(name string, from, to float64) update { return update{name, from, to, 200} }
	for _, tc := range []struct {
		name    string
		updates []update
		shown   string
		want    sight
	}{
		{"nothing was changed", nil, "Spring video", sight{}},
		{"prompt", []update{accepted("A", 9, 9.1)}, "A", sight{change: &wire.Exchange{Seq: 90}}},
		{"the value before", []update{accepted("A", 9, 9.1)}, "Spring video", sight{&wire.Exchange{Seq: 90}, true}},
		{"two values before", []update{accepted("A", 8.5, 9), accepted("B", 9, 9.1)}, "Spring video", sight{&wire.Exchange{Seq: 90}, true}},
		{"a value replaced too long ago", []update{accepted("A", 7, 7.5), accepted("B", 9, 9.1)}, "Spring video", sight{}},
		{"a change too long ago", []update{accepted("A", 7, 7.5)}, "Spring video", sight{}},
		{"another value", []update{accepted("A", 9, 9.1)}, "B", sight{}},
		{"a refused value", []update{accepted("A", 9, 9.1), {"B", 9.2, 9.3, 422}}, "B", sight{}},
		{
			"the value before it, and a refused update",
			[]update{accepted("A", 9, 9.1), {"B", 9.2, 9.3, 422}},
			"Spring video",
			sight{&wire.Exchange{Seq: 90}, true},
		},
		{"the first of two at once", []update{accepted("A", 9, 9.5), accepted("B", 9.1, 9.4)}, "A", sight{change: &wire.Exchange{Seq: 90}}},
		{
			"before two at once",
			[]update{accepted("A", 9, 9.5), accepted("B", 9.1, 9.4)},
			"Spring video",
			sight{&wire.Exchange{Seq: 90}, true},
		},
	} {
		s := New(m.ModelOptions)
		o := s.Object(op, "campaign")
		var moments []moment
		for _, u := range tc.updates {
			ex := &wire.Exchange{Seq: int(10 * u.from), Start: second(u.from), Duration: second(u.to).Sub(second(u.from))}
			ex.Response = &wire.Response{Status: u.status, Body: fmt.Appendf(nil, `{"data":{"id":25,"name":%q}}`, u.name)}
			body := oracle.ObjectBody(map[string]any{"name": u.name})
			ex.Request = wire.Request{Method: op.Method, Path: "/campaigns/25", Body: body.Raw, Credential: s.Owner()}
			test := &Test{Model: &Model{State: s}}
			moments = append(moments, test.momentsOf(&Answer{Call: &Call{Op: op, Object: o}, Exchange: ex}, ex)...)
		}
		slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
		for _, one := range moments {
			one.pass()
		}
		shown := map[string]any{"name": tc.shown}
		got := s.sightOf(s.Sequence.Updated(o.Thing().Kind, o.ID(), op.Representation(), shown, second(10).Add(-m.ReadDelay)))
		if got.lags != tc.want.lags || (got.change == nil) != (tc.want.change == nil) ||
			got.change != nil && got.change.Seq != tc.want.change.Seq {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}
