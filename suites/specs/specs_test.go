package specs

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// A scripted client answers every request with one status and no body.
type scripted struct {
	session.Client
	status int
}

func (s scripted) Do(_ context.Context, caseID string, r wire.Request) *wire.Exchange {
	return &wire.Exchange{Case: caseID, Request: r, Attempts: 1, Response: &wire.Response{Status: s.status, Header: http.Header{}}}
}

func (scripted) Beside(func() []wire.Request) {}

func (scripted) Redact(text string) string { return text }

// run registers a case of updateCampaign and runs it.
func run(t *testing.T, status int, body func(*Case)) *judge.Result {
	t.Helper()
	contract := spec.Load()
	target := fixtures.DefaultWorld().Target("http://127.0.0.1")
	s := &Specs{Contract: contract, Target: target, Op: contract.Operation("updateCampaign")}
	s.Case("404/test", "A test.", Options{Clause("ERR-2")}, func(c *Case, _ *Object) { body(c) })
	run := session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{Contract: contract, Target: target}, Client: scripted{status: status},
	})
	return run.Run(t.Context(), s.Cases[0])
}

// A failed expectation is a finding with the line of its spec. A matcher of an answer may be evaluated any number of
// times, negated or with others; whether there is a finding depends only on whether the assertion holds.
func TestAFailedExpectationIsAFinding(t *testing.T) {
	const expected = "expected-status"
	to := func(matchers ...types.GomegaMatcher) func(*Case, *judge.Answer) {
		return func(c *Case, a *judge.Answer) {
			for _, m := range matchers {
				c.Expect(a).To(m)
			}
		}
	}
	for name, test := range map[string]struct {
		status        int
		assert        func(c *Case, a *judge.Answer)
		found         int
		clause, check string // of the findings
	}{
		"as expected":         {400, to(BeRefused(400)), 0, "", ""},
		"another status":      {400, to(BeRefused(404)), 1, "ERR-2", expected},
		"another clause":      {400, to(BeRefused(404).Citing("ERR-1")), 1, "ERR-1", expected},
		"a success":           {400, to(BeAccepted()), 1, "CAMPAIGN-1", expected},
		"nothing is expected": {503, func(*Case, *judge.Answer) {}, 1, "HTTP-1", "server-error"},
		"only no crash":       {400, to(BeAnswered()), 0, "", ""},
		"of a value":          {400, func(c *Case, _ *judge.Answer) { c.Expect(1).To(Equal(2)) }, 1, "ERR-2", "spec"},
		"of a value, right":   {400, func(c *Case, _ *judge.Answer) { c.Expect([]int{1}).To(HaveLen(1)) }, 0, "", ""},
		"on another goroutine": {400, func(c *Case, a *judge.Answer) {
			var other sync.WaitGroup
			other.Go(func() { c.Expect(a).To(BeRefused(404)) })
			other.Wait()
		}, 1, "ERR-2", expected},
		"twice":               {400, to(SatisfyAll(BeRefused(400), BeRefused(400))), 0, "", ""},
		"twice, in vain":      {400, to(BeRefused(404), BeRefused(404)), 2, "ERR-2", ""},
		"the first of two":    {400, to(SatisfyAny(BeRefused(400), BeRefused(404))), 0, "", ""},
		"the second of two":   {400, to(SatisfyAny(BeRefused(404), BeRefused(400))), 0, "", ""},
		"neither of two":      {400, to(SatisfyAny(BeRefused(404), BeRefused(403))), 1, "ERR-2", expected},
		"not":                 {400, func(c *Case, a *judge.Answer) { c.Expect(a).NotTo(BeAccepted()) }, 0, "", ""},
		"not, as a matcher":   {400, to(Not(BeAccepted())), 0, "", ""},
		"not, in vain":        {400, func(c *Case, a *judge.Answer) { c.Expect(a).NotTo(BeRefused(400)) }, 1, "ERR-2", "spec"},
		"the first, in vain":  {400, to(BeRefused(404), BeRefused(400)), 1, "ERR-2", ""},
		"the second, in vain": {400, to(BeRefused(400), BeRefused(404)), 1, "ERR-2", ""},
	} {
		r := run(t, test.status, func(c *Case) { test.assert(c, c.Send(Wrong(c, object(c)))) })
		breaches := slices.DeleteFunc(r.Findings, func(f *judge.Finding) bool { return f.Severity == oracle.Notice })
		if len(breaches) != test.found || (r.Status == judge.Failed) != (test.found > 0) || r.Cause == judge.BySuite {
			t.Errorf("%s: %s (%s), found %d: %+v", name, r.Status, r.Reason, len(breaches), breaches)
		}
		for _, f := range breaches {
			// The end of the case judges an answer of which nothing is expected.
			here := strings.HasPrefix(f.Location, "suites/specs/specs_test.go:") || name == "nothing is expected"
			if f.Clause != test.clause || test.check != "" && f.Check != test.check || !here {
				t.Errorf("%s: %s by %s at %s", name, f.Clause, f.Check, f.Location)
			}
		}
	}
}

// An expectation that is stated too late would hold whatever the answer.
func TestAnExpectationIsStatedBeforeTheNextRequest(t *testing.T) {
	r := run(t, 400, func(c *Case) {
		a := c.Send(Wrong(c, object(c)))
		c.Expect(c.Send(Wrong(c, object(c)))).To(BeRefused(400))
		c.Expect(a).To(BeRefused(404))
	})
	NewWithT(t).Expect(r.Reason).To(ContainSubstring("state what is expected of it before"))
	NewWithT(t).Expect(r.Cause).To(Equal(judge.BySuite))
}

func TestEveryCaseHasTheLineOfItsSpec(t *testing.T) {
	g := NewWithT(t)
	lines := map[string][]string{}
	for _, c := range Plan(spec.Load(), fixtures.DefaultWorld().Target("http://127.0.0.1"), judge.Deep) {
		file, number, _ := strings.Cut(c.Location, ":")
		if lines[file] == nil {
			text, err := os.ReadFile(filepath.Join("..", "..", file))
			g.Expect(err).NotTo(HaveOccurred())
			lines[file] = strings.Split(string(text), "\n")
		}
		n, err := strconv.Atoi(number)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(lines[file][n-1]).To(Or(ContainSubstring(".Case("), ContainSubstring("Table(")), "%s %s", c.ID, c.Location)
		g.Expect(c.Steps).NotTo(BeNil(), c.ID)
	}
}

// A finding names the class of its request, so each class has words and a name of its own, and applies
// to some operation.
func TestClassesOfOddInput(t *testing.T) {
	contract := spec.Load()
	for _, part := range oddParts {
		names := map[string]bool{}
		for _, class := range part.rows {
			if class.name == "" || class.words == "" || names[class.name] {
				t.Errorf("%s: %q (%s) has no words, or is not unique", part.name, class.name, class.words)
			}
			names[class.name] = true
			if !slices.ContainsFunc(contract.Operations, (class.how | part.how).suits) {
				t.Errorf("%s/%s applies to no operation", part.name, class.name)
			}
		}
	}
}
