package session_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/specs"
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

func (*scripted) Key(string) string { return "" }

func (*scripted) Pause(_ context.Context, d time.Duration) error {
	time.Sleep(d) // in a bubble of synctest
	return nil
}

func (s *scripted) Redact(text string) string { return strings.ReplaceAll(text, "secret-key", "[key]") }

func newTestSession(t *testing.T, client session.Client) (*session.Session, *spec.Operation) {
	t.Helper()
	contract := spec.Load()
	s := session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{Contract: contract, Target: fixtures.DefaultWorld().Target("http://127.0.0.1")},
		Client:       client,
	})
	return s, contract.Operation("updateCampaign")
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
	s, op := newTestSession(t, client)
	r := s.Run(ctx, &judge.Case{ID: "failing", Operation: op, Steps: session.Steps(func(t *session.T) {
		for _, what := range []string{"an odd word", "an odd number"} {
			c := judge.Call{Op: op, Path: []string{"1"}, As: t.Known().Owner()}
			c.Note(finding.PlaceOf(finding.Field, "name"), finding.Oddity(what), "")
			t.Ask(c, judge.Expect{OnlyCrash: true})
		}
	})})
	s.Conclude(ctx)
	for i, what := range []string{"an odd word", "an odd number"} {
		f := r.Findings[i]
		if f.Cause.String() != what+" makes the server fail with 500" || !strings.HasSuffix(f.Got, "; not sent again") {
			t.Errorf("%s: got %s", f.Cause.String(), f.Got)
		}
	}
}

func TestACaseThatPanicsIsOursAndTheNextOneRuns(t *testing.T) {
	s, op := newTestSession(t, &scripted{})
	r := s.Run(t.Context(), &judge.Case{ID: "broken", Operation: op, Steps: session.Steps(func(*session.T) { panic("no secret-key") })})
	if r.Status != judge.NotTested || r.Cause != judge.BySuite ||
		!strings.Contains(r.Reason, "a defect of adconform, please report it: no [key] at session_test.go:") {
		t.Errorf("%s by %s: %s", r.Status, r.Cause, r.Reason)
	}
	nothing := session.Steps(func(*session.T) {})
	if next := s.Run(t.Context(), &judge.Case{ID: "next", Operation: op, Steps: nothing}); next.Status != judge.Passed {
		t.Errorf("the next case: %s", next.Status)
	}
	if d := s.Model.Outcome.Defects; len(d) != 1 || !strings.HasPrefix(d[0], "broken: a defect") {
		t.Errorf("defects %q", d)
	}
}

