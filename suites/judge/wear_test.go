package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

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
			w := &Wear{After: "many successes", Sent: oracle.Sent{At: "request:wear/success"}}
			for i, d := range c.took {
				a := &Answer{Status: 200, Call: &Call{}, Exchange: &wire.Exchange{Seq: i + 1, Duration: d, Response: &wire.Response{Status: 200}}}
				if d == lost {
					a.Status, a.Exchange.Response = 0, nil
					test.FindIn(a.Exchange, CheckTransport, Finding{Clause: "HTTP-2", Severity: oracle.Transport, Pointer: w.Sent.At})
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
