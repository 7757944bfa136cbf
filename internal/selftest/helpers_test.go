package selftest

import (
	"context"
	"flag"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

var all = flag.Bool("all", false, "try eight times as many faults and variants, an hour of processor time")

// sampled picks about one fault or variant in n with -all, one in eight times as many without, and
// one in eighty times as many with -short.
func sampled(id string, n int) bool {
	return faults.Sampled(id, scarce(n))
}

func scarce(n int) int {
	switch {
	case testing.Short():
		return 80 * n
	case *all:
		return n
	}
	return 8 * n
}

// serving serves a fault or variant until the test ends.
func serving(t *testing.T, tr trial) *served {
	t.Helper()
	s, err := new(Options).serve(context.WithoutCancel(t.Context()), reftest.Contract(t), tr)
	noError(t, err)
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ran is the report of a run; change may be nil.
func ran(t *testing.T, s *served, change ...func(*suites.Config)) *report.Report {
	t.Helper()
	for _, as := range change {
		as(s.config)
	}
	r, err := suites.Execute(t.Context(), s.config)
	noError(t, err)
	return r
}

func faultByID(t *testing.T, id string) faults.Fault {
	t.Helper()
	f, err := faults.ByID(reftest.Contract(t), id)
	noError(t, err)
	return f
}

// noError ends a test with an error that has nothing to do with what it is about.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