// A message about an answer may quote a key that the target sent back.
func TestFindingsQuoteNoKey(t *testing.T) {
	s, op := newTestSession(t, &scripted{})
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

// answering answers every request with a status and no body.
func answering(status int) *scripted {
	return &scripted{answer: func() *wire.Exchange {
		return &wire.Exchange{Attempts: 1, Response: &wire.Response{Status: status, Header: http.Header{}}}
	}}
}

// run runs a case of updateCampaign.
func run(t *testing.T, status int, body func(c *session.T, send func() *judge.Answer)) *judge.Result {
	t.Helper()
	s, op := newTestSession(t, answering(status))
	return s.Run(t.Context(), &judge.Case{
		ID: "updateCampaign/404/test", Operation: op, Class: judge.Class404, Clauses: []string{"ERR-2"},
		Steps: session.Steps(func(c *session.T) {
			body(c, func() *judge.Answer {
				o := c.Object(op, "campaign")
				return c.Send(judge.Call{Op: op, Object: o, As: c.Known().Owner(), Body: oracle.ObjectBody(c.Ordinary(o, 0))})
			})
		}),
	})
}

// A failed expectation is a finding. A matcher of an answer may be evaluated any number of times, negated or with
// others; whether there is a finding depends only on whether the assertion holds.
func TestAFailedExpectationIsAFinding(t *testing.T) {
	const expected = "expected-status"
	to := func(matchers ...types.GomegaMatcher) func(*session.T, *judge.Answer) {
		return func(c *session.T, a *judge.Answer) {
			for _, m := range matchers {
				c.Expect(a).To(m)
			}
		}
	}
	for name, test := range map[string]struct {
		status        int
		assert        func(c *session.T, a *judge.Answer)
		found         int
		clause, check string // of the findings
	}{
		"as expected":         {400, to(BeRefused(400)), 0, "", ""},
		"another status":      {400, to(BeRefused(404)), 1, "ERR-2", expected},
		"another clause":      {400, to(BeRefused(404).Citing("ERR-1")), 1, "ERR-1", expected},
		"a success":           {400, to(BeAccepted()), 1, "CAMPAIGN-1", expected},
		"nothing is expected": {503, func(*session.T, *judge.Answer) {}, 1, "HTTP-1", "server-error"},
		"only no crash":       {400, to(BeAnswered()), 0, "", ""},
		"of a value":          {400, func(c *session.T, _ *judge.Answer) { c.Expect(1).To(Equal(2)) }, 1, "ERR-2", "spec"},
		"of a value, right":   {400, func(c *session.T, _ *judge.Answer) { c.Expect([]int{1}).To(HaveLen(1)) }, 0, "", ""},
		"on another goroutine": {400, func(c *session.T, a *judge.Answer) {
			var other sync.WaitGroup
			other.Go(func() { c.Expect(a).To(BeRefused(404)) })
			other.Wait()
		}, 1, "ERR-2", expected},
		"twice":               {400, to(SatisfyAll(BeRefused(400), BeRefused(400))), 0, "", ""},
		"twice, in vain":      {400, to(BeRefused(404), BeRefused(404)), 2, "ERR-2", ""},
		"the first of two":    {400, to(SatisfyAny(BeRefused(400), BeRefused(404))), 0, "", ""},
		"the second of two":   {400, to(SatisfyAny(BeRefused(404), BeRefused(400))), 0, "", ""},
		"neither of two":      {400, to(SatisfyAny(BeRefused(404), BeRefused(403))), 1, "ERR-2", expected},
		"not":                 {400, func(c *session.T, a *judge.Answer) { c.Expect(a).NotTo(BeAccepted()) }, 0, "", ""},
		"not, as a matcher":   {400, to(Not(BeAccepted())), 0, "", ""},
		"not, in vain":        {400, func(c *session.T, a *judge.Answer) { c.Expect(a).NotTo(BeRefused(400)) }, 1, "ERR-2", "spec"},
		"the first, in vain":  {400, to(BeRefused(404), BeRefused(400)), 1, "ERR-2", ""},
		"the second, in vain": {400, to(BeRefused(400), BeRefused(404)), 1, "ERR-2", ""},
	} {
		r := run(t, test.status, func(c *session.T, send func() *judge.Answer) { test.assert(c, send()) })
		breaches := slices.DeleteFunc(r.Findings, func(f *judge.Finding) bool { return f.Severity == oracle.Notice })
		if len(breaches) != test.found || (r.Status == judge.Failed) != (test.found > 0) || r.Cause == judge.BySuite {
			t.Errorf("%s: %s (%s), found %d: %+v", name, r.Status, r.Reason, len(breaches), breaches)
		}
		for _, f := range breaches {
			if f.Clause != test.clause || test.check != "" && f.Check != test.check {
				t.Errorf("%s: %s by %s", name, f.Clause, f.Check)
			}
		}
	}
}

// An expectation that is stated too late would hold whatever the answer.
func TestAnExpectationIsStatedBeforeTheNextRequest(t *testing.T) {
	r := run(t, 400, func(c *session.T, send func() *judge.Answer) {
		a := send()
		c.Expect(send()).To(BeRefused(400))
		c.Expect(a).To(BeRefused(404))
	})
	if r.Cause != judge.BySuite || !strings.Contains(r.Reason, "state what is expected of it before") {
		t.Errorf("%s by %s: %s", r.Status, r.Cause, r.Reason)
	}
}

// A finding about odd input names the class of its request, and has words for it.
func TestOddInputHasWords(t *testing.T) {
	plan, _ := divided(t)
	for _, c := range plan {
		if !strings.Contains(c.ID, "/open/fuzz-") || strings.HasSuffix(c.ID, "-sequence") { // those are sent at once
			continue
		}
		s, _ := newTestSession(t, answering(500))
		found := 0
		for _, f := range s.Run(t.Context(), c).Findings {
			switch found++; {
			case f.Sent == nil && c.Operation.Updates(): // an object is set anew
			case f.Sent == nil, f.Sent.What == "", !f.Sent.IsClass():
				t.Errorf("%s: %s: %+v", c.ID, f.Cause.String(), f.Sent)
			}
		}
		if found == 0 {
			t.Errorf("%s finds nothing on a server that always fails", c.ID)
		}
	}
}

// Only a request that is written as the operation declares counts as one of it, when the key is judged.
func TestRequestNamesItsOperation(t *testing.T) {
	newShop().visit(t, "updateCampaign", false, func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, "campaign")
		for _, test := range []struct {
			call judge.Call
			want string
		}{
			{judge.Call{Op: o.Op, Object: o}, "updateCampaign"},
			{judge.Call{Op: o.Op, Object: o, Method: http.MethodGet}, ""},
			{judge.Call{Op: o.Op, Target: "/campaigns/25/"}, ""},
			{judge.Call{Op: o.Op, Object: o, Wire: &wire.Odd{Cut: 1}}, ""},
		} {
			if got := c.Request(&test.call).Operation; got != test.want {
				t.Errorf("%+v: %q, want %q", test.call, got, test.want)
			}
		}
	})
}

