package fuzz

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

// What stands beside the class whose turn it is stands in the request: none overwrites another, and
// few requests hold much of what is listed.
func TestWhatComesBesideIsSent(t *testing.T) {
	t.Parallel()
	s := against(t, httptest.NewServer(nil))
	h := hand(t, s)
	ops := s.Model.Contract.Operations
	listed, looked := 0, 0
	for _, c := range catalogue {
		listed += c.variants()
	}
	for seed := range uint64(3) {
		sent := map[Mutation]bool{}
		for _, in := range inTurn(New(ops, seed, allClasses, nil, false), ops, allClasses) {
			d, call := makes(h, in)
			for _, m := range in.Mutations {
				c := classes[m.Class]
				variant := m
				if places := max(1, len(c.names)); len(c.sizes) == 0 {
					variant.N %= places
				}
				sent[variant] = true
				if c.fields == nil || d.body != nil || d.recode != nil {
					continue
				}
				looked++
				if text := texts(t, call.Body.Raw); !strings.Contains(text, m.Text) {
					t.Errorf("%s: no %q in %q", in, m.Text, text)
				}
			}
		}
		if len(sent) < listed/3 {
			t.Errorf("seed %d: %d of %d variants in %d inputs", seed, len(sent), listed, allClasses)
		}
	}
	if looked < allClasses {
		t.Errorf("%d texts in fields", looked)
	}
}

// texts are those of a body, one in a line.
func texts(t *testing.T, body []byte) string {
	t.Helper()
	members := map[string]any{}
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatalf("%v: %q", err, body)
	}
	var all []string
	for _, v := range members {
		if text, ok := v.(string); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// Any two mutations can stand in one request, in either order: of one part of it for each
// operation that has both, of two parts for one of those.
func TestAnyTwoMutationsStandTogether(t *testing.T) {
	t.Parallel()
	s := against(t, httptest.NewServer(nil))
	h := hand(t, s)
	f := New(nil, 0, 0, nil, false)
	of := func(c *class) Mutation { return f.mutation(c, 0, 0) }
	for i, a := range catalogue {
		for j, b := range catalogue {
			ops := slices.DeleteFunc(slices.Clone(s.Model.Contract.Operations), func(op *spec.Operation) bool {
				return !a.appliesTo(op) || !b.appliesTo(op)
			})
			if apart := a.family() != b.family(); apart && testing.Short() {
				continue
			} else if apart && len(ops) > 0 {
				ops = ops[(i+j)%len(ops):][:1]
			}
			for _, op := range ops {
				in := Input{op.ID, []Mutation{of(a), of(b)}}
				func() {
					defer func() {
						if broken := recover(); broken != nil {
							t.Errorf("%s: %v", in, broken)
						}
					}()
					makes(h, in)
				}()
			}
		}
	}
}
