package reference

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

// contract answers like an operation and records that it was reached.
var contract = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Reached", r.URL.EscapedPath())
	w.WriteHeader(http.StatusTeapot)
})

// askFront sends a request such as "GET /docs" with headers by name and value.
func askFront(h http.Handler, name string, headers ...string) reply {
	return requestAt(h, "", name, "", headers...)
}

// TestTheContractIsReached: requests that are not for the front pass unchanged.
func TestTheContractIsReached(t *testing.T) {
	h := Front{OpenAPI: spec.OpenAPI()}.Before(contract)
	for _, path := range []string{
		"/v2/campaigns/25", "/", "//docs", "/docsx", "/v2/../docs", "/v2//campaigns/25", "/%2e%2e/docs", "/v2/campaigns%2F25", "/healthz/",
		"/DOCS", "/docs", "/healthz", ResetPath, // of other methods
	} {
		if w := askFront(h, "PATCH "+path); w.status != http.StatusTeapot || w.header.Get("X-Reached") != path {
			t.Errorf("%s: %d, reached as %q", path, w.status, w.header.Get("X-Reached"))
		}
	}
	h = Front{}.Before(contract)
	if w := askFront(h, "GET /docs"); w.status != http.StatusTeapot {
		t.Errorf("documentation without a document: %d", w.status)
	}
	if w := askFront(h, "GET "+HealthPath); w.status != 200 || w.body != "{\"status\":\"ok\"}\n" {
		t.Errorf("health: %d %s", w.status, w.body)
	}
}

func TestResetOverHTTP(t *testing.T) {
	resets, broken := 0, error(nil)
	h := Front{Reset: func() error { resets++; return broken }}.Before(contract)
	if w := askFront(h, "POST "+ResetPath); w.status != 204 || resets != 1 {
		t.Errorf("%d, %d resets", w.status, resets)
	}
	for _, w := range []reply{
		askFront(h, "POST "+ResetPath, "Origin", "http://evil.example"), askFront(h, "POST "+ResetPath, "Sec-Fetch-Site", "cross-site"),
	} {
		if w.status != 403 || resets != 1 {
			t.Errorf("from another origin: %d, %d resets", w.status, resets)
		}
	}
	broken = errors.New("secret cause")
	if w := askFront(h, "POST "+ResetPath); w.status != 500 || strings.Contains(w.body, "secret") {
		t.Errorf("%d %s", w.status, w.body)
	}
}

func TestOrigins(t *testing.T) {
	h := Front{Origins: []string{"http://localhost:3000"}}.Before(contract)
	preflight := []string{
		"Origin", "http://localhost:3000", "Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers",
		"content-type,x-api-key",
	}
	w := askFront(h, "OPTIONS /v2/campaigns/25", preflight...)
	if w.status != 204 || w.header.Get("X-Reached") != "" || w.header.Get("Access-Control-Allow-Origin") != "http://localhost:3000" ||
		!strings.Contains(w.header.Get("Access-Control-Allow-Headers"), "x-api-key") ||
		w.header.Get("Access-Control-Allow-Methods") != "PATCH" {
		t.Errorf("preflight: %d %s", w.status, w.header)
	}
	w = askFront(h, "PATCH /v2/campaigns/25", "Origin", "http://localhost:3000")
	if w.status != 418 || !strings.Contains(w.header.Get("Access-Control-Expose-Headers"), "X-Ratelimit-Ipremaining") {
		t.Errorf("%d %s", w.status, w.header)
	}
	preflight[1] = "http://evil.example"
	if w := askFront(h, "OPTIONS /v2/campaigns/25", preflight...); w.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %s", w.header)
	}
	if w := askFront(Front{}.Before(contract), "OPTIONS /v2/campaigns/25", preflight...); w.status != 418 || w.header.Get("Vary") != "" {
		t.Errorf("without --cors: %d %s", w.status, w.header)
	}
}

var linked = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// TestDocumentationIsWhole: everything that the page loads is on this server, and
// the policy allows nothing else.
func TestDocumentationIsWhole(t *testing.T) {
	h := Front{OpenAPI: spec.OpenAPI()}.Before(contract)
	index := askFront(h, "GET "+DocsPath)
	links := linked.FindAllStringSubmatch(index.body, -1)
	if index.status != 200 || len(links) < 4 {
		t.Fatalf("%d %s", index.status, index.body)
	}
	for _, link := range links {
		for _, encoding := range []string{"", "gzip"} {
			w := askFront(h, "GET "+link[1], "Accept-Encoding", encoding)
			policy := w.header.Get("Content-Security-Policy")
			if !strings.HasPrefix(link[1], DocsPath+"/") || w.status != 200 || len(w.body) == 0 || !strings.Contains(policy, "default-src 'none'") {
				t.Errorf("%s (%q): %d, %d bytes, policy %q", link[1], encoding, w.status, len(w.body), policy)
			}
		}
	}
	if strings.Contains(index.body, "<script>") || strings.Contains(policy, "script-src 'self' 'unsafe") {
		t.Error("a script inside the page needs a weaker policy")
	}
	document := askFront(h, "GET "+DocsPath+"/openapi.yaml").body
	if !strings.Contains(document, "url: /v2") || strings.Contains(document, "127.0.0.1") {
		t.Error("the document names another server")
	}
	if w := askFront(h, "GET "+DocsPath+"/x"); w.status != 404 {
		t.Errorf("an unknown page: %d", w.status)
	}
}
