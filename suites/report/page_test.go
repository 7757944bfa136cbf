package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func TestThePolicyAllowsThePagesOwnScriptAndStyleOnly(t *testing.T) {
	g := NewWithT(t)
	r := made()
	r.Target.Name, r.Reason = "</title><script>", "<img src=x>"
	page := []byte(pageOf(t, r))
	hash := func(element string) string {
		found := regexp.MustCompile(fmt.Sprintf(`(?s)<%[1]s>(.*?)</%[1]s>`, element)).FindSubmatch(page)
		g.Expect(found).NotTo(BeNil())
		sum := sha256.Sum256(found[1])
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	policy := regexp.MustCompile(`"Content-Security-Policy" content="(.*?)"`).FindStringSubmatch(string(page))
	g.Expect(policy).NotTo(BeNil())
	g.Expect(html.UnescapeString(policy[1])).To(Equal(fmt.Sprintf(
		"default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hash("script"), hash("style"))))
	g.Expect(string(page)).To(ContainSubstring(`"reason":"\u003cimg src=x\u003e"`))
	g.Expect(string(page)).To(ContainSubstring("<h1>NONCONFORMING: &lt;img src=x&gt;; tested: "))
	g.Expect(string(page)).NotTo(ContainSubstring("<img"))
}

func pageOf(t *testing.T, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.NewView(r).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements are those of a page, as a browser reads it.
func elements(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
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
			Exchange            int
			Title, Sent, Answer string
			Fails               bool
			Requests            []oracle.Request
		}
	}
	Exchanges []struct {
		Seq  int    `json:"_seq"`
		Case string `json:"_case"`
	}
	Omitted struct{ Findings int }
}

func dataOf(t *testing.T, page string) pageData {
	t.Helper()
	var d pageData
	for _, n := range elements(t, page) {
		if n.Data == "script" && len(n.Attr) == 2 {
			if err := json.Unmarshal([]byte(n.FirstChild.Data), &d); err != nil {
				t.Fatal(err)
			}
		}
	}
	return d
}

func TestThePageSaysWhatIsWrongWithoutItsScript(t *testing.T) {
	r := large(1, 1)
	f := &r.Findings[0]
	f.Pointer, f.Expected, f.Got, f.Title = "", "status 401", "status 200", ""
	f.CauseWords = ""
	NewWithT(t).Expect(html.UnescapeString(pageOf(t, r))).To(And(
		ContainSubstring("<h1>NONCONFORMING: 1 findings; tested: sample at https://api.example.test/v2</h1>"),
		ContainSubstring("<li>updateConnectionProfile answered 200 where 401 was expected. AUTH-1 (stated), "+
			"check shows-sent, seen 1 of 9 times, first in case updateConnectionProfile/success/case-0</li>"),
	))
}

// The page tells of a finding what the terminal tells: its cause, what was sent, what the
// server says, and each request where one alone does not show it.
func TestThePageTellsTheCauseAndEachRequest(t *testing.T) {
	r := large(1, 1)
	f := &r.Findings[0]
	f.CauseWords, f.Pointer, f.Expected, f.Got = "a request without a valid key is carried out", "", "status 401", "status 200"
	f.Sent, f.Answer = &oracle.Sent{At: "key", What: "the key %"}, &oracle.Answer{Status: 200, Says: "welcome"}
	f.Requests = []oracle.Request{{Curl: "curl -i http://127.0.0.1/1", Then: "401"}, {Curl: "curl '\x1b'", Then: "200"}}
	f.Title = "updateConnectionProfile: a request without a valid key is carried out: the key % (1 case)"
	got := dataOf(t, pageOf(t, r)).Report.Findings[0]
	g := NewWithT(t)
	g.Expect(got.Title).To(Equal("updateConnectionProfile: a request without a valid key is carried out: the key % (1 case)"))
	g.Expect(got.Sent).To(Equal("the key %"))
	g.Expect(got.Answer).To(Equal("welcome"))
	g.Expect(got.Requests).To(HaveExactElements(oracle.Request{Curl: "curl -i http://127.0.0.1/1", Then: "401"}, oracle.Request{Then: "200"}))
}

func TestWhatATargetSendsStaysText(t *testing.T) {
	page := pageOf(t, pageHostile())
	allowed := map[string]bool{}
	for _, n := range elements(t, pageOf(t, large(50, 50))) {
		allowed[n.Data] = true
	}
	scripts := 0
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
	if scripts != 2 {
		t.Errorf("%d scripts, want the data and one", scripts)
	}
	for _, r := range page {
		if !unicode.IsPrint(r) && r != '\n' {
			t.Fatalf("%U is in the page", r)
		}
	}
	if !strings.Contains(page, `\x1b[31m`) {
		t.Error("what was sent is not shown")
	}
}

func TestTheExchangesOfFindingsAreInThePageAndNoKeyIs(t *testing.T) {
	r, err := brokenReport(t.Context(), judge.Standard)
	if err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, r)
	d := dataOf(t, page)
	if len(d.Report.Findings) != len(r.Findings) || len(d.Report.Results) != len(r.Results) {
		t.Fatalf("%d findings, %d cases", len(d.Report.Findings), len(d.Report.Results))
	}
	seqs, cases := map[int]bool{0: true}, map[string]bool{}
	for _, ex := range d.Exchanges {
		seqs[ex.Seq], cases[ex.Case] = true, true
	}
	for i := range r.Findings {
		if !seqs[r.Findings[i].Exchange] {
			t.Errorf("finding %d has no exchange", i+1)
		}
	}
	for _, c := range r.Results {
		if c.Requests > 0 && !cases[c.ID] {
			t.Errorf("%s shows no exchange", c.ID)
		}
	}
	keys := fixtures.DefaultWorld().Target("").Credentials
	for _, key := range []string{keys.Owner, keys.Stranger} {
		if strings.Contains(page, key) {
			t.Errorf("the key %s is in the page", key)
		}
	}
}

func TestLargeReportsStaySmall(t *testing.T) {
	r := large(5_000, 10_000)
	started := time.Now()
	page := pageOf(t, r)
	t.Logf("%d bytes in %s", len(page), time.Since(started))
	d := dataOf(t, page)
	first := d.Report.Findings[0].Exchange
	if len(page) > 10_000_000 || len(d.Report.Findings) != 10_000 || len(d.Report.Results) != 5_000 || len(d.Exchanges) == 0 ||
		d.Exchanges[0].Seq != first {
		t.Errorf("%d bytes, %d findings, %d cases, %d exchanges", len(page), len(d.Report.Findings), len(d.Report.Results), len(d.Exchanges))
	}
}

// However much was found and however hostile it is, the page can be opened, and
// says what it leaves out.
func TestThePageIsBounded(t *testing.T) {
	r := large(5_000, 10_000)
	for i := range r.Findings {
		r.Findings[i].Got = strings.Repeat("<&>", 60) + fmt.Sprint(i)
		r.Findings[i].Expected = strings.Repeat("\u202e", 60) + fmt.Sprint(i)
		r.Findings[i].Curl = strings.Repeat("'<'", 1_000) + fmt.Sprint(i)
	}
	page := pageOf(t, r)
	d := dataOf(t, page)
	if len(page) > 10_000_000 {
		t.Errorf("%d bytes", len(page))
	}
	if missing := 10_000 - len(d.Report.Findings); missing <= 0 || d.Omitted.Findings != missing {
		t.Errorf("%d findings are missing and the page says %d", missing, d.Omitted.Findings)
	}
}
