package suites_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// recorded is an exchange in short: "PATCH /v2/campaigns/25 {…}" → 200 {…}.
type recorded struct {
	request string // method, target, body
	key     string
	status  int
	answer  string
}

const (
	campaign = `{"data":{"id":25,"name":%q,"createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z",` +
		`"type":"video","shareURL":"https://a.example/25","adspecId":1,"userId":2}}`
	refusal = `{"error":{"responseCode":%d,"issues":[{"type":"a","message":"b","relatedField":%q}]}}`
)

func shown(name string) string            { return fmt.Sprintf(campaign, name) }
func refused(status int, f string) string { return fmt.Sprintf(refusal, status, f) }

func creatives(page, pages, total int, ids ...int) string {
	var items []string
	for _, id := range ids {
		items = append(items, fmt.Sprintf(
			`{"id":%d,"campaignId":25,"name":"a","createdAt":"2024-01-01T00:00:00Z","updatedAt":"2024-01-01T00:00:00Z",`+
				`"parentId":200,"sourceType":"image","sourceTypeLabel":"Image","shareURL":"https://a.example/1",`+
				`"livePreviewURL":"https://a.example/2","previewAnimationURL":null,"width":1,"height":1,"userId":2,"nbVariations":0,`+
				`"nbMediaFiles":null,"latestScanStatus":null}`,
			id))
	}
	return fmt.Sprintf(`{"meta":{"pagination":{"count":%d,"totalCount":%d,"page":%d,"totalPages":%d}},"data":[%s]}`, len(ids),
		total, page, pages, strings.Join(items, ","))
}

func (r recorded) exchange() (method, target string, x wire.Recorded) {
	words := strings.SplitN(r.request, " ", 3)
	x = wire.Recorded{Method: words[0], Target: words[1], RequestHeader: http.Header{}, Start: time.Now(), Duration: time.Millisecond}
	if len(words) == 3 {
		x.HasRequestBody, x.RequestBody = true, []byte(words[2])
		x.RequestHeader.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		x.RequestHeader.Set("X-Api-Key", r.key)
	}
	x.Response = &wire.Response{Proto: "HTTP/1.1", Status: r.status, Header: http.Header{}, Body: []byte(r.answer)}
	if r.answer != "" {
		x.Response.Header.Set("Content-Type", "application/json")
	}
	return words[0], words[1], x
}

func judged(t *testing.T, keys bool, exchanges ...recorded) *report.Report {
	t.Helper()
	j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: "https://api.example/v2"}), keys)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range exchanges {
		method, target, x := r.exchange()
		j.End(j.Begin(method, target), x)
	}
	return j.Report()
}

