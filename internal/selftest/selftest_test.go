package selftest

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func run(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	noError(t, err)
	return r
}

func only(expression string) Options {
	return Options{Faults: true, Variants: true, Only: regexp.MustCompile(expression)}
}

// ofCampaigns runs the cases of one operation, where no more is asked for.
var ofCampaigns = &Options{Select: func(cs *judge.Case) bool { return cs.Operation.ID == "updateCampaign" }}

// try gives the outcome of a fault that is none of the project's.
func try(t *testing.T, f faults.Fault) Outcome {
	t.Helper()
	outcomes, err := ofCampaigns.run(t.Context(), reftest.Contract(t), []trial{{fault: &f}})
	noError(t, err)
	return outcomes[0]
}

func TestFaultIsCaughtForItsClause(t *testing.T) {
	r := run(t, only("^(updateCampaign/success/data.adspecId-dropped|value/ascii-30)$"))
	fault, variant := r.Outcomes[0], r.Outcomes[1]
	if fault.Verdict != Caught || fault.Clause != "CAMPAIGN-11" || len(fault.Cases) == 0 || fault.Fired == 0 {
		t.Errorf("the fault came out as %+v", fault)
	}
	if fault.Requests == 0 || fault.Requests > fault.Sent || fault.Sent >= variant.Sent {
		t.Errorf("the fault took %d of %d requests, a whole run takes %d: it did not end early", fault.Requests, fault.Sent, variant.Sent)
	}
	if variant.Verdict != Passed || len(variant.Findings) > 0 {
		t.Errorf("the variant came out as %+v", variant)
	}
	if !r.Good() {
		t.Errorf("the result is not perfect: %s", r.Figure())
	}
}

func TestDisabledCheckMissesItsFault(t *testing.T) {
	o := only("^page/count-one-more$")
	o.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "listCreativeMediaFiles" }
	if got := run(t, o).Outcomes[0].Verdict; got != Caught {
		t.Fatalf("with the check: %s", got)
	}
	o.Disabled = []string{"page-count"}
	r := run(t, o)
	if got := r.Outcomes[0].Verdict; got == Caught || r.Good() {
		t.Errorf("without the check: %s, good %t", got, r.Good())
	}
}

func TestWhatIsNoProof(t *testing.T) {
	crash := func(next http.Handler, env faults.Env) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			env.Fired.Add(1)
			http.Error(w, "broken", http.StatusInternalServerError)
		})
	}
	harmless := func(next http.Handler, env faults.Env) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			env.Fired.Add(1)
			next.ServeHTTP(w, r)
		})
	}
	idle := func(next http.Handler, _ faults.Env) http.Handler { return next }
	for want, f := range map[Verdict]faults.Fault{
		WrongReason: {Server: faults.Server{ID: "x/crash", Wrap: crash}, Clause: "MEDIA-8"},
		Missed:      {Server: faults.Server{ID: "x/harmless", Wrap: harmless}, Clause: "HTTP-1"},
		Inert:       {Server: faults.Server{ID: "x/idle", Wrap: idle}, Clause: "HTTP-1"},
	} {
		if o := try(t, f); o.Verdict != want || o.Good() {
			t.Errorf("%s is %s, want %s (%v)", f.ID, o.Verdict, want, o.Findings)
		}
	}
}

func TestPanicIsADefectOfOurs(t *testing.T) {
	panics := func(next http.Handler, _ faults.Env) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic("index out of range") })
	}
	f := faults.Fault{Server: faults.Server{ID: "x/panics", Wrap: panics}, Clause: "HTTP-2"}
	_, err := new(Options).run(t.Context(), reftest.Contract(t), []trial{{fault: &f}})
	said := fmt.Sprint(err)
	if !strings.Contains(said, "x/panics: http: panic serving") || !strings.Contains(said, "range") || strings.Contains(said, "\n") {
		t.Errorf("got %v", err)
	}
}

// Depth quick is for servers that take a minute for sixty requests.
func TestQuickIsQuick(t *testing.T) {
	r := ran(t, serving(t, trial{}), func(c *suites.Config) { c.Depth = judge.Quick })
	if r.Requests > 120 || r.Verdict != report.Conforming || r.Level != report.Complete {
		t.Errorf("%d requests, %s (%s): %s", r.Requests, r.Verdict, r.Level, r.Reason)
	}
}

// What a fault changes may be beyond depth quick, and quick leaves clauses untested: neither
// is a defect of the fault, nor does it flag a variant.
func TestQuickLeavesOut(t *testing.T) {
	quick := judge.Quick
	o := only("^(wire/pretty|page/page-always-1)$")
	o.Depth = &quick
	r := run(t, o)
	if got := r.Outcomes[0]; got.Verdict != Missed {
		t.Errorf("the fault came out as %+v", got)
	}
	if got := r.Outcomes[1]; got.Verdict != Passed || got.Requests > 120 {
		t.Errorf("the variant came out as %+v", got)
	}
}

func TestNothingSelectedIsAnError(t *testing.T) {
	_, err := Run(t.Context(), only("^no such id$"))
	if err == nil || !strings.Contains(err.Error(), "selftest --list") {
		t.Errorf("got %v", err)
	}
}

func TestInterruptedRunIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, only("^page/")); err == nil {
		t.Error("no error")
	}
}

func TestCheckIsProvedByAFault(t *testing.T) {
	o := Options{Only: regexp.MustCompile("^json-names$")}
	if testing.Short() {
		o.Select = ofCampaigns.Select
	}
	proofs, err := ProveChecks(t.Context(), o)
	if err != nil || len(proofs) != 1 || !strings.Contains(proofs[0].Fault, "/text-duplicate-name") || !proofs.Good() {
		t.Errorf("got %v, %v", proofs, err)
	}
}

func TestCheckThatNoFaultNeeds(t *testing.T) {
	o := Options{Faults: true, Only: regexp.MustCompile("^page/count-one-more$")}
	p, err := o.prove(t.Context(), reftest.Contract(t), oracle.Check{ID: "url"}, o.trials(reftest.Contract(t)))
	if err != nil || p.Fault != "" || p.Tried != 1 {
		t.Errorf("got %+v, %v", p, err)
	}
	var b strings.Builder
	all := Proofs{p}
	if all.WriteText(&b); b.String() != "url: NOT NEEDED by any of 1 faults; give it one or remove it\n" || all.Good() {
		t.Errorf("got %q", b.String())
	}
}

func TestInParallelKeepsTheOrderAndTellsEachOnce(t *testing.T) {
	g := NewWithT(t)
	told := 0
	got, err := inParallel(t.Context(), []int{1, 2, 3, 4, 5},
		func(_ context.Context, n int) (int, error) { return n * n, nil },
		func(done, of, _ int) {
			told++
			g.Expect([]int{done, of}).To(Equal([]int{told, 5}))
		})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal([]int{1, 4, 9, 16, 25}))
	g.Expect(told).To(Equal(5))
}
