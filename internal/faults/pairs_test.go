package faults_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// circumstances change a request of pairs.go, whose names they have.
var circumstances = map[string]func(*http.Request){
	"http-1.0":    func(r *http.Request) { r.Proto, r.ProtoMinor = "HTTP/1.0", 0 },
	"many-types":  with("Accept", "application/json, text/plain, */*"),
	"any-type":    with("Accept", "*/*"),
	"gzip":        with("Accept-Encoding", "gzip, deflate, br"),
	"cookie":      with("Cookie", "a=b"),
	"override":    with("X-HTTP-Method-Override", "GET"),
	"ajax":        with("X-Requested-With", "XMLHttpRequest"),
	"origin":      with("Origin", "https://app.example.com"),
	"language":    with("Accept-Language", "de"),
	"user-query":  func(r *http.Request) { r.URL.RawQuery = "userId=41" },
	"merge-patch": with("Content-Type", "application/merge-patch+json"),
	"charset":     with("Content-Type", "application/json; charset=utf-8"),
	"large":       rewriting(func(body string) string { return body + strings.Repeat(" ", 1<<16) }),
	"chunked":     func(r *http.Request) { r.TransferEncoding = []string{"chunked"} },
	"expect":      with("Expect", "100-continue"),
	"escaped":     rewriting(func(body string) string { return strings.ReplaceAll(body, "me", `m\u0065`) }),
	"spaced":      rewriting(func(body string) string { return strings.ReplaceAll(body, ":", ":\n\t") }),
	"null": rewriting(func(body string) string {
		return regexp.MustCompile(`"regularExpression":[^}]*`).ReplaceAllString(body, `"regularExpression":null`)
	}),
	"one-field":    rewriting(func(body string) string { return regexp.MustCompile(`,.*`).ReplaceAllString(body, "}") }),
	"content-type": with("Content-Type", "application/json"),
	"body":         func(r *http.Request) { r.Body = http.NoBody; rewriting(func(string) string { return "{}" })(r) },
	"first-page":   func(r *http.Request) { r.URL.RawQuery = "page=1" },
	"second-page":  func(r *http.Request) { r.URL.RawQuery = "page=2" },
	"page-size":    func(r *http.Request) { r.URL.RawQuery = "per_page=7" },
	"slash":        at(func(path string) string { return path + "/" }),
	"double-slash": at(func(path string) string { return strings.Replace(path, "/c", "//c", 1) }),
	"encoded":      at(func(path string) string { return strings.Replace(path, "/c", "/%63", 1) }),
	"capital":      at(func(path string) string { return strings.Replace(path, "/c", "/C", 1) }),
	"dots":         at(func(path string) string { return strings.Replace(path, "/c", "/x/../c", 1) }),
	"suffix":       at(func(path string) string { return path + ".json" }),
	"matrix":       at(func(path string) string { return path + ";v=1" }),
	"empty-query":  func(r *http.Request) { r.RequestURI += "?" },
	"reordered":    rewriting(reversed),
}

func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func rewriting(change func(body string) string) func(*http.Request) {
	return func(r *http.Request) {
		text := new(strings.Builder)
		_ = r.Write(text) // a request to memory
		_, body, _ := strings.Cut(text.String(), "\r\n\r\n")
		changed := httptest.NewRequest(r.Method, r.RequestURI, strings.NewReader(change(body)))
		changed.Header = r.Header
		*r = *changed
	}
}

func at(change func(path string) string) func(*http.Request) {
	return func(r *http.Request) {
		changed := httptest.NewRequest(r.Method, change(r.RequestURI), r.Body)
		changed.Header = r.Header
		*r = *changed
	}
}

// Each fault at which a circumstance meets a user, a wrong field or an unknown id shows where they meet, and a request
// that has only one of them is answered rightly.
func TestPairsShowWhereTheyMeet(t *testing.T) {
	named := regexp.MustCompile(`^pair/(.+)-(no-key|stranger|wrong|unknown)/(\w+)$`)
	world := fixtures.DefaultWorld()
	env := faults.Env{Contract: spec.Load(), World: world}
	tried := map[string]bool{}
	for _, f := range append(faults.All(spec.Load()), faults.Unfound(spec.Load())...) {
		found := named.FindStringSubmatch(f.ID)
		if found == nil || circumstances[found[1]] == nil {
			continue
		}
		name, other := found[1], found[2]
		tried[name] = true
		ask := func(other string, changes ...func(*http.Request)) int {
			r := ordinary(spec.Load().Operation(found[3]), other, world)
			for _, change := range changes {
				change(r)
			}
			w := httptest.NewRecorder()
			env.Around(reftest.New(t, world, f.Choices), f).ServeHTTP(w, r)
			return w.Code
		}
		if got := ask(other, circumstances[name]); got >= 300 {
			t.Errorf("%s: %s (%s) is answered %d", f.ID, name, other, got)
		}
		if got := ask(other); got < 400 {
			t.Errorf("%s: %s alone is answered %d", f.ID, other, got)
		}
		if got := ask("", circumstances[name]); got >= 300 {
			t.Errorf("%s: %s alone is answered %d", f.ID, name, got)
		}
	}
	for name := range circumstances {
		if !tried[name] {
			t.Errorf("no fault has %s", name)
		}
	}
}

// ordinary returns a request of the owner in which at most one thing is wrong.
func ordinary(op *spec.Operation, wrong string, world fixtures.World) *http.Request {
	body := map[string]string{
		"updateConnectionProfile":         `{"name":"Teal","withCookiesAction":"fail","withoutCookiesAction":"warn"}`,
		"updateConnectionProfileRuleHost": `{"hostname":"cdn1.example.com","regularExpression":"^/a"}`,
		"updateCampaign":                  `{"name":"Teal"}`,
	}[op.ID]
	ids := map[string][]string{
		"updateConnectionProfile": {"12"}, "updateConnectionProfileRuleHost": {"12", "34", "56"},
		"updateCampaign": {"25"}, "deleteCreative": {"301"}, "listCreativeMediaFiles": {"200"},
	}[op.ID]
	key := world.Users[0].Key
	switch wrong {
	case "no-key":
		key = ""
	case "stranger":
		key = world.Users[1].Key
	case "wrong":
		body = regexp.MustCompile(`^\{("\w+"):("[^"]*")`).ReplaceAllString(body, `{$1:[$2]`)
	case "unknown":
		ids[len(ids)-1] = "4000000000"
	}
	r := httptest.NewRequest(op.Method, reference.BasePath+op.At(ids...), strings.NewReader(body))
	r.Header.Set("Accept", "application/json")
	if op.Updates() {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set(fixtures.DefaultKeyHeader, key)
	}
	return r
}