// Each defect is found with its clause; the same traffic without it passes.
func TestJudgeFindsWhatTrafficShows(t *testing.T) {
	const key = "some-key-of-a-user"
	patch := func(name string, status int, answer string) recorded {
		return recorded{fmt.Sprintf("PATCH /v2/campaigns/25 {\"name\":%q}", name), key, status, answer}
	}
	list := func(query string, answer string) recorded {
		return recorded{"GET /v2/creatives/200/media-files" + query, key, 200, answer}
	}
	remove := func(status int, answer string) recorded {
		return recorded{"DELETE /v2/creatives/301", key, status, answer}
	}
	for name, c := range map[string]struct {
		good, bad []recorded
		clause    string
	}{
		"lost update": {[]recorded{patch("a", 200, shown("a"))}, []recorded{patch("a", 200, shown("b"))}, "CAMPAIGN-3"},
		"other object": {
			[]recorded{patch("a", 200, shown("a"))},
			[]recorded{patch("a", 200, strings.Replace(shown("a"), `"id":25`, `"id":26`, 1))},
			"CAMPAIGN-2",
		},
		"constant": {
			[]recorded{patch("a", 200, shown("a")), patch("b", 200, shown("b"))},
			[]recorded{patch("a", 200, shown("a")), patch("b", 200, strings.Replace(shown("b"), "2024-03-01", "2024-03-02", 1))},
			"CAMPAIGN-13",
		},
		"schema": {
			[]recorded{patch("a", 200, shown("a"))},
			[]recorded{patch("a", 200, strings.Replace(shown("a"), `"adspecId":1`, `"adspecId":"1"`, 1))},
			"CAMPAIGN-11",
		},
		"code unlike status": {[]recorded{patch("a", 403, refused(403, ""))}, []recorded{patch("a", 403, refused(404, ""))}, "ERR-7"},
		"undeclared status":  {[]recorded{patch("a", 404, refused(404, ""))}, []recorded{patch("a", 402, refused(402, ""))}, "ERR-12"},
		"crash":              {[]recorded{patch("a", 404, refused(404, ""))}, []recorded{patch("a", 500, "")}, "HTTP-1"},
		"wrong type taken": {
			[]recorded{{"PATCH /v2/campaigns/25 {\"name\":[1]}", key, 422, refused(422, "name")}},
			[]recorded{{"PATCH /v2/campaigns/25 {\"name\":[1]}", key, 200, shown("1")}},
			"ERR-4",
		},
		"wrong field named": {
			[]recorded{{"PATCH /v2/campaigns/25 {\"name\":[1]}", key, 422, refused(422, "data.name")}},
			[]recorded{{"PATCH /v2/campaigns/25 {\"name\":[1]}", key, 422, refused(422, "title")}},
			"ERR-10",
		},
		"not JSON taken": {
			[]recorded{{"PATCH /v2/campaigns/25 {\"na", key, 422, refused(422, "")}},
			[]recorded{{"PATCH /v2/campaigns/25 {\"na", key, 200, shown("a")}},
			"ERR-3",
		},
		"no key": {
			[]recorded{patch("a", 200, shown("a")), {"PATCH /v2/campaigns/25 {\"name\":\"a\"}", "", 401, refused(401, "")}},
			[]recorded{patch("a", 200, shown("a")), {"PATCH /v2/campaigns/25 {\"name\":\"a\"}", "", 200, shown("a")}},
			"AUTH-1",
		},
		"content on 204": {[]recorded{remove(204, "")}, []recorded{remove(204, "{}")}, "DELETE-2"},
		"deleted twice": {
			[]recorded{remove(204, ""), remove(404, refused(404, ""))},
			[]recorded{remove(204, ""), remove(204, "")},
			"DELETE-3",
		},
		"deleted and listed": {
			[]recorded{remove(204, ""), list("", creatives(1, 1, 1, 302))},
			[]recorded{remove(204, ""), list("", creatives(1, 1, 1, 301))},
			"DELETE-5",
		},
		"count": {
			[]recorded{list("", creatives(1, 1, 2, 1, 2))},
			[]recorded{list("", strings.Replace(creatives(1, 1, 2, 1, 2), `"count":2`, `"count":3`, 1))},
			"MEDIA-3",
		},
		"repeated on page 2": {
			[]recorded{list("", creatives(1, 2, 3, 1, 2)), list("?page=2", creatives(2, 2, 3, 3))},
			[]recorded{list("", creatives(1, 2, 3, 1, 2)), list("?page=2", creatives(2, 2, 3, 2))},
			"MEDIA-8",
		},
		"page number stays": {
			[]recorded{list("", creatives(1, 2, 3, 1, 2)), list("?page=2", creatives(1, 2, 3, 1, 2))},
			[]recorded{list("", creatives(1, 2, 4, 1, 2)), list("?page=2", creatives(1, 2, 4, 3, 4))},
			"MEDIA-5",
		},
		"creation moves": {
			[]recorded{list("", creatives(1, 1, 1, 1)), list("", creatives(1, 1, 1, 1))},
			[]recorded{list("", creatives(1, 1, 1, 1)), list("", strings.Replace(creatives(1, 1, 1, 1), "2024-01-01", "2024-01-02", 1))},
			"MEDIA-9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if r := judged(t, true, c.good...); r.Verdict != report.Conforming {
				t.Errorf("conforming traffic: %s: %+v", r.Reason, r.Findings)
			}
			r := judged(t, true, c.bad...)
			knowTheirChecks(t, r)
			if r.Verdict != report.Nonconforming ||
				!slices.ContainsFunc(r.Clauses, func(cl report.Clause) bool { return cl.ID == c.clause && cl.Status == report.Broken }) {
				t.Errorf("%s is not found: %s: %+v", c.clause, r.Reason, r.Findings)
			}
		})
	}
}

