package faults

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

// server is the reference behind a wrap, for a world of its own.
func server(t *testing.T, f Server) *httptest.Server {
	t.Helper()
	world := fixtures.DefaultWorld()
	ref, err := reference.New(reference.Options{World: world, Choices: Choices(f)})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(Env{contract(t), world}.Around(ref, f))
	t.Cleanup(func() { s.Close(); ref.Close() })
	return s
}

// ask sends a request as a user: 0 the owner, 1 the stranger, -1 nobody.
func ask(t *testing.T, s *httptest.Server, user int, method, path, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+"/v2"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if user >= 0 {
		req.Header.Set("X-API-Key", fixtures.DefaultWorld().Users[user].Key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(data)
}

func faultByID(t *testing.T, id string) Server {
	t.Helper()
	f, err := ByID(All(contract(t)), id)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What a fault does at the wire, by a request that shows it.
func TestFaultsAtTheWire(t *testing.T) {
	const rename = `{"name":"New name"}`
	for _, tc := range []struct {
		id           string
		user         int
		method, path string
		body         string
		status       int
		holds, lacks string
	}{
		{"updateCampaign/success/data.createdAt-renamed", 0, "PATCH", "/campaigns/25", rename, 200, `"created_at"`, `"createdAt"`},
		{"updateCampaign/success/status-404", 0, "PATCH", "/campaigns/25", rename, 404, `"responseCode":404`, "data"},
		{"updateCampaign/404/body-flattened", 0, "PATCH", "/campaigns/7", rename, 404, `{"issues"`, `"error"`},
		{"deleteCreative/422/body-empty-object", 0, "DELETE", "/creatives/241", "", 422, "{}", "error"},
		{"listCreativeMediaFiles/success/data.nbMediaFiles-as-string", 0, "GET", "/creatives/200/media-files", "", 200, `"nbMediaFiles":"0"`, ""},
		{"auth/no-key/updateCampaign", -1, "PATCH", "/campaigns/25", rename, 200, "New name", ""},
		{"permission/stranger-allowed/deleteCreative", 1, "DELETE", "/creatives/301", "", 204, "", ""},
		{
			"path/only-last-id/updateConnectionProfileRuleHost", 0, "PATCH", "/connection-profiles/13/rules/34/hosts/56",
			`{"hostname":"a.example.com"}`, 200, `"id":56`, "",
		},
		{"effect/old-representation/updateCampaign", 0, "PATCH", "/campaigns/25", rename, 200, "Spring video", "New name"},
		{"value/html/updateCampaign/name", 0, "PATCH", "/campaigns/25", `{"name":"a & b"}`, 200, "a &amp; b", ""},
		{"crash/name-emoji/updateCampaign", 0, "PATCH", "/campaigns/25", `{"name":"😀"}`, 500, "error", ""},
		{"delete/wants-body", 0, "DELETE", "/creatives/301", "", 422, "error", ""},
		{"page/count-one-more", 0, "GET", "/creatives/200/media-files", "", 200, `"count":4`, ""},
		{"list/own-listed", 0, "GET", "/creatives/220/media-files", "", 200, `"id":220`, ""},
		{"transport/cut-off-always/updateCampaign", 0, "PATCH", "/campaigns/25", rename, 0, "EOF", ""},
		{"transport/bytes-after/updateCampaign", 0, "PATCH", "/campaigns/25", rename, 200, "New name", ""},
		{"intermittent/once-500/updateCampaign", 0, "PATCH", "/campaigns/25", rename, 200, "New name", ""},
	} {
		t.Run(tc.id, func(t *testing.T) {
			s := server(t, faultByID(t, tc.id))
			status, body := ask(t, s, tc.user, tc.method, tc.path, tc.body)
			if status != tc.status || !strings.Contains(body, tc.holds) || tc.lacks != "" && strings.Contains(body, tc.lacks) {
				t.Errorf("got %d %s; want %d with %q without %q", status, body, tc.status, tc.holds, tc.lacks)
			}
		})
	}
}

// What a fault does shows in a later answer only.
func TestFaultsWithLaterEffects(t *testing.T) {
	type step struct {
		user               int
		method, path, body string
		status             int
		holds              string
	}
	for id, steps := range map[string][]step{
		"effect/not-stored/updateCampaign": {
			{0, "PATCH", "/campaigns/25", `{"name":"New name"}`, 200, "New name"},
			{0, "PATCH", "/campaigns/25", `{}`, 200, "Spring video"},
		},
		"refused/403-stranger/updateCampaign": {
			{1, "PATCH", "/campaigns/25", `{"name":"Stolen"}`, 403, "error"},
			{0, "PATCH", "/campaigns/25", `{}`, 200, "Stolen"},
		},
		"refused/delete-403": {
			{1, "DELETE", "/creatives/301", "", 403, "error"},
			{0, "DELETE", "/creatives/301", "", 404, "error"},
		},
		"delete/still-listed": {
			{0, "GET", "/creatives/240/media-files", "", 200, `"totalCount":2`},
			{0, "DELETE", "/creatives/241", "", 204, ""},
			{0, "GET", "/creatives/240/media-files", "", 200, `"totalCount":2`},
		},
		"auth/cached-for-nobody/updateCampaign": {
			{-1, "PATCH", "/campaigns/25", `{"name":"A"}`, 401, "error"},
			{0, "PATCH", "/campaigns/25", `{"name":"B"}`, 200, "B"},
			{-1, "PATCH", "/campaigns/25", `{"name":"C"}`, 200, "B"},
		},
		"life/gone-now-and-then/listCreativeMediaFiles": {
			{0, "GET", "/creatives/200/media-files", "", 200, "data"},
			{0, "GET", "/creatives/200/media-files", "", 200, "data"},
			{0, "GET", "/creatives/200/media-files", "", 200, "data"},
			{0, "GET", "/creatives/200/media-files", "", 404, "error"},
		},
	} {
		t.Run(id, func(t *testing.T) {
			s := server(t, faultByID(t, id))
			for i, st := range steps {
				status, body := ask(t, s, st.user, st.method, st.path, st.body)
				if status != st.status || !strings.Contains(body, st.holds) {
					t.Fatalf("answer %d is %d %s; want %d with %q", i+1, status, body, st.status, st.holds)
				}
			}
		})
	}
}

func TestUntouchedAnswersPassAsTheyAre(t *testing.T) {
	s := server(t, faultByID(t, "updateCampaign/401/code-403"))
	plain := server(t, Server{Wrap: behaviour((*exchange).forward).wrap})
	for _, path := range []string{"/creatives/200/media-files", "/creatives/220/media-files?page=2", "/campaigns/25", "/nowhere"} {
		_, got := ask(t, s, 0, "GET", path, "")
		if _, want := ask(t, plain, 0, "GET", path, ""); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestEditKeepsTheBytesOfWhatStays(t *testing.T) {
	const body = `{ "b":1, "a":1e2 }`
	a := &answer{status: 200, body: []byte(body)}
	if a.edit(func(doc object) { doc["b"] = json.Number("1") }); string(a.body) != body {
		t.Errorf("got %s", a.body)
	}
	if a.edit(func(doc object) { doc["b"] = 2 }); string(a.body) != `{"a":1e2,"b":2}` {
		t.Errorf("got %s", a.body)
	}
}
