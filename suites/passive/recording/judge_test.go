package recording_test

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/suites/passive/recording"
	"github.com/adconform/adconform/suites/report"
)

const (
	refusal = `{"error":{"responseCode":404,"issues":[]}}`
	base    = "http://a.example"
)

func campaign(name string) string {
	return fmt.Sprintf(
		`{"data":{"id":25,"name":%q,"createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z","type":"video",`+
			`"shareURL":"https://a.example/25","adspecId":1,"userId":2}}`,
		name)
}

// files is the list of creative 200, which holds one file.
func files(id int) string {
	return fmt.Sprintf(
		`{"meta":{"pagination":{"count":1,"totalCount":1,"page":1,"totalPages":1}},"data":[{"id":%d,"campaignId":25,"name":"a",`+
			`"createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z","sourceType":"vast-child-video",`+
			`"sourceTypeLabel":"file","shareURL":"https://a.example/s","livePreviewURL":"https://a.example/p","userId":2}]}`,
		id)
}

// entry is one of a HTTP Archive, with a key; times are in milliseconds.
func entry(at, took float64, method, target, body string, status int, answer string, edits ...func(map[string]any)) string {
	type object = map[string]any
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(at * 1e6))
	headers := []object{{"name": "x-api-key", "value": "some-key-of-a-user"}, {"name": "content-type", "value": "application/json"}}
	e := object{
		"startedDateTime": start.Format(time.RFC3339Nano), "time": took,
		"request": object{"method": method, "url": base + target, "headers": headers},
		"response": object{
			"status": status, "headers": []object{{"name": "content-type", "value": "application/json"}}, "bodySize": len(answer),
			"content": object{"size": len(answer), "text": answer},
		},
	}
	if body != "" {
		e["request"].(object)["postData"] = object{"text": body, "mimeType": "application/json"}
	}
	for _, edit := range edits {
		edit(e)
	}
	text, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// zip packs a text.
func zip(text string) string {
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err)
	}
	w.Close()
	return packed.String()
}

func har(entries ...string) string {
	return `{"log":{"version":"1.2","creator":{"name":"test"},"entries":[` + strings.Join(entries, ",") + `]}}`
}

func at(path string, value any) func(map[string]any) {
	return func(e map[string]any) {
		parts := strings.Split(path, ".")
		for _, p := range parts[:len(parts)-1] {
			e = e[p].(map[string]any)
		}
		if last := parts[len(parts)-1]; value == nil {
			delete(e, last)
		} else {
			e[last] = value
		}
	}
}

const (
	updates = "/v2/campaigns/25"
	deletes = "/v2/creatives/301"
)

