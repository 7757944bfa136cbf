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
