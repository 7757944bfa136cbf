package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func pageOf(t *testing.T, r *report.Report) string { return written(t, r, (*report.View).WriteHTML) }

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
		Results  []struct{ ID string }
		Findings []struct {
			oracle.Finding
			Sent   string `json:"sent"`
			Answer string `json:"answer"`
		}
	}
	Exchanges []entry
	Omitted   struct{ Findings int }
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
	f.Title = "updateCampaign: a request without a valid key is carried out: the key % (1 case)"
	f.Sent, f.Answer = &oracle.Sent{At: "key", What: "the key %"}, &oracle.Answer{Status: 200, Says: "welcome"}
	f.Requests = []oracle.Request{{Curl: "curl -i http://127.0.0.1/1", Then: "401"}, {Curl: "curl '\x1b'", Then: "200"}}
	got := dataOf(t, pageOf(t, r)).Report.Findings[0]
	if got.Title != f.Title || got.Sent != "the key %" || got.Answer != "welcome" {
		t.Errorf("%q, %q, %q", got.Title, got.Sent, got.Answer)
	}
	if diff := cmp.Diff([]oracle.Request{{Curl: "curl -i http://127.0.0.1/1", Then: "401"}, {Then: "200"}}, got.Requests); diff != "" {
		t.Error(diff)
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

// However much was found and however hostile it is, the page opens and says what it
// leaves out.
func TestThePageIsBounded(t *testing.T) {
	n := reftest.Of(10_000, 1_400)
	r := large(n/2, n)
	page := pageOf(t, r)
	d := dataOf(t, page)
	if len(page) > 10_000_000 || len(d.Report.Findings) != n || len(d.Report.Results) != n/2 || len(d.Exchanges) == 0 ||
		d.Exchanges[0].Seq != d.Report.Findings[0].Exchange {
		t.Errorf("%d bytes, %d findings, %d cases, %d exchanges", len(page), len(d.Report.Findings), len(d.Report.Results), len(d.Exchanges))
	}
	for i := range r.Findings {
		r.Findings[i].Got = strings.Repeat("<&>", 60) + fmt.Sprint(i)
		r.Findings[i].Expected = strings.Repeat("\u202e", 60) + fmt.Sprint(i)
		r.Findings[i].Curl = strings.Repeat("'<'", 1_000) + fmt.Sprint(i)
	}
	page = pageOf(t, r)
	d = dataOf(t, page)
	if missing := n - len(d.Report.Findings); len(page) > 10_000_000 || missing <= 0 || d.Omitted.Findings != missing {
		t.Errorf("%d bytes, %d findings are missing and the page says %d", len(page), missing, d.Omitted.Findings)
	}
}
