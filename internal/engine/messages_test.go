package engine_test

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/traffic"
	"github.com/adconform/adconform/spec"
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
		{
			"page/total-so-far", "list-total", 2,
			all{"totalCount 3, as page 1 shows", "200, totalCount 3", "200, totalCount -100"},
			all{"the media files of pagedVastCreatives[0]\n"},
		},
		{
			"delete/next-too", "delete-other", 2,
			all{"a delete removed another creative, too: 302", "got       []"},
			all{"no accepted delete named", "does not follow"},
		},
		{
			"refused/delete-404-unknown", "refused-delete", 3,
			all{"a delete that is refused, as with 404, removes nothing", "or by that of", "no accepted delete named it: 308"},
			nil,
		},
		{
			"delete/parent-gone", "delete-other", 2,
			all{"a delete removed another creative, too: 240, 250 (4 cases)"},
			all{"an existing object is answered 404"},
		},
		{
			"page/overlap", "list-walk", 2,
			all{
				"the pages together show items twice: item 1100 on pages 1 and 2 (4 cases)",
				"252 items on all pages together, 2 of them again, where totalCount is 250", "Without ORDER BY",
			},
			all{"totalPages does not fit", "got       252 items"},
		},
		{"list/twice-for-another", "page-unique", 0, all{"an item appears twice on a page"}, all{"have items twice", "does not follow"}},
		{
			"refused/delete-404-trailing-letters", "refused-delete", 4,
			all{"as with 403, 401 and 404", "/creatives/301abc"},
			all{"accepted"},
		},
		{
			"effect/first-copy-shown/updateConnectionProfileRuleHost", "stale", 2,
			all{"an update was answered with success, but not kept", "a cache or replica"},
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
			all{"a text comes back in other letter case", "neither its last value nor one fixed default"},
			all{"a cache or a replica"},
		},
		{"shown/id-from-body/updateConnectionProfile", "identity", 0, all{"sent      id: "}, all{"sent      createdAt"}},
		{"intermittent/500-03/updateCampaign", "server-error", 0, all{"the server fails intermittently with 500"}, all{"any request"}},
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
			"page/offset-by-one", "list-walk", 3,
			all{"a list lacks items that it counts (4 cases)", "got       249 items", "49 items of totalCount 250"},
			all{"totalPages does not fit totalCount and the items of a page: totalPages"},
		},
		{
			"path/first-id-ignored/updateConnectionProfileRuleHost", "not-refused", 0,
			all{
				"a wrong id is accepted at connectionProfileId: an unknown id, an id under the wrong parent and 3 more",
				"13, an id under the wrong parent", "91, the id of another user's object", "abc, a malformed id",
			},
			all{"(5 cases)", "hint of the cause: The id is often read as 64 bits"},
		},
		{
			"effect/foreign-too/updateConnectionProfile", "other-object", 2,
			all{"an update changed another object: name"},
			all{"is not kept", "the key of another user"},
		},
		{
			"crash/name-apostrophe/updateCampaign", "server-error", 0, // in a text with ten oddities
			all{"a text with an apostrophe makes the server fail with 500: name (2 cases)"},
			all{
				"special characters makes the server fail with 500: name (1 case)",
				"SQL makes the server fail with 500: name (1 case)", "kind makes the server fail with 500: name (1 case)",
			},
		},
	}) {
		t.Run(m.fault, func(t *testing.T) {
			t.Parallel()
			cases := "Creative" // matches the deletes and the lists
			if _, operation, ok := strings.Cut(m.fault, "/update"); ok {
				operation, _, _ = strings.Cut(operation, "/")
				cases = "update" + operation + "/"
			}
			text, shown := messagesOf(runOn(t, faulty(t, m.fault), selecting(cases)), m.check)
			missing := slices.DeleteFunc(m.says, func(s string) bool { return strings.Contains(text, s) })
			misleading := slices.DeleteFunc(m.not, func(s string) bool { return !strings.Contains(text, s) })
			if len(missing) > 0 || len(misleading) > 0 || shown < m.requests {
				t.Errorf("missing %q, misleading %q, %d requests show it together, not %d:\n%s", missing, misleading, shown, m.requests, text)
			}
		})
	}
}

