package suites_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// The table has messages that once misled, one of each kind: texts that a run on a seeded fault must
// report, and texts that it must not.
func TestMessagesDoNotMislead(t *testing.T) {
	t.Parallel()
	type all = []string
	for _, m := range reftest.Few(4, []struct {
		fault, check string
		requests     int // number of requests that show it together
		says, not    []string
	}{
		{"intermittent/no-body-03/updateCampaign", "expected-status", 0, all{"status 200 without a body"}, all{"got status 200\n"}},
		{"shown/type-other/updateCampaign", "stays", 2, all{", as the answer in updateCampaign/"}, all{"as before"}},
		{"page/total-so-far", "list-total", 0, all{", as its first list showed them"}, all{"the media files of pagedVastCreatives[0]\n"}},
		{
			"delete/next-too", "delete-other", 2,
			all{"a delete removed another creative, too: 302", "got       []"},
			all{"no accepted delete named", "does not follow"},
		},
		{
			"refused/delete-404-unknown", "refused-delete", 3,
			all{"a delete that is refused, as with 403, removes nothing", "or by that of", "no accepted delete named: 308"},
			nil,
		},
		{
			"delete/parent-gone", "delete-other", 2,
			all{"a delete removed another creative, too: 240, 250 (2 cases)"},
			all{"an existing object is answered 404"},
		},
		{
			"page/overlap", "list-walk", 2,
			all{
				"the pages together have items twice: item 1100 on pages 1 and 2 (1 case)",
				"252 items on all pages together, 2 of them again, where totalCount is 250", "Without ORDER BY",
			},
			all{"totalPages does not fit", "got       252 items"},
		},
		{"list/twice-for-another", "page-unique", 0, all{"an item is twice on a page"}, all{"have items twice", "does not follow"}},
		{
			"refused/delete-404-trailing-letters", "refused-delete", 4,
			all{"as with 403, 401 and 404", "/creatives/301abc"},
			all{"accepted"},
		},
		{
			"effect/first-copy-shown/updateConnectionProfileRuleHost", "stale", 2,
			all{"an update was answered with success and is not kept", "a cache or replica"},
			all{"a refused request was carried out"},
		},
		{
			"delete/again-204-for-all", "delete-effect", 2,
			all{"a second delete is answered 204 where 404 was expected"},
			all{"as if it were another user's"},
		},
		{
			"delete/again-204", "delete-effect", 2,
			all{"a second delete is answered 204 where 404 was expected", "A delete by key often succeeds"},
			all{"is still there"},
		},
		{
			"delete/without-effect", "delete-effect", 2, // its files are still listed
			all{
				"a second delete is answered 204", "after the first delete shows it",
				"cause: The first delete was answered 204 but removed nothing",
			},
			all{"hint of the cause: A delete by key"},
		},
		{
			"value/upper-case/updateCampaign/name", "stale", 2,
			all{"a text comes back in other letter case", "neither as it was set nor as one fixed default"},
			all{"a cache or a replica"},
		},
		{"shown/id-from-body/updateConnectionProfile", "identity", 0, all{"sent      id: "}, all{"sent      createdAt"}},
		{"intermittent/500-03/updateCampaign", "server-error", 0, all{"the server fails now and then with 500"}, all{"any request"}},
		{"deleteCreative/404/status-204", "not-refused", 0, // the server ignores the id
			all{"a wrong id is accepted at creativeId"}, all{"an unknown id is accepted"}},
		{
			"delete/200-representation", "expected-status", 0,
			all{"deleteCreative: an ordinary request is answered 200 (12 cases)"},
			all{"where 204", "(8 cases)", "(4 cases)", "A handler that returns nothing"},
		},
		{
			"alive/listed-file-for-all", "expected-status", 0,
			all{"an existing object is answered 404"},
			all{"carried out all the same", "removed another"},
		},
		{
			"page/offset-by-one", "list-walk", 0,
			all{"a list lacks items that it counts (1 case)", "got       249 items"},
			all{"totalPages does not fit totalCount and the items of a page: totalPages"},
		},
		{
			"path/first-id-ignored/updateConnectionProfileRuleHost", "not-refused", 0,
			all{"a wrong id is accepted at connectionProfileId: 13, 91, abc"},
			all{"(5 cases)", "hint of the cause: The id is often read as 64 bits"},
		},
		{
			"effect/foreign-too/updateConnectionProfile", "other-object", 2,
			all{"an update shows on another object: name"},
			all{"is not kept", "the key of another user"},
		},
		{
			"crash/name-apostrophe/updateCampaign", "server-error", 0, // in a text with ten oddities
			all{"a text with an apostrophe makes the server fail with 500: name (1 case)"},
			all{"special characters makes the server fail with 500: name (1 case)"},
		},
	}) {
		t.Run(m.fault, func(t *testing.T) {
			t.Parallel()
			text, shown := "", 0
			cases := "Creative" // matches the deletes and the lists
			if _, operation, ok := strings.Cut(m.fault, "/update"); ok {
				operation, _, _ = strings.Cut(operation, "/")
				cases = "update" + operation + "/"
			}
			r := runOn(t, faulty(t, m.fault), selecting(cases))
			for _, f := range report.NewView(r).Findings {
				text += f.Title + "\n"
				if f.Hint != "" {
					text += "  hint of the cause: " + f.Hint + "\n"
				}
			}
			for i := range r.Results {
				for j := range r.Results[i].Findings {
					if f := &r.Results[i].Findings[j]; f.Check == m.check {
						text += report.Describe(f)
						shown = max(shown, len(f.Requests))
					}
				}
			}
			missing := slices.DeleteFunc(m.says, func(s string) bool { return strings.Contains(text, s) })
			misleading := slices.DeleteFunc(m.not, func(s string) bool { return !strings.Contains(text, s) })
			if len(missing) > 0 || len(misleading) > 0 || shown < m.requests {
				t.Errorf("missing %q, misleading %q, %d requests show it together, not %d:\n%s", missing, misleading, shown, m.requests, text)
			}
		})
	}
}

// If a server mistakes one user for another, the finding shows the request of the other user first.
func TestAnotherUsersRequestComesFirst(t *testing.T) {
	for _, id := range []string{"auth/cached-for-nobody/updateCampaign", "auth/cached-for-stranger/listCreativeMediaFiles"} {
		found := 0
		for _, c := range runOn(t, faulty(t, id), selecting(path.Base(id)+"/")).Results {
			for _, f := range c.Findings {
				if f.Clause != "AUTH-3" {
					continue
				}
				found++
				if len(f.Requests) != 2 || !strings.Contains(f.Requests[0].Curl, "OWNER_KEY") || strings.Contains(f.Requests[1].Curl, "OWNER_KEY") {
					t.Errorf("%s: %+v", id, f.Requests)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no finding", id)
		}
	}
}

// A failure at an open point does not count as a choice.
func TestAFailureIsNoChoice(t *testing.T) {
	r := runOn(t, instead(bundled(t), ofCase("updateCampaign/open/letters-campaign"), answering(500, "")), selecting("/open/"))
	for _, o := range r.OpenPoints {
		if text := strings.Join(o.Observed, ", "); o.ID == "malformed-id" && (strings.Contains(text, "500") || text == "") {
			t.Errorf("observed: %s", text)
		}
	}
	for _, f := range r.Findings {
		if f.Check == "consistent" {
			t.Errorf("%s: %s", f.Pointer, f.Got)
		}
	}
}
