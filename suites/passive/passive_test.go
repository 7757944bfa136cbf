package passive_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/passive"
	"github.com/adconform/adconform/suites/report"
)

const (
	base = "https://api.example/v2"
	key  = "a-key-that-no-output-may-show"
	one  = `PATCH /campaigns/25 {"name":"a"}`
	host = "PATCH /connection-profiles/12/rules/34/hosts/56 "
	list = "GET /creatives/200/media-files"
)

func campaign(name string) string {
	return fmt.Sprintf(`{"data":{"id":25,"name":%q,"createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z",`+
		`"type":"video","shareURL":"https://a.example/25","adspecId":1,"userId":2}}`, name)
}

func hostNamed(name string) string {
	return fmt.Sprintf(`{"data":{"id":56,"hostname":%q,"regularExpression":"^/a","createdAt":"2024-03-01T09:00:00Z","updatedAt":null}}`, name)
}

func refused(status int, field string) string {
	return fmt.Sprintf(`{"error":{"responseCode":%d,"issues":[{"type":"a","message":"b","relatedField":%q}]}}`, status, field)
}

func page(number int) string {
	return fmt.Sprintf(`{"meta":{"pagination":{"count":0,"totalCount":3,"page":%d,"totalPages":1}},"data":[]}`, number)
}

type object = map[string]any

// entry returns an entry of an archive, sent with a key; request is method, path and body.
func entry(request string, status int, answer string, edits ...func(object)) object {
	words := strings.SplitN(request, " ", 3)
	typed := object{"name": "Content-Type", "value": "application/json"}
	r := object{"method": words[0], "url": base + words[1], "headers": []object{{"name": "x-api-key", "value": key}, typed}}
	if len(words) == 3 {
		r["postData"] = object{"text": words[2]}
	}
	e := object{"request": r, "response": object{"status": status, "headers": []object{typed}, "content": object{"text": answer}}}
	for _, edit := range edits {
		edit(e)
	}
	return e
}

func set(path string, value any) func(object) {
	return func(e object) {
		parts := strings.Split(path, ".")
		for _, p := range parts[:len(parts)-1] {
			e = e[p].(object)
		}
		e[parts[len(parts)-1]] = value
	}
}

