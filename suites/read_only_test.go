package suites_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// counting serves the reference and counts the requests that could change it.
func counting(t *testing.T, n *atomic.Int64) *fixtures.Target {
	t.Helper()
	server := bundled(t)
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			n.Add(1)
		}
		server.ServeHTTP(w, r)
	}))
}

func TestReadOnlyRunSendsNothingThatCouldChangeSomething(t *testing.T) {
	var writes atomic.Int64
	target := counting(t, &writes)
	target.Provision = &fixtures.Provision{Post: target.BaseURL + "/reset"}
	c := suites.NewConfig(target)
	c.ReadOnly = true
	for _, seed := range []uint64{11, 4242, 900_001}[reftest.Of(0, 2):] {
		deep := *c
		deep.Depth, deep.Seed, deep.Drawn = judge.Deep, seed, reftest.Of(0, 50)
		r := execute(t, &deep)
		if noViolation(t, "deep", r); len(r.Defects) > 0 {
			t.Errorf("seed %d: %q", seed, r.Defects)
		}
	}
	r := execute(t, c)
	if writes.Load() > 0 {
		t.Errorf("%d requests could have changed something", writes.Load())
	}
	if r.Cases.Run == 0 || r.Cases.NotTested == 0 || r.Cases.Failed > 0 {
		t.Errorf("cases %+v", r.Cases)
	}
	if r.Verdict != report.Inconclusive || !strings.HasPrefix(r.Reason, "read-only: ") || len(r.Changes) > 0 {
		t.Errorf("%s: %s, changes %+v", r.Verdict, r.Reason, r.Changes)
	}
	c.AllowInconclusive = true
	selecting("/401/")(c)
	if r := execute(t, c); r.ExitCode != report.ExitConforming {
		t.Errorf("--allow-inconclusive: exit code %d", r.ExitCode)
	}
}

// Both the session and the client stop a case that is planned as reading but writes.
func TestReadOnlyHoldsAgainstACaseThatWrites(t *testing.T) {
	var writes atomic.Int64
	target := counting(t, &writes)
	contract := spec.Load()
	op := contract.Operation("updateCampaign")
	for name, send := range map[string]func(*session.T, judge.Call){
		"Send":         func(t *session.T, c judge.Call) { t.Send(c) },
		"Send raw":     func(t *session.T, c judge.Call) { c.Raw = true; t.Send(c) },
		"SendTogether": func(t *session.T, c judge.Call) { t.SendTogether(c, c) },
		"SendInOrder":  func(t *session.T, c judge.Call) { t.SendInOrder(c, c) },
		"Write":        func(t *session.T, c judge.Call) { t.Write(c.Object, t.Ordinary(c.Object, 0)) },
		"Survey":       func(t *session.T, c judge.Call) { t.Survey(c.Object) },
	} {
		for _, where := range []string{"session", "client"} {
			client, err := wire.New(wire.Options{BaseURL: target.BaseURL, KeyHeader: fixtures.DefaultKeyHeader, ReadOnly: where == "client"})
			noError(t, err)
			s := session.NewSession(session.Options{
				ModelOptions: judge.ModelOptions{Contract: contract, Target: target, Seed: 1}, Client: client, ReadOnly: where == "session",
			})
			r := s.Run(t.Context(), &judge.Case{ID: "updateCampaign/wrong/" + name, Operation: op, Steps: session.Steps(func(t *session.T) {
				o := t.Test.Model.Object(op, "campaign")
				send(t, judge.Call{Op: op, Object: o, As: t.Test.Model.Owner(), Body: oracle.ObjectBody(t.Ordinary(o, 0)), Succeeds: true})
			})})
			if writes.Swap(0) > 0 {
				t.Errorf("%s: the %s allowed a write", name, where)
			}
			if where == "session" && (r.Status != judge.NotTested || r.Cause != judge.BySuite || len(r.Findings) > 0) {
				t.Errorf("%s: %s by %s, %d findings", name, r.Status, r.Cause, len(r.Findings))
			}
			client.Close()
		}
	}
}