// messagesOf returns what a run says of its findings and of the sightings of a check, and how many requests show one of
// them together.
func messagesOf(r *report.Report, check string) (text string, shown int) {
	for _, f := range render.NewView(r).Findings {
		text += f.Title + "\n"
		if f.Hint != "" {
			text += "  hint of the cause: " + f.Hint + "\n"
		}
	}
	for _, c := range r.Results {
		for _, f := range c.Findings {
			if f.Check == check {
				text += render.Describe(&f)
				shown = max(shown, len(f.Requests))
			}
		}
	}
	return text, shown
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

// Random sequences find failures of requests that no case sends, and shrink them to the request that triggers
// the failure, with the simplest such value. Then they go on. A replay of the report finds the same failures.
func TestSequencesFindWhatNobodyListed(t *testing.T) {
	for _, row := range reftest.Few(1, []struct {
		name  string
		serve func(http.Handler) http.Handler
		shows string // in a finding
	}{
		{"texts", failingAtTexts, "31 characters"},
		{"a refused request that is made, two operations away", drifting, "?"},
	}) {
		t.Run(row.name, func(t *testing.T) {
			c := engine.NewConfig(serve(t, row.serve(bundled(t))))
			c.Depth, c.Select = judge.Deep, func(cs *judge.Case) bool {
				return cs.Class == judge.ClassRandom && (row.name != "texts" || cs.Operation.ID == "updateCampaign")
			}
			r := execute(t, c)
			if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return strings.Contains(f.Title+f.Expected+f.Got, row.shows) }) {
				t.Errorf("no finding says %q, but %q", row.shows, violations(r))
			}
			isReplayed(t, c, r)
		})
	}
}

// failingAtTexts fails at a long text that ends with a character beyond 16 bits.
func failingAtTexts(h http.Handler) http.Handler {
	return instead(h, func(r *http.Request) bool {
		var body struct{ Name string }
		_ = json.Unmarshal([]byte(bodyOf(r)), &body)
		return strings.HasSuffix(body.Name, "😀") && utf8.RuneCountInString(body.Name) > 20
	}, answering(500, errorBody(500)))
}

// drifting changes the first text that is set after a delete.
func drifting(h http.Handler) http.Handler {
	var drift atomic.Bool
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			drift.Store(true)
		}
		if text := bodyOf(r); drift.Load() && strings.Contains(r.URL.Path, "/campaigns/") && strings.Contains(text, `"}`) {
			drift.Store(false)
			r.Body = io.NopCloser(strings.NewReader(strings.Replace(text, `"}`, `?"}`, 1)))
			r.ContentLength = -1
		}
		h.ServeHTTP(w, r)
	})
}

// isReplayed fails a test unless the failed cases of a run fail again, and one of another version is not replayed.
func isReplayed(t *testing.T, c *engine.Config, r *report.Report) {
	const old = "updateCampaign/401/of-another-version"
	want := map[string]engine.ReplayStatus{old: engine.NotReplayed}
	r.Results = append(r.Results, report.Case{ID: old})
	for _, cs := range r.Results {
		if cs.Status == judge.Failed {
			want[cs.ID] = engine.Failing
		}
	}
	again, err := engine.Replay(t.Context(), c, r, slices.Collect(maps.Keys(want)))
	noError(t, err)
	for _, a := range again.Cases {
		if a.Status != want[a.Case] {
			t.Errorf("a replay of %s: %s %s", a.Case, a.Status, a.Reason)
		}
	}
}

// Servers with a limit of a megabyte answer 413 and close at once, as RFC 9110, 15.5.14
// allows, and the reset often overtakes the answer. That is neither a finding nor a pass.
func TestAConnectionThatEndsDuringALargeBodyIsNoFinding(t *testing.T) {
	t.Parallel()
	reset := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.(*net.TCPConn).SetLinger(0) // the close is a reset
		conn.Close()
	}
	for limit, allowed := range map[int64]bool{1 << 20: true, 3 << 10: false} {
		r := runOn(t, instead(bundled(t), func(r *http.Request) bool { return r.ContentLength > limit }, reset), func(c *engine.Config) {
			c.Select = func(cs *judge.Case) bool {
				return strings.HasSuffix(cs.ID, "/open/megabyte-body") || strings.HasSuffix(cs.ID, "/text/name-length-5000")
			}
		})
		if found := r.Lost > 0 || len(r.Findings) > 0; found == allowed {
			t.Errorf("%d bytes: %s, %d lost, %d findings", limit, r.Verdict, r.Lost, len(r.Findings))
		}
		for i := range r.Results {
			if cs := &r.Results[i]; strings.HasSuffix(cs.ID, "megabyte-body") && cs.Status != judge.NotTested {
				t.Errorf("%d bytes: %s %s", limit, cs.ID, cs.Status)
			}
		}
	}
}

