package reference

import "testing"

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

func TestDeleteMediaFile(t *testing.T) {
	s := newServer(t, nil)
	ask(s, "DELETE /creatives/203", "").is(t, 204)
	r := ask(s, "GET /creatives/200/media-files", "").is(t, 200)
	if got := ids(t, r); got != "201 202 204 205" {
		t.Errorf("got %s", got)
	}
	r.shows(t, "meta.pagination", `{"count":4,"totalCount":4,"page":1,"totalPages":1}`)
}

func TestDeleteContainer(t *testing.T) {
	s := newServer(t, nil)
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
