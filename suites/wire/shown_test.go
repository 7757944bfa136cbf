package wire

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	body := ownerKey + strings.Repeat("x", 100)
	c := newClient(t, Options{BaseURL: answering(t, "HTTP/1.1 200 OK\r\nX-Echo: "+ownerKey+"\r\n\r\n"+body)})
	r := Request{Method: http.MethodPatch, Path: "/x", HasBody: true, Body: []byte(`{"name":"` + ownerKey + `"}`), Credential: owner}
	ex := c.Do(t.Context(), "a/b/c", r)
	status(t, ex, 200)

	whole := ex.Shown(1000)
	if got := whole.RequestHeader; got[c.opt.KeyHeader][0] != "$ADCONFORM_OWNER_KEY" || got.Get(CaseHeader) != "a/b/c" ||
		got.Get("Content-Type") != "application/json" {
		t.Errorf("request header %v", got)
	}
	if got := string(whole.RequestBody.Bytes); got != `{"name":"$ADCONFORM_OWNER_KEY"}` || whole.RequestBody.Cut {
		t.Errorf("request body %s, cut %t", got, whole.RequestBody.Cut)
	}
	if got := whole.Answer; string(got.Bytes) != strings.ReplaceAll(body, ownerKey, "$ADCONFORM_OWNER_KEY") || got.Cut ||
		got.Size != len(body) {
		t.Errorf("answer %s (%d bytes), cut %t", got.Bytes, got.Size, got.Cut)
	}
	if got := whole.Response.Header.Get("X-Echo"); got != "$ADCONFORM_OWNER_KEY" {
		t.Errorf("response header %q", got)
	}
	for limit := range 120 { // wherever it is cut, no part of the key is left
		shown := ex.Shown(limit)
		if !shown.Answer.Cut || len(shown.Answer.Bytes) > limit || shown.Answer.Size != len(body) {
			t.Fatalf("limit %d: %+v", limit, shown.Answer)
		}
		if text := fmt.Sprintf("%s %s", shown.Answer.Bytes, shown.RequestBody.Bytes); strings.Contains(text, ownerKey[:5]) {
			t.Fatalf("limit %d: %s", limit, text)
		}
	}
	made := r
	made.Credential = Credential{Name: "unknown", Value: "made-up", Send: true, Public: true}
	if got := c.Do(t.Context(), "c", made).Shown(10).RequestHeader[c.opt.KeyHeader][0]; got != "made-up" {
		t.Errorf("a made-up key shows as %q", got)
	}
}
