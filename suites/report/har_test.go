package report_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// entry is the part of an entry that the tests read.
type entry struct {
	Seq     int    `json:"_seq"`
	Case    string `json:"_case"`
	Error   string `json:"_error"`
	Request struct {
		Method, URL, Comment string
		BodySize             int
		QueryString          []struct{ Name, Value string }
		PostData             *body
	}
	Response struct {
		Status  int
		Content body
	}
}

type body struct {
	Text, Encoding, Comment string
	SentEncoding            string `json:"_encoding"`
	Size                    int
}

// archive writes traffic.har, validates it against the schema of har-validator, and reads its entries.
func archive(t *testing.T, r *report.Report) (text, comment string, entries []entry) {
	t.Helper()
	text = written(t, r, (*report.View).WriteHAR)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("testdata/har-schema/har.json")
	noError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	noError(t, err)
	if err := schema.Validate(document); err != nil {
		t.Error(err)
	}
	var a struct {
		Log struct {
			Version, Comment string
			Entries          []entry
		}
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.Log.Version != "1.2" {
		t.Fatal(err, a.Log.Version)
	}
	return text, a.Log.Comment, a.Log.Entries
}

// exchanged sends a request to a server with a fixed answer; "" for a connection that is closed.
func exchanged(t *testing.T, path string, sent []byte, answer string) report.Exchange {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if answer == "" {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	c, err := wire.New(wire.Options{BaseURL: server.URL})
	noError(t, err)
	return report.NewExchange(c.Do(t.Context(), "a/b/c", wire.Request{Method: http.MethodPost, Path: path, Body: sent}))
}

func TestHAROfOddExchanges(t *testing.T) {
	r := made()
	long := strings.Repeat("日", 60_000)
	answers := []string{`{"a":"é"}`, "\xff\xfe", "", long, "a" + long, "aa" + long}
	for _, answer := range answers {
		r.Exchanges = append(r.Exchanges, exchanged(t, "/x?page=2&q=a%20b&flag", []byte{0xff}, answer))
	}
	_, _, got := archive(t, r)
	for i, e := range got {
		q, p, c := e.Request.QueryString, e.Request.PostData, e.Response.Content
		if p.Text != "/w==" || p.SentEncoding != "base64" || p.Encoding != "" || e.Request.BodySize != 1 ||
			len(q) != 3 || q[0].Name != "flag" || q[2].Value != "a b" {
			t.Errorf("%d: %+v %+v", i, p, q)
		}
		raw, err := base64.StdEncoding.DecodeString(c.Text)
		switch {
		case i == 0 && (c.Text != answers[0] || c.Comment != "" || e.Response.Status != 200 || e.Seq != 1),
			i == 1 && (c.Encoding != "base64" || err != nil || string(raw) != answers[1]),
			i == 2 && (e.Response.Status != 0 || e.Error == "" || c.Text != ""),
			i > 2 && (c.Encoding != "" || !utf8.ValidString(c.Text) || c.Size != len(answers[i]) || len(c.Text) < 10_000 || // cut within a character
				!strings.HasPrefix(c.Comment, "only the beginning of")):
			t.Errorf("%d: %.300s, %d bytes", i, c.Text, c.Size)
		}
	}
	// A path that is wrongly encoded must be there, too, although the format allows only URIs.
	for sent, want := range map[string]string{"/a/%zz": "/a/%25zz", "/a/%": "/a/%25", "/a/%%ff/%4": "/a/%25%25ff/%254", "/b": "/b"} {
		r.Exchanges = []report.Exchange{exchanged(t, sent, nil, "x")}
		_, _, got := archive(t, r)
		if is := got[0].Request; !strings.HasSuffix(is.URL, want) || (is.Comment == "") != (sent == want) || is.PostData != nil {
			t.Errorf("%s: %s, comment %q", sent, is.URL, is.Comment)
		}
	}
	insecure := made()
	insecure.Insecure = true
	if _, comment, entries := archive(t, insecure); len(entries) != 0 || comment != report.Insecure {
		t.Errorf("%d entries, comment %q", len(entries), comment)
	}
	_, _, entries := archive(t, hostile())
	if got := entries[0].Response.Content.Text; !strings.Contains(got, strings.ToValidUTF8("\\a\\r\\n::error::pwned", "")) {
		t.Errorf("the body reads back as %q", got)
	}
}

// All exchanges of a run are in its archive. Each finding names the one that its curl line repeats. The
// page has that, and one of each case that sent something. Neither contains a key. A request that is not refused
// has the line of the spec that expects it.
func TestFindingsNameTheirExchange(t *testing.T) {
	r := real(t)
	text, _, entries := archive(t, r)
	page := pageOf(t, r)
	d := dataOf(t, page)
	if len(entries) < 50 || len(d.Report.Findings) != len(r.Findings) || len(d.Report.Results) != len(r.Results) {
		t.Fatalf("%d exchanges, %d findings, %d cases", len(entries), len(d.Report.Findings), len(d.Report.Results))
	}
	seqs, cases := map[int]bool{}, map[string]bool{}
	for _, e := range d.Exchanges {
		seqs[e.Seq], cases[e.Case] = true, true
	}
	for _, f := range r.Findings {
		if f.Check == "not-refused" && !strings.HasPrefix(f.Location, "suites/specs/") {
			t.Errorf("%s in %s has no line of a spec: %q", f.Clause, f.Case, f.Location)
		}
		if f.Exchange == 0 || strings.HasPrefix(f.Curl, "#") {
			continue // it is about several, or too long
		}
		e := entries[f.Exchange-1]
		if e.Seq != f.Exchange || !seqs[e.Seq] || e.Case != f.Case || !strings.Contains(f.Curl, "-X "+e.Request.Method+" ") ||
			!strings.Contains(f.Curl, e.Request.URL) {
			t.Errorf("%s in %s: exchange %d is %s in %s, not %q, or not in the page", f.Clause, f.Case, f.Exchange, e.Request.URL, e.Case, f.Curl)
		}
	}
	for _, c := range r.Results {
		if c.Requests > 0 && !cases[c.ID] {
			t.Errorf("%s shows no exchange in the page", c.ID)
		}
	}
	keys := fixtures.DefaultWorld().Target("").Credentials
	if all := text + page; strings.Contains(all, keys.Owner) || strings.Contains(all, keys.Stranger) {
		t.Error("a key is in the archive or the page")
	}
}