// What the recorder may have done is never held against the target; the same
// without it is a finding.
func TestWhatARecorderDoesIsNoFinding(t *testing.T) {
	lost := func(edits ...func(map[string]any)) string { // an update that is not made
		return entry(0, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("b"), edits...)
	}
	deleted := entry(0, 1, "DELETE", deletes, "", 204, "")
	again := func(at float64, edits ...func(map[string]any)) string {
		return entry(at, 1, "DELETE", deletes, "", 204, "", edits...)
	}
	listed := func(at float64, id int) string {
		return entry(at, 1, "GET", "/v2/creatives/200/media-files", "", 200, files(id))
	}
	keyless := at("request.headers", []map[string]any{{"name": "content-type", "value": "application/json"}})
	read := entry(0, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("a"))
	reread := func(edits ...func(map[string]any)) string {
		return entry(10, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("a"), edits...)
	}
	packed := func(text string) func(map[string]any) {
		return func(e map[string]any) {
			at("response.headers",
				[]map[string]any{{"name": "content-type", "value": "application/json"}, {"name": "content-encoding", "value": "gzip"}})(e)
			at("response.content", map[string]any{"size": 9, "encoding": "base64", "text": base64.StdEncoding.EncodeToString([]byte(text))})(e)
		}
	}
	for name, c := range map[string]struct {
		entries []string
		clause  string // "" where nothing is found
		reason  recording.Reason
	}{
		"an update is lost":     {[]string{lost()}, "CAMPAIGN-3", ""},
		"from a cache":          {[]string{lost(at("_fromCache", "disk"))}, "", recording.FromCache},
		"from a service worker": {[]string{lost(at("_fetchedViaServiceWorker", true))}, "", recording.FromCache},
		"failed":                {[]string{lost(at("response._error", "net::ERR_FAILED"))}, "", recording.NoResponse},
		"status 0":              {[]string{lost(at("response.status", 0))}, "", recording.NoResponse},
		"no text":               {[]string{lost(at("response.content.text", nil))}, "", recording.NoBody},
		"no text and no size": {
			[]string{lost(at("response.content", map[string]any{"mimeType": "application/json"}))},
			"",
			recording.NoBody,
		},
		"no text, size 0, but transferred": {[]string{lost(at("response.content", map[string]any{"size": 0}))}, "", recording.NoBody},
		"really empty": {
			[]string{lost(at("response.content", map[string]any{"size": 0}), at("response.bodySize", 0))},
			"CAMPAIGN-1",
			"",
		},
		"text cut":                      {[]string{lost(at("response.content.size", 1<<20))}, "", recording.CutBody},
		"text of fewer bytes than sent": {[]string{lost(at("response.content.size", 10))}, "CAMPAIGN-3", ""},
		"numbers as texts": {
			[]string{lost(at("response.status", "200"), at("time", "1.5"), at("response.content.size", "10"))},
			"CAMPAIGN-3",
			"",
		},
		"base64": {
			[]string{lost(at("response.content.encoding", "base64"), at("response.content.text", "e30="), at("response.content.size", 2))},
			"CAMPAIGN-16",
			"",
		},
		"base64, broken":        {[]string{lost(at("response.content.encoding", "base64"))}, "", recording.CutBody},
		"request body not kept": {[]string{lost(at("request.postData.text", nil))}, "", recording.NoRequestBody},
		"request body replaced": {[]string{lost(at("request.postData.text", "{\"name\":\"\uFFFD\"}"))}, "", recording.NoRequestBody},
		"a conditional request": {
			[]string{lost(at("request.headers", []map[string]any{{"name": "if-none-match", "value": "x"}}))},
			"",
			recording.OutOfScope,
		},

		"still packed":      {[]string{lost(packed(zip(campaign("b"))))}, "CAMPAIGN-3", ""},
		"still packed, cut": {[]string{lost(packed(zip(campaign("b"))[:40]))}, "", recording.CutBody},
		"packed to more than it was": {
			[]string{lost(at("response.content.size", len(campaign("b"))+20), at("response.content.compression", -20))},
			"CAMPAIGN-3",
			"",
		},
		"Safari's cache":   {[]string{lost(at("_fetchType", "Disk Cache"))}, "", recording.FromCache},
		"Safari's network": {[]string{lost(at("_fetchType", "Network Load"))}, "CAMPAIGN-3", ""},
		"a header twice, joined": {
			[]string{entry(0, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("a"),
				at("response.headers", []map[string]any{{"name": "content-type", "value": "application/json\napplication/json"}}))},
			"",
			"",
		},
		"a header twice, different": {
			[]string{entry(0, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("a"),
				at("response.headers", []map[string]any{{"name": "content-type", "value": "application/json\ntext/html"}}))},
			"HTTP-3",
			"",
		},
		"no response header": {
			[]string{entry(0, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("a"), at("response.headers", []map[string]any{}))},
			"",
			"",
		},
		"not modified": {[]string{entry(0, 1, "GET", "/v2/creatives/200/media-files", "", 304, "")}, "ERR-12", ""},

		"nothing measured": {
			[]string{entry(0, 0, "DELETE", deletes, "", 204, ""), entry(100, 0, "DELETE", deletes, "", 204, "")},
			"",
			"",
		},
		"too fast to measure":         {[]string{entry(0, 0, "DELETE", deletes, "", 204, ""), again(100)}, "DELETE-3", ""},
		"put back at an unknown time": {[]string{deleted, entry(5, 1, "POST", "/reset", "", 200, "{}", at("time", nil)), again(10)}, "", ""},
		"deleted twice":               {[]string{deleted, again(10)}, "DELETE-3", ""},
		"deleted twice, out of order": {[]string{again(10), deleted}, "DELETE-3", ""},
		"deleted, and listed":         {[]string{deleted, listed(10, 301)}, "DELETE-5", ""},
		"deleted after being read": {
			[]string{entry(-20, 1, "GET", deletes+"/media-files", "", 404, refusal), deleted, listed(10, 301)},
			"DELETE-5",
			"",
		},
		"deleted, another is listed":   {[]string{deleted, listed(10, 302)}, "", ""},
		"listed, and deleted":          {[]string{listed(-10, 301), deleted}, "", ""},
		"listed at the same time":      {[]string{deleted, listed(0, 301)}, "", ""},
		"deleted at the same time":     {[]string{deleted, again(0)}, "", ""},
		"deleted within a millisecond": {[]string{deleted, again(3)}, "", ""}, // both were cut to milliseconds
		"deleted a bit later":          {[]string{deleted, again(4)}, "DELETE-3", ""},
		"deleted, of unknown time":     {[]string{deleted, again(10, at("startedDateTime", nil))}, "", ""},
		"deleted, of unknown length":   {[]string{deleted, again(10, at("time", -1))}, "", ""},
		"both of unknown time":         {[]string{again(0, at("time", nil)), again(10, at("time", nil))}, "", ""},
		"put back between":             {[]string{deleted, entry(5, 1, "POST", "/reset", "", 200, "{}"), again(10)}, "", ""},
		"read between":                 {[]string{deleted, entry(5, 1, "GET", "/reset", "", 200, "{}"), again(10)}, "DELETE-3", ""},
		"put back elsewhere": {
			[]string{deleted, entry(5, 1, "POST", "/reset", "", 200, "{}", at("request.url", "http://b.example/")), again(10)},
			"DELETE-3",
			"",
		},

		"no key": {[]string{read, reread(keyless)}, "AUTH-1", ""},
		"no key anywhere": {
			[]string{entry(0, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("a"), keyless), reread(keyless)},
			"",
			"",
		},
		"a key that somebody blacked out": {
			[]string{read, reread(at("request.headers", []map[string]any{{"name": "X-API-Key", "value": "REDACTED"}}))},
			"",
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, write(t, "a.har", har(c.entries...)))
			if ids := broken(r); c.clause == "" && len(ids) > 0 || c.clause != "" && !slices.Contains(ids, c.clause) {
				t.Errorf("broken: %q, want %q: %+v", ids, c.clause, r.Findings)
			}
			if n := r.Recording; c.reason != "" && (n.Skipped[string(c.reason)] != 1 || r.Verdict != report.Inconclusive) {
				t.Errorf("%s, %+v", r.Verdict, n)
			}
		})
	}
}