// sentWith returns an edit that replaces the key by other headers.
func sentWith(nameAndValue ...string) func(object) {
	headers := []object{{"name": "Content-Type", "value": "application/json"}}
	if len(nameAndValue) > 0 {
		headers = append(headers, object{"name": nameAndValue[0], "value": nameAndValue[1]})
	}
	return set("request.headers", headers)
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.har")
	noError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func archive(t *testing.T, entries ...object) string {
	t.Helper()
	text, _ := json.Marshal(object{"log": object{"creator": "of any form", "entries": entries}})
	return write(t, "\uFEFF"+string(text)) // with a byte order mark, as some recorders write
}

// check judges an archive as the command does. It returns the report and the broken clauses.
func check(t *testing.T, path string) (*report.Report, string) {
	t.Helper()
	a, err := passive.Open(path, spec.Load())
	noError(t, err)
	at, err := a.Base("")
	noError(t, err)
	r, err := suites.Check(suites.NewConfig(&fixtures.Target{BaseURL: at}), a)
	noError(t, err)
	var broken []string
	for _, c := range r.Clauses {
		if c.Status == report.Broken && !slices.Contains(broken, c.ID) {
			broken = append(broken, c.ID)
		}
	}
	return r, strings.Join(broken, " ")
}

// Each answer is judged by its own request alone, and what other clients may explain is not a finding.
func TestAnAnswerIsJudgedAlone(t *testing.T) {
	plain := object{"name": "content-type", "value": "text/plain"}
	update := func(body string) string { return "PATCH /campaigns/25 " + body }
	for _, c := range []struct {
		broken string
		entry  object
	}{
		{"", entry(one, 200, campaign("a"))},
		{"CAMPAIGN-3", entry(one, 200, campaign("b"))},
		{"CAMPAIGN-2", entry(one, 200, strings.Replace(campaign("a"), `"id":25`, `"id":26`, 1))},
		{"CAMPAIGN-11", entry(one, 200, strings.Replace(campaign("a"), `"adspecId":1`, `"adspecId":"1"`, 1))},
		{"HTTP-1", entry(one, 500, refused(500, ""))},
		{"DELETE-2", entry("DELETE /creatives/301", 204, "{}")},
		{"", entry("DELETE /creatives/abc", 404, refused(404, ""))},
		{"MEDIA-4", entry(list+"?page=1", 200, page(1))},
		{"", entry(list+"?offset=1000", 200, page(1000))},
		// The body of an update.
		{"ERR-4", entry(update(`{"name":[1]}`), 200, campaign("1"))},
		{"", entry(update(`{"name":[1]}`), 422, refused(422, "data.name"))},
		{"ERR-10", entry(update(`{"name":[1]}`), 422, refused(422, "title"))},
		{"ERR-3", entry(update(`{"na`), 200, campaign("a"))},
		{"", entry(update(`{"name":"a"} x`), 200, campaign("b"))},
		{"", entry(update(`{"name":"a","more":1}`), 422, refused(422, "more"))},
		{"", entry(update(`{"name":1}`), 200, campaign("1"))},
		{"", entry(update(`{}`), 200, campaign("of another"))},
		{"", entry("PATCH /campaigns/25", 422, refused(422, ""))},
		{"", entry(update(`{"name":`+strings.Repeat("[", 40)+strings.Repeat("]", 40)+`}`), 400, "no JSON")},
		{"", entry(update(`{"name":[1]}`), 415, refused(415, ""), set("request.headers", []object{plain}))},
		// A text that comes back with folded white space is a notice, as in a run.
		{"OPEN-6", entry(update(`{"name":"a  b"}`), 200, campaign("a b"))},
		{"CAMPAIGN-3", entry(update(`{"name":"a  b"}`), 200, campaign("ab"))},
		{"HOST-3", entry(host+`{"hostname":"a.example","regularExpression":"^/a"}`, 200, hostNamed("b.example"))},
		{"", entry(host+`{"hostname":"bücher.example","regularExpression":"^/a"}`, 200, hostNamed("xn--bcher-kva.example"))},
		{"ERR-10", entry(host+`{"hostname":[7],"regularExpression":"^/a"}`, 422, refused(422, "regularExpression"))},
		{"", entry(host+`{"hostname":[7],"regularExpression":"("}`, 422, refused(422, "regularExpression"))},
		// Keys.
		{"AUTH-1", entry(one, 200, campaign("a"), sentWith())},
		{"AUTH-1", entry(one, 200, campaign("a"), sentWith("X-Request-Id", "something-1"))},
		{"", entry(one, 404, refused(404, ""), sentWith())},
		{"", entry(one, 200, campaign("a"), sentWith("X-Auth-Token", "something-1"))},
		{"", entry(one, 200, campaign("a"), sentWith("Authorization", "Bearer x"))},
		{"", entry(one, 200, campaign("a"), sentWith("X-API-Key", "REDACTED"))},
	} {
		keyed := entry("DELETE /creatives/302", 404, refused(404, "")) // so that a missing key counts as missing
		if r, broken := check(t, archive(t, keyed, c.entry)); broken != c.broken || r.Recording.Judged != 2 {
			t.Errorf("%v: %s; broken: %q, want %q", c.entry, r.Recording, broken, c.broken)
		}
	}
	if r, broken := check(t, archive(t, entry(one, 200, campaign("a"), sentWith()))); broken != "" {
		t.Errorf("without any key: %s", r.Reason)
	}
}

// Invalid Unicode that an earlier request set is not a finding in a later answer that shows it.
func TestWhatWasSetBeforeIsNotHeldAgainstAnAnswer(t *testing.T) {
	const half, other = `"a\ud800z"`, `PATCH /campaigns/25 {}`
	shows := strings.Replace(campaign("a"), `"name":"a"`, `"name":`+half, 1)
	for set, want := range map[string]string{half: "", `"b"`: "JSON-1", `"a\ud83d\ude00"`: "JSON-1"} {
		first, then := entry(`PATCH /campaigns/25 {"name":`+set+`}`, 200, shows), entry(other, 200, shows)
		if _, broken := check(t, archive(t, first, then)); broken != want {
			t.Errorf("%s: broken: %q, want %q", set, broken, want)
		}
	}
	if _, broken := check(t, archive(t, entry(one, 409, `{"detail":"taken"}`))); broken != "" {
		t.Errorf("a name that is taken: broken: %q", broken)
	}
}

// An exchange that the recorder may have changed is never held against the target, but it is counted.
func TestWhatIsNotJudged(t *testing.T) {
	const lost = `PATCH /campaigns/25 {"name":"never shown"}`
	for _, c := range []struct {
		why  string
		edit func(object)
	}{
		{passive.FromCache, set("_fromCache", "disk")},
		{passive.FromCache, set("_fetchType", "Disk Cache")},
		{passive.NotWhole, set("response._error", "net::ERR_FAILED")},
		{passive.NotWhole, set("response.content", object{"size": 10})},
		{passive.NotWhole, set("response.content", object{})},
		{passive.NotWhole, set("response.content", object{"text": "{}", "size": 1 << 20})},
		{passive.NotWhole, set("response.content.encoding", "base64")},
		{passive.NotWhole, set("response.content.comment", "only the beginning of 70000 bytes")},
		{passive.NotWhole, set("request.postData", object{})},
		{passive.NotWhole, set("request.postData.text", "{\"name\":\"\uFFFD\"}")},
		{passive.OutOfScope, sentWith("If-None-Match", "x")},
		{passive.OutOfScope, sentWith("Accept", "text/html")},
		{passive.OutOfScope, set("response.status", 429)},
		{"", set("_fetchType", "Network Load")},
		{"", sentWith("Accept", "text/html, */*;q=0.1")},
		{"", set("response.content", object{"text": "e30=", "encoding": "base64", "size": 2})},
	} {
		r, broken := check(t, archive(t, entry(lost, 200, campaign("b"), c.edit)))
		skipped := r.Recording.Skipped
		if skipped[c.why] != len(skipped) || (broken == "") != (c.why != "") || r.Recording.Judged+len(skipped) != 1 {
			t.Errorf("%s: %s, broken: %q", c.why, r.Recording, broken)
		}
	}
}

func TestBrokenArchives(t *testing.T) {
	for _, text := range []string{"", "[]", `{"openapi":"3.0.3"}`, `{"log":{"entries":[{"request":{"url":7}}]}}`} {
		path := write(t, text)
		if _, err := passive.Open(path, spec.Load()); err == nil || !strings.HasPrefix(err.Error(), path+": not an HTTP Archive: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	path := archive(t, entry(one, 200, "{}"), entry(one, 200, "{}", set("request.url", "http://b.example/campaigns/25")))
	a, err := passive.Open(path, spec.Load())
	noError(t, err)
	if _, err := a.Base(""); err == nil || !strings.Contains(err.Error(), "http://b.example, https://api.example/v2") {
		t.Error(err)
	}
	if at, err := a.Base("http://b.example/"); at != "http://b.example" || err != nil {
		t.Error(at, err)
	}
}

// A recorder is a test that keeps its errors.
type recorder struct {
	testing.TB
	errors  []string
	cleanup func()
}

func (t *recorder) Failed() bool              { return len(t.errors) > 0 }
func (t *recorder) Errorf(f string, a ...any) { t.errors = append(t.errors, fmt.Sprintf(f, a...)) }
func (t *recorder) Cleanup(f func())          { t.cleanup = f }

type adding struct{ http.RoundTripper } // may add a key

// A test fails once for each cause, and if nothing was judged. The transport passes bodies on unchanged.
func TestTransport(t *testing.T) {
	for name, c := range map[string]struct {
		shown, path, key, want string
		next                   http.RoundTripper
	}{
		"conforms":       {shown: "a", path: "/v2/campaigns/25", key: key},
		"lost update":    {shown: "b", path: "/v2/campaigns/25", key: key, want: "CAMPAIGN-3 (stated) "},
		"no key":         {shown: "a", path: "/v2/campaigns/25", want: "AUTH-1 "},
		"a key is added": {shown: "a", path: "/v2/campaigns/25", next: adding{http.DefaultTransport}},
		"another path":   {shown: "b", path: "/v3/campaigns/25", want: "/v2 was judged: is the base URL right?"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); string(body) != `{"name":"a"}` {
					t.Errorf("the server got %q", body)
				}
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, campaign(c.shown))
			}))
			defer s.Close()
			in := &recorder{TB: t}
			client := http.Client{Transport: passive.Transport(in, s.URL+"/v2", c.next)}
			for range 2 {
				r, _ := http.NewRequest("PATCH", s.URL+c.path, strings.NewReader(`{"name":"a"}`))
				r.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {c.key}}
				res, err := client.Do(r)
				noError(t, err)
				if body, _ := io.ReadAll(res.Body); string(body) != campaign(c.shown) {
					t.Errorf("the client got %q", body)
				}
			}
			in.cleanup()
			all := strings.Join(in.errors, "\n")
			if len(in.errors) > 1 || (c.want == "") != (all == "") || !strings.Contains(all, c.want) || strings.Contains(all, key) {
				t.Errorf("%q", in.errors)
			}
		})
	}
}

// noError fails the test at once on an error that is unrelated to its subject.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
