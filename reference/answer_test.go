package reference

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestUnknownMethodsGet405(t *testing.T) {
	s := newServer(t, nil)
	for request, allow := range map[string]string{
		"GET /campaigns/25":                              "PATCH",
		"PUT /connection-profiles/12":                    "PATCH",
		"POST " + strings.TrimPrefix(hostPath, "PATCH "): "PATCH",
		"GET /creatives/230":                             "DELETE",
		"DELETE /creatives/200/media-files":              "GET, HEAD",
		"TRACE /campaigns/25":                            "PATCH",
	} {
		r := ask(s, request, "")
		r.refuses(t, 405, "methodNotAllowed null")
		if got := r.header.Get("Allow"); got != allow {
			t.Errorf("%s: Allow %q, want %q", request, got, allow)
		}
	}
}

func TestPanicGets500(t *testing.T) {
	var log bytes.Buffer
	s := newServerWith(t, Options{World: testWorld(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	s.mux.Handle("GET /v2/panic", endpoint{s, func(*http.Request, int64) (*answer, error) {
		return nil, s.store.transaction(func(*tx) error { panic("the cause") })
	}})
	s.mux.Handle("GET /v2/abort", endpoint{s, func(*http.Request, int64) (*answer, error) { panic(http.ErrAbortHandler) }})
	s.mux.Handle("GET /v2/failure", endpoint{s, func(*http.Request, int64) (*answer, error) { return nil, errors.New("secret cause") }})

	ask(s, "GET /panic", "").refuses(t, 500, "internalError null")
	if !strings.Contains(log.String(), "the cause") {
		t.Errorf("log: %s", log.String())
	}
	if r := ask(s, "GET /failure", ""); r.status != 500 || strings.Contains(r.body, "secret") ||
		!strings.Contains(log.String(), "secret cause") {
		t.Errorf("got %d %s, log %s", r.status, r.body, log.String())
	}
	ask(s, "PATCH /campaigns/25", `{"name":"still there"}`).is(t, 200) // the lock was given back

	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("net/http does not learn of the abort")
		}
	}()
	ask(s, "GET /abort", "")
}
