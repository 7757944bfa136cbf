package suites_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// Messages that once misled, each as a class: what a run on a seeded fault has to say, and
// what it must not.
func TestMessagesDoNotMislead(t *testing.T) {
	for _, m := range reftest.Few(5, []struct {
		fault, check string
		says, not    []string
		requests     int // that show it together
	}{
		{
			fault: "intermittent/no-body-03/updateCampaign", check: "expected-status",
			says: []string{"status 200 without a body"}, not: []string{"got status 200\n"},
		},
		{
			fault: "shown/type-other/updateCampaign", check: "stays",
			says: []string{", as the answer in updateCampaign/"}, not: []string{"as before"}, requests: 2,
		},
		{
			fault: "page/total-so-far", check: "list-total",
			says: []string{", as its first list showed them"}, not: []string{"the media files of pagedVastCreatives[0]\n"},
		},
		{
			fault: "delete/next-too", check: "refused-delete",
			says: []string{"by its delete that was refused with 403, or by that of", "no accepted delete named"}, requests: 3,
		},
		{
			fault: "delete/again-204", check: "delete-effect", requests: 2,
			says: []string{"a second delete is answered 204 where 404 was expected", "A delete by key often succeeds"},
			not:  []string{"is still there"},
		},
		{
			fault: "delete/again-422", check: "expected-status", requests: 2,
			says: []string{"a second delete is answered 422 where 404 was expected ("}, not: []string{"which was deleted was expected"},
		},
		{
			fault: "delete/without-effect", check: "delete-effect", requests: 2, // files of it are listed
			says: []string{"a second delete is answered 204"}, not: []string{"hint of the cause: A delete by key"},
		},
		{
			fault: "value/upper-case/updateCampaign/name", check: "stale", requests: 2,
			says: []string{"a text is kept in capitals", "neither as it was set nor as one fixed default"}, not: []string{"a cache or a replica"},
		},
		{
			fault: "effect/alone-ignored-hostname/updateConnectionProfileRuleHost", check: "stale", requests: 2,
			says: []string{"is not kept", "a cache or a replica"}, not: []string{"in the place of some"},
		},
		{
			fault: "shown/id-from-body/updateConnectionProfile", check: "identity",
			says: []string{"sent      id: "}, not: []string{"sent      createdAt"},
		},
		{
			fault: "intermittent/500-03/updateCampaign", check: "server-error",
			says: []string{"the server fails now and then with 500"}, not: []string{"any request"},
		},
		{
			fault: "crash/withCookiesAction-is-warn/updateConnectionProfile", check: "server-error", // each time
			says: []string{"some requests, ordinary ones too, make the server fail"}, not: []string{"any request", "now and then"},
		},
		{
			fault: "delete/200-representation", check: "expected-status",
			says: []string{"deleteCreative: an ordinary request is answered 200 (12 cases)"},
			not:  []string{"where 204", "(8 cases)", "(4 cases)", "A handler that returns nothing"},
		},
		{
			fault: "alive/listed-file-for-all", check: "expected-status",
			says: []string{"an existing object is answered 404"}, not: []string{"carried out all the same", "removed another"},
		},
		{
			fault: "path/first-id-ignored/updateConnectionProfileRuleHost", check: "not-refused",
			says: []string{"a wrong id is accepted at connectionProfileId: 13, 91, abc"},
			not:  []string{"(5 cases)", "hint of the cause: The id is often read as 64 bits"},
		},
		{
			fault: "effect/foreign-too/updateConnectionProfile", check: "other-object", requests: 2,
			says: []string{"an update shows on another object: name"}, not: []string{"is not kept", "the key of another user"},
		},
		{
			fault: "auth/owner-unknown/listCreativeMediaFiles", check: "expected-status",
			says: []string{"the owner's key is answered 401 (41 cases)"}, not: []string{"where an empty list, 404 or 422 was expected ("},
		},
		{
			fault: "crash/name-apostrophe/updateCampaign", check: "server-error", // of a text of ten oddities
			says: []string{"a text with an apostrophe makes the server fail with 500: name (1 case)"},
			not:  []string{"special characters makes the server fail with 500: name (1 case)"},
		},
	}) {
		t.Run(m.fault, func(t *testing.T) {
			t.Parallel()
			text, shown := "", 0
			r := runOnFault(t, m.fault)
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
			for _, want := range m.says {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
			for _, misleading := range m.not {
				if strings.Contains(text, misleading) {
					t.Errorf("%q stands in\n%s", misleading, text)
				}
			}
			if shown < m.requests {
				t.Errorf("%d requests show it together, not %d:\n%s", shown, m.requests, text)
			}
		})
	}
}

// Whoever is taken for another user comes after that one.
func TestAnotherUsersRequestComesFirst(t *testing.T) {
	for i, op := range []string{"updateCampaign", "updateConnectionProfileRuleHost", "listCreativeMediaFiles"} {
		for j, taken := range []string{"nobody", "stranger"} {
			if testing.Short() && i != 2*j { // another operation for each
				continue
			}
			r, found := runOnFault(t, "auth/cached-for-"+taken+"/"+op), 0
			for _, c := range r.Results {
				for i := range c.Findings {
					f := &c.Findings[i]
					if f.Clause != "AUTH-3" {
						continue
					}
					found++
					if len(f.Requests) != 2 || !strings.Contains(f.Requests[0].Curl, "OWNER_KEY") || strings.Contains(f.Requests[1].Curl, "OWNER_KEY") {
						t.Errorf("%s, %s: %+v", op, taken, f.Requests)
					}
				}
			}
			if found == 0 {
				t.Errorf("%s, %s: nothing is found", op, taken)
			}
		}
	}
}

// One cause in several fields and operations is one; keys never stand in what was sent.
func TestFindingsAreGroupedByCause(t *testing.T) {
	both := faulty(t, "validation/name-any-type-taken/updateConnectionProfile", "validation/name-any-type-taken/updateCampaign")
	of := func(class string) func(*suites.Config) {
		return func(c *suites.Config) {
			if testing.Short() {
				c.Select = func(cs *judge.Case) bool { return cs.Class == class }
			}
		}
	}
	r := runOn(t, both, of(judge.Class422))
	text := report.CauseLines(r)
	if !strings.Contains(text, "an array is accepted as a text: name (") || !strings.Contains(text, "of 2 operations)") ||
		strings.Count(text, "an array is accepted") != 1 || !strings.Contains(text, "an object is accepted as a text") {
		t.Error(text)
	}
	r = runOn(t, faulty(t, "auth/no-key/updateCampaign"), of(judge.Class401))
	for _, c := range r.Results {
		for _, f := range c.Findings {
			if f.Sent != nil && f.Sent.At == "key" && f.Sent.Value != "" {
				t.Errorf("a key is shown: %+v", f.Sent)
			}
		}
	}
}

// What must not be is no choice, however the target answers at an open point.
func TestAFailureIsNoChoice(t *testing.T) {
	r := runOn(t, altered(bundled(t), func(q *http.Request, answer *httptest.ResponseRecorder) {
		if q.Header.Get(wire.CaseHeader) == "updateCampaign/open/letters-campaign" {
			*answer = httptest.ResponseRecorder{Code: http.StatusInternalServerError, Body: new(bytes.Buffer)}
		}
	}))
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

// runOnFault is a run on the reference with seeded faults.
func runOnFault(t *testing.T, ids ...string) *report.Report {
	t.Helper()
	return runOn(t, faulty(t, ids...))
}

// faulty is the reference with seeded faults.
func faulty(t *testing.T, ids ...string) http.Handler {
	t.Helper()
	return reftest.With(t, fixtures.DefaultWorld(), ids...)
}

func runOn(t *testing.T, handler http.Handler, options ...func(*suites.Config)) *report.Report {
	t.Helper()
	c := suites.NewConfig(serve(t, handler))
	for _, o := range options {
		o(c)
	}
	return execute(t, c)
}

// A delete that succeeds whatever its id takes nobody for another user: its one cause is that
// ids are not looked at.
func TestADeleteOfAnythingIsNoMixUpOfUsers(t *testing.T) {
	r := runOn(t, altered(bundled(t), func(q *http.Request, answer *httptest.ResponseRecorder) {
		if q.Method == http.MethodDelete && answer.Code == http.StatusNotFound {
			answer.Code, answer.Body = http.StatusNoContent, new(bytes.Buffer)
			answer.Header().Del("Content-Type")
		}
	}))
	unknown := 0
	for _, c := range r.Results {
		for _, f := range c.Findings {
			if f.Sent != nil && f.Sent.What == "an unknown id" && f.Check == "not-refused" {
				if unknown++; f.Clause != "ERR-1" {
					t.Errorf("%s: %s for an unknown id", f.Case, f.Clause)
				}
			}
		}
	}
	titles := report.CauseLines(r)
	if unknown < 3 || strings.Count(titles, "a wrong id is accepted at creativeId") != 1 || strings.Contains(titles, "unknown id") {
		t.Errorf("%d unknown ids accepted:%s", unknown, titles)
	}
}

// What an update of the object itself set before is no trace of a refused request, and
// of no other object: the answer is stale. Nor is an update lost that the next look shows.
func TestAStaleAnswerIsToldAsOne(t *testing.T) {
	contract := reftest.Contract(t)
	world := fixtures.DefaultWorld()
	lax := func(c *reference.Choices) { c.ScalarCoercion, c.EmptyNames = reference.Accept, reference.Accept }
	for id, checks := range map[string][]string{
		"effect/old-representation/": {"shows-sent", "updated-at"},
		"effect/two-processes/":      {"stale", "shows-sent", "updated-at"},
	} {
		for _, op := range contract.Operations {
			if !op.Updates() || testing.Short() && op.ID != "updateCampaign" {
				continue
			}
			f, err := faults.ByID(contract, id+op.ID)
			if err != nil {
				t.Fatal(err)
			}
			r := runOn(t, f.Wrap(reftest.New(t, world, lax), faults.NewEnv(contract, world)))
			if len(violations(r)) == 0 {
				t.Error(f.ID, "is not found")
			}
			for _, v := range r.Findings {
				if v.Severity == oracle.Violation && !slices.Contains(checks, v.Check) {
					t.Errorf("%s: %s (%s) in %s: expected %s, got %s", f.ID, v.CauseWords, v.Clause, v.Case, v.Expected, v.Got)
				}
			}
		}
	}
}

// What is dropped as the operator's mistake does not come back with the cases
// that are run again for what else they found.
func TestADroppedDoubtStaysDroppedWhenACaseIsRepeated(t *testing.T) {
	target := serve(t, altered(bundled(t), func(r *http.Request, answer *httptest.ResponseRecorder) {
		if r.Header.Get(wire.CaseHeader) == "updateCampaign/state/two-at-once" {
			answer.Body = bytes.NewBuffer(bytes.Replace(answer.Body.Bytes(), []byte(`"adspecId"`), []byte(`"adspec"`), 1))
		}
	}))
	// With its values known, so that it may be written to.
	target.Objects["otherCampaign"] = []fixtures.Object{{ID: 2500, Values: map[string]any{"name": "Not there"}}}
	r := execute(t, suites.NewConfig(target))
	if r.Verdict != report.Nonconforming {
		t.Fatalf("%s: %s", r.Verdict, r.Reason)
	}
	for _, f := range r.Findings {
		if f.Clause == "EFFECT-3" {
			t.Errorf("%s in %s: expected %s, got %s", f.Clause, f.Case, f.Expected, f.Got)
		}
	}
}
