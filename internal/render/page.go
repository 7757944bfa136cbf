package render

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
	"github.com/adconform/adconform/suites/report"
)

// htmlFile is the name of the report for people in a report folder.
const htmlFile = "report.html"

// exchangeRoom limits the bytes of exchanges in a page. Those of findings come first.
const exchangeRoom = 4 << 20

//go:embed page.html
var pageHTML string

//go:embed style.css
var pageStyle string

//go:embed script
var pageScripts embed.FS

var (
	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
	pageScript   = concatenated(pageScripts, "elements", "data", "layout", "list", "finding", "sections",
		"pairs", "page")
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
	text, err := v.plain(Style{Width: 100, Dir: ".", All: true})
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, map[string]any{
		"Title": wording.Printable(v.Words() + ": " + v.Target.Name + " · adconform"),
		"Text":  text,
		// Only these scripts run, and nothing is loaded.
		"Policy": fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'",
			hash(pageScript), hash(pageStyle)),
		"Style": template.CSS(pageStyle), "Script": template.JS(pageScript),
		"Data": template.JS(escapeJSON(data)),
	})
}

// hash returns the source expression (CSP) of an inline script or style.
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// told is a finding with the texts of the fields that the page shows. What they are made of is left out, so that a page
// of thousands of findings still opens.
type told struct {
	*report.Finding
	Said map[string]string `json:"said"`

	// These hide the finding's own.
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	Cause    string `json:"cause,omitempty"`
}

// saidOnPage lists the fields whose texts the page shows.
var saidOnPage = []string{"check", "sent", "expected", "got", "server"}

// pageData is what the script of the page renders: report.json, in which a finding names its cases and not
// the reverse, and the texts of the view.
type pageData struct {
	Report struct {
		report.Report
		Findings []told `json:"findings"`
	} `json:"report"`
	*View
	Verdict   string            `json:"verdict"` // in words, like the next
	Scope     string            `json:"scope"`
	SelfTest  string            `json:"selfTest"`
	Replay    string            `json:"replay"` // the command, in the folder of the page
	Exchanges []json.RawMessage `json:"exchanges"`
}

func (v *View) pageData() *pageData {
	d := &pageData{
		View: v, Verdict: v.VerdictWords(), Scope: v.scope(),
		SelfTest: FigureWords(v.Suite.SelfTest), Exchanges: []json.RawMessage{},
		Replay: strings.ReplaceAll(v.replay(), "DIR", "."),
	}
	d.Report.Report = *v.Report
	d.Report.Findings = []told{}
	d.Report.Results = slices.Clone(v.Results)
	for i := range d.Report.Results {
		d.Report.Results[i].Findings = nil
	}
	shown := map[int]bool{}
	for i := range v.Findings {
		f := told{Finding: &v.Findings[i], Said: map[string]string{}}
		for _, line := range f.Lines() {
			if slices.Contains(saidOnPage, line.Name) {
				f.Said[line.Name] = line.Text
			}
		}
		d.Report.Findings = append(d.Report.Findings, f)
		for _, q := range append(f.Requests, report.Request{Exchange: f.Exchange}) {
			shown[q.Exchange] = true
		}
	}
	room := exchangeRoom
	for _, first := range []bool{true, false} {
		for _, ex := range v.Exchanges {
			if shown[ex.Seq()] != first || room < 0 {
				continue
			}
			if text, err := json.Marshal(ex); err == nil {
				d.Exchanges = append(d.Exchanges, text)
				room -= len(escapeJSON(text))
			}
		}
	}
	return d
}
