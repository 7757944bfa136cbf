package traffic_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/traffic"
	"github.com/adconform/adconform/spec"
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
	for pair := range slices.Chunk(nameAndValue, 2) {
		headers = append(headers, object{"name": pair[0], "value": pair[1]})
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
	a, err := traffic.Open(path, spec.Load())
	noError(t, err)
	at, err := a.Base("")
	noError(t, err)
	return checkFor(t, &fixtures.Target{BaseURL: cmp.Or(at, "http://nobody.invalid")}, a)
}

func checkFor(t *testing.T, target *fixtures.Target, a *traffic.Archive) (*report.Report, string) {
	t.Helper()
	r, err := engine.Check(engine.NewConfig(target), a)
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
		{"CAMPAIGN-3", entry(update(`{"name":"a"} x`), 200, campaign("b"))},
		{"CAMPAIGN-1", entry(update(`{"name":"a"}`), 415, refused(415, "name"))},
		{"", entry(update(`{"name":"a"}`), 415, refused(415, "name"), sentWith("X-API-Key", "a", "Content-Encoding", "gzip"))},
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
		{traffic.FromCache, set("_fromCache", "disk")},
		{traffic.FromCache, set("_fetchType", "Disk Cache")},
		{traffic.Aborted, set("response._error", "net::ERR_FAILED")},
		{traffic.Aborted, set("_error", object{})},
		{traffic.Aborted, set("response._failureText", "net::ERR_CONNECTION_RESET")},
		{traffic.Aborted, set("response.status", 0)},
		{traffic.Aborted, set("response.status", "-1")},
		{traffic.Between, set("response.status", 304)},
		{traffic.Between, set("response.status", "502 Bad Gateway")},
		{traffic.Between, set("response.status", 529.0)},
		{traffic.Unreadable, set("response.status", "error")},
		{traffic.Unreadable, set("response.status", 200.5)},
		{traffic.Unreadable, set("response.status", []int{200})},
		{traffic.Unreadable, set("request.method", []string{"PATCH"})},
		{traffic.Unreadable, set("request.url", object{"host": "api.example"})},
		{traffic.Unreadable, set("request.url", "/v2/campaigns/25")},
		{traffic.Unreadable, set("request.postData", []int{1})},
		{traffic.Unreadable, set("request.postData.text", object{"name": "a"})},
		{traffic.Unreadable, set("response.content.text", object{"data": 1})},
		{traffic.Unreadable, set("response.content.encoding", "gzip")},
		{traffic.Unreadable, set("response.content", object{"text": "eyJkYXRhIjp7I", "encoding": "base64"})},
		{traffic.NotWhole, set("response.content", object{"size": 10})},
		{traffic.NotWhole, set("response.content", object{})},
		{traffic.NotWhole, set("response.content", object{"text": "", "size": -1})},
		{traffic.NotWhole, set("response.content", object{"text": "{}", "size": 1 << 20})},
		{traffic.NotWhole, set("response.content.comment", "only the beginning of 70000 bytes")},
		{traffic.NotWhole, set("request.postData", object{})},
		{traffic.NotWhole, set("request.postData.text", "{\"name\":\"\uFFFD\"}")},
		{traffic.OutOfScope, sentWith("If-None-Match", "x")},
		{traffic.OutOfScope, sentWith("Accept", "text/html")},
		{traffic.OutOfScope, set("response.status", 429)},
		{"", set("_fetchType", "Network Load")},
		{"", set("_error", false)},
		{"", set("response._error", nil)},
		{"", set("_fromCache", false)},
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

// An odd type spoils at most its entry, and one that does not matter spoils nothing.
func TestOddTypesSpoilAtMostTheirEntry(t *testing.T) {
	good := func() object {
		return entry(one, 200, campaign("a"), set("startedDateTime", "2026-01-01T00:00:00Z"), set("time", 5), set("_fromCache", nil),
			set("response.statusText", "OK"), set("response.httpVersion", "HTTP/1.1"), set("response.bodySize", 1),
			set("response.content.size", 1), set("request.bodySize", 1), set("response.content.encoding", "utf-8"))
	}
	places := []string{
		"startedDateTime", "time", "_fromCache", "request", "response", "request.method", "request.url", "request.headers",
		"request.postData", "request.postData.text", "request.bodySize", "response.status", "response.statusText",
		"response.httpVersion", "response.headers", "response.content", "response.content.size", "response.content.text",
		"response.content.encoding", "response.bodySize",
	}
	for _, place := range places {
		for _, value := range []any{nil, true, 7, 1e300, -1.5, "x", "", []any{}, []any{nil, 7}, object{}, object{"a": object{}}} {
			path := archive(t, good(), good(), func() object {
				e := good()
				set(place, value)(e)
				return e
			}())
			isWrong := value == "x" && strings.HasSuffix(place, ".text")
			if r, broken := check(t, path); (broken != "") != isWrong || r.Recording.Judged < 2 {
				t.Errorf("%s: %v: %s, broken: %q", place, value, r.Recording, broken)
			}
		}
	}
	for _, odd := range []string{`7`, `null`, `"x"`, `[]`, `{}`, `{"time":NaN,"a":"NaN,-Infinity\\\""}`, `{"request":{"url":"data:,a"}}`} {
		text, _ := json.Marshal(good())
		path := write(t, `{"log":{"entries":[`+odd+`,`+string(text)+`,`+odd+`],"pages":[-Infinity]}}`)
		if r, broken := check(t, path); r.Recording.Judged != 1 || broken != "" {
			t.Errorf("%s: %s, broken: %q", odd, r.Recording, broken)
		}
	}
}

// Types that recorders get wrong are read as what they mean.
func TestValuesOfOtherTypesAreRead(t *testing.T) {
	coded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	shown := campaign("é?>~") // é?>~ has both letters in which the alphabets of base64 differ
	content := func(more object) func(object) { return set("response.content", more) }
	for name, edit := range map[string]func(object){
		"a status as a text":       set("response.status", "200"),
		"a status with its phrase": set("response.status", "200 OK"),
		"a status with a fraction": set("response.status", 200.0),
		"a size as a text":         content(object{"text": shown, "size": "12"}),
		"a time as a text":         set("time", "5.5"),
		"headers in an object":     set("response.headers", object{"Content-Type": "application/json", "X-Count": 7}),
		"values in a list":         set("response.headers", []object{{"name": "Content-Type", "value": []string{"application/json"}}}),
		"a number, a boolean, nothing": set("request.headers", []object{
			{"name": "x", "value": 1},
			{"name": "y", "value": true},
			{"name": "z"},
			{"name": "x-api-key", "value": key},
			{"name": "Content-Type", "value": "application/json"},
		}),
		"names in other letter case": set("Response", object{
			"Status": 200, "headers": []object{{"Name": "Content-Type", "VALUE": "application/json"}}, "content": object{"TEXT": shown},
		}),
		"base64":                   content(object{"text": coded(shown), "encoding": "base64"}),
		"base64 in a data URL":     content(object{"text": "data:application/json;base64," + coded(shown), "encoding": "base64"}),
		"base64 in capitals":       content(object{"text": coded(shown), "encoding": " BASE64"}),
		"base64 without padding":   content(object{"text": strings.TrimRight(coded(shown), "="), "encoding": "base64"}),
		"base64 of URLs":           content(object{"text": base64.RawURLEncoding.EncodeToString([]byte(shown)), "encoding": "base64"}),
		"base64 in lines":          content(object{"text": coded(shown)[:20] + "\r\n" + coded(shown)[20:], "encoding": "base64"}),
		"base64 that is not named": content(object{"text": coded(shown), "size": len(shown)}),
		"plain, named base64":      content(object{"text": shown, "encoding": "base64", "size": len(shown)}),
		"plain, named utf-8":       content(object{"text": shown, "encoding": "UTF-8"}),
		"a request in base64":      set("request.postData", object{"text": coded(`{"name":"é?>~"}`), "encoding": "Base64"}),
	} {
		e := entry(`PATCH /campaigns/25 {"name":"é?>~"}`, 200, shown, edit)
		if e["Response"] != nil {
			delete(e, "response")
		}
		if r, broken := check(t, archive(t, e)); r.Recording.Judged != 1 || broken != "" {
			t.Errorf("%s: %s, broken: %q", name, r.Recording, broken)
		}
	}
	// A target that answers base64 in place of JSON is told so where the recorder gives the size.
	wrong := object{"text": coded(shown), "size": len(coded(shown))}
	if _, broken := check(t, archive(t, entry(one, 200, "", content(wrong)))); broken == "" {
		t.Error("a body in base64 is taken for its content")
	}
}

// Files in other encodings of Unicode are read.
func TestArchivesInOtherEncodings(t *testing.T) {
	text, err := os.ReadFile(archive(t, entry(one, 200, campaign("a"))))
	noError(t, err)
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			coded, err := unicode.UTF16(order, mark).NewEncoder().Bytes(bytes.TrimPrefix(text, []byte("\uFEFF")))
			noError(t, err)
			if r, broken := check(t, write(t, string(coded))); r.Recording.Judged != 1 || broken != "" {
				t.Errorf("%v, %v: %s, broken: %q", order, mark, r.Recording, broken)
			}
		}
	}
}

