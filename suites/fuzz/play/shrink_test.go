package play

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// A finding is told of what it takes, and no more.
func TestFindingsAreShrunk(t *testing.T) {
	t.Parallel()
	conforming, err := reference.New(reference.Options{World: fixtures.DefaultWorld(), BasePath: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer conforming.Close()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), "\u202e"), r.Header.Get("Cookie") == "a":
			w.WriteHeader(http.StatusInternalServerError)
		case strings.Count(string(body), `"name"`) >= 20:
			w.WriteHeader(http.StatusBadGateway)
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			conforming.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	client, err := wire.New(wire.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	model := judge.ModelOptions{Contract: contract, Target: fixtures.DefaultWorld().Target(server.URL)}
	of := func(class, text string, n int) fuzz.Mutation { return fuzz.Mutation{Class: class, Text: text, N: n} }
	unknown := of("header/unknown", "1", 0)
	for _, tc := range []struct {
		in   []fuzz.Mutation
		want fuzz.Mutation
	}{
		{[]fuzz.Mutation{unknown, of("path/letters", "abc", 0), of("text/bidi", "\u2066a\u202e \u200f", 8)}, of("text/bidi", "\u202e", 0)},
		{[]fuzz.Mutation{of("header/cookie", "a", 5), unknown, of("text/quote", "'''", 8)}, of("header/cookie", "a", 0)},
		{[]fuzz.Mutation{unknown, of("json/duplicate-member", "", 400)}, of("json/duplicate-member", "", 19)},
	} {
		requests = 0
		var found []fuzz.Input
		s := session.NewSession(session.Options{ModelOptions: model, Client: client})
		p := &Player{
			Hand:  s.Aside(t.Context(), &testcase.Case{ID: "fuzz", Operation: contract.Operations[0]}, "the same"),
			Case:  func(in fuzz.Input) *testcase.Case { return fuzz.NewCase(contract.Operation(in.Operation), in) },
			Found: func(in fuzz.Input, _ []*judge.Finding) { found = append(found, in) },
		}
		p.Play(fuzz.Input{Operation: "updateCampaign", Mutations: tc.in})
		if len(found) != 1 || len(found[0].Mutations) != 1 || found[0].Mutations[0] != tc.want {
			t.Errorf("%+v: %s, want %+v", tc.in, found, tc.want)
		}
		if requests > 8*shrinkTries {
			t.Errorf("%+v: %d requests", tc.in, requests)
		}
	}
}
