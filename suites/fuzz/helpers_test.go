package fuzz

import (
	"net/http/httptest"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// hand is that of a case which sends to a handler; each has the same made-up values.
func hand(t *testing.T, s *session.Session) *session.T {
	t.Helper()
	return s.Aside(t.Context(), &testcase.Case{ID: "fuzz", Operation: s.Model.Contract.Operations[0]}, "the same")
}

// against is a session with a server.
func against(t *testing.T, server *httptest.Server) *session.Session {
	t.Helper()
	client, err := wire.New(wire.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	target := fixtures.DefaultWorld().Target(server.URL)
	return session.NewSession(session.Options{ModelOptions: judge.ModelOptions{Contract: reftest.Contract(t), Target: target}, Client: client})
}

// listed are all mutations of a class that come before any are drawn.
func (c *class) listed() []Mutation {
	f := New(nil, 0, 0, nil, false)
	var all []Mutation
	for n := range c.variants() {
		all = append(all, f.mutation(c, 0, n))
	}
	return all
}

// begun is the valid request that an input changes: for an object of the target file, but
// where it is to go to unknown ids.
func begun(t *session.T, in Input) *draft {
	op := t.Known().Contract.Operation(in.Operation)
	if op.Deletes() || in.Apart() {
		return newDraft(t, op, nil)
	}
	return newDraft(t, op, t.Object(op, fixtures.First(op.Key())))
}

// makes is the request of an input.
func makes(t *session.T, in Input) (*draft, call.Call) {
	d := begun(t, in)
	d.apply(in)
	return d, d.call(in)
}
