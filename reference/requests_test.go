package reference

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// The world of the tests is the default one: profile 12 with rules 34 (hosts 56, 58) and 35 (host
// 57), profile 13, campaigns 25 and 26, the VAST creatives 200 (files 201 to 203), 220 (250 files
// from 1001) and 210 (none), the plain creative 230. The stranger's ids are from 91 to 98.
var (
	testWorld   = fixtures.DefaultWorld
	ownerKey    = testWorld().Users[0].Key
	strangerKey = testWorld().Users[1].Key
)

// newServer serves the test world in memory, with the default choices as changed
// by flip.
func newServer(t testing.TB, flip func(*Choices)) *Server {
	t.Helper()
	o := Options{World: testWorld(), Choices: DefaultChoices()}
	if flip != nil {
		flip(&o.Choices)
	}
	return newServerWith(t, o)
}

func newServerWith(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := New(o)
	noError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   string
}

// request sends a request by name, such as "PATCH /campaigns/25", without any
// header but those given by name and value.
func request(s http.Handler, name, body string, headers ...string) reply {
	return requestAt(s, BasePath, name, body, headers...)
}

func requestAt(s http.Handler, base, name, body string, headers ...string) reply {
	method, path, _ := strings.Cut(name, " ")
	r := httptest.NewRequest(method, base+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return serve(s, r)
}

func serve(s http.Handler, r *http.Request) reply {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

// ask sends a request of the owner.
func ask(s http.Handler, name, body string, headers ...string) reply {
	return request(s, name, body, append(headers, fixtures.DefaultKeyHeader, ownerKey)...)
}

// at returns the JSON at a place of the body such as data.name or data.0.id,
// "absent" if there is none.
func (r reply) at(place string) string {
	value := jsontext.Value(r.body)
	for name := range strings.SplitSeq(place, ".") {
		var object map[string]jsontext.Value
		var array []jsontext.Value
		if json.Unmarshal(value, &object) == nil && object[name] != nil {
			value = object[name]
		} else if i, err := strconv.Atoi(name); err == nil && json.Unmarshal(value, &array) == nil && i < len(array) {
			value = array[i]
		} else {
			return "absent"
		}
	}
	return string(value)
}

// issues returns the types of the issues with their fields: "invalidType name".
func (r reply) issues() string {
	var body spec.ErrorBody
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		return err.Error()
	}
	var all []string
	for _, issue := range body.Error.Issues {
		field := "null"
		if issue.RelatedField != nil {
			field = *issue.RelatedField
		}
		all = append(all, issue.Type+" "+field)
	}
	return strings.Join(all, ", ")
}

func (r reply) is(t *testing.T, status int) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

func (r reply) shows(t *testing.T, place, want string) reply {
	t.Helper()
	if got := r.at(place); got != want {
		t.Errorf("%s: expected %s, got %s in %s", place, want, got, r.body)
	}
	return r
}

// refuses checks an answer in the error shape.
func (r reply) refuses(t *testing.T, status int, issues string) {
	t.Helper()
	if r.status != status || r.at("error.responseCode") != strconv.Itoa(status) || r.issues() != issues {
		t.Errorf("expected %d %s, got %d %s", status, issues, r.status, r.body)
	}
	if got := r.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
}

// noError fails the test at once on an error that is unrelated to its subject.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// updates are the three operations with a body, with a valid full one.
var updates = []struct{ request, body string }{
	{"PATCH /connection-profiles/12", `{"name":"N","withoutCookiesAction":"fail","withCookiesAction":"fail"}`},
	{hostPath, `{"hostname":"n.example.com","regularExpression":"^/n/"}`},
	{"PATCH /campaigns/25", `{"name":"N"}`},
}

func TestBodiesThatAreNoObjects(t *testing.T) {
	s := newServer(t, nil)
	before := held(s)
	for _, u := range updates {
		half, name := u.body[:len(u.body)-1], u.body[:strings.Index(u.body, ":")]
		for body, issues := range map[string]string{
			"":                  "emptyBody null",
			" ":                 "malformedJSON null",
			half:                "malformedJSON null",
			u.body + u.body:     "malformedJSON null",
			"\ufeff" + u.body:   "malformedJSON null",
			name + `:"\ud800"}`: "malformedJSON null",
			name + ":\"\xff\"}": "malformedJSON null",
			name + `:01}`:       "malformedJSON null",
			half + "," + strings.TrimPrefix(u.body, "{"): "malformedJSON null", // names twice
			half + `,"x":{"a":1,"a":2}}`:                 "malformedJSON null",
			strings.ReplaceAll(u.body, `"`, `'`):         "malformedJSON null",
			"[]":                                         "notAnObject null",
			`"x"`:                                        "notAnObject null",
			"true":                                       "notAnObject null",
			"null":                                       "notAnObject null",
			strings.Repeat("[", 1000) + strings.Repeat("]", 1000):                            "notAnObject null",
			half + `,"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}": "malformedJSON null", // deeper than any use
		} {
			got := ask(s, u.request, body)
			if got.status != 422 || got.issues() != issues {
				t.Errorf("%s %.40q: expected %s, got %d %s", u.request, body, issues, got.status, got.body)
			}
		}
	}
	if now := held(s); now != before {
		t.Errorf("was %s, is %s", before, now)
	}
}

func TestAllWrongFieldsAtOnce(t *testing.T) {
	s := newServer(t, func(c *Choices) { c.UnknownFields, c.ReadOnlyFields = Refuse, Refuse })
	ask(s, updates[0].request, `{"zeta":1,"withCookiesAction":"x","id":1,"name":{},"withoutCookiesAction":"y"}`).
		refuses(t, 422,
			"invalidType name, invalidValue withoutCookiesAction, invalidValue withCookiesAction, readOnlyField id, unknownField zeta")
}

func TestMediaTypes(t *testing.T) {
	s := newServer(t, nil)
	for contentType, want := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON": 200, "application/merge-patch+json": 200,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "application/jsonx": 415, "json": 415, "application/json; charset": 415,
	} {
		for _, u := range updates {
			got := ask(s, u.request, u.body, "Content-Type", contentType)
			if got.status != want {
				t.Errorf("%s: expected %d, got %d", contentType, want, got.status)
			}
			if want == 415 && (got.issues() != "unsupportedMediaType null" || got.header.Get("Accept-Patch") != "application/json") {
				t.Errorf("%s: got %s %v", contentType, got.body, got.header)
			}
		}
	}
	ask(s, campaignPath, `{"name":"no type"}`).is(t, 200)

	r := httptest.NewRequest("PATCH", "/v2/campaigns/25", iotest.ErrReader(io.ErrUnexpectedEOF))
	r.Header.Set("X-API-Key", ownerKey)
	serve(s, r).refuses(t, 400, "unreadableBody null")
	ask(s, campaignPath, "{}"+strings.Repeat(" ", maxBody-2)).is(t, 200)
	ask(s, campaignPath, strings.Repeat(" ", maxBody+1)).refuses(t, 413, "bodyTooLarge null")
}

// send writes raw bytes and reads one answer, until the end of the connection.
func send(t *testing.T, address, raw string) reply {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	noError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, raw)
	noError(t, err)
	method, _, _ := strings.Cut(raw, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.60q: %v", raw, err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%.60q: %v", raw, err)
	}
	if !response.Close {
		t.Errorf("%.60q: the connection stays open", raw)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

// TestRawRequests: invalid requests are refused, by net/http itself if they cannot be parsed, and
// requests for no operation with the error shape.
func TestRawRequests(t *testing.T) {
	s := newServer(t, nil)
	site := httptest.NewUnstartedServer(s)
	site.Config = s.HTTP(s)
	site.Start()
	defer site.Close()
	address := site.Listener.Addr().String()
	for raw, status := range map[string]int{
		"PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nX-Flood: " + strings.Repeat("a", 2*maxHeaderBytes) + "\r\n\r\n":       431,
		"PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-Flood: a\r\n", maxHeaderBytes/6) + "\r\n":       431,
		"PATCH /v2/campaigns/%zz HTTP/1.1\r\nHost: x\r\n\r\n":                                                                400,
		"HEAD /v2/creatives/200/media-files HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: " + ownerKey + "\r\n\r\n": 200,
		"OPTIONS /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":                                          405,
		"BREW /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":                                             405,
		"CONNECT /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":                                          405,
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":                                          404,
		"PATCH http://evil.example/v2/../campaigns/25 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n": 404,
	} {
		got := send(t, address, raw)
		shaped := got.header.Get("Content-Type") == "application/json" && got.at("error.responseCode") == strconv.Itoa(status)
		if got.status != status || !shaped && (status == 404 || status == 405) || status == 200 && got.header.Get("Content-Length") == "" {
			t.Errorf("%.60q: got %d %s %s", raw, got.status, got.header, got.body)
		}
	}
}

// TestPathTricks: no other spelling of a path reaches an operation, except with
// unnecessary percent-encoding (RFC 3986, 2.3).
func TestPathTricks(t *testing.T) {
	s := newServer(t, nil)
	for path, status := range map[string]int{
		"/v2/campaigns/25":                          200,
		"/v2/campaigns//25":                         404,
		"/v2/connection-profiles/12/rules/34":       404,
		"/v2/campaigns/2%35":                        200,
		"/v2/campaigns/25?name=x":                   200,
		"/v2/campaigns/25/":                         404,
		"/v2//campaigns/25":                         404,
		"/v2/x/../campaigns/25":                     404,
		"/v2/%2e%2e/v2/campaigns/25":                404,
		"/v2%2Fcampaigns%2F25":                      404,
		"/v2/campaigns%2F25":                        404,
		"/v2/campaigns/..%2F25":                     404,
		"/V2/campaigns/25":                          404,
		"/v2/campaigns/25%00":                       404,
		"/v2/campaigns/{campaignId}":                404,
		"/":                                         404,
		"/v2/campaigns/" + strings.Repeat("9", 999): 404,
	} {
		got := requestAt(s, "", "PATCH "+path, `{"name":"x"}`, "X-API-Key", ownerKey)
		if got.status != status || got.header.Get("Content-Type") != "application/json" || status == 404 && got.issues() != "notFound null" {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
}

func TestHostnames(t *testing.T) {
	long := "a"
	for len(long) < 253 {
		long += ".a"
	}
	label63 := "a23456789012345678901234567890123456789012345678901234567890123"
	for name, want := range map[string]bool{
		"cdn.example.com": true, "CDN.Example.COM": true, "example.com.": true, "localhost": true, "xn--bcher-kva.example": true,
		"3com.com": true, "a-b.example": true, label63 + ".example": true, long: true,
		"": false, ".": false, "a..b": false, "-a.example": false, "a-.example": false, "a_b.example": false, "a b.example": false,
		"192.0.2.1": false, "1.2.3": false, "::1": false, "[::1]": false, "example.com:80": false, "https://example.com": false,
		"*.example.com": false, "bücher.example": false, label63 + "4.example": false, long + "b": false, "example.com..": false,
	} {
		if got := isHostname(name); got != want {
			t.Errorf("%q: expected %t, got %t", name, want, got)
		}
	}
}

// TestUpdatedAtFollowsChanges: a request that changes nothing leaves updatedAt
// unchanged, and it never goes back.
func TestUpdatedAtFollowsChanges(t *testing.T) {
	s := newServer(t, nil)
	for _, step := range []struct {
		hour       int
		body, want string
	}{
		{10, `{}`, `"2024-03-07T03:43:00Z"`}, // as the world has it
		{10, `{"name":"Spring video"}`, `"2024-03-07T03:43:00Z"`},
		{11, `{"name":"A"}`, `"2024-05-01T11:00:00Z"`},
		{12, `{"name":"A","type":"display"}`, `"2024-05-01T11:00:00Z"`},
		{9, `{"name":"B"}`, `"2024-05-01T11:00:00Z"`},
		{13, `{"name":"C"}`, `"2024-05-01T13:00:00Z"`},
	} {
		s.now = func() time.Time { return time.Date(2024, time.May, 1, step.hour, 0, 0, 0, time.UTC) }
		ask(s, campaignPath, step.body).is(t, 200).shows(t, "data.updatedAt", step.want).shows(t, "data.type", `"video"`)
	}
}
