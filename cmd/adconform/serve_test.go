package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
)

// A reset makes faults forget what they remember, because it wraps the server in them anew.
func TestAResetForgetsWhatFaultsRemember(t *testing.T) {
	world := fixtures.DefaultWorld()
	server, err := reference.New(reference.Options{World: world})
	noError(t, err)
	defer server.Close()
	wrapped := 0
	o := &serveOptions{control: true}
	handler := o.inFront(server, world, variation{{Wrap: func(http.Handler, faults.Env) http.Handler {
		wrapped++
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, wrapped) })
	}}})
	for _, want := range []struct{ request, body string }{{"GET /v2/x", "1"}, {"POST " + reference.ResetPath, ""}, {"GET /v2/x", "2"}} {
		method, path, _ := strings.Cut(want.request, " ")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Body.String() != want.body {
			t.Errorf("%s: %q, want %q", want.request, w.Body, want.body)
		}
	}
}
