package reference

import (
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

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
	r.shows(t, "meta.pagination", `{"count":5,"totalCount":5,"page":1,"totalPages":1}`)
	const first = `{"id":201,"campaignId":25,"name":"Creative 201","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-01T09:00:00Z",` +
		`"parentId":200,"sourceType":"vast-child-video","sourceTypeLabel":"Label","shareURL":"https://example.com/s",` +
		`"livePreviewURL":"https://example.com/p",` +
		`"previewAnimationURL":"https://example.com/a.gif","width":640,"height":null,"userId":1,"nbVariations":null,` +
		`"latestScanStatus":{"id":9,"createdAt":"2024-03-01T09:00:00Z","updatedAt":null,"finishedAt":"2024-03-01T09:01:00Z",` +
		`"sequenceType":"full","nbIssues":2,"processingStatus":"finished"}}`
	r.shows(t, "data.0", first)
	r.shows(t, "data.1.latestScanStatus", "null").shows(t, "data.1.width", "null")
}

func TestListOfEmptyVAST(t *testing.T) {
	s := newServer(t, nil)
	const want = `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1}},"data":[]}`
	if r := ask(s, "GET /creatives/210/media-files", "").is(t, 200); r.body != want {
		t.Errorf("expected %s, got %s", want, r.body)
	}
}

func TestPages(t *testing.T) {
	s := newServer(t, func(c *Choices) { c.PageSize = 2 })
	for query, want := range map[string]struct{ ids, pagination string }{
		"":                          {"201 202", `{"count":2,"totalCount":5,"page":1,"totalPages":3}`},
		"?page=1":                   {"201 202", `{"count":2,"totalCount":5,"page":1,"totalPages":3}`},
		"?page=2":                   {"203 204", `{"count":2,"totalCount":5,"page":2,"totalPages":3}`},
		"?page=3":                   {"205", `{"count":1,"totalCount":5,"page":3,"totalPages":3}`},
		"?page=4":                   {"", `{"count":0,"totalCount":5,"page":4,"totalPages":3}`},
		"?page=9223372036854775807": {"", `{"count":0,"totalCount":5,"page":9223372036854775807,"totalPages":3}`},
		"?limit=1&other":            {"201 202", `{"count":2,"totalCount":5,"page":1,"totalPages":3}`},
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

func TestListIgnoresBody(t *testing.T) {
	s := newServer(t, nil)
	ask(s, "GET /creatives/200/media-files", "x", "Content-Type", "text/plain").is(t, 200)
}
