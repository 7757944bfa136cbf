package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/report/browser/samples"
)

func pageOf(t *testing.T, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteHTML(&b, r); err != nil {
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

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func content(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

// pageData is a part of the data of the page.
type pageData struct {
	Texts     []string
	Cases     []struct{ Exchanges []int }
	Findings  []struct{ Exchange *int }
	Exchanges []struct{ Title int }
}

func dataOf(t *testing.T, page string) pageData {
	t.Helper()
	var d pageData
	for _, n := range elements(t, page) {
		if attribute(n, "id") == "data" {
			if err := json.Unmarshal([]byte(content(n)), &d); err != nil {
				t.Fatal(err)
			}
		}
	}
	return d
}

func TestThePolicyOfThePageAllowsItsOwnScriptAndStyleOnly(t *testing.T) {
	policy, hashes := "", map[string]string{}
	for _, n := range elements(t, pageOf(t, made())) {
		switch {
		case attribute(n, "http-equiv") == "Content-Security-Policy":
			policy = attribute(n, "content")
		case n.Data == "style", n.Data == "script" && attribute(n, "type") == "":
			sum := sha256.Sum256([]byte(content(n)))
			hashes[n.Data] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
	}
	want := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hashes["script"], hashes["style"])
	if policy != want {
		t.Errorf("policy %s\nwant   %s", policy, want)
	}
}

func TestThePageSaysWhatMattersWithoutItsScript(t *testing.T) {
	r := made()
	r.Interrupted, r.Stopped = true, "the run was interrupted"
	r.Clauses[0].Source = "interface document, Authentication 1"
	r.Changes = []engine.Change{{Object: "connectionProfile", ID: 12, Change: "updated", Reason: "refused", Undo: "curl undo"}}
	r.OpenPoints = []report.OpenPoint{{ID: "empty-object", Question: "Is {} accepted?", Observed: []string{"accepted"}}}
	page, _, _ := strings.Cut(pageOf(t, r), `<template id="finding-prototype">`)
	if n := strings.Count(page, r.Clauses[0].Source); n != 2 { // at the finding and at the clause
		t.Errorf("the source of the clause is there %d times", n)
	}
	for _, want := range []string{
		`<span class="word">nonconforming</span>`, "1 finding", "Acme", "The run was interrupted", "updateCampaign answered 200 where 401 was expected", "seen 2 of 9 times",
		"interface document, Authentication 1", "A request whose user cannot be authenticated is answered 401.", "status <mark>401</mark>", "status <mark>200</mark>",
		"curl -i http://127.0.0.1/campaigns/25", "credentials.stranger is not in the target file", "curl undo", "Is {} accepted?",
		"updateCampaign, 401: 0 passed, 1 failed, 0 not tested", "The exchanges of this run were not kept.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestWhatATargetSendsStaysText(t *testing.T) {
	page := pageOf(t, samples.Hostile())
	allowed := map[string]bool{}
	for _, n := range elements(t, pageOf(t, samples.Large(500, 500))) {
		allowed[n.Data] = true
	}
	scripts := 0
	for _, n := range elements(t, page) {
		if n.Data == "script" {
			scripts++
		}
		if !allowed[n.Data] && n.Data != "em" { // em: a reason
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
	r, err := samples.Broken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, r)
	d := dataOf(t, page)
	if len(d.Findings) != len(r.Findings) || len(d.Cases) != len(r.Results) {
		t.Fatalf("%d findings, %d cases", len(d.Findings), len(d.Cases))
	}
	for i, f := range d.Findings {
		if r.Findings[i].Exchange == 0 { // of several requests
			continue
		}
		if f.Exchange == nil {
			t.Fatalf("finding %d has no exchange", i+1)
		}
		title := d.Texts[d.Exchanges[*f.Exchange].Title]
		if !strings.HasPrefix(title, fmt.Sprintf("%d: ", r.Findings[i].Exchange)) {
			t.Errorf("finding %d of exchange %d shows %q", i+1, r.Findings[i].Exchange, title)
		}
	}
	for i, c := range d.Cases {
		if r.Results[i].Requests > 0 && len(c.Exchanges) == 0 {
			t.Errorf("%s shows no exchange", r.Results[i].ID)
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
	r := samples.Large(5_000, 10_000)
	started := time.Now()
	page := pageOf(t, r)
	t.Logf("%d bytes in %s", len(page), time.Since(started))
	d := dataOf(t, page)
	if len(page) > 10_000_000 || len(d.Findings) != 10_000 || len(d.Cases) != 5_000 || d.Findings[0].Exchange == nil {
		t.Errorf("%d bytes, %d findings, %d cases", len(page), len(d.Findings), len(d.Cases))
	}
	if n := strings.Count(page, "<rect"); n > 1_000 {
		t.Errorf("the timeline has %d parts", n)
	}
}

// However much was found and however hostile it is, the page can be opened, and
// says what it leaves out.
func TestThePageIsBounded(t *testing.T) {
	r := samples.Large(5_000, 10_000)
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
	if missing := 10_000 - len(d.Findings); missing <= 0 || !strings.Contains(page, fmt.Sprintf("%d more findings had no room in this page", missing)) {
		t.Errorf("%d findings are missing and the page does not say so", missing)
	}
}
