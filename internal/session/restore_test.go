package session_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/suites/report"
)

const campaign, host = "updateCampaign", "updateConnectionProfileRuleHost"

func writes(keys ...string) session.Steps {
	return func(c *session.T) {
		for _, key := range keys {
			o := c.Object(c.Test.Case.Operation, key)
			c.Write(o, c.Ordinary(o, 0))
		}
	}
}

// refuses answers a request that gives a field this value with a status.
func refuses(status int, name string, value any) func(s *shop) {
	return func(s *shop) {
		s.hook = func(_, _, _ string, body map[string]any) int {
			if v, given := body[name]; given && v == value {
				return status
			}
			return 0
		}
	}
}

func surveysInVain(c *session.T) {
	c.Survey(c.Object(c.Test.Case.Operation, "campaign"))
	c.Expect(1).To(matchNothing{})
}

const rename, host58 = "PATCH /campaigns/25 {name}", "PATCH /connection-profiles/12/rules/34/hosts/58 {hostname regularExpression}"

func noValues(target *fixtures.Target) { target.Objects["campaign"][0].Values = nil }

var restored = map[string]struct {
	operation string
	setUp     func(*shop)
	target    func(*fixtures.Target)
	steps     session.Steps
	after     func(*session.Session)
	asked     []string
	changes   []string
}{
	"one": {
		operation: campaign, steps: writes("campaign"),
		asked: []string{rename}, changes: []string{"campaign 25 updated true"},
	},
	"two": {
		operation: campaign, steps: writes("campaign", "otherCampaign"),
		asked:   []string{"PATCH /campaigns/26 {name}", rename},
		changes: []string{"otherCampaign 26 updated true", "campaign 25 updated true"},
	},
	"nothing": {operation: campaign, steps: func(*session.T) {}},
	"refused": {
		operation: campaign, setUp: refuses(422, "name", "Spring video"), steps: writes("campaign"),
		asked:   []string{rename},
		changes: []string{"campaign 25 updated false the target refused the old values: 422 Unprocessable Entity"},
	},
	"tried three times": {
		operation: campaign, setUp: refuses(500, "name", "Spring video"), steps: writes("campaign"),
		asked:   []string{rename, rename, rename},
		changes: []string{"campaign 25 updated false the target refused the old values: 500 Internal Server Error"},
	},
	"not as sent": {
		operation: campaign, steps: writes("campaign"),
		setUp:   refuses(unchanged, "name", "Spring video"),
		asked:   []string{rename},
		changes: []string{"campaign 25 updated false the target accepted the old values but shows name"},
	},
	"a null is refused": {
		operation: host, setUp: refuses(422, "regularExpression", nil), steps: writes("connectionProfileRuleOtherHost"),
		asked: []string{
			host58, host58,
		},
		changes: []string{"connectionProfileRuleOtherHost 58 updated false the target refused null for regularExpression; the rest is restored"},
	},
	"unknown values": {
		operation: campaign, target: noValues, steps: writes("campaign"),
		changes: []string{
			"campaign 25 updated false its earlier values are unknown: they are not in the target file, and no answer showed " +
				"them before the first write",
		},
	},
	"values that were seen": {
		operation: campaign, target: noValues, steps: func(c *session.T) {
			o := c.Object(c.Test.Case.Operation, "campaign")
			c.Test.JudgeGet(c.Ask(judge.Call{Op: o.Op, Method: http.MethodGet, Object: o, As: c.Known().Owner()}, judge.Expect{}))
			c.Write(o, c.Ordinary(o, 0))
		},
		asked: []string{rename}, changes: []string{"campaign 25 updated true"},
	},
	"deleted": {
		operation: "deleteCreative", steps: func(c *session.T) {
			o := c.Object(c.Test.Case.Operation, "disposableCreatives[0]")
			c.Ask(judge.Call{Op: o.Op, Object: o, As: c.Known().Owner()}, judge.Expect{Success: true})
		},
		changes: []string{"disposableCreatives[0] 301 deleted false a disposable, meant to be deleted"},
	},
	"cut off after a refusal": {
		operation: campaign, setUp: refuses(403, "name", "x"), steps: func(c *session.T) {
			o := c.Object(c.Test.Case.Operation, "campaign")
			body := oracle.ObjectBody(map[string]any{"name": "x"})
			c.Ask(judge.Call{Op: o.Op, Object: o, As: c.Known().Owner(), Body: body}, judge.Expect{Statuses: []int{403}})
		},
		after: (*session.Session).CutOff,
		asked: []string{rename}, changes: []string{"campaign 25 perhaps updated true"},
	},
	"verified after a violation": {
		operation: campaign, steps: func(c *session.T) {
			writes("campaign")(c)
			c.Expect(1).To(matchNothing{})
		},
		asked: []string{rename}, changes: []string{"campaign 25 updated true"},
	},
	"read after a violation": {
		operation: campaign, steps: surveysInVain,
		asked: []string{rename, "GET /campaigns/25"}, changes: []string{"campaign 25 updated true"},
	},
	"lost after a violation": {
		operation: campaign, steps: surveysInVain,
		setUp: func(s *shop) {
			s.hook = func(_, method, path string, _ map[string]any) int {
				if o := s.objects[path]; method == http.MethodGet && o["name"] == "Spring video" && s.sent > 8 {
					o["name"] = "Lime"
				}
				return 0
			}
		},
		asked:   []string{rename, "GET /campaigns/25", rename, "GET /campaigns/25", rename},
		changes: []string{"campaign 25 updated false the target accepted the old values, and then shows name"},
	},
}

// What was changed gets its old values, the last change first, and a change says what is left of it.
func TestRestore(t *testing.T) {
	for name, test := range restored {
		s := newShop()
		if test.setUp != nil {
			test.setUp(s)
		}
		target := func(*fixtures.Target) {}
		if test.target != nil {
			target = test.target
		}
		one, _ := s.visit(t, test.operation, false, test.steps, target)
		if test.after != nil {
			test.after(one)
		}
		s.takes()
		var got []string
		for _, c := range session.Restore(t.Context(), one) {
			reason, _, _ := strings.Cut(c.Reason, ` "`)
			got = append(got, strings.TrimSpace(fmt.Sprintln(c.Object, c.ID, c.Change, c.Restored, reason)))
		}
		if diff := cmp.Diff(test.asked, s.takes()); diff != "" {
			t.Errorf("%s: asked %s", name, diff)
		}
		if diff := cmp.Diff(test.changes, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// matchNothing is a matcher that always fails.
type matchNothing struct{}

func (matchNothing) Match(any) (bool, error)          { return false, nil }
func (matchNothing) FailureMessage(any) string        { return "as it must" }
func (matchNothing) NegatedFailureMessage(any) string { return "" }

// What provision restores needs no request of the operator.
func TestProvisioned(t *testing.T) {
	changes := []report.Change{{Restored: true, Reason: "late"}, {Reason: "refused", Undo: "curl"}}
	session.Provisioned(changes)
	want := []report.Change{{Restored: true, Reason: "late"}, {Restored: true, Reason: "refused; provision has run since"}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Error(diff)
	}
}
