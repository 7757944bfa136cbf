package dialect_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/dialect"
	"github.com/adconform/adconform/spec"
)

var (
	uuids = dialect.Dialect{IDs: map[string]dialect.Form{"profile": dialect.UUID}}
	codes = dialect.Dialect{IDs: map[string]dialect.Form{"campaign": dialect.Code, "creative": dialect.Code}}
	slugs = dialect.Dialect{IDs: map[string]dialect.Form{"profile": dialect.Slug}}
	named = dialect.Dialect{
		Words: map[string]string{"pass": "allow"},
		Names: map[string]string{
			"regularExpression": "regular_expression", "page": "page_number", "data": "result", "meta": "info",
		},
	}
	bare = dialect.Dialect{Names: named.Names, Bare: true}
	both = dialect.Dialect{Names: map[string]string{"id": "key", "campaignId": "campaign"}, IDs: codes.IDs}
)

// The ids of profile 12, campaign 25 and creative 200, and an unknown one.
const (
	uuid12, uuidX              = "bd2d234a-2cc0-4c34-9826-2079889e146b", "bd2d234a-2cc0-4c34-9826-2079889e146c"
	slug12                     = "tohur-pataf"
	code25, code200            = "ca_v34man2cch", "cr_ef45izzwj2"
	profiles, campaigns, lists = "/v2/connection-profiles/", "/v2/campaigns/", "/v2/creatives/200/media-files"
)

// odd has white space, a large number, a name twice, and a text that is not Unicode.
const odd = "\t{\"x\":1.50E+400,\"x\":\"\\ud800\\/\xff\"} "

