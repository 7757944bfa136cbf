package traffic

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// What is certainly wrong is answered with the contract's error and never
// reaches the target; what is open does.
func TestEnforce(t *testing.T) {
	var passed atomic.Int64
	refused := 0
	p := inFrontOf(t, func(w http.ResponseWriter, r *http.Request) {
		passed.Add(1)
		io.Copy(io.Discard, r.Body)
		answering(422, `{"error":{"responseCode":422,"issues":[{"type":"a","message":"b"}]}}`)(w, r)
	}, ProxyOptions{Refused: func(Refusal) { refused++ }})
	const path = "/v2/connection-profiles/12"
	for _, c := range []struct {
		name, method, path, key, body string
		header                        http.Header
		status                        int // 0: it passes
		fields                        string
	}{
		{name: "no key", method: "DELETE", path: "/v2/creatives/301", status: 401, fields: "null"},
		{name: "no key, with a body", method: "PATCH", path: path, body: `{"name":"a"}`, status: 401, fields: "null"},
		{name: "not JSON", method: "PATCH", path: path, key: key, body: `{"name":`, status: 422, fields: "null"},
		{name: "not an object", method: "PATCH", path: path, key: key, body: `[1]`, status: 422, fields: "null"},
		{name: "wrong type", method: "PATCH", path: path, key: key, body: `{"name":["a"]}`, status: 422, fields: `"name"`},
		{
			name: "two wrong", method: "PATCH", path: path, key: key, body: `{"name":{},"withCookiesAction":"never"}`, status: 422,
			fields: `"name","withCookiesAction"`,
		},
		{
			name: "one wrong, one open", method: "PATCH", path: path, key: key, body: `{"name":1,"withCookiesAction":7}`, status: 422,
			fields: `"withCookiesAction"`,
		},

		{name: "right", method: "PATCH", path: path, key: key, body: `{"name":"a","withoutCookiesAction":"pass","withCookiesAction":"pass"}`},
		{name: "some key, perhaps a wrong one", method: "DELETE", path: "/v2/creatives/301", key: "%"},
		{name: "another way to say who", method: "DELETE", path: "/v2/creatives/301", header: http.Header{"Authorization": {"Bearer abc"}}},
		{name: "a key in the query", method: "DELETE", path: "/v2/creatives/301?api_key=abc"},
		{name: "a number for a text", method: "PATCH", path: path, key: key, body: `{"name":1}`},
		{name: "a boolean for a text", method: "PATCH", path: path, key: key, body: `{"name":true}`},
		{name: "empty object", method: "PATCH", path: path, key: key, body: `{}`},
		{name: "empty body", method: "PATCH", path: path, key: key},
		{name: "null for a field", method: "PATCH", path: path, key: key, body: `{"name":null}`},
		{name: "unknown field", method: "PATCH", path: path, key: key, body: `{"x":1}`},
		{name: "a name twice", method: "PATCH", path: path, key: key, body: `{"name":1,"name":"a"}`},
		{name: "a name twice, wrong at last", method: "PATCH", path: path, key: key, body: `{"name":"a","name":1}`},
		{name: "byte order mark", method: "PATCH", path: path, key: key, body: "\uFEFF{}"},
		{
			name: "another media type", method: "PATCH", path: path, key: key, body: `name=a`,
			header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		},
		{name: "compressed", method: "PATCH", path: path, key: key, body: "\x1f\x8b", header: http.Header{"Content-Encoding": {"gzip"}}},
		{name: "another method", method: "GET", path: path},
		{name: "another path", method: "PATCH", path: "/v2/other/12"},
	} {
		r, _ := http.NewRequest(c.method, p.front.URL+c.path, nil)
		if c.body != "" {
			r, _ = http.NewRequest(c.method, p.front.URL+c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
		}
		if c.key != "" {
			r.Header.Set("X-API-Key", c.key)
		}
		for name, values := range c.header {
			r.Header[name] = values
		}
		before := passed.Load()
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		through := passed.Load() > before
		if through != (c.status == 0) || (res.Header.Get(RefusedBy) != "") == through {
			t.Errorf("%s: it reached the target: %t; %s", c.name, through, body)
			continue
		}
		if through {
			continue
		}
		var named []string
		for _, part := range strings.Split(string(body), `"relatedField":`)[1:] {
			named = append(named, part[:strings.IndexAny(part, ",}")])
		}
		if res.StatusCode != c.status || strings.Join(named, ",") != c.fields {
			t.Errorf("%s: %d %s", c.name, res.StatusCode, body)
		}
		// The proxy's own answer conforms: the judge of the library says so.
		judge := Transport(t, p.front.URL+"/v2", nil, func(c *suites.Config) { c.AllowInconclusive = true })
		again := r.Clone(t.Context())
		again.Body = io.NopCloser(strings.NewReader(c.body))
		if c.body == "" {
			again.Body = nil
		}
		if res, err := judge.RoundTrip(again); err == nil {
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}
	if refused != 2*7 {
		t.Errorf("%d refusals were told", refused)
	}
	if r := p.report(); r.Verdict != report.Conforming {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
}
