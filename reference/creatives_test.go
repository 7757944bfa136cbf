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
	ask(s, "GET /creatives/200/media-files", "x", "Content-Type", "text/plain").is(t, 200)
	r.shows(t, "data.1.latestScanStatus", "null").shows(t, "data.1.width", "null")
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

func TestDeleteCreative(t *testing.T) {
	s := newServer(t, nil)
	r := ask(s, "DELETE /creatives/230", "").is(t, 204)
	if r.body != "" || r.header.Get("Content-Type") != "" || r.header.Get("Content-Length") != "" {
		t.Errorf("a 204 with content: %+v", r)
	}
	for range 2 {
		ask(s, "DELETE /creatives/230", "").refuses(t, 404, "notFound null")
	}
	ask(s, "DELETE /creatives/210", "", "Content-Type", "text/plain").is(t, 204)
	ask(s, "DELETE /creatives/205", "{not JSON").is(t, 204)
	ask(s, "GET /creatives/200/media-files", "").shows(t, "meta.pagination.totalCount", "4")
}

func TestDeleteMediaFileAndContainer(t *testing.T) {
	s := newServer(t, nil)
	ask(s, "DELETE /creatives/203", "").is(t, 204)
	r := ask(s, "GET /creatives/200/media-files", "").is(t, 200)
	if got := ids(t, r); got != "201 202 204 205" {
		t.Errorf("got %s", got)
	}
	r.shows(t, "meta.pagination", `{"count":4,"totalCount":4,"page":1,"totalPages":1}`)

	ask(s, "DELETE /creatives/200", "").is(t, 204)
	ask(s, "GET /creatives/200/media-files", "").refuses(t, 404, "notFound null")
	ask(s, "DELETE /creatives/201", "").refuses(t, 404, "notFound null")
	ask(s, "GET /creatives/210/media-files", "").is(t, 200)
}

func TestRefusedDeleteDeletesNothing(t *testing.T) {
	s := newServer(t, nil)
	request(s, "DELETE /creatives/200", "").refuses(t, 401, "authenticationFailed null")
	request(s, "DELETE /creatives/200", "", "X-API-Key", strangerKey).refuses(t, 403, "forbidden null")
	ask(s, "DELETE /creatives/93", "").refuses(t, 403, "forbidden null")
	if got := ids(t, ask(s, "GET /creatives/200/media-files", "")); got != "201 202 203 204 205" {
		t.Errorf("got %s", got)
	}
	request(s, "DELETE /creatives/93", "", "X-API-Key", strangerKey).is(t, 204)
}