// The port of a scheme and letter case do not make another base URL.
func TestOneBaseURL(t *testing.T) {
	path := archive(t, entry(one, 200, campaign("a"), set("request.url", "https://API.example:443/v2/campaigns/25")),
		entry(one, 200, campaign("a")), entry(one, 200, campaign("a"), set("request.url", "HTTPS://api.example:/v2/campaigns/25")))
	if r, broken := check(t, path); r.Recording.Judged != 3 || broken != "" {
		t.Errorf("%s, broken: %q", r.Recording, broken)
	}
	a, err := traffic.Open(path, spec.Load())
	noError(t, err)
	for _, wanted := range []string{base, "https://api.example:443/v2/", "HTTPS://Api.Example/v2"} {
		if at, err := a.Base(wanted); at != base || err != nil {
			t.Errorf("%s: %q, %v", wanted, at, err)
		}
	}
}

func TestBrokenArchives(t *testing.T) {
	for _, text := range []string{"", "[]", `{"openapi":"3.0.3"}`, `{"log":{"entries":{"0":{}}}}`, `{"log":{"entries":[]},}`, `{"log":7}`} {
		path := write(t, text)
		if _, err := traffic.Open(path, spec.Load()); err == nil || !strings.HasPrefix(err.Error(), path+": not an HTTP Archive: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	path := archive(t, entry(one, 200, "{}"), entry(one, 200, "{}", set("request.url", "http://b.example/campaigns/25")))
	a, err := traffic.Open(path, spec.Load())
	noError(t, err)
	if _, err := a.Base(""); err == nil || !strings.Contains(err.Error(), "http://b.example, https://api.example/v2") {
		t.Error(err)
	}
	if at, err := a.Base("http://b.example/"); at != "http://b.example" || err != nil {
		t.Error(at, err)
	}
}

// Without times it is not known what happened first, so a target file does not make a sequence of an archive.
func TestAnArchiveWithoutTimesIsNoSequence(t *testing.T) {
	update := func(name, shown string) object {
		return entry(fmt.Sprintf(`PATCH /campaigns/25 {"name":%q}`, name), 200, campaign(shown))
	}
	a, err := traffic.Open(archive(t, update("a", "a"), update("b", "b"), update("c", "d")), spec.Load())
	noError(t, err)
	target := fixtures.DefaultWorld().Target(base)
	target.Credentials.Owner = key
	if r, broken := checkFor(t, target, a); broken != "CAMPAIGN-3" || r.Recording.Judged != 3 {
		t.Errorf("%q, %d judged", broken, r.Recording.Judged)
	}
}

// noError fails the test at once on an error that is unrelated to its subject.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A request without a key is told from others where the key is in Authorization, too, and not where a recorder may have
// left it out: there Cookie and Authorization are missing alike.
func TestKeysInOtherPlaces(t *testing.T) {
	keyless := entry(one, 200, campaign("a"), sentWith())
	for _, row := range []struct {
		broken string
		keyed  object
	}{
		{"AUTH-1", entry(one, 200, campaign("a"), sentWith("X-API-Key", "key-of-owner-1"))},
		{"AUTH-1", entry(one, 200, campaign("a"), sentWith("Authorization", "Bearer token-of-owner-1"))},
		{"", entry(one, 200, campaign("a"), sentWith("Cookie", "session=cookie-of-owner-1"))},
		{"", entry(strings.Replace(one, " {", "?api_key=key-of-owner-1 {", 1), 200, campaign("a"), sentWith())},
	} {
		r, broken := check(t, archive(t, row.keyed, keyless))
		text, err := json.Marshal(r)
		noError(t, err)
		if broken != row.broken || strings.Contains(string(text), "of-owner-1") {
			t.Errorf("%v: broken: %q in %s", row.keyed["request"], broken, text)
		}
	}
}

func TestABrowsersArchive(t *testing.T) {
	archive, err := traffic.Open("testdata/playwright.har", spec.Load())
	noError(t, err)
	if at, err := archive.Base(""); err != nil || at != "http://127.0.0.1:8080/v2" || len(archive.Entries) != 6 {
		t.Errorf("%d entries, %q, %v", len(archive.Entries), at, err)
	}
}
