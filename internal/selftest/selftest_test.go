package selftest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

var all = flag.Bool("all", false, "try eight times as many faults and variants, an hour of processor time")

// scarce turns one in n, which holds with -all, into one in 8n without it, and one in 80n with -short.
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
func serving(t *testing.T, tr faults.Server) *served {
	t.Helper()
	s, err := new(Options).serve(context.WithoutCancel(t.Context()), &tr)
	noError(t, err)
	t.Cleanup(func() { noError(t, s.stop()) })
	return s
}

// ran returns the report of a run.
func ran(t *testing.T, s *served, change ...func(*suites.Config)) *report.Report {
	t.Helper()
	for _, as := range change {
		as(s.config)
	}
	r, err := suites.Execute(t.Context(), s.config)
	noError(t, err)
	return r
}

// cases selects the cases whose ids begin with a prefix.
func cases(prefix string) func(*judge.Case) bool {
	return func(cs *judge.Case) bool { return strings.HasPrefix(cs.ID, prefix) }
}

var allFaults = sync.OnceValue(func() []faults.Server { return faults.All(spec.Load()) })

func faultByID(t *testing.T, id string) faults.Server {
	t.Helper()
	f, err := faults.ByID(allFaults(), id)
	noError(t, err)
	return f
}

// noError fails the test at once on an error that is unrelated to its subject.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	noError(t, err)
	return r
}

func only(expression string) Options {
	return Options{Faults: true, Variants: true, Only: regexp.MustCompile(expression)}
}

// Depth quick leaves clauses untested, so it may miss a fault, but it flags no variant.
func TestAFaultIsCaughtForItsClause(t *testing.T) {
	quick := judge.Quick
	o := only("^(updateCampaign/success/data.adspecId-dropped|page/page-always-1|wire/pretty)$")
	o.Depth = &quick
	r := run(t, o)
	missed, caught, variant := r.Outcomes[0], r.Outcomes[1], r.Outcomes[2]
	if caught.Verdict != Caught || caught.Clause != "CAMPAIGN-11" || len(caught.Cases) == 0 || missed.Verdict != Missed {
		t.Errorf("the faults came out as %+v, %+v", caught, missed)
	}
	if caught.Requests == 0 || caught.Requests >= variant.Requests || variant.Requests > 120 {
		t.Errorf("the run took %d requests and a whole one takes %d, so it did not end early", caught.Requests, variant.Requests)
	}
	if variant.Verdict != Passed || len(variant.Findings) > 0 {
		t.Errorf("the variant came out as %+v: %s", variant, r.summary())
	}
}

// wrapped returns a fault that handles every request.
func wrapped(id, clause string, handle func(next http.Handler) http.HandlerFunc) faults.Server {
	around := func(next http.Handler, _ faults.Env) http.Handler { return handle(next) }
	return faults.Server{ID: id, Clause: clause, Wrap: around}
}

func TestWhatIsNoProof(t *testing.T) {
	of := Options{Select: cases("updateCampaign/401/")}
	for want, tr := range map[Verdict]faults.Server{
		WrongReason: wrapped("x/crash", "MEDIA-8", func(http.Handler) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", http.StatusInternalServerError) }
		}),
		Missed: wrapped("x/harmless", "HTTP-1", func(next http.Handler) http.HandlerFunc { return next.ServeHTTP }),
	} {
		o, err := of.run(t.Context(), []faults.Server{tr})
		noError(t, err)
		if o[0].Verdict != want || o[0].Good() {
			t.Errorf("%s is %s, want %s (%v)", o[0].ID, o[0].Verdict, want, o[0].Findings)
		}
	}
	panics := wrapped("x/panics", "HTTP-2", func(http.Handler) http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) { panic("index out of range") }
	})
	_, err := of.run(t.Context(), []faults.Server{panics})
	if said := fmt.Sprint(err); !strings.Contains(said, "x/panics: the server panicked: index out of range") || strings.Contains(said, "\n") {
		t.Errorf("a panic is a defect of the self-test; got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, only("^page/")); err == nil {
		t.Error("an interrupted self-test returned no error")
	}
}
