package session_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
)

const updates, lists = "updateCampaign", "listCreativeMediaFiles"

func update(key string) session.Steps {
	return func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, key)
		c.Write(o, c.Ordinary(o, 0))
	}
}

func list(key string) session.Steps {
	return func(c *session.T) {
		op := c.Test.Case.Operation
		c.Ask(judge.Call{Op: op, Object: c.Known().Object(op, key), As: c.Known().Owner()}, judge.Expect{Success: true, Clause: op.Clause})
	}
}

// answers gives the owner one status for all paths that begin so.
func answers(status int, at string) func(*shop) {
	return func(s *shop) {
		s.hook = func(user, _, path string, _ map[string]any) int {
			if strings.HasPrefix(path, at) && user == "owner" {
				return status
			}
			return 0
		}
	}
}

func listed(change func(files []int) []int) func(*shop) {
	return func(s *shop) { s.lists = func(_ string, files []int) []int { return change(files) } }
}

var confirmed = map[string]struct {
	operation     string
	setUp         func(*shop)
	steps         session.Steps
	found, reason string // clauses, and why the case is not tested
}{
	"404, and never seen":                {updates, answers(404, "/campaigns/25"), update("campaign"), "EFFECT-3", ""},
	"403, which tells the stranger less": {updates, answers(403, "/campaigns/25"), update("campaign"), "AUTH-4", ""},
	"401, and the key is never accepted": {
		updates, answers(401, "/"), update("campaign"), "", "the key credentials.owner was never accepted",
	},
	"404, after it was shown": {updates, func(s *shop) {
		s.hook = func(_, method, _ string, _ map[string]any) int { return map[string]int{"PATCH": 404}[method] }
	}, func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, "campaign")
		c.Test.JudgeGet(c.Ask(judge.Call{Op: o.Op, Method: http.MethodGet, Object: o, As: c.Known().Owner()}, judge.Expect{}))
		update("campaign")(c)
	}, "EFFECT-3", ""},
	"404 for everybody": {
		updates, func(s *shop) { delete(s.objects, "/campaigns/25") }, update("campaign"),
		"", "campaign (25) does not exist for the owner: every answer was 403 or 404",
	},
	"a list of 404 after its files": {lists, func(s *shop) {
		s.hook = func(_, _, path string, _ map[string]any) int {
			if path == "/creatives/240/media-files" && len(s.files["/creatives/240"]) == 0 {
				return 404
			}
			return 0
		}
	}, func(c *session.T) {
		list("disposableVastCreatives[0]")(c)
		op := c.Known().Contract.Operation("deleteCreative")
		for i := range 2 {
			o := c.Known().Object(op, fmt.Sprintf("disposableVastCreatives[0].mediaFiles[%d]", i))
			c.Ask(judge.Call{Op: op, Object: o, As: c.Known().Owner()}, judge.Expect{Success: true, Clause: op.Clause})
		}
		list("disposableVastCreatives[0]")(c)
	}, "", "disposableVastCreatives[0] (240) does not exist for the owner: every answer was 403 or 404"},
	"a list of 422, as for what is no container": {lists, func(s *shop) {
		s.hook = func(_, _, path string, _ map[string]any) int {
			return map[string]int{"/creatives/200/media-files": 422, "/creatives/230/media-files": 422}[path]
		}
	}, func(c *session.T) {
		list("disposableVastCreatives[0]")(c)
		list("vastCreative")(c)
	}, "", "has no list: it is answered 422, like a creative that is not a container"},
	"another writer": {updates, func(s *shop) {
		s.hook = func(_, _, path string, _ map[string]any) int {
			if s.sent == 14 {
				s.objects["/campaigns/25"]["name"] = "A name of others"
			}
			return 0
		}
	}, func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, "campaign")
		c.Survey(o)
		for range 4 {
			c.Read(o)
		}
		c.Write(o, c.Ordinary(o, 0))
	}, "", "somebody else writes to campaign (25) during the run"},
	"a text that always comes": {updates, func(s *shop) {
		s.hook = func(_, method, path string, body map[string]any) int {
			if method == http.MethodGet && s.sent > 10 {
				s.objects["/campaigns/25"]["name"] = "Lorem ipsum dolor"
			}
			return 0
		}
	}, func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, "campaign")
		c.Survey(o)
		c.Write(o, c.Ordinary(o, 0))
		c.Read(o)
	}, "CAMPAIGN-4", ""},
	"a list of 404":        {lists, answers(404, "/creatives/200"), list("vastCreative"), "EFFECT-3", ""},
	"an empty list of 404": {lists, answers(404, "/creatives/210"), list("emptyVastCreative"), "EFFECT-3", ""},
	"a list of 422":        {lists, answers(422, "/creatives/200"), list("vastCreative"), "MEDIA-1", ""},
	"a list that lacks a file": {
		lists, listed(func(files []int) []int { return files[1:] }), list("vastCreative"),
		"", "vastCreative: the target file says that it has the media files [201 202 203], but the target lists [202 203]",
	},
	"a list with the stranger's file": {
		lists, listed(func(files []int) []int { return append([]int{97}, files...) }), list("vastCreative"), "MEDIA-7 MEDIA-8", "",
	},
	"the stranger's": {updates, func(s *shop) {
		s.hook = func(user, _, path string, _ map[string]any) int {
			if path != "/campaigns/25" {
				return 0
			}
			return map[string]int{"owner": 403, "stranger": unchanged}[user]
		}
	}, func(c *session.T) {
		update("campaign")(c)
		o := c.Object(c.Test.Case.Operation, "campaign")
		as := judge.Call{Op: o.Op, Object: o, As: c.Known().Stranger(), Body: oracle.ObjectBody(c.Ordinary(o, 0))}
		c.Ask(as, judge.Expect{Statuses: []int{403}, Clause: "AUTH-2"})
		update("otherCampaign")(c)
	}, "", "is the stranger's: the owner gets 403"},
}

// At the end of a run it is known whether a finding is the target's fault, or the operator's, or another writer's.
func TestConfirm(t *testing.T) {
	for name, test := range confirmed {
		s := newShop()
		test.setUp(s)
		one, r := s.visit(t, test.operation, false, test.steps)
		s.takes()
		one.Conclude(t.Context())
		var found []string
		for _, f := range r.Findings {
			if f.Severity != oracle.Notice && !slices.Contains(found, f.Clause) {
				found = append(found, f.Clause)
			}
		}
		if diff := cmp.Diff(test.found, strings.Join(found, " ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.Contains(r.Reason, test.reason) || test.reason == "" && r.Reason != "" {
			t.Errorf("%s: %q, want %q", name, r.Reason, test.reason)
		}
	}
}
