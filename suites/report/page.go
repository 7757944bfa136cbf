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

	"github.com/adconform/adconform/internal/wording"
)

// htmlFile is the name of the report for people in a report folder.
const htmlFile = "report.html"

// Limits on the contents of a page.
const (
	pageRoom = 9 << 20   // bytes: cases first, then findings, then their exchanges, then the other exchanges
	pageCurl = 256 << 10 // bytes of a curl line
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var pageStyle string

//go:embed script
var pageScripts embed.FS

var (
	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
	pageScript   = concatenated(pageScripts, "elements", "data", "layout", "list", "finding", "sections", "page")
)

func concatenated(scripts embed.FS, names ...string) (text string) {
	for _, name := range names {
		part, _ := scripts.ReadFile("script/" + name + ".js") // without one the page is empty, as its tests would see
		text += string(part)
	}
	return text
}

// WriteHTML writes a report as an HTML page. Nothing that a target sent is ever parsed as markup: the
// template gets only printable characters.
func (v *View) WriteHTML(w io.Writer) error {
	data, err := json.Marshal(v.pageData())
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, map[string]any{
		"Title": wording.Printable(v.Words() + ": " + v.Target.Name + " · adconform"), "Headline": v.Headline,
		// Only these scripts run, and nothing is loaded.
		"Policy": fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'",
			hash(pageScript), hash(pageStyle)),
		"Style": template.CSS(pageStyle), "Script": template.JS(pageScript), "Data": template.JS(escapeJSON(data)),
	})
}

// hash returns the source expression (CSP) of an inline script or style.
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageData is what the script of the page renders: report.json, with some lists in a shorter
// form, and the texts of the view.
type pageData struct {
	Report struct {
		*Report
		Findings []json.RawMessage `json:"findings"`
		Results  []json.RawMessage `json:"results"`
	} `json:"report"`
	*View
	Verdict   string            `json:"verdict"` // in words, like the next
	Scope     string            `json:"scope"`
	SelfTest  string            `json:"selfTest"`
	Exchanges []json.RawMessage `json:"exchanges"`
	Omitted   struct {
		Cases    int `json:"cases"`
		Findings int `json:"findings"`
	} `json:"omitted"` // items that did not fit

	room int // bytes that are left
}

// pageCase is a case that refers to its findings by id.
type pageCase struct {
	*Case
	Findings []string `json:"findings,omitempty"`
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

// pageLine returns a line that can be copied and run, or "" if it is too long or not printable.
func pageLine(curl string) string {
	if len(curl) > pageCurl || wording.Printable(curl) != curl {
		return ""
	}
	return curl
}

func (v *View) pageData() *pageData {
	d := &pageData{
		View: v, Verdict: v.VerdictWords(), Scope: v.scope(), SelfTest: v.Suite.SelfTest.String(),
		Exchanges: []json.RawMessage{}, room: pageRoom,
	}
	d.Report.Report, d.Report.Findings, d.Report.Results = v.Report, []json.RawMessage{}, []json.RawMessage{}
	for i := range v.Results {
		c := pageCase{Case: &v.Results[i]}
		for _, f := range c.Case.Findings {
			c.Findings = append(c.Findings, f.ID)
		}
		if !d.add(&d.Report.Results, c) {
			break
		}
	}
	shown := map[int]bool{}
	for _, f := range v.Findings {
		f.Cases, f.At, f.Curl, f.Requests = nil, nil, pageLine(f.Curl), slices.Clone(f.Requests) // the cases refer to it
		for j := range f.Requests {
			f.Requests[j].Curl = pageLine(f.Requests[j].Curl)
			shown[f.Requests[j].Exchange] = true
		}
		if !d.add(&d.Report.Findings, tell(&f)) {
			break
		}
		shown[f.Exchange] = true
	}
	d.Omitted.Cases, d.Omitted.Findings = len(v.Results)-len(d.Report.Results), len(v.Findings)-len(d.Report.Findings)
	for _, first := range []bool{true, false} {
		for _, ex := range v.Exchanges {
			if shown[ex.Seq] == first && !d.add(&d.Exchanges, ex) {
				break
			}
		}
	}
	return d
}
