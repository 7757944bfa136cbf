package report

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// htmlFile is the name of the report for people in a report folder.
const htmlFile = "report.html"

// What a page holds at most.
const (
	pageRoom      = 8 << 20 // bytes: cases first, then findings, then what shows them, the worst first
	pageFindings  = 30      // without the script
	pageCurl      = 4 << 10 // bytes of a curl line
	caseExchanges = 3       // of the findings of one case
)

// pageData is what the script of the page renders.
type pageData struct {
	Report    pageReport        `json:"report"`
	Words     pageWords         `json:"words"`
	Curls     []string          `json:"curls"` // of the findings, as far as there was room
	Pins      string            `json:"pins"`  // YAML
	Exchanges []json.RawMessage `json:"exchanges"`
	// Timings are those of all requests: when it was sent and how long it took, in seconds,
	// its status, the operation, and whether a finding is about it.
	Timings    [][]any  `json:"timings"`
	Operations []string `json:"operations"` // that Timings name by their place
	Omitted    struct {
		Cases    int `json:"cases"`
		Findings int `json:"findings"`
	} `json:"omitted"` // for which there was no room

	room int // bytes that are left
}

// pageReport is report.json, but for lists in a shorter form.
type pageReport struct {
	*Report
	Findings []json.RawMessage `json:"findings"`
	Results  []json.RawMessage `json:"results"`
	Causes   []pageCause       `json:"causes"`
}

// pageCause is a cause of several findings, or of one that has a hint.
type pageCause struct {
	Title    string `json:"title"`
	Hint     string `json:"hint,omitempty"`
	Findings []int  `json:"findings"` // places in the list of findings
}

type (
	pageFinding struct {
		*oracle.Finding
		ID       string           `json:"id,omitempty"`     // left out, as are the next three
		Cases    []string         `json:"cases,omitempty"`  // the cases name it
		Curl     string           `json:"curl,omitempty"`   // in pageData
		Answer   string           `json:"answer,omitempty"` // Says has it
		Title    string           `json:"title"`
		Often    string           `json:"often"`
		OfStatus bool             `json:"ofStatus,omitempty"`
		Sent     string           `json:"sent,omitempty"` // in words, as on a terminal
		Says     string           `json:"says,omitempty"` // the server's own message
		Requests []oracle.Request `json:"requests,omitempty"`
	}
	pageCase struct {
		*Case
		Findings []int `json:"findings,omitempty"` // places in the list of findings
	}
	pageExchange struct {
		*Exchange
		StatusText string `json:"statusText,omitempty"`
	}
	// pageWords are said alike on a terminal.
	pageWords struct {
		Verdict  string   `json:"verdict"`
		Scope    string   `json:"scope"`
		How      string   `json:"how"` // it was tested
		Hidden   string   `json:"hidden,omitempty"`
		Warnings []string `json:"warnings"`
		SelfTest string   `json:"selfTest,omitempty"`
	}
)

// WriteHTML writes a report as a page. Nothing that a target sent is ever read as markup.
func WriteHTML(w io.Writer, r *Report) error {
	r = bounded(r)
	data, err := newPageData(r)
	if err != nil {
		return err
	}
	var script []byte
	for _, name := range scripts {
		script = append(script, pageFile("script/"+name+".js")...)
	}
	style := pageFile("style.css")
	// What stands here holds printable characters only.
	page := struct {
		Title, Headline string
		Findings        []string // without the script
		Policy          string   // content security policy: nothing runs or loads but what stands here
		Style           template.CSS
		Script, Data    template.JS
	}{
		Title: wording.Printable(r.Words() + ": " + r.Target.Name + " · adconform"), Headline: VerdictLine(r),
		Policy: fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hash(script), hash(style)),
		Style:  template.CSS(style), Script: template.JS(script), Data: template.JS(data),
	}
	for i := range r.Findings[:min(len(r.Findings), pageFindings)] {
		f := &r.Findings[i]
		text := fmt.Sprintf("%s: %s (%s), %s, first in case %s", Sentence(f), f.Clause, f.Basis, often(f), f.Case)
		page.Findings = append(page.Findings, wording.Printable(text))
	}
	return template.Must(template.New("page").Parse(string(pageFile("page.html")))).Execute(w, page)
}

