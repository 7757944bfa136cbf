package render_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/html"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/suites/report"
)

func pageOf(t *testing.T, r *report.Report) string { return written(t, r, (*render.View).WriteHTML) }

// elements returns the elements of a page, as a browser parses it.
func elements(t *testing.T, page string) (all []*html.Node) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	noError(t, err)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

// pageData is a part of the data of the page.
type pageData struct {
	Report struct {
		Results  []report.Case
		Findings []struct {
			report.Finding
			Said map[string]string
		}
	}
	Exchanges []entry
}

func dataOf(t *testing.T, page string) (d pageData) {
	t.Helper()
	_, data, _ := strings.Cut(page, `<script type="application/json"`)
	_, data, _ = strings.Cut(data, ">")
	data, _, _ = strings.Cut(data, "</script>")
	noError(t, json.Unmarshal([]byte(data), &d))
	return d
}

// The page shows of a finding what the terminal shows: its cause, what was sent, the server's
// message, and every request if one alone does not reproduce it.
func TestThePageTellsTheCauseAndEachRequest(t *testing.T) {
	r := made()
	f := &r.Findings[0]
	f.Title = "updateCampaign: a request without a valid key is accepted: the key % (1 case)"
	f.Sent, f.Answer = &report.Sent{At: "key", What: "the key %"}, &report.Answer{Status: 200, Says: "welcome"}
	f.Requests = []report.Request{{Curl: "curl -i http://127.0.0.1/1", Then: "401"}, {Curl: "curl -i http://127.0.0.1/2", Then: "200"}}
	got := dataOf(t, pageOf(t, r)).Report.Findings[0]
	if got.Title != f.Title || got.Said["sent"] != "the key %" || got.Said["server"] != "welcome" {
		t.Errorf("%q, %q", got.Title, got.Said)
	}
	if diff := cmp.Diff(f.Requests, got.Requests); diff != "" {
		t.Error(diff)
	}
	if text := regexp.MustCompile(`(?s)<pre>(NONCONFORMING: .*)</pre>`).FindString(pageOf(t, r)); !strings.Contains(text, f.Title) {
		t.Errorf("without scripts it shows %q", text)
	}
}

// Only the page's own script runs; whatever a target sends remains text.
func TestWhatATargetSendsStaysText(t *testing.T) {
	page := pageOf(t, hostile())
	hash := func(element string) string {
		_, content, _ := strings.Cut(page, "<"+element+">")
		content, _, _ = strings.Cut(content, "</"+element+">")
		sum := sha256.Sum256([]byte(content))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	policy := regexp.MustCompile(`"Content-Security-Policy" content="(.*?)"`).FindStringSubmatch(page)
	want := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hash("script"), hash("style"))
	if policy == nil || html.UnescapeString(policy[1]) != want {
		t.Errorf("policy %q, want %s", policy, want)
	}
	allowed, scripts := map[string]bool{}, 0
	for _, n := range elements(t, pageOf(t, large(50, 50))) {
		allowed[n.Data] = true
	}
	for _, n := range elements(t, page) {
		if n.Data == "script" {
			scripts++
		}
		if !allowed[n.Data] {
			t.Errorf("element %s in %s", n.Data, n.Parent.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("attribute %s=%q of %s", a.Key, a.Val, n.Data)
			}
		}
	}
	if scripts != 2 || !strings.Contains(page, `\x1b[31m`) || !strings.Contains(page, `\u003cimg src=x`) {
		t.Errorf("%d scripts, want the data and one; or what was sent is not shown", scripts)
	}
}

// However much was found, the page opens: it grows with the findings, and not with their exchanges.
func TestThePageIsBounded(t *testing.T) {
	n := reftest.Of(10_000, 2_000)
	page := pageOf(t, large(n/2, n))
	d := dataOf(t, page)
	if len(page) > 4_000_000+n*1_000 || len(d.Report.Findings) != n || len(d.Report.Results) != n/2 || len(d.Report.Results[0].Findings) > 0 ||
		len(d.Exchanges) == 0 || d.Exchanges[0].Seq != d.Report.Findings[0].Exchange {
		t.Errorf("%d bytes, %d findings, %d cases, %d exchanges", len(page), len(d.Report.Findings), len(d.Report.Results), len(d.Exchanges))
	}
}

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
	text = written(t, r, (*render.View).WriteHAR)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("testdata/har-schema/har.json")
	noError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	noError(t, err)
	noError(t, schema.Validate(document))
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
	return c.Do(t.Context(), "a/b/c", wire.Request{Method: http.MethodPost, Path: path, Body: sent}).Entry()
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
}

// A path that is wrongly encoded must be there, too, although the format allows only URIs.
func TestHAROfOddPaths(t *testing.T) {
	r := made()
	for sent, want := range map[string]string{"/a/%zz": "/a/%25zz", "/a/%": "/a/%25", "/a/%%ff/%4": "/a/%25%25ff/%254", "/b": "/b"} {
		r.Exchanges = []report.Exchange{exchanged(t, sent, nil, "x")}
		_, _, got := archive(t, r)
		if is := got[0].Request; !strings.HasSuffix(is.URL, want) || (is.Comment == "") != (sent == want) || is.PostData != nil {
			t.Errorf("%s: %s, comment %q", sent, is.URL, is.Comment)
		}
	}
}

func TestHAROfOddReports(t *testing.T) {
	insecure := made()
	insecure.Insecure = true
	if _, comment, entries := archive(t, insecure); len(entries) != 0 || comment != render.Insecure {
		t.Errorf("%d entries, comment %q", len(entries), comment)
	}
	_, _, entries := archive(t, hostile())
	if got := entries[0].Response.Content.Text; !strings.Contains(got, strings.ToValidUTF8("\\a\\r\\n::error::pwned", "")) {
		t.Errorf("the body reads back as %q", got)
	}
}

// All exchanges of a run are in its archive. Each finding names the one that its curl line repeats. The
// page has that, and one of each case that sent something. Neither contains a key. Each finding has a line of a
// spec.
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
		if !strings.HasPrefix(f.Location, "suites/specs/") {
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
