package fuzz

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/testcase"
)

// length is what a shorter input has less of.
func (in Input) length() int {
	n := 0
	for _, m := range in.Mutations {
		n += 1<<40 + utf8.RuneCountInString(m.Text) + m.N
	}
	return n
}

// Whatever shows the same and whatever does not: shrinking ends, never grows, and keeps to the
// classes.
func TestShorterInputsAreShorter(t *testing.T) {
	t.Parallel()
	contract := loaded(t)
	random := rand.New(rand.NewPCG(1, 1))
	f := New(contract.Operations, 5, 0, nil, false)
	for _, in := range inTurn(f, contract.Operations, 2000) {
		var of []string
		for _, m := range in.Mutations {
			of = append(of, m.Class)
		}
		for all := in.shorter(); len(all) > 0; all = in.shorter() {
			for _, one := range all {
				if one.length() >= in.length() || one.Operation != in.Operation || len(one.Mutations) == 0 {
					t.Fatalf("%s is shrunk to %s", in, one)
				}
				for _, m := range one.Mutations {
					if !slices.Contains(of, m.Class) {
						t.Fatalf("%s is shrunk to %s", in, one)
					}
				}
			}
			in = all[random.IntN(len(all))]
		}
	}
}

// A finding is told of what it takes, and no more.
func TestFindingsAreShrunk(t *testing.T) {
	t.Parallel()
	conforming, err := reference.New(t.Context(), reference.Options{World: fixtures.DefaultWorld(), BasePath: "/"})
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
	unknown := Mutation{"header/unknown", "1", 0}
	for _, tc := range []struct {
		in   []Mutation
		want Mutation
	}{
		{[]Mutation{unknown, {"path/letters", "abc", 0}, {"text/bidi", "\u2066a\u202e \u200f", 8}}, Mutation{"text/bidi", "\u202e", 0}},
		{[]Mutation{{"header/cookie", "a", 5}, unknown, {"text/quote", "'''", 8}}, Mutation{"header/cookie", "a", 0}},
		{[]Mutation{unknown, {"json/duplicate-member", "", 400}}, Mutation{"json/duplicate-member", "", 19}},
	} {
		requests = 0
		var found []Input
		p := &Player{
			Hand:  hand(t, against(t, server)),
			Case:  func(in Input) *testcase.Case { return NewCase(loaded(t).Operation(in.Operation), in) },
			Found: func(in Input, _ []*judge.Finding) { found = append(found, in) },
		}
		p.Play(Input{"updateCampaign", tc.in})
		if len(found) != 1 || len(found[0].Mutations) != 1 || found[0].Mutations[0] != tc.want {
			t.Errorf("%+v: %s, want %+v", tc.in, found, tc.want)
		}
		if requests > 8*shrinkTries {
			t.Errorf("%+v: %d requests", tc.in, requests)
		}
	}
}
