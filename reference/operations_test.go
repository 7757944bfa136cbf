package reference

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

const hostPath = "PATCH /connection-profiles/12/rules/34/hosts/56"

// TestUpdates shows the whole new representation, and that another object stays.
func TestUpdates(t *testing.T) {
	s := newServer(t, nil)
	s.now = func() time.Time { return created.Add(48 * time.Hour) }
	for _, u := range []struct{ request, body, want, other, name string }{
		{
			"PATCH /campaigns/25", `{"name":"Summer"}`,
			`{"data":{"id":25,"name":"Summer","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-03T09:00:00Z",` +
				`"type":"video","shareURL":"https://example.com/c","adspecId":3,"userId":1}}`,
			"PATCH /campaigns/26", `"Campaign 26"`,
		},
		{
			hostPath, `{"hostname":"a.example.org","regularExpression":"^/x/<b>"}`,
			`{"data":{"id":56,"hostname":"a.example.org","regularExpression":"^/x/<b>","createdAt":"2024-03-01T09:00:00Z",` +
				`"updatedAt":"2024-03-03T09:00:00Z"}}`,
			"PATCH /connection-profiles/12/rules/34/hosts/58", `"h58.example.com"`,
		},
		{
			"PATCH /connection-profiles/12", `{"name":"EU","withoutCookiesAction":"fail","withCookiesAction":"pass"}`,
			`{"data":{"id":12,"name":"EU","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-03T09:00:00Z",` +
				`"withoutCookiesAction":"fail","withCookiesAction":"pass"}}`,
			"PATCH /connection-profiles/13", `"Profile 13"`,
		},
	} {
		if r := ask(s, u.request, u.body).is(t, 200); r.body != u.want {
			t.Errorf("expected %s, got %s", u.want, r.body)
		}
		if r := ask(s, u.other, `{}`).is(t, 200); r.at("data.name") != u.name && r.at("data.hostname") != u.name {
			t.Errorf("expected %s, got %s", u.name, r.body)
		}
	}
}

func TestHostnames(t *testing.T) {
	long := "a"
	for len(long) < 253 {
		long += ".a"
	}
	label63 := "a23456789012345678901234567890123456789012345678901234567890123"
	for name, want := range map[string]bool{
		"cdn.example.com": true, "CDN.Example.COM": true, "example.com.": true, "localhost": true, "xn--bcher-kva.example": true,
		"3com.com": true, "a-b.example": true, label63 + ".example": true, long: true,
		"": false, ".": false, "a..b": false, "-a.example": false, "a-.example": false, "a_b.example": false, "a b.example": false,
		"192.0.2.1": false, "1.2.3": false, "::1": false, "[::1]": false, "example.com:80": false, "https://example.com": false,
		"*.example.com": false, "bücher.example": false, label63 + "4.example": false, long + "b": false, "example.com..": false,
	} {
		if got := isHostname(name); got != want {
			t.Errorf("%q: expected %t, got %t", name, want, got)
		}
	}
}

// TestUpdatedAtFollowsChanges: a request that changes nothing leaves it, and it
// never runs backwards.
func TestUpdatedAtFollowsChanges(t *testing.T) {
	now := created.Add(2 * time.Hour)
	s := newServer(t, nil)
	s.now = func() time.Time { return now }
	for _, step := range []struct {
		clock      time.Duration
		body, want string
	}{
		{2 * time.Hour, `{}`, `"2024-03-01T10:00:00Z"`},
		{2 * time.Hour, `{"name":"Campaign 25"}`, `"2024-03-01T10:00:00Z"`},
		{2 * time.Hour, `{"name":"A"}`, `"2024-03-01T11:00:00Z"`},
		{3 * time.Hour, `{"name":"A","type":"display"}`, `"2024-03-01T11:00:00Z"`},
		{-time.Hour, `{"name":"B"}`, `"2024-03-01T11:00:00Z"`},
		{4 * time.Hour, `{"name":"C"}`, `"2024-03-01T13:00:00Z"`},
	} {
		now = created.Add(step.clock)
		ask(s, "PATCH /campaigns/25", step.body).is(t, 200).shows(t, "data.updatedAt", step.want).shows(t, "data.type", `"video"`)
	}
}

// ids are those of the items of a list, in their order.
func ids(t *testing.T, r reply) string {
	t.Helper()
	var list struct {
		Data []struct {
			ID int64 `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(r.body), &list); err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(list.Data))
	for i, item := range list.Data {
		all[i] = strconv.FormatInt(item.ID, 10)
	}
	return strings.Join(all, " ")
}

func TestListMediaFiles(t *testing.T) {
	s := newServer(t, nil)
	r := ask(s, "GET /creatives/200/media-files", "").is(t, 200)
	r.shows(t, "meta.pagination", pagination(5, 5, 1, 1))
	const first = `{"id":201,"campaignId":25,"name":"Creative 201","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-01T09:00:00Z",` +
		`"parentId":200,"sourceType":"vast-child-video","sourceTypeLabel":"Label","shareURL":"https://example.com/s",` +
		`"livePreviewURL":"https://example.com/p",` +
		`"previewAnimationURL":"https://example.com/a.gif","width":640,"height":null,"userId":1,"nbVariations":null,` +
		`"latestScanStatus":{"id":9,"createdAt":"2024-03-01T09:00:00Z","updatedAt":null,"finishedAt":"2024-03-01T09:01:00Z",` +
		`"sequenceType":"full","nbIssues":2,"processingStatus":"finished"}}`
	r.shows(t, "data.0", first)
	ask(s, "GET /creatives/200/media-files", "x", "Content-Type", "text/plain").is(t, 200)
	r.shows(t, "data.1.latestScanStatus", "null").shows(t, "data.1.width", "null")
}

func TestPages(t *testing.T) {
	s := newServer(t, func(c *Choices) { c.PageSize = 2 })
	for query, want := range map[string]struct{ ids, pagination string }{
		"":                          {"201 202", pagination(2, 5, 1, 3)},
		"?page=1":                   {"201 202", pagination(2, 5, 1, 3)},
		"?page=2":                   {"203 204", pagination(2, 5, 2, 3)},
		"?page=3":                   {"205", pagination(1, 5, 3, 3)},
		"?page=4":                   {"", pagination(0, 5, 4, 3)},
		"?page=9223372036854775807": {"", pagination(0, 5, math.MaxInt64, 3)},
		"?limit=1&other":            {"201 202", pagination(2, 5, 1, 3)},
	} {
		r := ask(s, "GET /creatives/200/media-files"+query, "").is(t, 200)
		if got := ids(t, r); got != want.ids {
			t.Errorf("%s: expected %s, got %s", query, want.ids, got)
		}
		r.shows(t, "meta.pagination", want.pagination)
	}
	for _, page := range []string{"", "0", "-1", "x", "1.0", "+1", "01", "9223372036854775808"} {
		ask(s, "GET /creatives/200/media-files?page="+strings.ReplaceAll(page, "+", "%2B"), "").refuses(t, 422, "invalidParameter page")
	}
}
