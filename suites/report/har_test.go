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
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
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
				Method, URL string
				BodySize    int
				QueryString []struct{ Name, Value string }
				PostData    *struct {
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
	text := written(t, r, func(b *strings.Builder) error { return report.WriteHAR(b, r) })
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
	_, a := archive(t, r)
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
	if err := report.WriteHAR(&w, numerous(10_000)); err != nil {
		t.Fatal(err)
	}
	if w.n < 100 || w.most > 100_000 {
		t.Errorf("%d writes, the largest of %d bytes", w.n, w.most)
	}
}

func TestHARSaysThatARunWasInsecure(t *testing.T) {
	r := made()
	r.Insecure = true
	source := written(t, r, func(b *strings.Builder) error { return report.WriteHAR(b, r) })
	var har struct {
		Log struct{ Comment string }
	}
	if err := json.Unmarshal([]byte(source), &har); err != nil || har.Log.Comment != report.Insecure {
		t.Errorf("%v, comment %q", err, har.Log.Comment)
	}
}

func answer(t *testing.T, body string) report.Exchange {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) }))
	t.Cleanup(server.Close)
	c, err := wire.New(wire.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return report.NewExchange(c.Do(t.Context(), "a/b/c", wire.Request{Method: http.MethodGet, Path: "/x"}))
}

func TestExchangeBodies(t *testing.T) {
	if got := answer(t, `{"a":"é"}`); got.ResponseBody.Text != `{"a":"é"}` || got.ResponseBody.Cut ||
		got.RequestBody != nil || got.Status != 200 || got.Seq != 1 {
		t.Errorf("got %+v %+v", got, got.ResponseBody)
	}
	binary := answer(t, "\xff\xfe").ResponseBody
	if raw, err := base64.StdEncoding.DecodeString(binary.Text); !binary.Base64 || err != nil || string(raw) != "\xff\xfe" {
		t.Errorf("got %+v", binary)
	}
	for shift := range 3 { // cut within a character
		long := answer(t, strings.Repeat("a", shift)+strings.Repeat("日", 60_000)).ResponseBody
		if !long.Cut || long.Base64 || !utf8.ValidString(long.Text) || long.Size != 180_000+shift || len(long.Text) < 10_000 {
			t.Errorf("shift %d: cut %t, base64 %t, %d of %d bytes", shift, long.Cut, long.Base64, len(long.Text), long.Size)
		}
	}
}

// Each finding names the exchange whose curl line it carries.
func TestFindingsNameTheirExchange(t *testing.T) {
	server := httptest.NewServer(lost)
	t.Cleanup(server.Close)
	c := suites.NewConfig(fixtures.DefaultWorld().Target(server.URL))
	c.Exchanges = true
	sent := 0
	c.Record = func(*wire.Exchange) { sent++ }
	r, err := suites.Execute(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Exchanges) != sent || len(r.Findings) == 0 {
		t.Fatalf("%d exchanges of %d, %d findings", len(r.Exchanges), sent, len(r.Findings))
	}
	for i, ex := range r.Exchanges {
		if ex.Seq != i+1 {
			t.Fatalf("exchange %d in place %d", ex.Seq, i+1)
		}
	}
	for _, f := range r.Findings {
		if ex := r.Exchanges[f.Exchange-1]; ex.Case != f.Case || !strings.Contains(f.Curl, "-X "+ex.Method+" ") ||
			!strings.Contains(f.Curl, ex.URL) {
			t.Errorf("%s in %s: exchange %d is %s %s in %s, not %q", f.Clause, f.Case, f.Exchange, ex.Method, ex.URL, ex.Case, f.Curl)
		}
	}
}
