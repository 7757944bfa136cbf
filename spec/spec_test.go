package spec

import (
	"context"
	"strings"
	"testing"
)

func TestEmbeddedContractLoads(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.OpenAPI.Validate(context.Background()); err != nil {
		t.Errorf("openapi.yaml: %v", err)
	}
	var ids []string
	for _, op := range c.Operations {
		ids = append(ids, op.ID)
	}
	want := "updateConnectionProfile updateConnectionProfileRuleHost updateCampaign deleteCreative listCreativeMediaFiles"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("operations: expected %s, got %s", want, got)
	}
}

func TestFieldsKeepDocumentOrder(t *testing.T) {
	c, _ := Load()
	var names []string
	for _, f := range c.Operation("updateCampaign").Representation().Fields {
		names = append(names, f.Name)
	}
	want := "id name createdAt updatedAt type shareURL adspecId userId"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("expected %s, got %s", want, got)
	}
	host := c.Operation("updateConnectionProfileRuleHost")
	if len(host.Params) != 3 || host.Params[1].Object != "connectionProfileRule" {
		t.Errorf("path parameters of the host: %+v", host.Params)
	}
}

// Each row of the resource tables is a property with a clause of its own.
func TestEveryRepresentedPropertyHasItsClause(t *testing.T) {
	c, _ := Load()
	for _, op := range c.Operations {
		r := op.Representation()
		if r == nil {
			continue
		}
		seen := map[string]string{}
		for _, f := range r.Fields {
			if f.Clause == "" {
				t.Errorf("%s: %s has no x-clause", op.ID, f.Name)
			}
			if other := seen[f.Clause]; other != "" {
				t.Errorf("%s: %s and %s share %s", op.ID, other, f.Name, f.Clause)
			}
			seen[f.Clause] = f.Name
		}
	}
}

func TestNewRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, tc := range map[string]struct{ clauses, open, want string }{
		"unknown key":   {"clauses:\n  - {id: A-1, operation: all, basis: stated, source: s, text: t, extra: 1}", "open: []", "extra"},
		"unknown basis": {"clauses:\n  - {id: A-1, operation: all, basis: guessed, source: s, text: t}", "open: []", "guessed"},
		"twice": {
			"clauses:\n  - {id: A-1, operation: all, basis: stated}\n  - {id: A-1, operation: all, basis: stated}",
			"open: []",
			"twice",
		},
		"unnamed clause": {"clauses: []", "open: []", "x-clause"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(openapiYAML, []byte(tc.clauses), []byte(tc.open))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("expected an error with %q, got %v", tc.want, err)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := New(openapiYAML, clausesYAML, openYAML); err != nil {
			b.Fatal(err)
		}
	}
}
