package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/traffic"
)

// ofAdspecs is a run of the operations that testdata/adspecs.yaml adds.
func ofAdspecs(t *testing.T, fault string) *suites.Config {
	t.Helper()
	c := suites.NewConfig(adspecTarget(t, newAdspecServer(fault)))
	c.Contract = adspecContract(t)
	c.Select = func(cs *engine.Case) bool { return strings.Contains(cs.Operation.ID, "Adspec") }
	return c
}

// A read and an update that do not agree may both be to blame: what the read shows is
// what is reported.
var seenByRead = []string{"put-not-stored", "put-cut-short"}

// Operations of every kind that are added to the document are tested without any
// new Go code, and a server that has them right has no finding.
func TestAddedOperationsConform(t *testing.T) {
	for name, change := range map[string]func(*suites.Config){
		"quick":     func(c *suites.Config) { c.Depth = engine.Quick },
		"standard":  func(*suites.Config) {},
		"one lane":  func(c *suites.Config) { c.Target.Limits.Concurrency = 1 },
		"deep":      func(c *suites.Config) { c.Depth = engine.Deep },
		"seed 2":    func(c *suites.Config) { c.Depth, c.Seed = engine.Deep, 2 },
		"seed 3":    func(c *suites.Config) { c.Depth, c.Seed = engine.Deep, 3 },
		"by rank":   func(c *suites.Config) { c.Budget.Time = time.Hour },
		"read-only": func(c *suites.Config) { c.ReadOnly = true },
	} {
		c := ofAdspecs(t, "")
		change(c)
		r := execute(t, c)
		for _, f := range r.Findings {
			t.Errorf("%s: %s %s %s: %s, got %s\n%s", name, f.Case, f.Clause, f.Pointer, f.Expected, f.Got, f.Curl)
		}
		for _, cs := range r.Results {
			if cs.Status == engine.NotTested && cs.Cause != engine.ByTarget && !c.ReadOnly {
				t.Errorf("%s: %s is not tested: %s", name, cs.ID, cs.Reason)
			}
		}
		for _, change := range r.Changes {
			if change.Change != "deleted" && !change.Restored {
				t.Errorf("%s: %+v", name, change)
			}
		}
	}
}

// Under load, too, where several lanes send at once.
func TestAddedOperationsConformUnderLoad(t *testing.T) {
	_, r, err := suites.RunLoad(t.Context(), ofAdspecs(t, ""), suites.Load{Requests: 1500, Lanes: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Errorf("%s %s %s: %s, got %s", f.Case, f.Clause, f.Pointer, f.Expected, f.Got)
	}
}

// The traffic of that run, as a proxy or a recording shows it, is not flagged either.
func TestTrafficOfAddedOperationsConforms(t *testing.T) {
	contract := adspecContract(t)
	judged := traffic.Handler(t, "", newAdspecServer(""), func(c *suites.Config) { c.Contract = contract })
	c := ofAdspecs(t, "")
	c.Target = adspecTarget(t, judged)
	if r := execute(t, c); len(r.Findings) > 0 {
		t.Errorf("%s", r.Reason)
	}
}

// Each way of breaking an added operation is found, and said of that operation.
func TestBrokenAddedOperationsAreFound(t *testing.T) {
	of := map[string]string{"get": "getAdspec", "put": "replaceAdspec", "delete": "deleteAdspec", "list": "listAdspecs", "below": "listAdspecCampaigns"}
	for _, fault := range []string{
		"get-another", "get-stale", "get-unsteady", "get-too-long", "get-off-pattern", "get-out-of-bounds", "get-500", "get-without-name",
		"get-without-key", "get-unknown-taken", "get-hidden", "get-of-anyone",
		"put-refuses-the-bound", "put-takes-too-long", "put-takes-too-short", "put-refuses-the-greatest", "put-takes-too-large", "put-takes-too-small",
		"put-takes-missing", "put-takes-off-pattern", "put-names-another", "put-not-stored", "put-cut-short", "put-of-all", "put-shows-old", "put-moves-creation",
		"put-without-key", "put-unknown-taken", "put-hidden", "put-of-anyone", "put-made-all-the-same",
		"delete-keeps", "delete-takes-another", "delete-200", "delete-without-key", "delete-hidden", "delete-of-anyone", "delete-unknown-taken",
		"list-loses-one", "list-repeats-one", "list-miscounts", "list-wrong-total", "list-wrong-pages", "list-unsteady", "list-wrong-page",
		"list-lacks-one", "list-of-all-users", "list-without-key",
		"below-loses-one", "below-repeats-one", "below-miscounts", "below-wrong-total", "below-wrong-pages", "below-unsteady", "below-wrong-page",
		"below-without-key", "below-unknown-taken", "below-hidden", "below-of-anyone",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			kind, _, _ := strings.Cut(fault, "-")
			c := ofAdspecs(t, fault)
			c.Select = func(cs *engine.Case) bool {
				return cs.Operation.ID == of[kind] || kind == "put" && cs.Operation.ID == of["get"]
			}
			r := execute(t, c)
			if r.Verdict != report.Nonconforming {
				t.Fatalf("expected a finding, got %s: %s", r.Verdict, r.Reason)
			}
			var said []string
			for _, f := range r.Findings {
				said = append(said, fmt.Sprintf("%s %s: %s, got %s", f.Case, f.Clause, f.Expected, f.Got))
				if f.Operation == of[kind] || f.Operation == of["get"] && slices.Contains(seenByRead, fault) {
					return
				}
			}
			t.Errorf("no finding is about %s:\n%s", of[kind], strings.Join(slices.Compact(said), "\n"))
		})
	}
}
