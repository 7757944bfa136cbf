package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/adconform/adconform/spec"
)

// contract answers like an operation and tells that it was reached.
var contract = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Reached", r.URL.EscapedPath())
	w.WriteHeader(http.StatusTeapot)
})

func newFront(t *testing.T, o Options) http.Handler {
	t.Helper()
	h, err := New(contract, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request such as "GET /docs" with headers by name and value.
func ask(h http.Handler, request string, headers ...string) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// refuses checks an answer in the error shape.
func refuses(t *testing.T, w *httptest.ResponseRecorder, status int, issueType string) {
	t.Helper()
	var body spec.ErrorBody
	err := json.Unmarshal(w.Body.Bytes(), &body)
	if err != nil || w.Code != status || body.Error.ResponseCode != status || body.Error.Issues[0].Type != issueType ||
		w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("expected %d %s, got %d %s %s (%v)", status, issueType, w.Code, w.Header(), w.Body, err)
	}
}

// TestTheContractIsReached: what is not in front passes as it came.
func TestTheContractIsReached(t *testing.T) {
	h := newFront(t, Options{OpenAPI: spec.OpenAPI(), BasePath: "/v2"})
	for _, path := range []string{
		"/v2/campaigns/25", "/", "//docs", "/docsx", "/v2/../docs", "/v2//campaigns/25", "/%2e%2e/docs", "/v2/campaigns%2F25", "/healthz/",
		"/DOCS", ResetPath, // without Reset
	} {
		if w := ask(h, "PATCH "+path); w.Code != http.StatusTeapot || w.Header().Get("X-Reached") != path {
			t.Errorf("%s: %d, reached as %q", path, w.Code, w.Header().Get("X-Reached"))
		}
	}
	if w := ask(newFront(t, Options{}), "GET /docs"); w.Code != http.StatusTeapot {
		t.Errorf("documentation without a document: %d", w.Code)
	}
}

func TestHealth(t *testing.T) {
	var broken error
	h := newFront(t, Options{Healthy: func(context.Context) error { return broken }})
	if w := ask(h, "GET "+HealthPath); w.Code != 200 || w.Body.String() != "{\"status\":\"ok\"}\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	broken = errors.New("secret cause")
	w := ask(h, "GET "+HealthPath)
	refuses(t, w, 503, "unhealthy")
	if strings.Contains(w.Body.String(), "secret") {
		t.Error("the cause is shown")
	}
	refuses(t, ask(h, "POST "+HealthPath), 405, "methodNotAllowed")
}

func TestReset(t *testing.T) {
	resets, broken := 0, error(nil)
	h := newFront(t, Options{Reset: func(context.Context) error { resets++; return broken }})
	if w := ask(h, "POST "+ResetPath); w.Code != 204 || resets != 1 {
		t.Errorf("%d, %d resets", w.Code, resets)
	}
	w := ask(h, "GET "+ResetPath)
	refuses(t, w, 405, "methodNotAllowed")
	if w.Header().Get("Allow") != "POST" {
		t.Errorf("Allow %q", w.Header().Get("Allow"))
	}
	refuses(t, ask(h, "POST "+ResetPath, "Origin", "http://evil.example"), 403, "crossOrigin")
	refuses(t, ask(h, "POST "+ResetPath, "Sec-Fetch-Site", "cross-site"), 403, "crossOrigin")
	if resets != 1 {
		t.Errorf("%d resets", resets)
	}
	broken = errors.New("secret cause")
	refuses(t, ask(h, "POST "+ResetPath), 500, "resetFailed")
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFront(t, Options{Latency: Latency{20 * time.Millisecond, 80 * time.Millisecond}})
		least, most := time.Hour, time.Duration(0)
		for range 200 {
			start := time.Now()
			ask(h, "GET /v2/x")
			least, most = min(least, time.Since(start)), max(most, time.Since(start))
		}
		if least < 20*time.Millisecond || least > 30*time.Millisecond || most > 80*time.Millisecond || most < 70*time.Millisecond {
			t.Errorf("from %v to %v, want 20ms to 80ms", least, most)
		}
		start := time.Now()
		ask(h, "GET "+HealthPath)
		if time.Since(start) != 0 {
			t.Error("health is held back")
		}

		// A client that goes does not make its change later.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := httptest.NewRecorder()
		defer func() {
			if recover() != http.ErrAbortHandler || w.Header().Get("X-Reached") != "" {
				t.Error("the request of a client that has gone was carried out")
			}
		}()
		h.ServeHTTP(w, httptest.NewRequest("PATCH", "/v2/x", nil).WithContext(ctx))
	})
}