// A finding of a trial comes with the steps and the requests that led to it, unless it has requests of its own.
func TestAdopt(t *testing.T) {
	newShop().visit(t, "updateCampaign", false, func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, "campaign")
		own := []oracle.Request{{Curl: "curl"}}
		for _, test := range []struct {
			steps    []string
			requests []oracle.Request
			got      string
			want     int // requests
		}{
			{[]string{"one", "two"}, nil, "x; after one, then two", 2},
			{[]string{"one", "two"}, own, "x; after one, then two", 1},
			{[]string{"one"}, nil, "x", 0},
		} {
			trial := c.Trial()
			last := 0
			for range 2 {
				empty := judge.Call{Op: o.Op, Object: o, As: c.Owner(), Body: oracle.ObjectBody(map[string]any{})}
				last = trial.Ask(empty, judge.Expect{}).Exchange.Seq
			}
			f := &judge.Finding{Clause: "CAMPAIGN-1", Got: "x", Requests: test.requests, Exchange: last}
			trial.Adopt(f, "a sequence", test.steps)
			if f.Got != test.got || len(f.Requests) != test.want || f.Sequence != "a sequence" {
				t.Errorf("%q: %q with %d requests", test.steps, f.Got, len(f.Requests))
			}
		}
	})
}

// Cases with a violation are sent twice more, but not more than five of them, and none that uses something up.
func TestRepeat(t *testing.T) {
	for name, test := range map[string]struct {
		cases int
		once  bool
		want  int // requests
	}{
		"one case":         {1, false, 3},
		"seven cases":      {7, false, 7 + 2*5},
		"one that is once": {1, true, 1},
	} {
		client := answering(500)
		s, op := newTestSession(t, client)
		for i := range test.cases {
			s.Run(t.Context(), &judge.Case{ID: fmt.Sprint(i), Operation: op, Once: test.once, Steps: session.Steps(func(t *session.T) {
				c := judge.Call{Op: op, Path: []string{"1"}, As: t.Known().Owner()}
				c.Note(finding.PlaceOf(finding.Field, "name"), finding.Oddity(fmt.Sprint("oddity ", i)), "")
				t.Ask(c, judge.Expect{OnlyCrash: true})
			})})
		}
		s.Conclude(t.Context())
		if client.sent != test.want {
			t.Errorf("%s: %d requests, want %d", name, client.sent, test.want)
		}
	}
}