//go:embed page.html style.css script
var pageFiles embed.FS

// scripts are joined to the one script of the page, in this order.
var scripts = []string{"elements", "data", "compare", "list", "finding", "sections", "timeline", "page"}

func pageFile(name string) []byte {
	text, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return text
}

// hash is the source expression (CSP) of an inline script or style.
func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageLine is a line that can be copied and run: one that is not printable, or that fills a
// screen, is not shown.
func pageLine(curl string) string {
	if len(curl) > pageCurl || wording.Printable(curl) != curl {
		return ""
	}
	return curl
}

// add appends a value to a list, as JSON that can stand in a page, if there is room for it.
func (d *pageData) add(list *[]json.RawMessage, v any) bool {
	text, err := json.Marshal(v)
	if text = files.EscapeJSON(text); len(text) > d.room || err != nil {
		return false
	}
	d.room -= len(text)
	*list = append(*list, text)
	return true
}

func newPageData(r *Report) ([]byte, error) {
	d := pageData{room: pageRoom, Words: newPageWords(r), Pins: PinBlock(r), Exchanges: []json.RawMessage{}}
	d.Report = pageReport{Report: r, Findings: []json.RawMessage{}, Results: []json.RawMessage{}}
	d.timeline(r)
	places := map[string]int{} // by id
	for i := range r.Findings {
		places[r.Findings[i].ID] = i
	}
	placesOf := func(ids []string) (at []int) {
		for _, id := range ids {
			if i, ok := places[id]; ok {
				at = append(at, i)
			}
		}
		return at
	}
	for i := range r.Results {
		var ids []string
		for j := range r.Results[i].Findings {
			ids = append(ids, r.Results[i].Findings[j].ID)
		}
		if !d.add(&d.Report.Results, pageCase{&r.Results[i], placesOf(ids)}) {
			break
		}
	}
	d.Report.Causes = []pageCause{}
	for _, c := range r.Causes {
		cause := pageCause{Title: c.Title, Findings: list(placesOf(c.Findings))}
		if c.Hint != nil {
			cause.Hint = c.Hint.String()
		}
		if len(c.Findings) > 1 || c.Hint != nil {
			d.Report.Causes = append(d.Report.Causes, cause)
		}
	}
	headed := map[int]bool{}
	for _, c := range d.Report.Causes {
		for _, at := range c.Findings {
			headed[at] = true
		}
	}
	for i := range r.Findings {
		if !d.add(&d.Report.Findings, newPageFinding(&r.Findings[i], headed[i])) {
			break
		}
	}
	d.Omitted.Cases, d.Omitted.Findings = len(r.Results)-len(d.Report.Results), len(r.Findings)-len(d.Report.Findings)
	d.evidence(r)
	text, err := json.Marshal(d)
	return files.EscapeJSON(text), err
}

// newPageFinding is a finding; one that no cause stands above is called by its own.
func newPageFinding(f *oracle.Finding, headed bool) pageFinding {
	_, ofStatus := answered(f)
	p := pageFinding{Finding: f, Title: located(f), Often: often(f), OfStatus: ofStatus, Sent: sentOf(f), Says: serverSays(f)}
	switch {
	case !headed && strings.HasPrefix(f.Pointer, "/") && f.Severity != oracle.Transport:
		p.Title = Headline(f) + wording.Printable(", at "+f.Pointer)
	case !headed:
		p.Title = Headline(f)
	case f.Pointer == "" || f.Severity == oracle.Transport:
		p.Title = Sentence(f)
	}
	for _, q := range f.Requests {
		q.Curl = pageLine(q.Curl)
		p.Requests = append(p.Requests, q)
	}
	switch {
	case f.Known != "":
		p.Often += ", known: " + f.Known
	case len(f.NewCases) > 0:
		p.Often += ", " + newCases(f)
	}
	return p
}

