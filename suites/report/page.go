package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// htmlFile is the name of the report for people in a report folder.
const htmlFile = "report.html"

// What a page holds at most.
const (
	pageRoom      = 9 << 20   // bytes: cases first, then findings, then what shows them, the worst first
	pageCurl      = 256 << 10 // bytes of a curl line
	caseExchanges = 3         // of the findings of one case
)

// pageData is what the script of the page renders: report.json, with some lists in a shorter
// form, and of the view what is said in words.
type pageData struct {
	Report struct {
		*Report
		Findings []json.RawMessage `json:"findings"`
		Results  []json.RawMessage `json:"results"`
	} `json:"report"`
	Verdict   string            `json:"verdict"` // in words, as is the next
	Scope     string            `json:"scope"`
	How       string            `json:"how"` // it was tested
	Warnings  []string          `json:"warnings"`
	Untested  []Untested        `json:"untested"`
	Pins      string            `json:"pins"` // YAML
	SelfTest  string            `json:"selfTest"`
	Exchanges []json.RawMessage `json:"exchanges"`
	Omitted   struct {
		Cases    int `json:"cases"`
		Findings int `json:"findings"`
	} `json:"omitted"` // for which there was no room

	room int // bytes that are left
}

// told is a finding beside what the terminal says of it in words.
type told struct {
	*oracle.Finding
	Often  string `json:"often"`
	Sent   string `json:"sent,omitempty"`
	Answer string `json:"answer,omitempty"` // the server's own message
}

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

//go:embed style.css
var pageStyle string

//go:embed script
var pageScripts embed.FS

// WriteHTML writes a report as a page. Nothing that a target sent is ever read as markup: what
// the template gets holds printable characters only.
func (v *View) WriteHTML(w io.Writer) error {
	data, err := v.pageData()
	if err != nil {
		return err
	}
	script := ""
	for _, name := range []string{"elements", "data", "layout", "list", "finding", "sections", "page"} { // in this order
		text, err := pageScripts.ReadFile("script/" + name + ".js")
		if err != nil {
			return err
		}
		script += string(text)
	}
	return pageTemplate.Execute(w, map[string]any{
		"Title": wording.Printable(v.Words() + ": " + v.Target.Name + " · adconform"), "Headline": v.Headline,
		// Nothing runs or loads but what stands here.
		"Policy": fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'",
			hash(script), hash(pageStyle)),
		"Style": template.CSS(pageStyle), "Script": template.JS(script), "Data": template.JS(data),
	})
}

// hash is the source expression (CSP) of an inline script or style.
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageLine is a line that can be copied and run: one that is not printable is not shown.
func pageLine(curl string) string {
	if len(curl) > pageCurl || wording.Printable(curl) != curl {
		return ""
	}
	return curl
}

func (v *View) pageData() ([]byte, error) {
	d := pageData{
		room: pageRoom, Verdict: v.VerdictWords(), Scope: v.scope(), Warnings: v.Warnings, Untested: v.Untested,
		Pins: v.Pins, How: fmt.Sprintf("depth %s · seed %d", v.Depth, v.Seed), Exchanges: []json.RawMessage{},
	}
	if v.Recording != nil {
		d.How = v.Recording.String()
	}
	if v.Suite.SelfTest.Faults > 0 {
		d.SelfTest = " " + v.Suite.SelfTest.String()
	}
	d.Report.Report, d.Report.Findings, d.Report.Results = v.Report, []json.RawMessage{}, []json.RawMessage{}
	for i := range v.Results {
		c := struct {
			*Case
			Findings []string `json:"findings,omitempty"` // ids
		}{Case: &v.Results[i]}
		for j := range c.Case.Findings {
			c.Findings = append(c.Findings, c.Case.Findings[j].ID)
		}
		if !d.add(&d.Report.Results, c) {
			break
		}
	}
	for i := range v.Findings {
		f := v.Findings[i]
		f.Cases, f.At, f.Curl, f.Requests = nil, nil, pageLine(f.Curl), slices.Clone(f.Requests) // the cases name it
		for j := range f.Requests {
			f.Requests[j].Curl = pageLine(f.Requests[j].Curl)
		}
		if !d.add(&d.Report.Findings, told{&f, strings.TrimSuffix(often(&f)+", "+newCases(&f), ", "), sentOf(&f), serverSays(&f)}) {
			break
		}
	}
	d.Omitted.Cases, d.Omitted.Findings = len(v.Results)-len(d.Report.Results), len(v.Findings)-len(d.Report.Findings)
	d.evidence(v)
	text, err := json.Marshal(d)
	return escapeJSON(text), err
}

// add appends a value to a list, as JSON that can stand in a page, if there is room for it.
func (d *pageData) add(list *[]json.RawMessage, value any) bool {
	text, err := json.Marshal(value)
	if text = escapeJSON(text); len(text) > d.room || err != nil {
		return false
	}
	d.room -= len(text)
	*list = append(*list, text)
	return true
}

// evidence adds exchanges: those of the findings, then of each case those of its first findings, or
// the last that it sent.
func (d *pageData) evidence(v *View) {
	var seqs []int
	for i := range v.Findings[:len(d.Report.Findings)] {
		seqs = append(seqs, v.Findings[i].Exchange)
	}
	exchanges, last := map[int]*Exchange{}, map[string]int{}
	for i := range v.Exchanges {
		ex := &v.Exchanges[i]
		exchanges[ex.Seq], last[ex.Case] = ex, ex.Seq
	}
	for i := range v.Results {
		c := &v.Results[i]
		for j := range c.Findings[:min(len(c.Findings), caseExchanges)] {
			seqs = append(seqs, c.Findings[j].Exchange)
		}
		if len(c.Findings) == 0 {
			seqs = append(seqs, last[c.ID])
		}
	}
	for _, seq := range seqs {
		if ex := exchanges[seq]; ex != nil {
			d.add(&d.Exchanges, ex)
			delete(exchanges, seq)
		}
	}
}