// A oneParser keeps the keys of all connections in one place: the last one counts for the request that ends
// next. It answers 500 to a request line that it cannot read, which net/http would refuse before any handler.
type oneParser struct {
	http.Handler
	mu  sync.Mutex
	key string
}

func (p *oneParser) connection(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	var head strings.Builder
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = in.ReadString('\n'); err != nil {
			return
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, fixtures.DefaultKeyHeader) {
			p.mu.Lock()
			p.key = strings.TrimSpace(value)
			p.mu.Unlock()
			continue
		}
		head.WriteString(line)
	}
	r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head.String()), in)))
	if err != nil {
		_, _ = io.WriteString(conn, "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Header.Set(fixtures.DefaultKeyHeader, p.key)
	answer := httptest.NewRecorder()
	p.ServeHTTP(answer, r)
	response := answer.Result()
	response.Close = true
	response.ContentLength = int64(answer.Body.Len())
	_ = response.Write(conn)
}

// Requests for a list and deletes have their head sent in halves. A path that cannot be decoded makes every operation
// fail.
func TestRequestsThatOneParserReads(t *testing.T) {
	for cases, want := range map[string]struct {
		clause     string
		operations []string
		workers    int
	}{
		"listCreativeMediaFiles/state/users-at-once": {"AUTH-3", []string{"listCreativeMediaFiles"}, 0},
		"deleteCreative/state/users-at-once":         {"AUTH-3", []string{"deleteCreative"}, 0},
		"/undecodable-path": {"HTTP-1", []string{
			"deleteCreative", "listCreativeMediaFiles", "updateCampaign", "updateConnectionProfile", "updateConnectionProfileRuleHost",
		}, 1},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		noError(t, err)
		t.Cleanup(func() { listener.Close() })
		p := &oneParser{Handler: bundled(t)}
		go func() {
			for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
				go p.connection(conn)
			}
		}()
		c := engine.NewConfig(fixtures.DefaultWorld().Target("http://" + listener.Addr().String() + basePath))
		c.Target.Limits.Concurrency = want.workers
		selecting(cases)(c)
		var broken []string
		for _, f := range execute(t, c).Findings {
			if f.Clause != want.clause {
				t.Errorf("%s in %s: expected %s, got %s", f.Clause, f.Case, f.Expected, f.Got)
			}
			broken = append(broken, f.Operations...)
		}
		slices.Sort(broken)
		if broken = slices.Compact(broken); !slices.Equal(broken, want.operations) {
			t.Errorf("%s: found in %v, want %v", cases, broken, want.operations)
		}
	}
}

// A basis or a check that does not exist is an error before anything is sent.
func TestAConfigurationNamesOnlyWhatExists(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.har")
	noError(t, os.WriteFile(archive, []byte(`{"log": {"entries": []}}`), 0o600))
	recorded, err := traffic.Open(archive, spec.Load())
	noError(t, err)
	for want, change := range map[string]func(*engine.Config){
		`there is no basis "sated"`:      func(c *engine.Config) { c.Bases = []spec.Basis{spec.Stated, "sated"} },
		`there is no check "not-refust"`: func(c *engine.Config) { c.Disabled = []string{"not-refust"} },
	} {
		c := engine.NewConfig(fixtures.DefaultWorld().Target("http://127.0.0.1:1"))
		change(c)
		_, executed := engine.Execute(t.Context(), c)
		_, inTree := engine.RunGinkgo(t.Context(), c)
		_, looked := engine.Preflight(t.Context(), c)
		_, checked := engine.Check(c, recorded)
		for name, err := range map[string]error{"Execute": executed, "RunGinkgo": inTree, "Preflight": looked, "Check": checked} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}
