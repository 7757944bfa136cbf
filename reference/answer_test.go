package reference

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/adconform/adconform/spec"
)

// each is a request for each operation that succeeds; %s stands for an id.
var each = []struct{ name, body, path, own, foreign string }{
	{"updateConnectionProfile", `{"name":"N"}`, "PATCH /connection-profiles/%s", "12", "91"},
	{"updateConnectionProfileRuleHost", `{"hostname":"n.example.com"}`, "PATCH /connection-profiles/12/rules/34/hosts/%s", "56", ""},
	{"updateCampaign", `{"name":"N"}`, "PATCH /campaigns/%s", "25", "92"},
	{"deleteCreative", "", "DELETE /creatives/%s", "230", "93"},
	{"listCreativeMediaFiles", "", "GET /creatives/%s/media-files", "200", "96"},
}

func fill(path, id string) string { return strings.ReplaceAll(path, "%s", id) }

func TestWhoIsNotAuthenticatedGets401(t *testing.T) {
	s := newServer(t, nil)
	keys := map[string][]string{
		"no key":        nil,
		"empty":         {"X-API-Key", ""},
		"percent":       {"X-API-Key", "%"},
		"unknown":       {"X-API-Key", "nobody"},
		"long":          {"X-API-Key", strings.Repeat("k", 200)},
		"appended":      {"X-API-Key", ownerKey + "x"},
		"cut":           {"X-API-Key", ownerKey[:len(ownerKey)-1]},
		"other case":    {"X-API-Key", strings.ToUpper(ownerKey)},
		"hash":          {"X-API-Key", hashKey(ownerKey)},
		"two keys":      {"X-API-Key", ownerKey, "X-API-Key", ownerKey},
		"bearer":        {"Authorization", "Bearer " + ownerKey},
		"other header":  {"X-Key", ownerKey},
		"empty, bearer": {"X-API-Key", "", "Authorization", "Bearer " + ownerKey},
	}
	for _, op := range each {
		for _, id := range []string{op.own, "99", "x"} {
			for name, headers := range keys {
				t.Run(op.name+"/"+id+"/"+name, func(t *testing.T) {
					request(s, fill(op.path, id), "{", headers...).refuses(t, 401, "authenticationFailed null")
				})
			}
			request(s, fill(op.path, id)+"?api_key="+ownerKey, op.body).refuses(t, 401, "authenticationFailed null")
		}
		if got := ask(s, fill(op.path, op.own), op.body); got.status >= 300 {
			t.Errorf("%s with the right key: %d", op.name, got.status)
		}
	}
}

func TestStrangersGet403(t *testing.T) {
	s := newServer(t, nil)
	for _, op := range each {
		request(s, fill(op.path, op.own), op.body, "X-API-Key", strangerKey).refuses(t, 403, "forbidden null")
		request(s, fill(op.path, op.own), `{"name":1}`, "X-API-Key", strangerKey).refuses(t, 403, "forbidden null")
		if op.foreign != "" {
			ask(s, fill(op.path, op.foreign), op.body).refuses(t, 403, "forbidden null")
		}
		if got := ask(s, fill(op.path, op.own), op.body); got.status >= 300 {
			t.Errorf("%s by the owner: %d", op.name, got.status)
		}
	}
}

func TestUnknownAndMalformedIDsGet404(t *testing.T) {
	s := newServer(t, nil)
	for _, op := range each {
		for _, id := range []string{
			"99", "2147483646", "9223372036854775807", "9223372036854775808", "4294967321", "0", "-1", "abc", op.own + "abc",
			"0" + op.own, "+" + op.own, op.own + ".0", "%20" + op.own, "1%2F2", "%00", "1e2", "0x19", "٣",
		} {
			got := ask(s, fill(op.path, id), op.body)
			if got.status != 404 || got.issues() != "notFound null" {
				t.Errorf("%s %s: got %d %s", op.name, id, got.status, got.body)
			}
		}
		// What does not exist is reported before a wrong body.
		ask(s, fill(op.path, "99"), "{").refuses(t, 404, "notFound null")
	}
}

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

// TestAnswersMatchTheDocument holds each status of each operation against its
// schema in spec/openapi.yaml.
func TestAnswersMatchTheDocument(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(c *Choices) { c.DeleteMediaFile = Refuse }) // else nothing answers a DELETE with 422
	wrong := map[string]reply{
		"deleteCreative":         ask(s, "DELETE /creatives/201", ""),
		"listCreativeMediaFiles": ask(s, "GET /creatives/201/media-files", ""),
	}
	for _, op := range each {
		if wrong[op.name].body == "" {
			wrong[op.name] = ask(s, fill(op.path, op.own), `{"name":1,"hostname":1}`)
		}
		for status, r := range map[int]reply{
			401: request(s, fill(op.path, op.own), op.body),
			403: request(s, fill(op.path, op.own), op.body, "X-API-Key", strangerKey),
			404: ask(s, fill(op.path, "9999"), op.body),
			422: wrong[op.name],
			200: ask(s, fill(op.path, op.own), op.body),
		} {
			if op.name == "deleteCreative" && r.status == 204 {
				continue
			}
			var body any
			if err := json.Unmarshal([]byte(r.body), &body); r.status != status || err != nil {
				t.Errorf("%s: expected %d, got %d (%v)", op.name, status, r.status, err)
			} else if err := contract.Operation(op.name).ResponseSchema(status).VisitJSON(body); err != nil {
				t.Errorf("%s: %d: %v", op.name, status, err)
			}
		}
	}
}