// evidence adds exchanges and curl lines: those of the findings, then those of cases that
// failed, then the last that each other case sent.
func (d *pageData) evidence(r *Report) {
	bySeq, last := map[int]*Exchange{}, map[string]*Exchange{}
	for i := range r.Exchanges {
		ex := &r.Exchanges[i]
		bySeq[ex.Seq], last[ex.Case] = ex, ex
	}
	add := func(ex *Exchange) {
		if ex == nil || bySeq[ex.Seq] == nil {
			return
		}
		delete(bySeq, ex.Seq)
		d.add(&d.Exchanges, pageExchange{ex, http.StatusText(ex.Status)})
	}
	d.Curls = []string{}
	for i := range r.Findings[:len(d.Report.Findings)] {
		if line := pageLine(r.Findings[i].Curl); d.room > 0 {
			d.Curls = append(d.Curls, line)
			d.room -= 2 * len(line) // with its escapes, about
		}
		add(bySeq[r.Findings[i].Exchange])
	}
	for i := range r.Results {
		c := &r.Results[i]
		for j := range c.Findings[:min(len(c.Findings), caseExchanges)] {
			add(bySeq[c.Findings[j].Exchange])
		}
		if len(c.Findings) == 0 {
			add(last[c.ID])
		}
	}
}

func (d *pageData) timeline(r *Report) {
	d.Timings, d.Operations = [][]any{}, []string{}
	if len(r.Exchanges) == 0 {
		return
	}
	begin := r.Exchanges[0].Started
	for i := range r.Exchanges {
		if at := r.Exchanges[i].Started; at.Before(begin) {
			begin = at
		}
	}
	found, places := map[int]bool{}, map[string]int{}
	for i := range r.Findings {
		found[r.Findings[i].Exchange] = true
	}
	for i := range r.Exchanges {
		ex := &r.Exchanges[i]
		operation, _, _ := strings.Cut(ex.Case, "/")
		place, ok := places[operation]
		if !ok {
			place = len(d.Operations)
			places[operation] = place
			d.Operations = append(d.Operations, cmp.Or(operation, "the suite itself"))
		}
		d.Timings = append(d.Timings, []any{ex.Started.Sub(begin).Seconds(), ex.Seconds, ex.Status, place, found[ex.Seq]})
	}
}

func newPageWords(r *Report) pageWords {
	w := pageWords{Verdict: r.VerdictWords(), Scope: scope(r), Hidden: HiddenLine(r), Warnings: warnings(r)}
	w.How = fmt.Sprintf("depth %s · seed %d", r.Depth, r.Seed)
	if r.Recording != nil {
		w.How = r.Recording.String()
	}
	if r.Suite.SelfTest.Faults > 0 {
		w.SelfTest = " " + r.Suite.SelfTest.String()
	}
	return w
}

// warnings are what a reader has to know before anything else.
func warnings(r *Report) []string {
	all := []string{}
	if r.Insecure {
		all = append(all, Insecure+".")
	}
	if r.Stopped != "" {
		all = append(all, strings.ToUpper(r.Stopped[:1])+r.Stopped[1:]+". What follows is what was seen until then.")
	}
	all = append(all, r.Defects...)
	if len(r.Unused) > 0 {
		all = append(all, "Stated by the document, and not used: "+strings.Join(r.Unused, "; ")+".")
	}
	if b := r.Baseline; b != nil {
		all = append(all, fmt.Sprintf(
			"Baseline %s: %s, %s no longer seen, %d expired, %d seen in cases not listed.",
			b.File, wording.Count(b.Known, "known finding"), wording.Count(len(b.Stale), "entry"), len(b.Expired), len(b.Outgrown)))
	}
	return all
}
