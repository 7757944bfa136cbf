package suites_test

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// ofAdspecs configures a run of the operations that testdata/adspecs.yaml adds.
func ofAdspecs(t *testing.T, fault string) *suites.Config {
	t.Helper()
	c := suites.NewConfig(adspecTarget(t, newAdspecServer(fault)))
	only := *adspecContract()
	only.Operations = slices.DeleteFunc(slices.Clone(only.Operations), func(op *spec.Operation) bool { // sequences send only those
		return !strings.Contains(op.ID, "Adspec")
	})
	c.Contract = &only
	c.Select = func(cs *judge.Case) bool { return strings.Contains(cs.Operation.ID, "Adspec") }
	return c
}

// Operations of every kind that are added to the document are tested without any
// new Go code, and a server that implements them correctly has no finding.
func TestAddedOperationsConform(t *testing.T) {
	for name, change := range map[string]func(*suites.Config){
		"quick":      func(c *suites.Config) { c.Depth = judge.Quick },
		"standard":   func(*suites.Config) {},
		"one by one": func(c *suites.Config) { c.Target.Limits.Concurrency = 1 },
		"deep": func(c *suites.Config) {
			if c.Depth = judge.Deep; testing.Short() {
				c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "replaceAdspec" && cs.Class != judge.ClassRandom }
			}
		},
		"seed 2":    func(c *suites.Config) { c.Depth, c.Seed = judge.Deep, 2 },
		"read-only": func(c *suites.Config) { c.ReadOnly = true },
	} {
		if testing.Short() && !slices.Contains([]string{"standard", "deep", "read-only"}, name) {
			continue
		}
		c := ofAdspecs(t, "")
		change(c)
		r := execute(t, c)
		noFinding(t, name, r)
		if name == "standard" {
			for _, want := range strings.Fields("success/ordinary 401/no-key 401/other-case-key 403/stranger 404/unknown-adspec-1 " +
				"422/body-array 422/name-is-number 422/weight-is-string 422/weight-is-decimal 422/active-is-number " +
				"text/name-many open/letters-adspec open/name-null effects/persists effects/at-rest") {
				if !slices.ContainsFunc(r.Results, func(cs report.Case) bool { return cs.ID == "replaceAdspec/"+want }) {
					t.Errorf("no case %s is planned", want)
				}
			}
		}
		for _, cs := range r.Results {
			if cs.Status == judge.NotTested && cs.Cause != judge.ByTarget && !c.ReadOnly {
				t.Errorf("%s: %s is not tested: %s", name, cs.ID, cs.Reason)
			}
		}
		putBack(t, name, r)
	}
}

// The answer to a malformed id is open, so 422 is right there even if the document does not list it for the
// operation; in other cases it is a finding.
func TestAStatusThatACaseAllowsNeedNotBeListed(t *testing.T) {
	of := func(strangers string) *suites.Config {
		c := ofAdspecs(t, "")
		c.Target = adspecTarget(t, instead(newAdspecServer(""), func(r *http.Request) bool {
			id := path.Base(r.URL.Path)
			_, err := strconv.Atoi(id)
			return err != nil && id != "adspecs" || r.Header.Get("X-API-Key") == adspecStranger && id == strangers
		}, func(w http.ResponseWriter, _ *http.Request) { problem(w, 422, "") }))
		for i, op := range c.Contract.Operations {
			if op.ID == "getAdspec" {
				without := *op
				without.Responses = maps.Clone(op.Responses)
				delete(without.Responses, "422")
				c.Contract.Operations[i] = &without
			}
		}
		c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "getAdspec" }
		return c
	}
	if r := execute(t, of("none")); len(violations(r)) > 0 {
		t.Errorf("malformed ids: %s", violations(r))
	}
	if r := execute(t, of("701")); len(violations(r)) == 0 {
		t.Error("422 instead of 403 is not a violation")
	}
}

// Each way of breaking an added operation is a finding of that operation.
func TestBrokenAddedOperationsAreFound(t *testing.T) {
	of := map[string]string{
		"get": "getAdspec", "put": "replaceAdspec", "delete": "deleteAdspec", "list": "listAdspecs", "below": "listAdspecCampaigns",
	}
	for _, fault := range reftest.Few(4, []string{
		"get-another", "get-stale", "get-off-pattern", "get-without-name", "get-without-key", "get-of-anyone",
		"put-takes-missing", "put-without-key", "put-of-anyone",
		"delete-keeps", "delete-leaves-listed", "delete-without-key", "delete-of-anyone",
		"list-loses-one", "list-lacks-one", "list-of-all-users", "list-without-key", "below-loses-one", "below-without-key", "below-of-anyone",
	}) {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			kind, _, _ := strings.Cut(fault, "-")
			c := ofAdspecs(t, fault)
			c.Select = func(cs *judge.Case) bool {
				return cs.Operation.ID == of[kind] || kind == "put" && cs.Operation.ID == of["get"]
			}
			r := execute(t, c)
			if r.Verdict != report.Nonconforming {
				t.Fatalf("expected a finding, got %s: %s", r.Verdict, r.Reason)
			}
			var said []string
			for _, f := range r.Findings {
				said = append(said, fmt.Sprintf("%s %s: %s, got %s", f.Case, f.Clause, f.Expected, f.Got))
				if slices.Contains(f.Operations, of[kind]) {
					return
				}
			}
			t.Errorf("no finding is about %s:\n%s", of[kind], strings.Join(slices.Compact(said), "\n"))
		})
	}
}
