package reference

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wellAnswered checks what holds for the answer to anything that can be sent:
// one of these statuses, and the error shape with the status in it.
func wellAnswered(t *testing.T, w *httptest.ResponseRecorder, statuses ...int) {
	t.Helper()
	got := reply{w.Code, w.Header(), w.Body.String()}
	if !slices.Contains(statuses, got.status) {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	if got.status == http.StatusNoContent {
		return
	}
	if media := got.header.Get("Content-Type"); media != "application/json" {
		t.Errorf("%d with Content-Type %q", got.status, media)
	}
	if got.status >= 300 && (got.at("error.responseCode") != strconv.Itoa(got.status) || got.at("error.issues.0.type") == "absent") {
		t.Errorf("%d without the error shape: %s", got.status, got.body)
	}
}

// FuzzBody sends any body to the three updates.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"name":"x","withoutCookiesAction":"pass","withCookiesAction":"warn"}`, `{"hostname":"a.example","regularExpression":"^/"}`,
		`{"hostname":"a.example","regularExpression":null}`, ``, `{}`, `[]`, `null`, `{"name":`, `{"name":"x"} {}`, `{"name":"x","name":"y"}`,
		`{"name":"\ud800"}`, "{\"name\":\"\xff\"}", `{"name":"\u0000"}`, `{"name":1e999}`, `{"regularExpression":"(((((((((("}`,
		`{"regularExpression":"(x{1000}){1000}"}`, strings.Repeat("[", 20000), "\ufeff{}", `{"hostname":"-.example"}`,
	} {
		f.Add(body, "application/json", uint8(0))
	}
	f.Add(`{}`, "text/plain", uint8(1))
	f.Add(`{}`, "application/json; charset=\"", uint8(2))
	s := newServer(f, nil)
	paths := []string{"/v2/campaigns/25", "/v2/connection-profiles/12", "/v2/connection-profiles/12/rules/34/hosts/56"}
	f.Fuzz(func(t *testing.T, body, mediaType string, path uint8) {
		r := httptest.NewRequest("PATCH", paths[int(path)%len(paths)], strings.NewReader(body))
		r.Header.Set("X-API-Key", ownerKey)
		r.Header.Set("Content-Type", mediaType)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		wellAnswered(t, w, 200, 413, 415, 422)
	})
}

// FuzzRoute sends any request line, as net/http reads it.
func FuzzRoute(f *testing.F) {
	for _, line := range []string{
		"PATCH /v2/campaigns/25", "GET /v2/creatives/200/media-files?page=2", "DELETE /v2/creatives/999", "HEAD /v2/creatives/200/media-files",
		"OPTIONS *", "CONNECT x:1", "GET http://x/v2/campaigns/25", "PATCH //v2/campaigns/25", "PATCH /v2/../v2/campaigns/25",
		"PATCH /v2/%2e%2e/x",
		"PATCH /v2/campaigns%2F25", "PATCH /v2/campaigns/25/", "PATCH /V2/campaigns/25", "GET /v2/creatives/200/media-files?page=%zz&page=1;x",
		"BREW /v2/campaigns/18446744073709551616", "GET /v2/campaigns/{campaignId}", "GET ?", "PATCH /v2/campaigns/\x00",
	} {
		f.Add(line, "X-API-Key: "+ownerKey)
	}
	f.Add("PATCH /v2/campaigns/25", "X-API-Key: ")
	s := newServer(f, nil)
	f.Fuzz(func(t *testing.T, line, header string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\n\r\n")))
		if err != nil {
			t.Skip("no request: net/http answers itself")
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		wellAnswered(t, w, 200, 204, 400, 401, 403, 404, 405, 413, 415, 422)
	})
}