// remainingOf is the header in the letter case that is published.
func remainingOf(w *httptest.ResponseRecorder) string {
	return strings.Join(map[string][]string(w.Header())[RemainingHeader], ", ")
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFront(t, Options{RateLimit: RateLimit{Burst: 3, PerSecond: 0.5}, Origins: []string{"*"}})
		from := func(address string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("GET", "/v2/x", nil)
			r.RemoteAddr = address
			r.Header.Set("Origin", "http://a.example")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		for i, remaining := range []string{"2", "1", "0"} {
			if w := from(fmt.Sprintf("192.0.2.1:%d", i)); w.Code != 418 || remainingOf(w) != remaining {
				t.Errorf("request %d: %d, %s %q", i, w.Code, RemainingHeader, remainingOf(w))
			}
		}
		w := from("192.0.2.1:9")
		refuses(t, w, 429, "rateLimitExceeded")
		if w.Header().Get("Retry-After") != "2" || remainingOf(w) != "0" || w.Header().Get("X-Reached") != "" {
			t.Errorf("header %s", w.Header())
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Error("a browser would not show the 429 to its script")
		}
		if w := from("[2001:db8::1]:9"); w.Code != 418 {
			t.Errorf("another address: %d", w.Code)
		}
		time.Sleep(2 * time.Second) // what Retry-After says
		if w := from("192.0.2.1:1"); w.Code != 418 {
			t.Errorf("after Retry-After: %d", w.Code)
		}
		if w := ask(h, "GET "+HealthPath); w.Code != 200 || remainingOf(w) != "" {
			t.Errorf("health is limited: %d", w.Code)
		}
	})
}

// TestBucketsAreBounded: addresses do not add up to memory.
func TestBucketsAreBounded(t *testing.T) {
	b := &buckets{limit: RateLimit{Burst: 1, PerSecond: 1}, of: map[string]*rate.Limiter{}}
	now := time.Now()
	for i := range 3 * maxBuckets {
		b.take(fmt.Sprintf("198.51.%d.%d:1", i/256, i%256), now)
	}
	if len(b.of) > maxBuckets {
		t.Errorf("%d buckets", len(b.of))
	}
}

func TestOrigins(t *testing.T) {
	h := newFront(t, Options{Origins: []string{"http://localhost:3000"}})
	preflight := []string{
		"Origin", "http://localhost:3000", "Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers",
		"content-type,x-api-key",
	}
	w := ask(h, "OPTIONS /v2/campaigns/25", preflight...)
	if w.Code != 204 || w.Header().Get("X-Reached") != "" || w.Header().Get("Access-Control-Allow-Origin") != "http://localhost:3000" ||
		!strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "x-api-key") ||
		w.Header().Get("Access-Control-Allow-Methods") != "PATCH" {
		t.Errorf("preflight: %d %s", w.Code, w.Header())
	}
	w = ask(h, "PATCH /v2/campaigns/25", "Origin", "http://localhost:3000")
	if w.Code != 418 || !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), http.CanonicalHeaderKey(RemainingHeader)) {
		t.Errorf("%d %s", w.Code, w.Header())
	}
	preflight[1] = "http://evil.example"
	if w := ask(h, "OPTIONS /v2/campaigns/25", preflight...); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %s", w.Header())
	}
	if w := ask(h, "OPTIONS /v2/campaigns/25"); w.Code != 418 {
		t.Errorf("an OPTIONS that is no preflight: %d", w.Code)
	}
	if w := ask(newFront(t, Options{}), "OPTIONS /v2/campaigns/25", preflight...); w.Code != 418 || w.Header().Get("Vary") != "" {
		t.Errorf("without --cors: %d %s", w.Code, w.Header())
	}
}

var linked = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// TestDocumentationIsWhole: all that the page loads is on this server, and the
// policy allows nothing else.
func TestDocumentationIsWhole(t *testing.T) {
	h := newFront(t, Options{OpenAPI: spec.OpenAPI(), BasePath: "/v3"})
	index := ask(h, "GET "+DocsPath)
	links := linked.FindAllStringSubmatch(index.Body.String(), -1)
	if index.Code != 200 || len(links) < 4 {
		t.Fatalf("%d %s", index.Code, index.Body)
	}
	for _, link := range links {
		for _, encoding := range []string{"", "gzip"} {
			w := ask(h, "GET "+link[1], "Accept-Encoding", encoding)
			policy := w.Header().Get("Content-Security-Policy")
			if !strings.HasPrefix(link[1], DocsPath+"/") || w.Code != 200 || w.Body.Len() == 0 || !strings.Contains(policy, "default-src 'none'") {
				t.Errorf("%s (%q): %d, %d bytes, policy %q", link[1], encoding, w.Code, w.Body.Len(), policy)
			}
		}
	}
	if strings.Contains(index.Body.String(), "<script>") || strings.Contains(policy, "script-src 'self' 'unsafe") {
		t.Error("a script inside the page needs a weaker policy")
	}
	document := ask(h, "GET "+DocsPath+"/openapi.yaml").Body.Bytes()
	if !strings.Contains(string(document), "url: /v3") || strings.Contains(string(document), "127.0.0.1") {
		t.Error("the document names another server")
	}
	if served, err := servedAt([]byte("openapi: 3.0.3"), "/v2"); err != nil || !strings.Contains(string(served), "url: /v2") {
		t.Errorf("without servers: %s (%v)", served, err)
	}
	for _, path := range []string{"/x", "/../x", "/docs.go", "/swagger-ui-bundle.js.map"} {
		refuses(t, ask(h, "GET "+DocsPath+path), 404, "notFound")
	}
	refuses(t, ask(h, "POST "+DocsPath), 405, "methodNotAllowed")
	for _, no := range []string{"\t", "[]", ""} {
		if _, err := New(contract, Options{OpenAPI: []byte(no + " ")}); err == nil {
			t.Errorf("%q is taken for an OpenAPI document", no)
		}
	}
}
