package selftest

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
)

func run(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func only(expression string) Options {
	return Options{Faults: true, Variants: true, Only: regexp.MustCompile(expression)}
}

// try gives the outcome of a fault that is none of the project's.
func try(t *testing.T, f faults.Fault) Outcome {
	t.Helper()
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := new(Options).run(t.Context(), contract, []trial{{fault: &f}})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes[0]
}

func TestFaultIsCaughtForItsClause(t *testing.T) {
	r := run(t, only("^(updateCampaign/success/data.adspecId-dropped|value/ascii-30)$"))
	fault, variant := r.Outcomes[0], r.Outcomes[1]
	if fault.Verdict != Caught || fault.Clause != "CAMPAIGN-11" || fault.Case == "" || fault.Fired == 0 {
		t.Errorf("the fault came out as %+v", fault)
	}
	if fault.Requests == 0 || fault.Requests >= variant.Requests {
		t.Errorf("the fault took %d requests, a whole run takes %d: it did not end early", fault.Requests, variant.Requests)
	}
	if variant.Verdict != Passed || len(variant.Findings) > 0 {
		t.Errorf("the variant came out as %+v", variant)
	}
	if !r.Perfect() || r.ExitCode() != 0 {
		t.Errorf("the result is not perfect: %s", r.Figure())
	}
}

func TestDisabledCheckMissesItsFault(t *testing.T) {
	o := only("^page/count-one-more$")
	if got := run(t, o).Outcomes[0].Verdict; got != Caught {
		t.Fatalf("with the check: %s", got)
	}
	o.Disabled = []string{"page-count"}
	r := run(t, o)
	if got := r.Outcomes[0].Verdict; got == Caught || r.ExitCode() != 1 {
		t.Errorf("without the check: %s, exit code %d", got, r.ExitCode())
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
		WrongReason: {ID: "x/crash", Clause: "MEDIA-8", Wrap: crash},
		Missed:      {ID: "x/harmless", Clause: "HTTP-1", Wrap: harmless},
		Inert:       {ID: "x/idle", Clause: "HTTP-1", Wrap: idle},
	} {
		if o := try(t, f); o.Verdict != want || o.Good() {
			t.Errorf("%s is %s, want %s (%v)", f.ID, o.Verdict, want, o.Findings)
		}
	}
}

func TestBudgetEndsRuns(t *testing.T) {
	o := only("^(wire/pretty|updateConnectionProfile/success/data.id-dropped)$")
	o.Budget = 20
	r := run(t, o)
	if got := r.Outcomes[0]; got.Verdict != Caught || got.Requests > 20 {
		t.Errorf("the fault came out as %+v", got)
	}
	// A budget leaves clauses untested; that flags no variant.
	if got := r.Outcomes[1]; got.Verdict != Passed || got.Requests > 40 {
		t.Errorf("the variant came out as %+v", got)
	}
}

func TestNothingSelectedIsAnError(t *testing.T) {
	_, err := Run(t.Context(), only("^no such id$"))
	if err == nil || !strings.Contains(err.Error(), "--list-faults") {
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
	o := Options{Only: regexp.MustCompile("^page-own-id$")}
	proofs, err := ProveChecks(t.Context(), o, nil)
	if err != nil || len(proofs) != 1 {
		t.Fatalf("got %v, %v", proofs, err)
	}
}