// What others may have done, or what a recording may lack, is no finding.
func TestJudgeLetsPassWhatOthersMayExplain(t *testing.T) {
	const key = "some-key-of-a-user"
	patch := func(body string, status int, answer string) recorded {
		return recorded{"PATCH /v2/campaigns/25 " + body, key, status, answer}
	}
	for name, exchanges := range map[string][]recorded{
		"an update by someone else between": {patch(`{"name":"a"}`, 200, shown("a")), patch(`{}`, 200, shown("of another"))},
		"a name with spaces, trimmed":       {patch(`{"name":" a "}`, 200, shown("a"))},
		"a member that the document lacks":  {patch(`{"name":"a","more":1}`, 422, refused(422, "more"))},
		"null for a field":                  {patch(`{"name":null}`, 422, refused(422, "name"))},
		"an empty body":                     {{"PATCH /v2/campaigns/25", key, 422, refused(422, "")}},
		"a refused key":                     {patch(`{"name":"a"}`, 401, refused(401, ""))},
		"nobody's object without a key":     {{"DELETE /v2/creatives/301", "", 404, refused(404, "")}},
		"a malformed id":                    {{"DELETE /v2/creatives/abc", key, 404, refused(404, "")}},
		"a list that changed": {
			{"GET /v2/creatives/200/media-files", key, 200, creatives(1, 1, 1, 1)},
			{"GET /v2/creatives/200/media-files", key, 200, creatives(1, 1, 2, 1, 2)},
		},
		"a walk of a list that changed": {
			{"GET /v2/creatives/200/media-files", key, 200, creatives(1, 2, 3, 1, 2)},
			{"GET /v2/creatives/200/media-files?page=2", key, 200, creatives(2, 2, 4, 2, 3)},
		},
	} {
		if r := judged(t, true, exchanges...); r.Verdict != report.Conforming {
			t.Errorf("%s: %s: %+v", name, r.Reason, r.Findings)
		}
	}
	// Why a request is refused may also be that nobody reads it.
	for name, exchanges := range map[string][]recorded{
		"a malformed id and a wrong type":        {{`PATCH /v2/campaigns/abc {"name":1}`, key, 400, refused(400, "")}},
		"a malformed id without a key":           {{"DELETE /v2/creatives/abc", "", 400, refused(400, "")}},
		"an id beyond all bounds, without a key": {{"DELETE /v2/creatives/4294967597", "", 400, refused(400, "")}},
		"a body on a second delete": {
			{"DELETE /v2/creatives/301", key, 204, ""},
			{"DELETE /v2/creatives/301 {}", key, 415, refused(415, "")},
		},
	} {
		if r := judged(t, true, exchanges...); r.Verdict != report.Conforming {
			t.Errorf("%s: %s: %+v", name, r.Reason, r.Findings)
		}
	}
	cleaned := recorded{`PATCH /v2/campaigns/25 {"name":"a"}`, "", 200, shown("a")}
	if r := judged(t, false, cleaned); r.Verdict != report.Conforming {
		t.Errorf("a recording without keys: %s: %+v", r.Reason, r.Findings)
	}
}

func TestJudgeOfRequestsThatOverlap(t *testing.T) {
	j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: "https://api.example/v2"}), true)
	if err != nil {
		t.Fatal(err)
	}
	one := recorded{`PATCH /v2/campaigns/25 {"name":"a"}`, "some-key-1", 200, shown("b")} // the other's name, which came in between
	two := recorded{`PATCH /v2/campaigns/25 {"name":"b"}`, "some-key-1", 200, shown("b")}
	_, target, x := one.exchange()
	_, _, y := two.exchange()
	first, second := j.Begin("PATCH", target), j.Begin("PATCH", target)
	j.End(second, y)
	j.End(first, x)
	// One that began before something else changed the target still overlaps.
	second = j.Begin("PATCH", target)
	j.Forget()
	first = j.Begin("PATCH", target)
	j.End(first, x)
	j.End(second, y)
	if r := j.Report(); r.Verdict != report.Conforming {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
	// Alone again, it is judged.
	j.End(j.Begin("PATCH", target), x)
	if r := j.Report(); r.Verdict != report.Nonconforming {
		t.Error("what does not overlap any more is not judged")
	}
}

func TestJudgeCountsWhatItDoesNotJudge(t *testing.T) {
	j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: "https://api.example/v2"}), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/v2/other", "/campaigns/25", "/v2/campaigns/25/x", "/v2/campaigns/"} {
		if f := j.Begin("PATCH", target); f != nil {
			t.Errorf("%s belongs to an operation", target)
		}
	}
	if f := j.Begin("GET", "/v2/campaigns/25"); f != nil {
		t.Error("GET of a campaign is one of the operations")
	}
	if judged, others := j.Counts(); judged != 0 || others != 5 {
		t.Errorf("%d judged, %d others", judged, others)
	}
	if r := j.Report(); r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive {
		t.Errorf("%s, %s", r.Verdict, r.Reason)
	}
}

// Ten thousand exchanges with a finding each leave one, counted.
func TestJudgeFoldsFindings(t *testing.T) {
	var all []recorded
	n := reftest.Of(10_000, 2_000)
	for range n {
		all = append(all, recorded{`PATCH /v2/campaigns/25 {"name":"a"}`, "some-key-1", 200, shown("b")})
	}
	r := judged(t, true, all...)
	if len(r.Findings) != 1 || r.Findings[0].Seen != n {
		t.Errorf("%d findings, the first seen %d times", len(r.Findings), r.Findings[0].Seen)
	}
}