// Chromium's cleaned export keeps a key header, but neither Cookie nor
// Authorization: who sent none is not known.
func TestCleanedExport(t *testing.T) {
	keyless := at("request.headers", []map[string]any{{"name": "host", "value": "a.example"}})
	text := har(entry(0, 1, "PATCH", updates, `{"name":"a"}`, 200, campaign("a")), entry(10, 1, "DELETE", deletes, "", 204, "", keyless))
	partly := at("request.headers", []map[string]any{{"name": "accept", "value": "*/*"}}) // not yet with the condition
	text = strings.TrimSuffix(text, "]}}") + "," + entry(20, 1, "GET", "/v2/creatives/200/media-files", "", 304, "", partly) + "]}}"
	text = strings.Replace(text, `"test"`, `"WebInspector"`, 1)
	if r := check(t, write(t, "a.har", text)); len(r.Findings) > 0 {
		t.Errorf("%+v", r.Findings)
	}
}

// Examples are often saved without the key, which the collection adds.
func TestExampleWithoutAKey(t *testing.T) {
	example := func(header string) string {
		return fmt.Sprintf(
			`{"originalRequest":{"method":"PATCH","url":"http://a.example/v2/campaigns/25","header":[%s{"key":"Content-Type",`+
				`"value":"application/json"}],"body":{"mode":"raw","raw":"{\"name\":\"a\"}"}},"code":200,`+
				`"header":[{"key":"Content-Type","value":"application/json"}],"body":%q}`,
			header, campaign("a"))
	}
	path := write(t, "a.json", `{"info":{},"item":[{"response":[`+example(`{"key":"X-API-Key","value":"{{key}}"},`)+","+example("")+`]}]}`)
	if r := check(t, path); r.Verdict != report.Conforming || r.Recording.Judged != 2 {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
}

// What is judged of a collection is what Postman sends: JSON without comments, to a
// host that may stand in variables.
func TestExamplesAsTheyAreSent(t *testing.T) {
	example := func(address, body string) string {
		return fmt.Sprintf(
			`{"info":{},"item":[{"response":[{"originalRequest":{"method":"PATCH","url":%q,"header":[{"key":"Content-Type",`+
				`"value":"application/json"}],"body":{"mode":"raw","raw":%q}},"code":200,"header":[{"key":"Content-Type",`+
				`"value":"application/json"}],"body":%q}]}]}`,
			address, body, campaign("a"))
	}
	for name, c := range map[string]struct {
		address, body, clause string
	}{
		"a comment":           {"{{baseUrl}}/campaigns/25", "{\n// of the campaign\n\"name\":\"a\"}", ""},
		"no JSON":             {"{{baseUrl}}/campaigns/25", `{"name":"a"`, "ERR-3"},
		"no JSON, an address": {"{{baseUrl}}/campaigns/25", `{"name":"http://a"`, "ERR-3"},
		"a host":              {"https://{{host}}/v2/campaigns/25", `{"name":"a"}`, ""},
		"a host and port":     {"https://api.{{zone}}:{{port}}/v2/campaigns/25", `{"name":"a"}`, ""},
		"no scheme":           {"a.example:8080/v2/campaigns/25", `{"name":"a"}`, ""},
	} {
		r := check(t, write(t, "a.json", example(c.address, c.body)))
		if ids := broken(r); r.Recording.Judged != 1 || c.clause != strings.Join(ids, " ") {
			t.Errorf("%s: %q, %+v", name, ids, r.Recording)
		}
	}
}

// Newman sends one request after another.
func TestNewmanKeepsTheOrder(t *testing.T) {
	data, err := os.ReadFile("testdata/newman.json")
	if err != nil {
		t.Fatal(err)
	}
	r := check(t, write(t, "newman.json", strings.ReplaceAll(string(data), `"code": 404`, `"code": 204`)))
	if ids := broken(r); !slices.Contains(ids, "DELETE-3") {
		t.Errorf("broken: %q", ids)
	}
}
