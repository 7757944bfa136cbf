package session_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// answering answers every request with a status and no body.
func answering(status int) *scripted {
	return &scripted{answer: func() *wire.Exchange {
		return &wire.Exchange{Attempts: 1, Response: &wire.Response{Status: status, Header: http.Header{}}}
	}}
}

// run runs a case of updateCampaign.
func run(t *testing.T, status int, body func(c *session.T, send func() *judge.Answer)) *judge.Result {
	t.Helper()
	s, op := newTestSession(t, answering(status), 0)
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
		s, _ := newTestSession(t, answering(500), 0)
		found := 0
		for _, f := range s.Run(t.Context(), c).Findings {
			switch found++; {
			case f.Sent == nil && c.Operation.Updates(): // an object is set anew
			case f.Sent == nil, f.Sent.What == "", !strings.HasPrefix(f.Sent.At, "request:"):
				t.Errorf("%s: %s: %+v", c.ID, f.CauseWords, f.Sent)
			}
		}
		if found == 0 {
			t.Errorf("%s finds nothing on a server that always fails", c.ID)
		}
	}
}
