package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/wire"
)

// A scripted client answers each request as its script says.
type scripted struct {
	session.Client
	answer func() *wire.Exchange
	sent   int
}

func (s *scripted) Do(_ context.Context, caseID string, r wire.Request) *wire.Exchange {
	s.sent++
	ex := s.answer()
	ex.Seq, ex.Case, ex.Request = s.sent, caseID, r
	return ex
}

func (*scripted) Beside(func() []wire.Request) {}

func (s *scripted) Redact(text string) string { return strings.ReplaceAll(text, "secret-key", "[key]") }

func newTestSession(t *testing.T, client session.Client, caseTime time.Duration) (*session.Session, *spec.Operation) {
	t.Helper()
	contract := spec.Load()
	s := session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{Contract: contract, Target: fixtures.DefaultWorld().Target("http://127.0.0.1")},
		Client:       client, CaseTime: caseTime,
	})
	return s, contract.Operation("updateCampaign")
}

// Each answer takes 10 s, and a case has time for only three of its four.
func TestACaseThatTakesTooLongEndsAndTheNextOneRuns(t *testing.T) {
	client := &scripted{answer: func() *wire.Exchange {
		return &wire.Exchange{ // waiting for a rate limit is free
			Response: &wire.Response{Status: 404}, Attempts: 1, Duration: 10 * time.Second, Waited: time.Hour,
		}
	}}
	s, op := newTestSession(t, client, 25*time.Second)
	for n := 1; n <= 2; n++ {
		r := s.Run(t.Context(), &judge.Case{ID: "slow", Operation: op, Steps: session.Steps(func(t *session.T) {
			for range 5 {
				t.Ask(judge.Call{Op: op, Path: []string{"1"}, As: t.Known().Owner()}, judge.Expect{OnlyCrash: true})
			}
		})})
		if client.sent != 3*n || r.Status != judge.NotTested || r.Cause != judge.ByOperator ||
			!strings.Contains(r.Reason, "more than 25s") {
			t.Errorf("%d requests, %s by %s: %s", client.sent, r.Status, r.Cause, r.Reason)
		}
	}
	if n := s.Model.Outcome.Traffic(); n.Requests != 6 || n.Waited != 6*time.Hour {
		t.Errorf("traffic %+v", n)
	}
	if why := s.Model.Outcome.Liveness.Gone(); why != "" {
		t.Errorf("the target counts as gone: %s", why)
	}
}

// The run ends while a case of two failures is sent again: after the first request, which does fail again.
func TestAFailureThatIsNotSentAgainKeepsItsCause(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	client := &scripted{}
	client.answer = func() *wire.Exchange {
		if client.sent == 3 {
			end()
		}
		if client.sent > 3 {
			return &wire.Exchange{Err: &wire.TransportError{Kind: wire.Canceled}}
		}
		return &wire.Exchange{Attempts: 1, Response: &wire.Response{Status: 500}}
	}
	s, op := newTestSession(t, client, 0)
	r := s.Run(ctx, &judge.Case{ID: "failing", Operation: op, Steps: session.Steps(func(t *session.T) {
		for _, what := range []string{"an odd word", "an odd number"} {
			c := judge.Call{Op: op, Path: []string{"1"}, As: t.Known().Owner()}
			c.Note("/name", what, "")
			t.Ask(c, judge.Expect{OnlyCrash: true})
		}
	})})
	s.Conclude(ctx)
	for i, what := range []string{"an odd word", "an odd number"} {
		f := r.Findings[i]
		if f.CauseWords != what+" makes the server fail with 500" || !strings.HasSuffix(f.Got, "; not sent again") {
			t.Errorf("%s: got %s", f.CauseWords, f.Got)
		}
	}
}

func TestACaseThatPanicsIsOursAndTheNextOneRuns(t *testing.T) {
	s, op := newTestSession(t, &scripted{}, 0)
	r := s.Run(t.Context(), &judge.Case{ID: "broken", Operation: op, Steps: session.Steps(func(*session.T) { panic("no secret-key") })})
	if r.Status != judge.NotTested || r.Cause != judge.BySuite ||
		!strings.Contains(r.Reason, "a defect of adconform, please report it: no [key] at session_test.go:") {
		t.Errorf("%s by %s: %s", r.Status, r.Cause, r.Reason)
	}
	nothing := session.Steps(func(*session.T) {})
	if next := s.Run(t.Context(), &judge.Case{ID: "next", Operation: op, Steps: nothing}); next.Status != judge.Passed {
		t.Errorf("the next case: %s", next.Status)
	}
	if d := s.Model.Outcome.Defects(); len(d) != 1 || !strings.HasPrefix(d[0], "broken: a defect") {
		t.Errorf("defects %q", d)
	}
}

// A message about an answer may quote a key that the target sent back.
func TestFindingsQuoteNoKey(t *testing.T) {
	s, op := newTestSession(t, &scripted{}, 0)
	r := s.Run(t.Context(), &judge.Case{ID: "c", Operation: op, Steps: session.Steps(func(t *session.T) {
		t.Test.Find(judge.CheckExpectedStatus, judge.Finding{
			Clause: "CAMPAIGN-1", Pointer: "/secret-key", Expected: "no secret-key", Got: "secret-key",
		})
		t.Test.Observe("related-field-form", "secret-key")
	})})
	if f := r.Findings[0]; f.Pointer != "/[key]" || f.Expected != "no [key]" || f.Got != "[key]" {
		t.Errorf("%+v", f)
	}
	if got := s.Model.Outcome.Observations()[0].Choices(); strings.Contains(fmt.Sprint(got), "secret") {
		t.Errorf("observed %q", got)
	}
}

func divided(t *testing.T) ([]*judge.Case, []*session.Chain) {
	t.Helper()
	contract := spec.Load()
	plan := specs.Plan(contract, fixtures.DefaultWorld().Target("http://127.0.0.1"), judge.Deep)
	return plan, session.Chains(plan)
}

func TestChainsHoldEveryCaseOnceAndInOrder(t *testing.T) {
	plan, chains := divided(t)
	seen := map[*judge.Case]bool{}
	for i, s := range chains {
		if i > 0 && s.Phase < chains[i-1].Phase {
			t.Fatalf("chain %d is of an earlier phase than the one before", i)
		}
		last := -1
		for _, c := range s.Cases {
			if seen[c] || c.Place <= last {
				t.Errorf("%s occurs twice or is out of order", c.ID)
			}
			seen[c], last = true, c.Place
		}
	}
	if len(seen) != len(plan) {
		t.Errorf("%d of %d cases", len(seen), len(plan))
	}
}

// A delete may shorten a list, so lists are read in the chain of the deletes, and before them.
func TestListsAndDeletesAreOneChain(t *testing.T) {
	_, chains := divided(t)
	var kinds []string
	for _, chain := range chains {
		var of string
		for _, c := range chain.Cases {
			kind := map[bool]string{true: "list", false: "delete"}[c.Operation.Lists()]
			if !c.Last && (c.Operation.Lists() || c.Operation.Deletes()) && !strings.HasSuffix(of, kind) {
				of += " " + kind
			}
		}
		if of != "" {
			kinds = append(kinds, of)
		}
	}
	if !slices.Equal(kinds, []string{" list delete"}) {
		t.Errorf("the chains with lists or deletes have%s", strings.Join(kinds, ","))
	}
}