// ask sends a request to a server behind a dialect.
func ask(t *testing.T, d dialect.Dialect, method, path, body string, server http.HandlerFunc) *http.Response {
	t.Helper()
	site := httptest.NewServer(d.Before(server, spec.Load(), fixtures.DefaultWorld()))
	t.Cleanup(site.Close)
	r, err := http.NewRequestWithContext(t.Context(), method, site.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Transport{DisableCompression: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func TestRequests(t *testing.T) {
	for _, tc := range []struct {
		name       string
		of         dialect.Dialect
		path, body string
		wantPath   string // "" for the same
		want       string
	}{
		{"an id", uuids, profiles + uuid12, `{"id":"` + uuid12 + `"}`, profiles + "12", `{"id":12}`},
		{"capitals", uuids, profiles + strings.ToUpper(uuid12), ``, profiles + "12", ``},
		{"escapes", uuids, "/%762/%63onnection-profiles/%62" + uuid12[1:], ``, profiles + "12", ``},
		{"the published form of an id", uuids, profiles + "12", `{"id":12}`, profiles + "x12", `{"id":"12"}`},
		{"a malformed id", uuids, profiles + "0%FF" + uuid12 + ".0", `{"id":"12"}`, profiles + "0%FF12.0", `{"id":"12"}`},
		{"digits behind an id", uuids, profiles + uuid12 + "0", ``, profiles + "x120", ``},
		{"half an id", uuids, profiles + uuid12[:20], `{"id":""}`, "", `{"id":""}`},
		{"another kind", uuids, campaigns + uuid12, `{"id":"` + uuid12 + `"}`, "", `{"id":"` + uuid12 + `"}`},
		{"no operation", uuids, profiles + uuid12 + "/", ``, "", ``},
		{"a slug", slugs, profiles + slug12, ``, profiles + "12", ``},
		{"a code", codes, lists[:14] + code200 + "/media-files", `{"parentId":"` + code200 + `"}`, lists, `{"parentId":200}`},
		{
			"ids in a query", codes, campaigns + code25 + "?campaignId=" + code25 + "&&x", ``,
			campaigns + "25?campaignId=25&&x", ``,
		},
		{
			"names", named, profiles + "12", `{"regular_expression":"data", "result":7}`, "",
			`{"regularExpression":"data", "data":7}`,
		},
		{"published names", named, profiles + "12", `{"regularExpression":1}`, "", `{"regular_expression":1}`},
		{
			"an escaped name", named, profiles + "12", `{"regular\u005fexpression" : "\u0061", "\u0061":0}`, "",
			`{"regularExpression" : "\u0061", "\u0061":0}`,
		},
		{
			"values", named, profiles + "12", `{"a":"allow", "b":["pass"," allow"]}`, "",
			`{"a":"pass", "b":["allow"," allow"]}`,
		},
		{"a query", named, lists + "?page_number=2&page=%3", ``, lists + "?page=2&page_number=%3", ``},
		{"what stays", named, profiles + "12", odd, "", odd},
		{"half a body", named, profiles + "12", `{"result":[{"result":"re`, "", `{"data":[{"data":"re`},
		{"text behind a body", named, profiles + "12", `{"result":1} result`, "", `{"data":1} result`},
		{
			"a name and an id", both, campaigns + code25, `{"key":"` + code25 + `","campaign":"` + code25 + `","id":1}`,
			campaigns + "25", `{"id":25,"campaignId":25,"key":1}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ask(t, tc.of, http.MethodPatch, tc.path, tc.body, func(_ http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if tc.wantPath == "" {
					tc.wantPath = tc.path
				}
				want, got := []string{tc.wantPath, tc.want}, []string{r.URL.RequestURI(), string(body)}
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Error(err, diff)
				}
			})
		})
	}
}

func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		of     dialect.Dialect
		path   string
		status int
		body   string
		want   string
	}{
		{
			"an id", uuids, profiles + uuid12, 200, `{"data":{"id":12,"scan":{"id":12}}}`,
			`{"data":{"id":"` + uuid12 + `","scan":{"id":12}}}`,
		},
		{"an unknown id", uuids, profiles + uuidX, 200, `{"data":{"id":%s}}`, `{"data":{"id":"` + uuidX + `"}}`},
		{
			"ids of other types", uuids, profiles + uuid12, 200, `{"data":{"id":"12"},"id":[12],"a":{"id":null}}`,
			`{"data":{"id":12},"id":[12],"a":{"id":null}}`,
		},
		{
			"items", codes, lists, 200, `{"data":[{"id":200,"parentId":null,"campaignId":25},{"latestScanStatus":{"id":200}}]}`,
			`{"data":[{"id":"` + code200 + `","parentId":null,"campaignId":"` + code25 + `"},{"latestScanStatus":{"id":200}}]}`,
		},
		{
			"names and values", named, profiles + "12", 200, `{"data":{"action":"pass","page":[{"data":1}]}}`,
			`{"result":{"action":"allow","page_number":[{"result":1}]}}`,
		},
		{
			"a field", named, profiles + "12", 422, `{"relatedField":"/data/regularExpression.page"}`,
			`{"relatedField":"/result/regular_expression.page_number"}`,
		},
		{"an envelope", bare, profiles + "12", 200, ` {"x":1,"data": {"id": 12} }`, `{"id": 12}`},
		{"an envelope without data", bare, profiles + "12", 200, `{"x":{"data":1}}`, `{"x":{"result":1}}`},
		{"a list", bare, lists, 200, `{"data":[],"meta":{}}`, `{"result":[],"info":{}}`},
		{"an error", bare, profiles + "12", 404, `{"data":1}`, `{"result":1}`},
		{"half a body", bare, profiles + "12", 200, `{"data":{"page":1}`, `{"data":{"page":1}`},
		{"a page for people", bare, profiles + "12", 500, `<b>data</b>`, `<b>data</b>`},
		{"no content", bare, profiles + "12", 204, ``, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := ask(t, tc.of, http.MethodGet, tc.path, "", func(w http.ResponseWriter, r *http.Request) {
				body := strings.ReplaceAll(tc.body, "%s", r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				w.WriteHeader(tc.status)
				io.WriteString(w, body)
			})
			body, err := io.ReadAll(answer.Body)
			if diff := cmp.Diff(tc.want, string(body)); diff != "" || answer.StatusCode != tc.status || err != nil {
				t.Error(answer.StatusCode, err, diff)
			}
		})
	}
}

const envelope, representation = `{"data":{"page":1}}`, `{"page_number":1}`

// However a server sends an answer, the client gets it complete, and in the dialect unless a part was sent first.
func TestWaysToAnswer(t *testing.T) {
	compressed := new(bytes.Buffer)
	zip := gzip.NewWriter(compressed)
	io.WriteString(zip, envelope)
	zip.Close()
	length := func(w http.ResponseWriter) { w.Header().Set("Content-Length", fmt.Sprint(len(envelope))) }
	for _, tc := range []struct {
		name, method, want string
		server             http.HandlerFunc
	}{
		{"without a length", http.MethodGet, representation, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, envelope)
		}},
		{"to HEAD", http.MethodHead, "", func(w http.ResponseWriter, _ *http.Request) {
			length(w)
			io.WriteString(w, envelope)
		}},
		{"flushed", http.MethodGet, representation, func(w http.ResponseWriter, _ *http.Request) {
			length(w)
			io.WriteString(w, envelope)
			_ = http.NewResponseController(w).Flush()
		}},
		{"in parts", http.MethodGet, envelope, func(w http.ResponseWriter, _ *http.Request) {
			for _, part := range []string{envelope[:5], envelope[5:]} {
				io.WriteString(w, part)
				_ = http.NewResponseController(w).Flush()
			}
		}},
		{"as raw bytes", http.MethodGet, envelope, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s", envelope)
				conn.Close()
			}
		}},
		{"before the body", http.MethodPatch, representation, func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).EnableFullDuplex()
			length(w)
			io.WriteString(w, envelope)
			_ = http.NewResponseController(w).Flush()
			_, _ = io.Copy(io.Discard, r.Body)
		}},
		{"compressed", http.MethodGet, representation, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(compressed.Bytes())
		}},
		{"badly compressed", http.MethodGet, compressed.String()[:20], func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(compressed.Bytes()[:20])
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := ask(t, bare, tc.method, profiles+"12", strings.Repeat(" ", 1000), tc.server)
			body, err := io.ReadAll(answer.Body)
			if n := answer.ContentLength; tc.method == http.MethodHead && n != int64(len(representation)) {
				t.Errorf("Content-Length is %d", n)
			}
			if answer.Header.Get("Content-Encoding") == "gzip" {
				body = decompressed(body)
			}
			if diff := cmp.Diff(tc.want, string(body)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

// decompressed returns the text of a gzip stream, or what cannot be read as it is.
func decompressed(data []byte) []byte {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	if plain, err := io.ReadAll(zip); err == nil {
		return plain
	}
	return data
}
