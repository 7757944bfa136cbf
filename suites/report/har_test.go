package report_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// harArchive is what a test reads of traffic.har.
type harArchive struct {
	Log struct {
		Version string
		Entries []struct {
			Seq     int    `json:"_seq"`
			Case    string `json:"_case"`
			Error   string `json:"_error"`
			Time    float64
			Timings map[string]float64
			Request struct {
				Method, URL, Comment string
				BodySize             int
				QueryString          []struct{ Name, Value string }
				PostData             *struct {
					Text, Comment string
					Encoding      string `json:"_encoding"`
				}
			}
			Response struct {
				Status  int
				Headers []struct{ Name, Value string }
				Content struct {
					Size                    int
					MimeType, Text, Comment string
					Encoding                string
				}
			}
		}
	}
}

// archive writes traffic.har and holds it to the schema of har-validator.
func archive(t *testing.T, r *report.Report) (string, harArchive) {
	t.Helper()
	text := written(t, r, func(b *strings.Builder) error { return r.WriteHAR(b) })
	valid(t, harSchema(t), text)
	var a harArchive
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return text, a
}

func harSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	files, err := filepath.Glob("testdata/har-schema/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, file := range files {
		addSchema(t, c, "http://har.test/"+filepath.Base(file), file)
	}
	s, err := c.Compile("http://har.test/har.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func addSchema(t *testing.T, c *jsonschema.Compiler, url, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource(url, document); err != nil {
		t.Fatal(err)
	}
}

func valid(t *testing.T, s *jsonschema.Schema, text string) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(document); err != nil {
		t.Error(err)
	}
}

// A run's exchanges are all in its archive, with what was sent and what came.
func TestHAROfARun(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error":{}}`)
	}))
	t.Cleanup(server.Close)
	target := fixtures.DefaultWorld().Target(server.URL)
	c := suites.NewConfig(target)
	c.Depth, c.Exchanges = judge.Quick, true
	r, err := suites.Execute(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	text, a := archive(t, r)
	if len(a.Log.Entries) != len(r.Exchanges) || len(r.Exchanges) == 0 || a.Log.Version != "1.2" {
		t.Fatalf("%d entries of %d exchanges, version %q", len(a.Log.Entries), len(r.Exchanges), a.Log.Version)
	}
	for i, e := range a.Log.Entries {
		x := r.Exchanges[i]
		if e.Seq != x.Seq || e.Case != x.Case || e.Request.URL != x.URL || e.Response.Status != 404 || e.Response.Content.Text != `{"error":{}}` {
			t.Errorf("entry %+v", e)
		}
		if sum := e.Timings["send"] + e.Timings["wait"] + e.Timings["receive"]; sum != e.Time || e.Timings["dns"] != -1 {
			t.Errorf("timings %v of %v", e.Timings, e.Time)
		}
		if (e.Request.PostData != nil) != (x.RequestBody != nil) {
			t.Errorf("%s: request body %+v", e.Case, e.Request.PostData)
		}
	}
	for _, key := range []string{target.Credentials.Owner, target.Credentials.Stranger} {
		if strings.Contains(text, key) {
			t.Error("a key is in it")
		}
	}
}

func TestHAROfOddExchanges(t *testing.T) {
	r := made()
	r.Exchanges = []report.Exchange{
		{
			Seq: 1, Case: "a/b/c", Method: "PATCH", URL: "http://h/x?page=2&q=a%20b&flag",
			RequestBody: &report.Body{Text: "/w==", Base64: true, Size: 1}, Error: "timeout: no answer in 10s",
		},
		{
			Seq: 2, Case: "a/b/c", Method: "GET", URL: "http://h/x", Proto: "HTTP/1.1", Status: 200,
			ResponseBody: &report.Body{Text: base64.StdEncoding.EncodeToString([]byte{0xff}), Base64: true, Size: 90_000, Cut: true},
		},
	}
	// A path that is wrongly encoded has to be there, too; the format holds URIs only.
	uris := [][2]string{{"/a/%zz", "/a/%25zz"}, {"/a/%", "/a/%25"}, {"/a/%%ff/%4", "/a/%25%ff/%254"}, {"/b", "/b"}}
	for _, u := range uris {
		r.Exchanges = append(r.Exchanges, report.Exchange{Method: "GET", URL: "http://h" + u[0]})
	}
	_, a := archive(t, r)
	for i, u := range uris {
		if got := a.Log.Entries[2+i].Request; got.URL != "http://h"+u[1] || (got.Comment == "") != (u[0] == u[1]) {
			t.Errorf("%s: %s, comment %q", u[0], got.URL, got.Comment)
		}
	}
	lost, binary := a.Log.Entries[0], a.Log.Entries[1]
	if lost.Response.Status != 0 || lost.Error != "timeout: no answer in 10s" || lost.Request.PostData.Encoding != "base64" ||
		lost.Request.BodySize != 1 {
		t.Errorf("%+v", lost)
	}
	if q := lost.Request.QueryString; len(q) != 3 || q[1].Name != "q" || q[1].Value != "a b" || q[2].Name != "flag" {
		t.Errorf("query %v", q)
	}
	if c := binary.Response.Content; c.Encoding != "base64" || c.Size != 90_000 || c.Comment != "only the beginning of 90000 bytes" {
		t.Errorf("%+v", c)
	}
}

func TestHAROfNothingAndOfAHostileTarget(t *testing.T) {
	if _, a := archive(t, made()); len(a.Log.Entries) != 0 {
		t.Errorf("%d entries", len(a.Log.Entries))
	}
	_, a := archive(t, hostile())
	if got, want := a.Log.Entries[0].Response.Content.Text, strings.ToValidUTF8(evil, "\ufffd"); got != want {
		t.Errorf("the body reads back as %q, want %q", got, want)
	}
}

// writes counts the pieces in which an archive is written.
type writes struct{ most, n int }

func (w *writes) Write(p []byte) (int, error) {
	w.n++
	w.most = max(w.most, len(p))
	return len(p), nil
}

func TestHARIsStreamed(t *testing.T) {
	var w writes
	if err := numerous(10_000).WriteHAR(&w); err != nil {
		t.Fatal(err)
	}
	if w.n < 100 || w.most > 100_000 {
		t.Errorf("%d writes, the largest of %d bytes", w.n, w.most)
	}
}

func TestHARSaysThatARunWasInsecure(t *testing.T) {
	r := made()
	r.Insecure = true
	source := written(t, r, func(b *strings.Builder) error { return r.WriteHAR(b) })
	var har struct {
		Log struct{ Comment string }
	}
	if err := json.Unmarshal([]byte(source), &har); err != nil || har.Log.Comment != report.Insecure {
		t.Errorf("%v, comment %q", err, har.Log.Comment)
	}
}
